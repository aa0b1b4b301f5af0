"""From many signals to one design: sources are combined, then the design that claims more wins.

Sources are combined by noisy-or, 1 - prod(1 - w). Of the designs that are likely, the first in the order of
precedence is the answer: a notice before everything, synthesis before trial, a part of a trial before the
trial, animal before human trial. Where none is likely, the likeliest is named, with its low confidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from metarag.types import DesignSignal
from metarag.types import StudyDesign as D

ENOUGH: Final = 0.5
"""Score from which a design can win by precedence: more likely than not."""

NAMED: Final = 0.3
"""Score below which no design is named at all: such signals are shown, and the design stays unknown."""

DOMINANCE: Final = 0.63
"""Share of a rival's score that a design needs to win by precedence; ours.

A passing "studies were included" must not turn a trial that says five times that it is one into a review.
"""

ECHO: Final = 0.5
"""Share at which the second signal of one source counts; ours."""

RIVALRY: Final = 0.25
"""Share of the confidence that a rival as sure as itself takes from the winner; ours."""

PRECEDENCE: Final = (
    D.NOTICE,
    D.ERRATUM,
    D.NEWS,
    D.EDITORIAL,
    D.COMMENT,
    D.PROTOCOL,
    D.NETWORK_META_ANALYSIS,
    D.UMBRELLA_REVIEW,
    D.META_ANALYSIS,
    D.SCOPING_REVIEW,
    D.SYSTEMATIC_REVIEW,
    D.GUIDELINE,
    D.CONSENSUS_STATEMENT,
    D.MENDELIAN_RANDOMIZATION,
    D.SECONDARY_ANALYSIS,
    D.MODELLING,
    D.ANIMAL,
    D.QUASI_RANDOMIZED_TRIAL,
    D.NON_RANDOMIZED_TRIAL,
    D.N_OF_1_TRIAL,
    D.RANDOMIZED_TRIAL,
    D.CASE_REPORT,
    D.SINGLE_ARM_TRIAL,
    D.INTERRUPTED_TIME_SERIES,
    D.NESTED_CASE_CONTROL,
    D.CASE_CONTROL,
    D.QUALITATIVE,
    D.BEFORE_AFTER,
    D.DIAGNOSTIC_ACCURACY,
    D.PROGNOSTIC,
    D.COHORT,
    D.CROSS_SECTIONAL,
    D.REGISTRY,
    D.CLINICAL_TRIAL,
    D.CASE_SERIES,
    D.OBSERVATIONAL,
    D.NARRATIVE_REVIEW,
    D.LETTER,
    D.IN_VITRO,
)
"""Who wins when several designs are likely; a design stands before its own generalisations."""

_FINER: Final[Mapping[D, frozenset[D]]] = MappingProxyType(
    {
        D.CLINICAL_TRIAL: frozenset(
            {
                D.RANDOMIZED_TRIAL,
                D.N_OF_1_TRIAL,
                D.QUASI_RANDOMIZED_TRIAL,
                D.NON_RANDOMIZED_TRIAL,
                D.SINGLE_ARM_TRIAL,
                D.SECONDARY_ANALYSIS,
                D.PROTOCOL,
            }
        ),
        D.RANDOMIZED_TRIAL: frozenset({D.N_OF_1_TRIAL, D.SECONDARY_ANALYSIS, D.PROTOCOL}),
        D.OBSERVATIONAL: frozenset(
            {
                D.COHORT,
                D.NESTED_CASE_CONTROL,
                D.CASE_CONTROL,
                D.CROSS_SECTIONAL,
                D.REGISTRY,
                D.CASE_SERIES,
                D.INTERRUPTED_TIME_SERIES,
                D.BEFORE_AFTER,
                D.DIAGNOSTIC_ACCURACY,
                D.PROGNOSTIC,
                D.MENDELIAN_RANDOMIZATION,
            }
        ),
        D.COHORT: frozenset({D.NESTED_CASE_CONTROL, D.REGISTRY, D.PROGNOSTIC}),
        D.CASE_CONTROL: frozenset({D.NESTED_CASE_CONTROL}),
        D.NARRATIVE_REVIEW: frozenset(
            {
                D.SYSTEMATIC_REVIEW,
                D.META_ANALYSIS,
                D.NETWORK_META_ANALYSIS,
                D.UMBRELLA_REVIEW,
                D.SCOPING_REVIEW,
                D.GUIDELINE,
            }
        ),
        D.SYSTEMATIC_REVIEW: frozenset(
            {D.META_ANALYSIS, D.NETWORK_META_ANALYSIS, D.UMBRELLA_REVIEW, D.SCOPING_REVIEW}
        ),
        D.META_ANALYSIS: frozenset({D.NETWORK_META_ANALYSIS, D.UMBRELLA_REVIEW}),
        D.COMMENT: frozenset({D.EDITORIAL, D.LETTER}),
    }
)
"""Designs that are a kind (or a part) of another: no rivals of each other."""


def combine(signals: Iterable[DesignSignal]) -> dict[D, float]:
    """Return the score of each design in [0, 1]: ``1 - prod(1 - w)`` over the sources.

    Within a source the strongest signal counts in full and the second at ``ECHO``, because two phrases
    of one abstract are not independent.
    """
    weights: dict[tuple[D, str], list[float]] = {}
    for signal in signals:
        weights.setdefault((signal.design, signal.source), []).append(signal.weight)
    doubts: dict[D, float] = {}
    for (design, _), found in sorted(weights.items()):
        first, second, *_ = [*sorted(found, reverse=True), 0.0]
        doubts[design] = doubts.get(design, 1.0) * (1 - first) * (1 - ECHO * second)
    return {design: 1 - doubt for design, doubt in doubts.items()}


def decide(scores: Mapping[D, float]) -> tuple[D, float]:
    """Return the design and its confidence in [0, 1]; ``UNKNOWN`` and 0 when no score reaches ``NAMED``."""
    positive = {design: score for design, score in scores.items() if score >= NAMED}
    if not positive:
        return D.UNKNOWN, 0.0
    likely = [design for design in PRECEDENCE if design in positive and _is_likely(design, positive)]
    winner = likely[0] if likely else max(positive, key=lambda d: (positive[d], -PRECEDENCE.index(d)))
    rival = max(
        (score for design, score in positive.items() if not _related(winner, design)),
        default=0.0,
    )
    return winner, round(positive[winner] * (1 - RIVALRY * rival), 4)


def _is_likely(design: D, scores: Mapping[D, float]) -> bool:
    score = scores[design]
    if score < ENOUGH:
        return False
    strongest = max((other for rival, other in scores.items() if not _related(design, rival)), default=0.0)
    return score >= DOMINANCE * strongest


def _related(winner: D, other: D) -> bool:
    """Return whether the two do not contradict each other."""
    return (
        winner is other
        or other in _FINER.get(winner, frozenset())
        or winner in _FINER.get(other, frozenset())
    )
