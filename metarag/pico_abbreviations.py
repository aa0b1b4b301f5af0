"""Abbreviations that a text defines itself: 'attention deficit hyperactivity disorder (ADHD)'.

References
----------
Schwartz AS, Hearst MA. A simple algorithm for identifying abbreviation definitions in biomedical text.
Pac Symp Biocomput 2003:451-62. Written anew from the published description.
"""

from __future__ import annotations

import re

_IN_BRACKETS = re.compile(r"\(([^()]{2,40})\)")
_LISTED = re.compile(r"[,;]")
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
    if "(" not in text:
        return found
    for match in _IN_BRACKETS.finditer(text):
        short = _LISTED.split(match.group(1), maxsplit=1)[0].strip()
        if short in found or not _is_short_form(short):
            continue
        window_start = _window_start(text, match.start(), short)
        start = _long_form_start(text, window_start, match.start(), short)
        if start is not None:
            end = _rstrip(text, match.start())
            if _is_long_form(text[start:end], short):
                found[short] = (start, end)
    return found


def _is_short_form(short: str) -> bool:
    return (
        _MIN_SHORT <= len(short) <= _MAX_SHORT
        and len(short.split()) <= _MAX_WORDS_IN_SHORT
        and short[0].isalnum()
        and any(c.isupper() for c in short)
    )


def _window_start(text: str, end: int, short: str) -> int:
    """Return where the last ``min(n + 5, 2 n)`` words before ``end`` begin, within one sentence."""
    words = min(len(short) + 5, 2 * len(short))
    position = _rstrip(text, end)
    floor = max(0, end - 30 * words)
    while position > floor and words:
        position -= 1
        if text[position].isspace():
            words -= 1
        elif text[position] in ".;\n(" and text[position + 1 : position + 2].isspace():
            break
    return position + 1 if position > 0 else 0


def _rstrip(text: str, end: int) -> int:
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end


def _long_form_start(text: str, start: int, end: int, short: str) -> int | None:
    """Match the characters of ``short`` from the right, the first one at the beginning of a word."""
    position = _rstrip(text, end) - 1
    for index in range(len(short) - 1, -1, -1):
        wanted = short[index].lower()
        if not wanted.isalnum():
            continue
        while position >= start and (
            text[position].lower() != wanted
            or (index == 0 and position > start and text[position - 1].isalnum())
        ):
            position -= 1
        if position < start:
            return None
        position -= 1
    return position + 1


def _is_long_form(long_form: str, short: str) -> bool:
    return len(long_form) > len(short) and short not in long_form.split()
