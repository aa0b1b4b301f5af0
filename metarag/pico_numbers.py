"""Ages and durations in figures: 'aged 2 to 12 years', '45-year-old', 'at 28 days'."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from metarag.pico_types import Noted, TermKind
from metarag.pico_words import Words
from metarag.word_facts import places_of_kind
from metarag.word_kinds import WordKind

# Patterns are tried only where a figure or a unit stands, and look at the words before a figure afterwards:
# searching for an optional word first would try every word of the text.
_MAY_BE_AGE: Final = re.compile(r"\d{1,3} {0,2}(?:[-–Yy]|to|an|[Mm]o|[Ww]e|[Dd]a)")
"""What each of the patterns for ages begins with: most figures of an abstract are something else."""
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


def age_terms(words: Words, where: str, ranges: Sequence[tuple[int, int]] | None = None) -> list[Noted]:
    """Return the age groups that ages in figures belong to, each with the figures.

    Parameters
    ----------
    words, where : Words, str
        The text, and the name its spans give it.
    ranges : sequence of (start, end) or None
        Parts of the text to read, each beginning and ending at the edge of a line; ``None`` is all of it.
    """
    text = words.text
    places = words.folded.starts
    figures = [places[number] for number in places_of_kind(WordKind.FIGURE, words.folded)]
    starts = [start for start in figures if _MAY_BE_AGE.match(text, start)]
    terms: list[Noted] = []
    for low, high in (ranges or ((0, len(text)),)) if starts else ():
        inside = starts[bisect_left(starts, low) : bisect_left(starts, high)]
        for match in _matches(_AGE_RANGE, text, inside, high):
            terms += _of_range(match, where, low)
        for match in _matches(_ONE_AGE, text, inside, high):
            years = int(match["age"]) / _PER_YEAR[match["unit"][0].lower()]
            newborn = years * _PER_YEAR["d"] <= _NEWBORN_DAYS
            terms += _aged(["newborns"] if newborn else _groups(years, years)[:1], match, where)
        for match in _matches(_FLOOR, text, inside, high):
            if match["after"] or _follows(_BEFORE_FLOOR, match, low):
                terms += _aged(_groups(int(match["low"]), _OLDEST), match, where)
    return terms


def duration_terms(words: Words, where: str) -> list[Noted]:
    """Return durations such as '28 days', as they stand, in lower case and singular."""
    starts = [
        words.start(position - 1) for position in places_of_kind(WordKind.TIME, words.folded) if position
    ]
    return [
        _noted(f"{match['n'].lower()} {match['unit'].lower()}", TermKind.DURATION, match, where)
        for match in _matches(_DURATION, words.text, starts, len(words.text))
        if match["n"].isdigit() or match["n"].lower() in _NUMERALS
    ]


def _matches(pattern: re.Pattern[str], text: str, starts: Iterable[int], end: int) -> Iterator[re.Match[str]]:
    """Yield the matches that begin at one of ``starts`` (ascending), none of them within another."""
    free_from = 0
    for start in starts:
        if start >= free_from and (match := pattern.match(text, start, end)):
            free_from = match.end()
            yield match


def _of_range(match: re.Match[str], where: str, floor: int) -> list[Noted]:
    low, high = int(match["low"]), int(match["high"])
    if not (low < high <= _OLDEST and (match["after"] or _follows(_BEFORE_RANGE, match, floor))):
        return []
    per_year = _PER_YEAR[match["unit"][0].lower()]
    return _aged(_groups(low / per_year, high / per_year), match, where)


def _follows(pattern: re.Pattern[str], match: re.Match[str], floor: int) -> bool:
    """True when the words just before a figure, from ``floor`` on, fit ``pattern``, which ends in ``$``."""
    return bool(pattern.search(match.string[max(floor, match.start() - _REACH) : match.start()]))


def _groups(low: float, high: float) -> list[str]:
    """Return the groups that an age range reaches into, by more than its end."""
    names = []
    floor = 0.0
    for name, ceiling in _GROUPS:
        if low < ceiling and (high > floor or low == high >= floor):
            names.append(name)
        floor = ceiling
    return names or [_GROUPS[-1][0]]


def _aged(groups: Iterable[str], match: re.Match[str], where: str) -> list[Noted]:
    return [_noted(group, TermKind.AGE, match, where) for group in groups]


def _noted(concept: str, kind: TermKind, match: re.Match[str], where: str) -> Noted:
    return Noted(concept, kind, where, match.start(), match.end(), match.group())
