"""Labels that follow from the design and its rivals: what a part is a part of, what a synthesis holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from metarag.design_fusion import ENOUGH
from metarag.design_text_laboratory import HUMAN_PARTICIPANTS
from metarag.design_text_reports import OF_REVIEW
from metarag.design_text_reviews import OWN_DATA
from metarag.design_text_syntheses import OF_RANDOMIZED
from metarag.design_text_trials import RANDOMISATION_DENIED
from metarag.types import DesignSignal
from metarag.types import StudyDesign as D

_MARKERS: Final = frozenset({HUMAN_PARTICIPANTS, OWN_DATA, RANDOMISATION_DENIED})
_PARTS: Final = frozenset({D.SECONDARY_ANALYSIS, D.PROTOCOL})
_RANDOMISED: Final = frozenset({D.RANDOMIZED_TRIAL, D.N_OF_1_TRIAL})
_COMMUNICATIONS: Final = frozenset({D.COMMENT, D.EDITORIAL, D.NEWS, D.LETTER, D.ERRATUM, D.NOTICE})
_SYNTHESES: Final = frozenset(
    {
        D.SYSTEMATIC_REVIEW,
        D.META_ANALYSIS,
        D.NETWORK_META_ANALYSIS,
        D.UMBRELLA_REVIEW,
        D.SCOPING_REVIEW,
        D.NARRATIVE_REVIEW,
    }
)
_INCLUDED: Final = frozenset(
    {OF_RANDOMIZED, "of_observational_studies", "of_case_series", "of_qualitative_studies"}
)


def final_labels(
    design: D, found: Iterable[str], scores: Mapping[D, float], signals: tuple[DesignSignal, ...]
) -> tuple[str, ...]:
    """Return the labels of a finding, sorted: those found, those that follow, without the misleading ones."""
    labels = set(found) - _MARKERS
    randomised = scores.get(D.RANDOMIZED_TRIAL, 0.0) >= ENOUGH
    trial = randomised or scores.get(D.CLINICAL_TRIAL, 0.0) >= ENOUGH
    if design in _PARTS:
        labels |= _part_labels(design, signals, randomised=randomised, trial=trial)
    elif design in _RANDOMISED and not any(_says_random(signal) for signal in signals):
        labels.add("randomization_not_stated")
    elif design in _COMMUNICATIONS and trial:
        labels.add("about_trials")
    elif design is D.ANIMAL and randomised:
        labels.add("randomized")
    return tuple(sorted(labels - _misleading(design, labels)))


def _part_labels(design: D, signals: tuple[DesignSignal, ...], *, randomised: bool, trial: bool) -> set[str]:
    said = any(signal.design is design and _says_random(signal) for signal in signals)
    labels = {"of_randomized_trial"} if randomised or said else set()
    if trial:
        labels.add("of_trial")
    return labels


def _misleading(design: D, labels: set[str]) -> set[str]:
    """Only syntheses include studies; one that includes randomised trials is not one of case series only."""
    wrong = set() if design is D.PROTOCOL else {OF_REVIEW}
    if design not in _SYNTHESES:
        return wrong | _INCLUDED
    return wrong | (_INCLUDED - {OF_RANDOMIZED}) if OF_RANDOMIZED in labels else wrong


def _says_random(signal: DesignSignal) -> bool:
    return "random" in signal.evidence.lower()
