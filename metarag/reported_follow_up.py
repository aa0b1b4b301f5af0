"""How long the participants were followed, from title and abstract."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from metarag.number_words import ANY_WORD
from metarag.reported_facts import ReportedTime, TimeKind, TimeUnit
from metarag.reported_text import (
    NUMBER,
    SPREAD,
    UNIT,
    Interval,
    Text,
    compiled,
    interval_of,
    number_of,
    places,
    unit_of,
)
from metarag.spans import Span

MAX_FOLLOW_UPS: Final = 4
LONGEST: Final = 100.0
"""Years; no study has followed people for longer."""
_BEFORE: Final = 90
_AFTER: Final = 110

_VALUE: Final = rf"(?P<value>{NUMBER}|(?:{ANY_WORD})(?:-(?:{ANY_WORD}))?\b)"
_KIND: Final = (
    r"(?P<kind>mean|median|average|minimum|maximum|at\sleast|up\sto|more\sthan|over(?=\s\d)|total(?=\sof))"
)
# "Followed for a mean of 4.2 years", "follow-up: 12 months", "median duration of follow-up was 4.25 years".
_FORWARD: Final = (
    r"follow(?:ed)?(?:[-\s]?ups?)?(?P<gap>(?:[\s-](?!by\b)(?:up|time|period|duration|interval|length|was|were"
    r"|lasted|prospectively|of|for|over|to|an?|the|further|additional|total|mean|median|average|minimum|maximum"
    rf"|at\sleast|up\sto|more\sthan|(?:\((?:sd|range|iqr)\)))){{0,9}})[\s:,=(]{{1,2}}{_VALUE}{SPREAD}"
    rf"(?:[\s-]?(?P<unit>{UNIT}))?"
)
# Before the word: "12-month follow-up", "a median of 4.0 y of follow-up", "57+/-34 months (range 2-99) of ...".
_BACKWARD: Final = (
    rf"(?<!\w)(?:(?P<lower>{NUMBER})\s?(?:-|to)\s?)?{_VALUE}{SPREAD}[\s-]?(?P<unit>{UNIT})(?P<rest>[\s,]{{0,2}}[(\[][^()\[\]]{{1,50}}[)\]])?\s?(?:(?:period\s)?of"
    r"\s|cumulative\s|long-?\s?term\s|post-?\w{2,14}\s|active\s|total\s){0,3}\Z"
)
_KIND_BEFORE: Final = (
    rf"(?<!\w){_KIND}\s"
    r"(?:(?:\(\w{2,5}\)|duration|length|period|time|of|an?|the|clinical|overall)\s){0,4}\Z"
)
_WORD: Final = r"follow(?:ed)?(?:[-\s]?up)?"
CUES: Final = frozenset(("follow", "followed", "followup", "followups"))
"""Words that say where a follow-up may be told of."""
_KINDS: Final = {"mean": TimeKind.MEAN, "average": TimeKind.MEAN, "median": TimeKind.MEDIAN}
_MOST: Final = ("maximum", "up to")
_LEAST: Final = ("minimum", "at least", "more than", "over")
_HOURS: Final = {
    TimeUnit.YEARS: 8766.0,
    TimeUnit.MONTHS: 730.5,
    TimeUnit.WEEKS: 168.0,
    TimeUnit.DAYS: 24.0,
    TimeUnit.HOURS: 1.0,
}


def read_follow_up(text: Text) -> list[ReportedTime]:
    """Return the lengths of follow-up in a text, in its order, each once: the first four."""
    if text.words.isdisjoint(CUES):
        return []
    found: dict[tuple[object, ...], ReportedTime] = {}
    for start in places("follow", text.folded):
        if text.folded.startswith("following", start):
            continue
        for one in _at(text, start):
            found.setdefault((one.kind, one.value, one.lower, one.upper, one.unit), one)
    return list(found.values())[:MAX_FOLLOW_UPS]


def _at(text: Text, start: int) -> Iterator[ReportedTime]:
    """Yield what is said of the length, before the word or after it."""
    folded = text.folded
    match = None
    if not folded.startswith("followed", start):
        match = compiled(_BACKWARD).search(folded, max(0, start - _BEFORE), start)
    if match:
        before = _kind_before(folded, match.start())
        interval = interval_of(folded, match.start("rest")) if match["rest"] else Interval()
        first = before.start() if before else match.start()
        word = compiled(_WORD).match(folded, start)
        last, kind = word.end() if word else start, before and before["kind"]
    elif match := compiled(_FORWARD).match(folded, start, start + _AFTER):
        before = _kind_before(folded, start)
        interval = interval_of(folded, match.end())
        first, last = before.start() if before else start, max(match.end(), interval.end)
        said = compiled(_KIND).search(match["gap"]) or before
        kind = said and said["kind"]
    else:
        return
    made = _time(match, kind, interval, text.span(first, last))
    if _is_plausible(made):
        yield made


def _kind_before(folded: str, start: int) -> re.Match[str] | None:
    return compiled(_KIND_BEFORE).search(folded, max(0, start - _BEFORE // 2), start)


def _time(match: re.Match[str], kind: str | None, interval: Interval, span: Span) -> ReportedTime:
    says = match.groupdict()
    value, unit = number_of(says["value"]), unit_of(says["unit"]) or interval.unit
    interval = interval.fitting(unit)
    if kind in _MOST or kind in _LEAST:
        lower, upper = (value, None) if kind in _LEAST else (None, value)
        return ReportedTime(kind=TimeKind.LIMITS, lower=lower, upper=upper, unit=unit, span=span)
    if says.get("lower"):
        lower = number_of(says["lower"])
        return ReportedTime(kind=TimeKind.RANGE, lower=lower, upper=value, unit=unit, span=span)
    return ReportedTime(
        kind=_KINDS.get(kind or "", TimeKind.EXACT),
        value=value,
        lower=interval.lower,
        upper=interval.upper,
        interval=interval.kind,
        spread=number_of(says["spread"]),
        unit=unit,
        span=span,
    )


def _is_plausible(one: ReportedTime) -> bool:
    longest = max(number for number in (one.value, one.lower, one.upper) if number is not None)
    return (
        longest > 0
        and one.unit is not None
        and longest * _HOURS[one.unit] <= LONGEST * _HOURS[TimeUnit.YEARS]
    )
