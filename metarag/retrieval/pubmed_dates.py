"""Dates as PubMed writes them. A part that is not there stays unknown; none is borrowed."""

from __future__ import annotations

import re
from calendar import monthrange
from typing import Any
from xml.etree.ElementTree import Element

from metarag.retrieval.xml_text import plain_text

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december",
)  # fmt: skip
_SEASONS = {"spring": "Spring", "summer": "Summer", "fall": "Fall", "autumn": "Autumn", "winter": "Winter"}
_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20|21)\d\d(?!\d)")
_NUMERIC = re.compile(
    r"(\d{4})(?:[/\-](\d{1,2})(?:[/\-](\d{1,2}))?|(\d{2})(\d{2})?)?(?:[ T]\d{1,2}:[\d:.]*)?", re.ASCII
)
_LONGEST_DATE = 200
_WORD_OR_NUMBER = re.compile(r"[A-Za-z]+|\d+")

DateParts = dict[str, Any]
"""Keyword arguments of :class:`metarag.records.PartialDate`."""


def date_of(element: Element | None) -> DateParts | None:
    """Return the date in ``Year``, ``Month``, ``Day``, ``Season`` or ``MedlineDate`` children."""
    if element is None:
        return None
    medline_date = plain_text(element.find("MedlineDate"))
    if medline_date:
        return parse_date_text(medline_date)
    year, month, day, season = (plain_text(element.find(name)) for name in ("Year", "Month", "Day", "Season"))
    raw = " ".join(part for part in (year, month, day, season) if part)
    if not raw:
        return None
    if year is None or not _YEAR.fullmatch(year):
        return parse_date_text(raw)
    return _checked(raw, int(year), _month_number(month), day, season)


def parse_date_text(text: str) -> DateParts:
    """Read a free-form date: ``1990 May-Jun``, ``Winter 2017``, ``2000 Dec 23- 30``, ``1998 Dec-1999 Jan``.

    The beginning of a range counts, as in PubMed's own sort date. A month belongs to the year only when
    no other year stands between them: ``1978-1979 Jan`` is 1978 without a month.
    """
    tokens = _WORD_OR_NUMBER.findall(text[:_LONGEST_DATE])
    season = next((_SEASONS[t.lower()] for t in tokens if t.lower() in _SEASONS), None)
    at = next((i for i, token in enumerate(tokens) if _YEAR.fullmatch(token)), None)
    if at is None:
        return _checked(text, None, None, None, season)
    after = tokens[at + 1 : at + 3]
    month = _month_number(after[0], names_only=True) if after else None
    if month is not None:
        return _checked(text, int(tokens[at]), month, after[1] if len(after) > 1 else None, season)
    # "Dec 1998", "12 Dec 1998": the month stands right before the year.
    month = _month_number(tokens[at - 1], names_only=True) if at else None
    day = tokens[at - 2] if month is not None and at > 1 else None
    return _checked(text, int(tokens[at]), month, day, season)


def parse_numeric_date(text: str) -> DateParts | None:
    """Read ``20060213``, ``2006/02/13`` or ``2006-02-13 09:00``; anything else goes the free-form way."""
    match = _NUMERIC.fullmatch(text.strip()[:40])
    if match is None or not _YEAR.fullmatch(match[1]):
        return parse_date_text(text) if text.strip() else None
    month, day = match[2] or match[4], match[3] or match[5]
    return _checked(text.strip(), int(match[1]), _month_number(month), day, None)


def _checked(raw: str, year: int | None, month: int | None, day: str | None, season: str | None) -> DateParts:
    number = int(day) if day and day.isdecimal() and len(day) <= 2 else None
    last = monthrange(year, month)[1] if year and month else 0
    valid_day = number if number and number <= last else None
    return {"raw": raw, "year": year, "month": month, "day": valid_day, "season": season}


def _month_number(text: str | None, *, names_only: bool = False) -> int | None:
    if not text:
        return None
    if text.isdecimal():
        return int(text) if not names_only and len(text) <= 2 and 1 <= int(text) <= 12 else None
    name = text.lower().rstrip(".")
    if name in _MONTHS:
        return _MONTHS.index(name) + 1
    if name == "sept":
        return 9
    return _MONTH_NAMES.index(name) + 1 if name in _MONTH_NAMES else None
