"""Study designs in a clinician's words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from metarag.types import DesignFinding
from metarag.types import StudyDesign as D

# Only what is not simply the value with spaces.
_WORDS: Final[Mapping[D, str]] = MappingProxyType(
    {
        D.META_ANALYSIS: "meta-analysis",
        D.NETWORK_META_ANALYSIS: "network meta-analysis",
        D.RANDOMIZED_TRIAL: "randomised trial",
        D.N_OF_1_TRIAL: "n-of-1 trial",
        D.QUASI_RANDOMIZED_TRIAL: "quasi-randomised trial",
        D.NON_RANDOMIZED_TRIAL: "non-randomised trial",
        D.SINGLE_ARM_TRIAL: "single-arm trial",
        D.SECONDARY_ANALYSIS: "secondary analysis of a trial",
        D.COHORT: "cohort study",
        D.NESTED_CASE_CONTROL: "nested case-control study",
        D.CASE_CONTROL: "case-control study",
        D.CROSS_SECTIONAL: "cross-sectional study",
        D.BEFORE_AFTER: "before-after study",
        D.REGISTRY: "registry study",
        D.OBSERVATIONAL: "observational study",
        D.MENDELIAN_RANDOMIZATION: "Mendelian randomisation study",
        D.DIAGNOSTIC_ACCURACY: "diagnostic accuracy study",
        D.PROGNOSTIC: "prognostic study",
        D.MODELLING: "modelling study",
        D.QUALITATIVE: "qualitative study",
        D.ANIMAL: "animal study",
        D.IN_VITRO: "laboratory study",
        D.NEWS: "news item",
        D.UNKNOWN: "unknown design",
    }
)
_CONTENTS: Final = MappingProxyType(
    {
        "of_randomized_trials": "randomised trials",
        "of_observational_studies": "observational studies",
        "of_case_series": "case series",
        "of_qualitative_studies": "qualitative studies",
    }
)
"""Label to what a synthesis includes, in the order in which it is told."""


def design_words(design: D) -> str:
    """Return a design as a phrase in lower case, e.g. ``cohort study``."""
    return _WORDS.get(design, design.value.replace("_", " "))


def finding_words(finding: DesignFinding) -> str:
    """Return the design with what it includes, e.g. ``Systematic review of case series``."""
    contents = [words for label, words in _CONTENTS.items() if label in finding.labels]
    phrase = design_words(finding.design) + (f" of {' and '.join(contents)}" if contents else "")
    return phrase[0].upper() + phrase[1:]
