"""Reported facts in words for a person: what was understood, and the words it was read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from metarag.records import PartialDate
from metarag.reported_facts import (
    ConflictKind,
    FundingKind,
    PeriodKind,
    ReportedFacts,
    ReportedTime,
    TimeKind,
)
from metarag.spans import Span

_CONFLICTS = {
    ConflictKind.DECLARED: "interests declared",
    ConflictKind.NONE: "no interests declared",
    ConflictKind.UNCLEAR: "a statement that was not understood",
}
_FUNDING = {
    FundingKind.INDUSTRY: "a company",
    FundingKind.NAMED: "a funder",
    FundingKind.NONE: "no funding",
}
_PERIODS = {PeriodKind.PARTICIPANTS: "", PeriodKind.SEARCH: "search of the literature "}
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


class FactWords(NamedTuple):
    """One fact: ``topic`` is participants, age, dates, follow-up, funding or interests."""

    topic: str
    meaning: str
    span: Span


def fact_words(facts: ReportedFacts) -> Iterator[FactWords]:
    """Yield every fact in words, in the order of a report."""
    for species in facts.species:
        yield FactWords("participants", species.species, species.span)
    yield from _times("age", facts.ages)
    for period in facts.periods:
        between = f"{_date(period.start)} to {_date(period.end)}"
        yield FactWords("dates", f"{_PERIODS[period.kind]}{between}", period.span)
    yield from _times("follow-up", facts.follow_up)
    for funding in facts.funding:
        yield FactWords("funding", _FUNDING[funding.kind], funding.span)
    for conflict in facts.conflicts:
        yield FactWords("interests", _CONFLICTS[conflict.kind], conflict.span)


def time_words(time: ReportedTime) -> str:
    """Return ``mean 54.3 years (SD 9.1)``, ``18 to 75 years``, ``at least 65 years`` ..."""
    unit = f" {time.unit.value}" if time.unit else ""
    if time.kind is TimeKind.RANGE:
        return f"{time.lower:g} to {time.upper:g}{unit}"
    if time.kind is TimeKind.LIMITS:
        return f"at most {time.upper:g}{unit}" if time.lower is None else f"at least {time.lower:g}{unit}"
    kind = "" if time.kind is TimeKind.EXACT else f"{time.kind.value} "
    beside = [f"SD {time.spread:g}"] if time.spread is not None else []
    if time.lower is not None and time.upper is not None:
        named = {"iqr": "IQR ", "range": "range "}.get(time.interval or "", "")
        beside.append(f"{named}{time.lower:g} to {time.upper:g}")
    return f"{kind}{time.value:g}{unit}" + (f" ({', '.join(beside)})" if beside else "")


def _times(topic: str, times: Iterable[ReportedTime]) -> Iterator[FactWords]:
    return (FactWords(topic, time_words(time), time.span) for time in times)


def _date(date: PartialDate) -> str:
    month = _MONTHS[date.month - 1] if date.month else date.season
    return " ".join(str(part) for part in (date.day, month, date.year) if part)
