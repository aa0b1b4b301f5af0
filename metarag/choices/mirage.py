"""The lenient reading behind published MIRAGE numbers, to reproduce them; never the headline of anything."""

from __future__ import annotations

import re
from collections.abc import Mapping

from metarag.choices.result import ParsedAnswer

DEFAULT_LETTER = "A"
"""What an unreadable reply counts as in MIRAGE. With it, refusals are right whenever A is."""
_FIELD = '"answer_choice": "'
# In MIRAGE's order; letters A to D only, the first match of a rule counts, and nothing ends a letter after a
# colon: ": Aspirin" is read as A.
_RULES = (
    ("a single letter", re.compile(r"^\s*([A-D])$")),
    ("a letter before 'or'", re.compile(r"^\s*([A-D]) or")),
    ("a letter before 'and'", re.compile(r"^\s*([A-D]) and")),
    ("a letter before a slash", re.compile(r"^\s*([A-D])/")),
    ("a letter before a comma", re.compile(r"^\s*([A-D]),")),
    ("'option' and a letter", re.compile(r"[Oo]ption ([A-D])")),
    ("a letter after a colon", re.compile(r":\s*([A-D])")),
    ("a letter before a full stop", re.compile(r"^\s*([A-D])\.")),
    ("a letter before a quotation mark", re.compile(r'^\s*([A-D])"')),
    ("a letter before a colon", re.compile(r"^\s*([A-D]):")),
)


def mirage_compat(text: str | None, options: Mapping[str, str]) -> ParsedAnswer:
    """Return what MIRAGE's own evaluation reads in a reply: always a letter, rightly or not.

    **Lenient: a reply that cannot be read counts as A**, two letters count as the first, and letters after D
    do not exist. On MIRAGE's published predictions this alone is worth up to a point of accuracy, most of it
    where retrieval makes models abstain. Use it beside :func:`~metarag.choices.parser.parse_answer` to
    compare with published numbers, and say so.

    Parameters
    ----------
    text : str or None
        The reply; what stands behind the last ``"answer_choice": "`` is read.
    options : mapping of str to str
        A letter that is none of them is not returned, unlike in MIRAGE, where it is a wrong answer.

    References
    ----------
    Xiong G, et al. Benchmarking retrieval-augmented generation for medicine. Findings of ACL 2024. The rules are
    those of ``locate_answer`` in its repository.
    """
    answer = (text or "").split(_FIELD)[-1].strip()
    for name, pattern in _RULES:
        match = pattern.search(answer)
        if match:
            return _read(match[1], f"MIRAGE's rule: {name}.", options)
    return _read(DEFAULT_LETTER, "MIRAGE's default letter: none of its rules reads this reply.", options)


def _read(letter: str, reason: str, options: Mapping[str, str]) -> ParsedAnswer:
    if letter not in options:
        return ParsedAnswer(None, "outside", f"{reason} It is no option's.")
    return ParsedAnswer(letter, "lenient", reason, (letter,))
