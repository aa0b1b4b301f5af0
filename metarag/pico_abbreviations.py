"""Abbreviations that a text defines itself: 'attention deficit hyperactivity disorder (ADHD)'.

References
----------
Schwartz AS, Hearst MA. A simple algorithm for identifying abbreviation definitions in biomedical text.
Pac Symp Biocomput 2003:451-62. Written anew from the published description.
"""

from __future__ import annotations

import re

# With a capital among the first ten characters: most brackets hold numbers.
_IN_BRACKETS = re.compile(r"\((?=[^()]{0,40}[^\W\d_a-z])([^()]{2,40})\)")
_LISTED = re.compile(r"[,;]")
_SPACE = re.compile(r"\s")
_STOP = re.compile(r"[.;(]\s")
_MAX_SHORT = 10
_MIN_SHORT = 2
_MAX_WORDS_IN_SHORT = 2


def abbreviations(text: str) -> dict[str, tuple[int, int]]:
    """Return each abbreviation that ``text`` defines, with start and end of its first long form.

    Only the order "long form (short form)" is read. The long form has at most
    ``min(n + 5, 2 n)`` words before the bracket, with n the characters of the short form, and its first
    letter begins a word, as in the paper. Time is linear: each bracket is looked at once, with a bounded
    window before it.

    Examples
    --------
    >>> text = "Patients with overactive bladder (OAB) took part."
    >>> {short: text[a:b] for short, (a, b) in abbreviations(text).items()}
    {'OAB': 'overactive bladder'}
    """
    found: dict[str, tuple[int, int]] = {}
    for match in _IN_BRACKETS.finditer(text) if "(" in text else ():
        short = _LISTED.split(match.group(1), maxsplit=1)[0].strip()
        if short in found or not _is_short_form(short):
            continue
        said = _long_form(text, match.start(), short)
        if said:
            found[short] = said
    return found


def _is_short_form(short: str) -> bool:
    return (
        _MIN_SHORT <= len(short) <= _MAX_SHORT
        and short[0].isalnum()
        and any(map(str.isupper, short))
        and len(short.split()) <= _MAX_WORDS_IN_SHORT
    )


def _long_form(text: str, bracket: int, short: str) -> tuple[int, int] | None:
    """Return start and end of what ``short`` stands for: the last words of the sentence before a bracket."""
    words = min(len(short) + 5, 2 * len(short))
    end = _rstrip(text, bracket)
    floor = bracket - 30 * words
    start = _long_form_start(text, floor + 1 if floor > 0 else 0, end, short)
    if start is None or not _is_long_form(text[start:end], short):
        return None
    within = len(_SPACE.findall(text, start, end)) < words and not _STOP.search(text, start, end + 1)
    return (start, end) if within else None


def _rstrip(text: str, end: int) -> int:
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end


def _long_form_start(text: str, start: int, end: int, short: str) -> int | None:
    """Match the characters of ``short`` from the right, the first one at the beginning of a word."""
    window = text[start:end]
    lower = window.lower() if window.isascii() else "".join(map(_lowered, window))
    position = len(window)
    for index in range(len(short) - 1, -1, -1):
        wanted = short[index].lower()
        if not wanted.isalnum():
            continue
        position = lower.rfind(wanted, 0, position)
        while index == 0 and position > 0 and lower[position - 1].isalnum():
            position = lower.rfind(wanted, 0, position)
        if position < 0:
            return None
    return start + position


def _lowered(character: str) -> str:
    """Return a character in lower case, unless that would move those behind it."""
    return low if len(low := character.lower()) == 1 else character


def _is_long_form(long_form: str, short: str) -> bool:
    return len(long_form) > len(short) and short not in long_form.split()
