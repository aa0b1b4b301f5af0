"""Between which dates people took part, or the literature was searched, from title and abstract."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from metarag.design_text import sentence_bounds
from metarag.records import PartialDate
from metarag.reported_facts import PeriodKind, ReportedPeriod
from metarag.reported_text import Text, compiled, places

MAX_PERIODS: Final = 3
EARLIEST: Final = 1900
LATEST: Final = 2099
_WIDEST: Final = 40
"""Characters from one year to the next within a period."""
_BEFORE: Final = 26

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_SEASON: Final = "(?:spring|summer|autumn|fall|winter)"


def _date(name: str) -> str:
    """Return the pattern of what stands before the year of a date."""
    return (
        rf"(?:(?P<{name}_day_first>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<{name}_month_after>{_MONTH}),?\s"
        rf"|(?P<{name}_month>{_MONTH})(?:\s(?P<{name}_day>\d{{1,2}})(?:st|nd|rd|th)?)?,?\s(?:of\s)?"
        rf"|(?P<{name}_season>{_SEASON})\s(?:of\s)?"
        rf"|(?P<{name}_number>\d{{1,2}})/(?:\d{{1,2}}/)?)?"
    )


_YEAR: Final = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?!\d|[.,]\d|%)")
CUES: Final = frozenset(map(str, range(EARLIEST, LATEST + 1)))
"""Years."""
_BETWEEN: Final = (
    rf"(?:,?\s(?:to|and|through|till|until|up\sto)\s|\s?-\s?)(?:the\s)?(?:end\sof\s)?{_date('end')}\Z"
)
_LEAD: Final = r"(?:from|between|during|in|period|years?|of)\s(?:the\s(?:years?|period)\s(?:of\s|from\s)?)?"
_START: Final = rf"(?<!\w)(?P<lead>{_LEAD})?{_date('start')}\Z"

_SEARCHED: Final = re.compile(
    r"\b(?:search(?:es|ed)?|published|databases?|medline|pubmed|embase|cochrane|literature|articles)\b"
)
_TOOK_PART: Final = re.compile(
    r"\b(?:recruit|enrol|admitted|admission|diagnos|treated|treatment|underwent|referred|register|randomi|assign"
    r"|evaluated|studied|interview|follow|seen\b|operated|perform|conduct|carried\sout|review(?:ed|s)\b|retrospective"
    r"|prospective|identif|collected|surveyed|screened|cohort|consecutive|analy[sz]ed|took\splace|born|delivered"
    r"|attend|hospitali[sz]|observed|examined|measured|included|entered|study\speriod|trial\b|received|selected"
    r"|complet|obtained|patients?\b|participants?\b|cases?\b|children\b|women\b|men\b)"
)
_TREND: Final = re.compile(
    r"\b(?:increased?|decreased?|declin|rose|fell|dropped|trends?|grew|predicted|projected)\b"
)


def read_periods(text: Text) -> list[ReportedPeriod]:
    """Return the periods in a text, in its order: the first three that say whose they are."""
    years = _years(text)
    found: list[ReportedPeriod] = []
    for first, second in pairwise(years):
        if len(found) < MAX_PERIODS and second.start() - first.end() <= _WIDEST:
            found.extend(_period(text, first, second))
    return found


def _years(text: Text) -> list[re.Match[str]]:
    """Return the years in order; the words say whether there are two of them at all, which is seldom."""
    starts = sorted(start for year in text.words & CUES for start in places(year, text.folded))
    return [match for start in starts if (match := _YEAR.match(text.folded, start))]


def _period(text: Text, first: re.Match[str], second: re.Match[str]) -> list[ReportedPeriod]:
    folded = text.folded
    between = compiled(_BETWEEN).match(folded, first.end(), second.start())
    before = compiled(_START).search(folded, max(0, first.start() - _BEFORE), first.start())
    if between is None or before is None:
        return []
    start, end = _partial("start", before, first), _partial("end", between, second)
    low, high = before.start(), second.end()
    kind = _kind(folded, low, high)
    if kind is None or not EARLIEST <= (start.year or 0) <= (end.year or 0) <= LATEST:
        return []
    # The dates themselves are the words; "from" before them is none of them.
    low = before.end("lead") if before["lead"] else low
    return [ReportedPeriod(kind=kind, start=start, end=end, span=text.span(low, high))]


def _kind(folded: str, start: int, end: int) -> PeriodKind | None:
    """Return what the sentence says of the years; ``None`` where it tells of something else."""
    left, right = sentence_bounds(folded, start, end)
    sentence = folded[left:right]
    if _SEARCHED.search(sentence):
        return PeriodKind.SEARCH
    if _TREND.search(sentence):
        return None
    return PeriodKind.PARTICIPANTS if _TOOK_PART.search(sentence) else None


def _partial(name: str, around: re.Match[str], year: re.Match[str]) -> PartialDate:
    says = around.groupdict()
    month = says[f"{name}_month"] or says[f"{name}_month_after"]
    day = says[f"{name}_day"] or says[f"{name}_day_first"]
    number = says[f"{name}_number"]
    # 12/1/2011 is read as a month only where there is no third number to take it for a day.
    return PartialDate(
        year=int(year.group()),
        month=_MONTHS.index(month[:3]) + 1 if month else _month(number, around, name),
        day=int(day) if day and 1 <= int(day) <= 31 else None,
        season=says[f"{name}_season"],
    )


def _month(number: str | None, around: re.Match[str], name: str) -> int | None:
    if number is None or around.string.count("/", around.start(f"{name}_number"), around.endpos) > 1:
        return None
    return int(number) if 1 <= int(number) <= 12 else None
