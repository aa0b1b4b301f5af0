"""Words a clinician uses, for what the audit holds as stable ids."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from metarag.audit import Verdict
from metarag.comparison_keys import INACTIVE
from metarag.generation import wording
from metarag.types import CheckAnswer, QuestionKind, RetractionState

STAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "eligibility": "Eligibility",
        "relevance": "Relevance",
        "reliability": "Reliability",
        "heterogeneity": "Agreement of results",
        "extrapolation": "Applicability",
        "paper_reliability": "Reliability (R of the paper)",
        "paper_heterogeneity": "Agreement of stances (Algorithm 1 of the paper)",
        "paper_extrapolation": "Applicability (T of the paper)",
        "override": "A person's word",
        "score": "Final score",
    }
)
STAGE_DOES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "eligibility": "Leaves out retracted, superseded and duplicate records, and records without text.",
        "relevance": "How much of the question does the article speak of?",
        "reliability": "What is its level of evidence, and what does the abstract report of its methods?",
        "heterogeneity": "Does its result fit those of the other studies?",
        "extrapolation": "Are its patients, treatment and outcome those of the question?",
        "override": "Which articles did a person leave out, against the rules?",
        "paper_reliability": "How recent is it, of what publication type, and are its limits stated?",
        "paper_heterogeneity": "Does it dissent, and is it reliable enough to?",
        "paper_extrapolation": "Are its patients, treatment and outcome those of the question?",
    }
)
CRITERIA: Final[Mapping[str, str]] = MappingProxyType(
    {
        "eligibility.retracted": "retracted",
        "eligibility.retraction_notice": "a notice of retraction, not a study",
        "eligibility.superseded": "superseded by a newer version",
        "eligibility.duplicate": "the same record a second time",
        "eligibility.no_text": "neither title nor abstract",
        "relevance.below_minimum": "below the minimum relevance that was set",
        "heterogeneity.influence": "result unlike all other studies of its pool",
        "heterogeneity.algorithm_1": "dissents and is not reliable enough (Algorithm 1)",
        "extrapolation.total_mismatch": "does not apply to the question",
        "override.excluded": "left out by a person",
        "paper_heterogeneity.algorithm_1": "dissents and is not reliable enough (Algorithm 1)",
    }
)
VERDICTS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {Verdict.INCLUDED: "included", Verdict.EXCLUDED: "left out", Verdict.NOT_ASSESSED: "not assessed"}
)
STANDINGS: Final[Mapping[RetractionState, str]] = MappingProxyType(
    {
        RetractionState.RETRACTED: "RETRACTED",
        RetractionState.EXPRESSION_OF_CONCERN: "Expression of concern",
        RetractionState.CORRECTED: "Corrected",
        RetractionState.SUPERSEDED: "Superseded by an update",
        RetractionState.RETRACTION_NOTICE: "Notice of a retraction",
        RetractionState.CONCERN_NOTICE: "Notice of concern about another article",
        RetractionState.CORRECTION_NOTICE: "Correction of another article",
        RetractionState.NONE_SEEN: "No retraction recorded",
        RetractionState.NOT_CHECKED: "Retraction not checked",
    }
)
GRAVE_STANDINGS: Final = frozenset(
    {
        RetractionState.RETRACTED,
        RetractionState.EXPRESSION_OF_CONCERN,
        RetractionState.SUPERSEDED,
        RetractionState.RETRACTION_NOTICE,
    }
)
"""Standings that a reader must not overlook."""
FITS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "match": ("\N{CHECK MARK}", "fits"),
        "partial": ("\N{CIRCLE WITH LEFT HALF BLACK}", "fits in part"),
        "mismatch": ("\N{MULTIPLICATION X}", "does not fit"),
        "unknown": ("?", "not stated"),
    }
)
"""How a facet fits: a sign and its words, never a colour alone."""
CHECKS: Final[Mapping[CheckAnswer, str]] = MappingProxyType(
    {
        CheckAnswer.YES: "Reported",
        CheckAnswer.NO: "Reported as not done",
        CheckAnswer.UNCLEAR: "Unclear",
        CheckAnswer.NOT_REPORTED: "Not found in the abstract",
    }
)
MEASURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "OR": "odds ratio",
        "RR": "risk ratio",
        "HR": "hazard ratio",
        "IRR": "rate ratio",
        "RD": "risk difference",
        "MD": "mean difference",
        "SMD": "standardised mean difference",
    }
)
TIERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "randomised": "randomised trials",
        "observational": "observational studies",
        "review": "a review's own result",
    }
)
KINDS: Final[Mapping[QuestionKind, str]] = MappingProxyType(
    {kind: kind.value.replace("_", " ") for kind in QuestionKind}
    | {QuestionKind.ETIOLOGY_HARM: "cause or harm"}
)
ESTIMATORS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dersimonian_laird": "Random effects, DerSimonian-Laird",
        "paule_mandel": "Random effects, Paule-Mandel",
        "reml": "Random effects, restricted maximum likelihood",
        "fixed_effect": "One common effect (fixed)",
    }
)


def outcome_words(key: str) -> str:
    """Return an outcome's key in the words of the answers; says so where it is not known."""
    return wording.outcome_words(key) or "outcome not named"


def comparison_words(key: str) -> tuple[str, str]:
    """Return treatment and comparator of a comparison key; empty where it names none."""
    treatment, _, comparator = key.partition("|")
    return _named(treatment), _named(comparator)


def criterion_words(criterion: str) -> str:
    """Return the rule that left an article out, in words that follow a number of articles."""
    return CRITERIA.get(criterion, criterion.split(".", 1)[-1].replace("_", " "))


def stage_words(stage: str) -> str:
    """Return a stage's name for a heading; the name itself for a stage of the user's own."""
    return STAGES.get(stage, stage.replace("_", " "))


def sentence_case(text: str) -> str:
    """Return the text with its first letter in upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def _named(part: str) -> str:
    if part == INACTIVE:
        return "placebo, no treatment or usual care"
    return " and ".join(name.replace("_", " ") for name in part.split("+") if name)
