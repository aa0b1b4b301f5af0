"""The terms of a score as bars with numbers, and the facets of applicability in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from metarag.audit import Decision, Measurement
from metarag.pico_question import FACETS
from metarag.pipeline import SCORE_STAGE
from metarag.report.numbers import NOT_ASSESSED, score, signed
from metarag.report.words import FITS
from metarag.types import Evidence

PAPER: Final = "score.paper"
GEOMETRIC: Final = "score.geometric_mean"
_TERMS: Final = (
    ("relevance", "Relevance"),
    ("reliability", "Reliability"),
    ("consistency", "Agreement"),
    ("applicability", "Applicability"),
)
_PAPER_TERMS: Final = (("r_used", "Reliability r"), ("t_used", "Applicability T"))
_ADDED: Final = {
    "term_level": "level of evidence",
    "term_reporting_checks": "reporting checks",
    "term_sample_size": "number of participants",
    "term_recency": "year",
    "term_bound": "bound",
    "term_confidence": "certainty of the design",
    "term_preprint": "preprint",
    "term_standing": "standing",
    "term_clamp": "kept in 0 to 1",
}
_VISIBLE: Final = 0.0005
"""A term below it would be printed as 0.000."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One term of the score; ``width`` in percent of the full width, ``None`` where it was not assessed."""

    name: str
    value: str
    width: str | None


@dataclass(frozen=True, slots=True)
class Facet:
    """How one facet of the article fits the question's: sign, decision and the words that decided."""

    name: str
    sign: str
    fit: str
    reason: str
    words: str


def bars(item: Evidence, decision: Decision | None) -> tuple[Bar, ...]:
    """Return the terms of the final score; for an article that was left out, what was judged of it until then."""
    if decision is None:
        return tuple(_bar(name, value) for term, name in _TERMS if (value := getattr(item, term)) is not None)
    measured = decision.measurements
    if decision.criterion == PAPER:
        return tuple(_bar(name, _number(measured.get(term))) for term, name in _PAPER_TERMS)
    made = []
    for term, name in _TERMS:
        value, neutral = getattr(item, term), _number(measured.get(f"{term}_neutral"))
        if value is None and neutral is not None:
            made.append(Bar(name, f"{score(neutral)} (neutral: {NOT_ASSESSED})", _width(neutral)))
        else:
            made.append(_bar(name, value))
    return tuple(made)


def formula(decisions: Iterable[Decision]) -> str:
    """Return how the final score was computed, with the weights; empty where nothing was scored."""
    scored = [d for d in decisions if d.stage == SCORE_STAGE]
    if not scored:
        return ""
    if scored[0].criterion == PAPER:
        return "Score: S = r² T, with reliability r and applicability T in 0 to 1 (arXiv 2510.24003)."
    if scored[0].criterion != GEOMETRIC:
        return f"Score: {scored[0].criterion}."
    weights = {
        term: weight
        for d in scored
        for term, _ in _TERMS
        if (weight := _number(d.measurements.get(f"{term}_weight")))
    }
    told = ", ".join(
        f"{name.lower()} \N{MULTIPLICATION SIGN}{weights[term]:g}" for term, name in _TERMS if term in weights
    )
    return (
        f"Score: geometric mean of the terms that were assessed, weighted {told}"
        " (exp of the weighted mean of their logarithms)."
    )


def reliability_sum(decision: Decision | None) -> str:
    """Return the sum that reliability is: ``0.790 level of evidence + 0.030 ... = 0.821``; empty without."""
    if decision is None or decision.measurements.get("reliability") is None:
        return ""
    measured, parts = decision.measurements, []
    for term, name in _ADDED.items():
        value = _number(measured.get(term))
        if value is None:
            continue
        if term == "term_level":
            parts.append(f"{value:.3f} {name}")
        elif abs(value) >= _VISIBLE:
            parts.append(f"{signed(value)} {name}")
    total = _number(measured.get("reliability"))
    return f"{' '.join(parts)} = {total:.3f}" if parts and total is not None else ""


def facets(decision: Decision | None) -> tuple[Facet, ...]:
    """Return the facets that the question states, as the article fits them."""
    found = []
    for name in FACETS:
        told = decision.measurements.get(name) if decision else None
        if not isinstance(told, str):
            continue
        fit, _, reason = told.partition(": ")
        sign, words = FITS.get(fit, ("", fit))
        said = str((decision.measurements if decision else {}).get(f"{name}_words") or "")
        # "not stated: comparator not stated" and "fits: stroke (stroke)" say one thing twice.
        reason = "" if reason.endswith(words) else reason
        said = "" if said.casefold() == reason.casefold() else said
        found.append(Facet(name.capitalize(), sign, words, reason, said))
    return tuple(found)


def _bar(name: str, value: float | None) -> Bar:
    return Bar(name, score(value), None if value is None else _width(value))


def _width(value: float) -> str:
    return f"{100 * value:.1f}".removesuffix(".0")


def _number(value: Measurement) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
