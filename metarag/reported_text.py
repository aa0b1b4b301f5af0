"""What the readers of reported facts share: places of literals, numbers, units and intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from metarag.design_text import fold
from metarag.folded_words import cut
from metarag.number_words import to_number
from metarag.records import Article
from metarag.reported_facts import TimeUnit
from metarag.spans import Span

MAX_CHARACTERS: Final = 20_000
"""Characters of a text that are read: an abstract, or the beginning of a full text."""

MAX_PLACES: Final = 40
"""Places of a literal that are tried; participants, dates and money are told once or twice."""

NUMBER: Final = r"(?<![\w.·,/])\d{1,3}(?:[.·]\d{1,2})?(?![\d%]|[.·,]\d|\s?%)"
UNIT: Final = r"(?:years?|yrs?|y|months?|mos?|weeks?|wks?|days?|hours?|hrs?|h)\b"
TO: Final = r"\s?(?:-|to|and|through)\s?"
SPREAD: Final = (
    r"(?:\s?\(?(?:\s?(?:±|\+/-|\+-|sd|s\.d\.|standard\sdeviation))(?:\sof|[\s:=,±]){0,3}\s?"
    rf"(?P<spread>{NUMBER}))?"
)
"""A standard deviation after a number; what stands after ± is taken for one."""

_INTERVAL: Final = (
    rf"[\s)]{{0,2}}[(\[,;]\s?(?:age\s)?(?P<kind>range[sd]?|ranging|inter-?\s?quartile(?:\srange)?|iqr)?"
    r"(?:\s?\[?iqr\]?)?[\s,:;=]{0,2}(?:(?:was|of|from|between)\s)?"
    rf"(?P<lower>{NUMBER})(?:\s?{UNIT})?{TO}(?P<upper>{NUMBER})(?:\s?(?P<unit>{UNIT}))?"
    rf"[)\]]?(?:\s?(?P<late>{UNIT}))?"
)
UNIT_ENDS: Final = tuple(
    "year years yr yrs y month months mo mos week weeks wk wks day days hour hours hr hrs h".split()
)
"""Ends of a text before which a unit can stand: quicker to ask than a pattern."""
_UNITS: Final = (
    ("y", TimeUnit.YEARS),
    ("m", TimeUnit.MONTHS),
    ("w", TimeUnit.WEEKS),
    ("d", TimeUnit.DAYS),
    ("h", TimeUnit.HOURS),
)


class Text(NamedTuple):
    """A text of a record, the same in lower case with plain dashes, and which telling words stand in it."""

    where: str
    original: str
    folded: str
    words: frozenset[str]

    def span(self, start: int, end: int) -> Span:
        """Return the span of a part of it."""
        return Span.cut(self.where, self.original, start, end)


class Interval(NamedTuple):
    """What stands after a mean or a median: ``kind`` is ``range``, ``iqr`` or not said; ``end`` is 0 for none."""

    kind: str | None = None
    lower: float | None = None
    upper: float | None = None
    unit: TimeUnit | None = None
    end: int = 0

    def fitting(self, unit: TimeUnit | None) -> Interval:
        """Return it without its numbers where they are in another unit than the value it belongs to."""
        if self.unit in (None, unit) or unit is None:
            return self
        return Interval(end=self.end)


def texts_of(article: Article, telling: frozenset[str]) -> tuple[Text, ...]:
    """Return title and abstract, as far as they are read; ``telling`` are the words to look for."""
    made = []
    for where, text in (("title", article.title), ("abstract", article.abstract)):
        if text:
            # Other readers fold and cut the whole text just before, and what they got is kept.
            folded = fold(text)
            words = telling.intersection(cut(folded))
            made.append(Text(where, text[:MAX_CHARACTERS], folded[:MAX_CHARACTERS], words))
    return tuple(made)


def places(literal: str, folded: str) -> Iterator[int]:
    """Yield where a literal stands at the start of a word: its first places."""
    start = folded.find(literal)
    tried = 0
    while start >= 0 and tried < MAX_PLACES:
        if start == 0 or not folded[start - 1].isalnum():
            tried += 1
            yield start
        start = folded.find(literal, start + 1)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed."""
    return re.compile(pattern)


def unit_of(words: str | None) -> TimeUnit | None:
    """Return the unit of a printed word by its first letter; ``None`` where none is printed."""
    return next((unit for letter, unit in _UNITS if words and words.startswith(letter)), None)


def number_of(words: str | None) -> float | None:
    """Return ``54.3``, ``54·3`` or ``twelve`` as a number; ``None`` for ``None``."""
    if words is None:
        return None
    plain = words.replace("·", ".")
    return float(plain) if plain[:1].isdigit() else float(to_number(plain))


def interval_of(folded: str, start: int) -> Interval:
    """Return the range or interquartile range that begins at ``start``."""
    match = compiled(_INTERVAL).match(folded, start, start + 80)
    if match is None:
        return Interval()
    kind = match["kind"]
    named = None if kind is None else "range" if kind.startswith("rang") else "iqr"
    return Interval(
        kind=named,
        lower=number_of(match["lower"]),
        upper=number_of(match["upper"]),
        unit=unit_of(match["unit"] or match["late"]),
        end=match.end(),
    )
