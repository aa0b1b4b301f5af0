"""Plain pieces of text, looked for before patterns: a pattern that may begin anywhere looks at every character."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import AnyStr


def holds_one(text: AnyStr, pieces: Collection[AnyStr]) -> bool:
    """Tell whether a text holds one of some pieces."""
    for piece in pieces:  # noqa: SIM110 - a generator takes twice as long, and this is asked very often
        if piece in text:
            return True
    return False


def places_of(literal: str, text: str) -> Iterator[int]:
    """Yield where a literal stands in a text, ascending; places may overlap."""
    start = text.find(literal)
    while start >= 0:
        yield start
        start = text.find(literal, start + 1)


def matches_from(pieces: Collection[str], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield what ``finditer`` would, for a pattern that ignores case and begins with one of some pieces.

    Parameters
    ----------
    pieces : collection of str
        In lower case.
    pattern : re.Pattern
    text : str
    """
    lower = text.lower()
    if len(lower) != len(text):
        yield from pattern.finditer(text)
        return
    end = 0
    for start in sorted({start for piece in pieces for start in places_of(piece, lower)}):
        found = pattern.match(text, start) if start >= end else None
        if found:
            yield found
            end = found.end()
