"""Date limits of a search: which date, from when to when."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from enum import StrEnum
from typing import Final, Self

from pydantic import Field, model_validator

from metarag.records import Frozen

FIRST: Final = "1000"
LAST: Final = "3000"
"""What stands for an open end: PubMed takes the two ends of a range together only."""
_EARLY: Final = date(1945, 1, 1)
"""Few records have an earlier Entrez date."""
_DATE = re.compile(r"(\d{4})(?:/(\d{1,2})(?:/(\d{1,2}))?)?", re.ASCII)


class DateField(StrEnum):
    """Which date of a record is meant."""

    PUBLICATION = "pdat"
    """Print or electronic; a record with only a year counts as of 1 January."""
    ENTREZ = "edat"
    """When it came into PubMed; every record has exactly one."""
    MODIFICATION = "mdat"


class DateLimits(Frozen):
    """The records of these dates, both ends included.

    Parameters
    ----------
    start, end : str or None
        ``YYYY``, ``YYYY/MM`` or ``YYYY/MM/DD``; ``None`` is open.

    Raises
    ------
    pydantic.ValidationError
        An end is no date, or they stand the wrong way round.
    """

    field: DateField = DateField.PUBLICATION
    start: str | None = Field(default=None)
    end: str | None = Field(default=None)

    @classmethod
    def years(cls, first: int | None = None, last: int | None = None) -> Self:
        """Return limits on the year of publication."""
        return cls(start=_year(first), end=_year(last))

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.start is None and self.end is None:
            raise ValueError("date limits need a start or an end")
        if first_day(self._from) > last_day(self._to):
            raise ValueError(f"date limits end before they start: {self.start} to {self.end}")
        return self

    def __str__(self) -> str:
        return f"{self.field} {self.start or '...'} to {self.end or '...'}"

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """As parameters of a request."""
        return (("datetype", self.field.value), ("mindate", self._from), ("maxdate", self._to))

    @property
    def _from(self) -> str:
        return FIRST if self.start is None else self.start

    @property
    def _to(self) -> str:
        return LAST if self.end is None else self.end

    def around(self, term: str) -> str:
        """Return the query with the limits inside, for a search whose parameters limit another date."""
        return f'({term}) AND ("{self._from}"[{self.field}] : "{self._to}"[{self.field}])'


class Days(Frozen):
    """A range of days, both included.

    Raises
    ------
    pydantic.ValidationError
        It ends before it starts.
    """

    first: date
    last: date

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.first > self.last:
            raise ValueError(f"a range of days ends before it starts: {self.first} to {self.last}")
        return self

    @property
    def is_one_day(self) -> bool:
        """True when it cannot be halved."""
        return self.first == self.last

    @property
    def limits(self) -> DateLimits:
        """As limits on the Entrez date."""
        return DateLimits(field=DateField.ENTREZ, start=_written(self.first), end=_written(self.last))

    def halves(self, today: date) -> tuple[Days, Days]:
        """Return the earlier and the later half, which tile the range.

        Cut in the middle of the part that holds nearly all records, between 1945 and today.
        """
        first, last = max(self.first, _EARLY), min(self.last, today)
        if first > last:
            first, last = self.first, self.last
        middle = min(first + (last - first) // 2, self.last - timedelta(days=1))
        return Days(first=self.first, last=middle), Days(first=middle + timedelta(days=1), last=self.last)


def days_of(limits: DateLimits | None) -> Days:
    """Return the days of limits; of none, all days that there are."""
    start, end = (limits.start, limits.end) if limits else (None, None)
    return Days(first=first_day(start or FIRST), last=last_day(end or LAST))


def first_day(text: str) -> date:
    """Return the first day of a year, month or day.

    Raises
    ------
    ValueError
        It is no date.
    """
    year, month, day = _parts(text)
    return date(year, month or 1, day or 1)


def last_day(text: str) -> date:
    """Return the last day of a year, month or day.

    Raises
    ------
    ValueError
        It is no date.
    """
    year, month, day = _parts(text)
    month = month or 12
    return date(year, month, day or calendar.monthrange(year, month)[1])


def _parts(text: str) -> tuple[int, int | None, int | None]:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"a date is written YYYY, YYYY/MM or YYYY/MM/DD, not {text[:40]!r}")
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        date(year or 1, month or 1, day or 1)
    except ValueError as error:
        raise ValueError(f"{text} is no date: {error}") from error
    return year or 1, month, day


def _year(year: int | None) -> str | None:
    return None if year is None else f"{year:04d}"


def _written(day: date) -> str:
    return f"{day.year:04d}/{day.month:02d}/{day.day:02d}"
