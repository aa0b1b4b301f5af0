"""The arithmetic of reliability: a level's weight and the terms that move it, each of them shown.

    reliability = level + checks + size + recency + bound + confidence + preprint + standing + clamp

added from left to right; a term that is ``None`` was not assessed and adds nothing. ``bound`` takes off
what checks, size and recency together have beyond a share (below one half) of the distance to the next
level, so that at equal confidence nothing of them lifts an article over a level. ``confidence`` draws the
sum so far towards neutral when the design is not sure. ``clamp`` keeps the result in [0, 1].

References
----------
Dechartres A, Trinquart L, Boutron I, Ravaud P. Influence of trial sample size on treatment effect
estimates: meta-epidemiological study. BMJ 2013;346:f2304: effects were larger in smaller trials, across
the whole range of sizes; hence a smooth term. Its scale and all weights here are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from pydantic import Field

from metarag.hierarchy import LevelGrade
from metarag.option_models import Options
from metarag.records import Article
from metarag.reporting_checks import REVERSED_ITEMS
from metarag.types import Appraisal, CheckAnswer, ReportingCheck, RetractionState, SampleSize

TERMS: Final = (
    "term_level",
    "term_reporting_checks",
    "term_sample_size",
    "term_recency",
    "term_bound",
    "term_confidence",
    "term_preprint",
    "term_standing",
    "term_clamp",
)
"""In the order in which they are added."""

PREPRINT: Final = ("D000076942", "Preprint")
_PREPRINT_FOLDED: Final = frozenset(name.casefold() for name in PREPRINT)
# Looked up once: Python 3.11 takes a tenth of a microsecond for a member of an enumeration.
_POINTS: Final = {CheckAnswer.YES: 1, CheckAnswer.NO: -1}
_RETRACTED, _CONCERN = RetractionState.RETRACTED, RetractionState.EXPRESSION_OF_CONCERN
_NOT_CHECKED = RetractionState.NOT_CHECKED


class TermOptions(Options):
    """Sizes of the terms; all ours.

    Parameters
    ----------
    checks_weight : float
        Added when every reporting check is answered yes, taken off when every one is answered no.
    reversed_checks : tuple of str
        Items of the checklist where *yes* is the weaker answer.
    sample_size_weight : float
        Added for 10,000 participants or more, taken off for one; 0 for 100, logarithmic between.
    recency_weight, recency_years, reference_year : float, int, int or None
        With a reference year, ``recency_weight`` is added for an article of that year and taken off for
        one ``recency_years`` older or more. ``None`` (default) leaves recency out; a fixed year, not the
        clock, so that a run comes out the same tomorrow.
    max_share_of_gap : float
        Largest share of the distance to the next level that checks, size and recency can move an article,
        below one half so that two levels never meet.
    neutral : float
        Where an article of unknown design would stand, in (0, 1).
    confidence_pull : float
        Share of the way to neutral when the confidence in the design is 0; at confidence c, 1 - c of it.
    preprint_penalty, concern_penalty : float
        Taken off a preprint, and off an article with an expression of concern. The latter may cost a level.
    """

    checks_weight: float = Field(default=0.03, ge=0, le=0.2)
    reversed_checks: tuple[str, ...] = REVERSED_ITEMS
    sample_size_weight: float = Field(default=0.03, ge=0, le=0.2)
    recency_weight: float = Field(default=0.01, ge=0, le=0.2)
    recency_years: int = Field(default=20, ge=1, le=200)
    reference_year: int | None = Field(default=None, ge=1800, le=2200)
    max_share_of_gap: float = Field(default=0.45, ge=0, lt=0.5)
    neutral: float = Field(default=0.5, gt=0, lt=1)
    confidence_pull: float = Field(default=0.5, ge=0, le=1)
    preprint_penalty: float = Field(default=0.02, ge=0, le=0.2)
    concern_penalty: float = Field(default=0.2, ge=0, le=1)


def reliability_terms(
    article: Article, appraisal: Appraisal, grade: LevelGrade, options: TermOptions
) -> dict[str, float | None]:
    """Return every term of :data:`TERMS`, in that order."""
    terms: dict[str, float | None] = {
        "term_level": grade.weight,
        "term_reporting_checks": _checks(appraisal.checks, options),
        "term_sample_size": _size(appraisal.sample_size, options),
        "term_recency": _recency(article.year, options),
    }
    lower, upper = bounds(grade, options)
    _, *movable = terms.values()
    moved = _added(movable)
    terms["term_bound"] = min(max(moved, lower), upper) - moved
    pull = options.confidence_pull * (1 - appraisal.design.confidence)
    terms["term_confidence"] = pull * (options.neutral - _added(terms.values()))
    terms["term_preprint"] = _preprint(article, appraisal, options)
    terms["term_standing"] = _standing(appraisal.retraction.state, options)
    total = _added(terms.values())
    terms["term_clamp"] = min(max(total, 0.0), 1.0) - total
    return terms


def add_terms(terms: Mapping[str, object]) -> float:
    """Add the terms that are there, in the order of :data:`TERMS`; other entries play no part.

    Plain additions from left to right: ``sum`` rounds differently from one Python to the next.
    """
    total = 0.0
    for name in TERMS:
        value = terms.get(name)
        if isinstance(value, (int, float)):
            total += value
    return total


def _added(values: Iterable[float | None]) -> float:
    """Add as :func:`add_terms` does, terms that stand in its order already."""
    total = 0.0
    for value in values:
        if value is not None:
            total += value
    return total


def bounds(grade: LevelGrade, options: TermOptions) -> tuple[float, float]:
    """Return how far checks, size and recency together may move an article down (< 0) and up (> 0)."""
    return -options.max_share_of_gap * grade.gap_below, options.max_share_of_gap * grade.gap_above


def _checks(checks: tuple[ReportingCheck, ...], options: TermOptions) -> float | None:
    if not checks:
        return None
    reversed_checks = options.reversed_checks
    signed = [
        -points if check.item in reversed_checks else points
        for check in checks
        if (points := _POINTS.get(check.answer))
    ]
    return options.checks_weight * sum(signed) / len(checks)


def _size(size: SampleSize | None, options: TermOptions) -> float | None:
    """A number of studies says nothing of how many took part, so it gives no term."""
    if size is None or size.kind == "studies":
        return None
    return options.sample_size_weight * min(max((math.log10(size.total) - 2) / 2, -1.0), 1.0)


def _recency(year: int | None, options: TermOptions) -> float | None:
    if options.reference_year is None or year is None:
        return None
    age = min(max(options.reference_year - year, 0), options.recency_years)
    return options.recency_weight * (1 - 2 * age / options.recency_years)


def _preprint(article: Article, appraisal: Appraisal, options: TermOptions) -> float | None:
    if is_preprint(article, appraisal):
        return -options.preprint_penalty
    return 0.0 if article.publication_types else None


def is_preprint(article: Article, appraisal: Appraisal) -> bool:
    """True when the record or the appraisal says that it is a preprint."""
    return "preprint" in appraisal.design.labels or any(
        _is_preprint_type(t.name, t.ui) for t in article.publication_types
    )


@lru_cache(maxsize=1_024)
def _is_preprint_type(name: str, ui: str | None) -> bool:
    return any(given.casefold() in _PREPRINT_FOLDED for given in (name, ui or ""))


def _standing(state: RetractionState, options: TermOptions) -> float | None:
    """A retracted article that the settings kept has no reliability left, whatever its design."""
    if state is _RETRACTED:
        return -1.0
    if state is _CONCERN:
        return -options.concern_penalty
    return None if state is _NOT_CHECKED else 0.0
