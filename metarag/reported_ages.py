"""Ages of the participants, with their units, from title and abstract.

Each pattern is tried only where a word on age stands, and stays within the clause. Ages of something else
(gestation, onset, menopause) are not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from metarag.reported_facts import ReportedTime, TimeKind, TimeUnit
from metarag.reported_text import (
    NUMBER,
    SPREAD,
    TO,
    UNIT,
    UNIT_ENDS,
    Text,
    compiled,
    interval_of,
    number_of,
    places,
    unit_of,
)

MAX_AGES: Final = 6
OLDEST: Final = 120.0
"""Years; what is more is no age."""
_REACH: Final = 60
"""Characters before a word on age in which its number stands."""
_WINDOW: Final = 200

_NO_AGE: Final = (
    r"(?!-|\s(?:difference|gap|group|distribution|adjust|specific|related|of\sonset)"
    r"|\s(?:at|of)\s(?:first\s|symptom\s|disease\s)?(?:onset|menarche|menopause|death|first|birth|conception))"
)
_FOLLOWS: Final = (
    rf"(?=[\s-]?(?:{UNIT}|yo\b|±|\+/-|\+-|[(\[,;:)\]]|\.(?!\d)|(?:and|or|vs|versus|sd|in|for|at)\b|\Z))"
)
_HEADER: Final = r"(?:\s?\(?(?:±|\+/-|,)?\s?(?P<header>sd|s\.d\.|standard\sdeviation|range|iqr|sem)\)?,?)?"
_RANGE: Final = rf"(?P<lower>{NUMBER})(?:[\s-]?{UNIT})?{TO}(?P<upper>{NUMBER})(?:[\s-]?(?P<unit>{UNIT}))?"
_ONE: Final = rf"(?P<value>{NUMBER})(?:[\s-]?(?P<unit>{UNIT}))?"
_SIGN: Final = (
    r"(?P<sign>=?/?[<>]\s?/?=?|≥|≤|⩾|⩽|at\sleast|over|above|under|below|up\sto|older\sthan|younger\sthan"
    r"|more\sthan|greater\sthan|less\sthan)"
)
_SUFFIX: Final = r"(?P<suffix>\s?\+|\s(?:and|or)\s(?:older|over|above|more|greater|younger|under|below|less))"

# "Mean (SD) age of the women was 54.3 (9.1) years", "median age 43 y (range 17 to 83)".
_AVERAGE: Final = (
    rf"(?P<average>mean|median|average){_HEADER}\s(?P<of>\w{{3,16}}\s)?ages?\b{_NO_AGE}"
    rf"(?P<gap>(?:(?!\bp\s?[=<>])[^.;<>≥≤]){{0,60}}?){_ONE}{_FOLLOWS}(?:\s?\((?P<bare>{NUMBER})\))?{SPREAD}"
    rf"(?:\)?[\s-]?(?P<late>{UNIT}))?"
)
# "Aged 18 to 75 years", "ages ranged from 6 to 19 years", "age range, 12-73 years".
_BETWEEN: Final = (
    r"age[sd]?(?:\sof\s(?:the\s)?\w{3,16})?[\s,:(]{1,3}(?:(?:was|were|is|of)\s)?(?:range[sd]?|ranging)?"
    rf"[\s,:=]{{0,3}}(?:(?:was|of|from|between)\s)?{_RANGE}"
)
# "Age 23 ± 6 y".
_PRINTED_MEAN: Final = (
    rf"age[sd]?[\s,:=]{{1,3}}(?:(?:was|were|is|of)\s)?{_ONE}"
    rf"(?=\s?(?:±|\+/-|\+-)){SPREAD}(?:\s?(?P<late>{UNIT}))?"
)
# "Aged 65 years or older", "age of at least 18 years", "younger than age 17", "under the age of 5".
_AT_LEAST: Final = (
    rf"(?:age[sd]?[\s,:]{{0,2}}(?:(?:of|was|were|is)\s)?|(?=older\sthan|younger\sthan|(?:under|over|above|below)"
    rf"\s(?:the\s)?age\b)){_SIGN}\s?(?:(?:the\s)?age\s(?:of\s)?)?{_ONE}"
)
_OR_OLDER: Final = rf"age[sd]?\s(?:of\s)?{_ONE}(?:\sof\sage)?{_SUFFIX}(?:[\s-]?(?P<late>{UNIT}))?"
_EXACTLY: Final = rf"aged\s(?:of\s)?{_ONE}(?!{TO}\d)"
# Before "old" and "of age": "54-year-old", "18 years of age or older", "1 to 5 years of age".
_BEFORE_OLD: Final = (
    rf"(?<!\w)(?:(?:{_SIGN}|(?P<between>between|from))\s?)?(?:(?P<lower>{NUMBER})(?:[\s-]?{UNIT})?{TO})?"
    rf"(?P<value>{NUMBER})[\s-]?(?P<unit>{UNIT})[\s-]\Z"
)
_AFTER_OLD: Final = rf"(?:old|of\sage){_SUFFIX}"
_UP_TO_OLDER: Final = rf"(?<!\w)(?P<value>{NUMBER})[\s-]?(?P<unit>{UNIT})\s(?:and|or)\s\Z"

_AGE: Final = frozenset(("age", "ages", "aged"))
_AVERAGES: Final = frozenset(("mean", "median", "average"))
_OLD: Final = frozenset(("old", "older", "olds"))
_BELOW: Final = frozenset(("younger", "older", "under", "below", "over", "above"))
CUES: Final = _AGE | _AVERAGES | _OLD | _BELOW | {"than"}
"""Words that say where an age may stand."""
_LOWER: Final = (">", "≥", "⩾", "at least", "over", "above", "older", "more", "greater")
_NOT_OF_PEOPLE: Final = tuple(
    f"{word} " for word in "gestation gestational menstrual bone corrected conceptional mental".split()
)


def read_ages(text: Text) -> list[ReportedTime]:
    """Return the ages in a text, in its order, each once; of phrases that overlap the fullest counts."""
    found: list[ReportedTime] = []
    for one in _candidates(text):
        start, end = one.span.start, one.span.end
        if _is_plausible(one) and not any(start < it.span.end and it.span.start < end for it in found):
            found.append(one)
    once: dict[tuple[object, ...], ReportedTime] = {}
    for one in sorted(found, key=lambda one: one.span.start):
        once.setdefault((one.kind, one.value, one.lower, one.upper, one.unit), one)
    return list(once.values())[:MAX_AGES]


def _candidates(text: Text) -> Iterator[ReportedTime]:
    """Yield what can be an age, the fullest phrases first."""
    folded = text.folded
    words = text.words
    at_age = () if words.isdisjoint(_AGE) else [p for p in places("age", folded) if _is_age(folded, p)]
    if at_age:
        for literal in sorted(_AVERAGES & words):
            yield from _averages(text, places(literal, folded))
        for start in at_age:
            yield from _at_age(text, start)
            if folded.startswith("of ", start - 3):
                yield from _before_old(text, start - 3, "of age")
    if not words.isdisjoint(_OLD):
        for start in places("old", folded):
            yield from _before_old(text, start, "old")
    for literal in sorted(_BELOW & words) if at_age or "than" in words else ():
        for start in places(literal, folded):
            yield from _limit(text, start, _AT_LEAST)


def _is_age(folded: str, start: int) -> bool:
    """Return whether it is the word age, of people."""
    after = folded[start + 3 : start + 5]
    ends = not after[:1].isalpha() or (after[0] in "sd" and not after[1:].isalpha())
    return ends and not after.startswith("-") and not folded.endswith(_NOT_OF_PEOPLE, 0, start)


def _averages(text: Text, starts: Iterable[int]) -> Iterator[ReportedTime]:
    for start in starts:
        match = compiled(_AVERAGE).match(text.folded, start, start + _WINDOW)
        if match is None or match["of"] in _NOT_OF_PEOPLE:
            continue
        interval = interval_of(text.folded, match.end())
        unit = unit_of(match["unit"] or match["late"]) or interval.unit
        interval = interval.fitting(unit)
        if unit is None and len(match["gap"]) > _REACH // 2:
            continue
        bare = match["bare"] if match["header"] in ("sd", "s.d.", "standard deviation") else None
        yield ReportedTime(
            kind=TimeKind.MEDIAN if match["average"] == "median" else TimeKind.MEAN,
            value=number_of(match["value"]),
            spread=number_of(match["spread"] or bare),
            lower=interval.lower,
            upper=interval.upper,
            interval=interval.kind,
            unit=unit,
            span=text.span(start, max(match.end(), interval.end)),
        )


def _at_age(text: Text, start: int) -> Iterator[ReportedTime]:
    folded, window = text.folded, start + _WINDOW
    if match := compiled(_BETWEEN).match(folded, start, window):
        yield _range(text, match, start, match.end())
    elif match := compiled(_PRINTED_MEAN).match(folded, start, window):
        unit = unit_of(match["unit"] or match["late"])
        yield ReportedTime(
            kind=TimeKind.MEAN,
            value=number_of(match["value"]),
            spread=number_of(match["spread"]),
            unit=unit,
            span=text.span(start, match.end()),
        )
    else:
        for pattern in (_OR_OLDER, _AT_LEAST):
            yield from _limit(text, start, pattern)
        if (match := compiled(_EXACTLY).match(folded, start, window)) and match["unit"]:
            yield _exact(text, match, start, match.end())


def _limit(text: Text, start: int, pattern: str) -> Iterator[ReportedTime]:
    match = compiled(pattern).match(text.folded, start, start + _WINDOW)
    if match:
        says = match.groupdict()
        sign = says.get("sign") or says.get("suffix") or ""
        yield _one_end(text, match, sign, start, match.end())


def _before_old(text: Text, start: int, literal: str) -> Iterator[ReportedTime]:
    """Yield the age that stands before "old", "older" or "of age"."""
    folded = text.folded
    low = max(0, start - _REACH)
    number = folded[low : max(low, start - 1)].removesuffix(" or").removesuffix(" and")
    if not number.endswith(UNIT_ENDS):
        return
    # "18 years or older" has its word on age after the number.
    if match := compiled(_UP_TO_OLDER).search(folded, low, start):
        if folded.startswith("older", start):
            yield _one_end(text, match, "older", match.start(), start + len("older"))
        return
    end = start + len(literal)
    match = compiled(_BEFORE_OLD).search(folded, low, start)
    if match is None or (folded[end : end + 1].isalpha() and not folded.startswith("olds", start)):
        return
    suffix = compiled(_AFTER_OLD).match(folded, start)
    if suffix:
        end = suffix.end()
    sign = suffix["suffix"] if suffix else match["sign"]
    if match["lower"]:
        yield _range(text, match, match.start(), end)
    elif sign:
        yield _one_end(text, match, sign, match.start(), end)
    else:
        yield _exact(text, match, match.start(), end)


def _range(text: Text, match: re.Match[str], start: int, end: int) -> ReportedTime:
    says = match.groupdict()
    return ReportedTime(
        kind=TimeKind.RANGE,
        lower=number_of(says["lower"]),
        upper=number_of(says.get("upper") or says.get("value")),
        unit=unit_of(says["unit"]),
        span=text.span(start, end),
    )


def _one_end(text: Text, match: re.Match[str], sign: str, start: int, end: int) -> ReportedTime:
    value, late = number_of(match["value"]), match.groupdict().get("late")
    least = any(word in sign for word in _LOWER) or "+" in sign
    return ReportedTime(
        kind=TimeKind.LIMITS,
        lower=value if least else None,
        upper=None if least else value,
        unit=unit_of(match["unit"] or late),
        span=text.span(start, end),
    )


def _exact(text: Text, match: re.Match[str], start: int, end: int) -> ReportedTime:
    return ReportedTime(
        kind=TimeKind.EXACT,
        value=number_of(match["value"]),
        unit=unit_of(match["unit"]),
        span=text.span(start, end),
    )


def _is_plausible(one: ReportedTime) -> bool:
    numbers = [number for number in (one.value, one.lower, one.upper) if number is not None]
    in_years = one.unit in (None, TimeUnit.YEARS)
    if not numbers or (in_years and max(numbers) > OLDEST) or (one.unit is None and max(numbers) < 1):
        return False
    return one.lower is None or one.upper is None or one.lower < one.upper
