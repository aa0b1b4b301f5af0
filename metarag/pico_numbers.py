"""Ages and durations in figures: 'aged 2 to 12 years', '45-year-old', 'at 28 days'."""

from __future__ import annotations

import re
from typing import Final

from metarag.pico_types import PicoTerm, TermKind
from metarag.types import Span

# Begins at the figure and looks at the words before it afterwards: searching for an optional word first
# would try every word of the text.
_AGE_RANGE: Final = re.compile(
    r"\b(?P<low>\d{1,3}) ?(?:[Yy]ears?)? ?(?:-|–|to|and) ?(?P<high>\d{1,3})[ -]?"
    r"(?P<unit>[Yy]ears?|yrs?|[Mm]onths?|y)\b(?P<after>[ -](?:old|of age))?"
)
_ONE_AGE: Final = re.compile(
    r"\b(?P<age>\d{1,3})[ -](?P<unit>[Yy]ear|[Mm]onth|[Ww]eek|[Dd]ay|yr)s?[ -][Oo]ld\b"
)
_FLOOR: Final = re.compile(
    r"\b(?P<low>\d{2}) ?(?:years|yrs|y)\b(?P<after>(?: of age)? (?:or|and) (?:older|over|above))?"
)
_BEFORE_RANGE: Final = re.compile(
    r"\b(?:aged?|ages|between|years?|adults?|children|men|women|patients)[ ,(:]{1,3}(?:of |between |from )?$",
    re.IGNORECASE,
)
_BEFORE_FLOOR: Final = re.compile(r"(?:\b(?:over|above|older than|at least|aged)|≥|>) ?$", re.IGNORECASE)
_REACH = 24
"""Characters before a figure that can hold 'patients, aged between'."""
_DURATION: Final = re.compile(
    r"\b(?P<n>\d{1,3}|[OoTtFfSsEeNn][a-z]{2,5})[ -](?P<unit>day|week|month|year)s?\b(?![ -](?:old|of age))"
)
_NUMERALS: Final = frozenset("one two three four five six seven eight nine ten twelve".split())
# Upper ends of the age groups in years, after the MeSH check tags (infant to 23 months, child 2 to 12,
# adolescent 13 to 18, adult 19 to 64, aged 65 and over).
_GROUPS: Final = (
    ("infants", 2.0),
    ("children", 13.0),
    ("adolescents", 19.0),
    ("adults", 65.0),
    ("older people", 130.0),
)
_PER_YEAR: Final = {"y": 1.0, "m": 12.0, "w": 52.0, "d": 365.0}
_OLDEST = 120
_NEWBORN_DAYS = 28


def age_terms(text: str, where: str) -> list[PicoTerm]:
    """Return the age groups that ages in figures belong to, each with the figures."""
    terms = []
    for match in _AGE_RANGE.finditer(text):
        low, high = int(match["low"]), int(match["high"])
        if low < high <= _OLDEST and (match["after"] or _follows(_BEFORE_RANGE, match)):
            per_year = _PER_YEAR[match["unit"][0].lower()]
            terms += [_term(name, match, where) for name in _groups(low / per_year, high / per_year)]
    for match in _ONE_AGE.finditer(text):
        years = int(match["age"]) / _PER_YEAR[match["unit"][0].lower()]
        newborn = years * _PER_YEAR["d"] <= _NEWBORN_DAYS
        terms.append(_term("newborns" if newborn else _groups(years, years)[0], match, where))
    for match in _FLOOR.finditer(text):
        low = int(match["low"])
        if match["after"] or _follows(_BEFORE_FLOOR, match):
            terms += [_term(name, match, where) for name in _groups(low, _OLDEST)]
    return terms


def duration_terms(text: str, where: str) -> list[PicoTerm]:
    """Return durations such as '28 days', as they stand, in lower case and singular."""
    return [
        PicoTerm(
            concept=f"{match['n'].lower()} {match['unit'].lower()}",
            kind=TermKind.DURATION,
            span=Span(where=where, start=match.start(), end=match.end(), text=match.group()),
        )
        for match in _DURATION.finditer(text)
        if match["n"].isdigit() or match["n"].lower() in _NUMERALS
    ]


def _follows(pattern: re.Pattern[str], match: re.Match[str]) -> bool:
    """True when the words just before a figure fit ``pattern``, which ends in ``$``."""
    return bool(pattern.search(match.string[max(0, match.start() - _REACH) : match.start()]))


def _groups(low: float, high: float) -> list[str]:
    """Return the groups that an age range reaches into, by more than its end."""
    names = []
    floor = 0.0
    for name, ceiling in _GROUPS:
        if low < ceiling and (high > floor or low == high >= floor):
            names.append(name)
        floor = ceiling
    return names or [_GROUPS[-1][0]]


def _term(name: str, match: re.Match[str], where: str) -> PicoTerm:
    span = Span(where=where, start=match.start(), end=match.end(), text=match.group())
    return PicoTerm(concept=name, kind=TermKind.AGE, span=span)
