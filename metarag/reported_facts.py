"""What a record reports of its participants, its dates and its money, each with the words that say so.

Facts are shown, not judged: no score uses them. An empty tuple means that nothing was read, never that there
was nothing.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from metarag.records import Frozen, PartialDate
from metarag.spans import Span


class TimeKind(StrEnum):
    """What a time says of the people."""

    MEAN = "mean"
    MEDIAN = "median"
    RANGE = "range"
    """From the least to the greatest, of those who took part or of those who could."""
    LIMITS = "limits"
    """One end only: at least, or at most."""
    EXACT = "exact"
    """Of one person, or the same for all: *a 54-year-old man*, *12 months of follow-up*."""


class TimeUnit(StrEnum):
    """The unit of a time, as printed."""

    YEARS = "years"
    MONTHS = "months"
    WEEKS = "weeks"
    DAYS = "days"
    HOURS = "hours"


class ReportedTime(Frozen):
    """An age or a length of follow-up, as printed.

    Attributes
    ----------
    value : float or None
        The mean, the median or the time itself; ``None`` for ranges and limits.
    lower, upper : float or None
        Ends of a range, or the end that is stated of a limit; with a mean or a median its interval.
    spread : float or None
        Standard deviation of a mean; what is printed after ± counts as one.
    interval : str or None
        What ``lower`` and ``upper`` are of a mean or a median: ``range`` or ``iqr``; ``None`` is not stated.
    unit : TimeUnit or None
        ``None`` where none is printed; an age without a unit is mostly one in years.
    """

    kind: TimeKind
    value: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    lower: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    upper: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    spread: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    interval: str | None = None
    unit: TimeUnit | None = None
    span: Span


class PeriodKind(StrEnum):
    """What happened between two dates."""

    PARTICIPANTS = "participants"
    """People were recruited, treated, diagnosed or observed."""
    SEARCH = "search"
    """The literature of these years was searched."""


class ReportedPeriod(Frozen):
    """Two calendar dates as far as they are printed, and what happened between them."""

    kind: PeriodKind
    start: PartialDate
    end: PartialDate
    span: Span


class ReportedSpecies(Frozen):
    """Who or what took part: ``humans``, ``rats``, ``mice`` ... or ``animals``."""

    species: str
    span: Span


class FundingKind(StrEnum):
    """What a statement on money says."""

    INDUSTRY = "industry"
    """A company is named."""
    NAMED = "named"
    """Money or a funder is named, and no company is recognised in it."""
    NONE = "none"
    """That there was none."""


class ReportedFunding(Frozen):
    """A funder, or a statement on funding. ``span.where`` is ``abstract``, ``grants`` or ``publication_type``."""

    kind: FundingKind
    span: Span


class ConflictKind(StrEnum):
    """What a statement on interests says."""

    DECLARED = "declared"
    NONE = "none"
    UNCLEAR = "unclear"
    """There is a statement, and it was not understood."""


class ReportedConflict(Frozen):
    """A statement on the authors' interests. ``span.where`` is ``abstract`` or ``conflict_of_interest``."""

    kind: ConflictKind
    span: Span


class ReportedFacts(Frozen):
    """All facts of one record, each in the order of the text."""

    species: tuple[ReportedSpecies, ...] = ()
    ages: tuple[ReportedTime, ...] = ()
    periods: tuple[ReportedPeriod, ...] = ()
    follow_up: tuple[ReportedTime, ...] = ()
    funding: tuple[ReportedFunding, ...] = ()
    conflicts: tuple[ReportedConflict, ...] = ()
