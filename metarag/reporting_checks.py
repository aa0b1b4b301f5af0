"""What an abstract reports of its methods: a closed checklist, answered by rules, each answer with its words.

An answer says what the text *reports*; it is no judgement of the risk of bias. Where nothing is said the
answer is ``not_reported``, which for an abstract is honest and not bad.

References
----------
The items of trials follow CONSORT for abstracts (Hopewell 2008, Lancet 371:281), those of syntheses PRISMA
for abstracts (Beller 2013, PLoS Med 10:e1001419); the three on limits of the population are META-RAG's
(arXiv 2510.24003, figure 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from metarag.design_registry import Registration, is_review_registration, registrations
from metarag.design_rules import REPORTING, rule_index
from metarag.design_text import ABSTRACT, TITLE
from metarag.design_text_rules import cued_text
from metarag.records import Article
from metarag.sample_size import extract_sample_size
from metarag.types import CheckAnswer, DesignFinding, ReportingCheck, SampleSize, Span
from metarag.types import StudyDesign as D
from metarag.unchecked import unchecked

_COMMON: Final = (
    "sample_size_reported",
    "losses_reported",
    "registered",
    "precision_reported",
    "limitations_stated",
    "population_limited",
    "region_limited",
    "limits_explained",
)
TRIAL_ITEMS: Final = (
    "randomised",
    "randomisation_method",
    "allocation_concealed",
    "blinded",
    "participants_blinded",
    "staff_blinded",
    "assessors_blinded",
    "intention_to_treat",
    *_COMMON,
)
OBSERVATIONAL_ITEMS: Final = _COMMON
SYNTHESIS_ITEMS: Final = (
    "databases_searched",
    "studies_counted",
    "risk_of_bias_assessed",
    "heterogeneity_reported",
    "registered",
    "precision_reported",
    "limitations_stated",
)

REVERSED_ITEMS: Final = ("population_limited", "region_limited")
"""Items where *yes* is the weaker answer."""

_ITEMS: Final[Mapping[D, tuple[str, ...]]] = MappingProxyType(
    dict.fromkeys(
        (
            D.RANDOMIZED_TRIAL,
            D.N_OF_1_TRIAL,
            D.QUASI_RANDOMIZED_TRIAL,
            D.NON_RANDOMIZED_TRIAL,
            D.SINGLE_ARM_TRIAL,
            D.CLINICAL_TRIAL,
            D.SECONDARY_ANALYSIS,
        ),
        TRIAL_ITEMS,
    )
    | dict.fromkeys(
        (
            D.COHORT,
            D.NESTED_CASE_CONTROL,
            D.CASE_CONTROL,
            D.CROSS_SECTIONAL,
            D.INTERRUPTED_TIME_SERIES,
            D.BEFORE_AFTER,
            D.REGISTRY,
            D.OBSERVATIONAL,
            D.MENDELIAN_RANDOMIZATION,
            D.DIAGNOSTIC_ACCURACY,
            D.PROGNOSTIC,
        ),
        OBSERVATIONAL_ITEMS,
    )
    | dict.fromkeys(
        (
            D.SYSTEMATIC_REVIEW,
            D.META_ANALYSIS,
            D.NETWORK_META_ANALYSIS,
            D.UMBRELLA_REVIEW,
            D.SCOPING_REVIEW,
        ),
        SYNTHESIS_ITEMS,
    )
)


_WINS: Final = (CheckAnswer.YES, CheckAnswer.UNCLEAR, CheckAnswer.NO)
"""A yes stands before a doubt, and both before a no: "open-label" beside "blinded assessors" is blinded."""


# Pydantic asks for a set that is not frozen; a copy of a check has a copy of it.
_ANSWERED: Final = {"item", "answer", "span"}


def reporting_checks(article: Article, design: DesignFinding) -> tuple[ReportingCheck, ...]:
    """Answer the items that apply to the design; empty for designs without a checklist.

    Parameters
    ----------
    design : DesignFinding
        As :func:`metarag.study_design.classify` returned it.
    """
    if design.design not in _ITEMS:
        return ()
    return checks_given(article, design, registrations(article), extract_sample_size(article))


def checks_given(
    article: Article, design: DesignFinding, known: tuple[Registration, ...], size: SampleSize | None
) -> tuple[ReportingCheck, ...]:
    """Answer the items as :func:`reporting_checks` does, with registrations and size read before."""
    items = _ITEMS.get(design.design, ())
    if not items:
        return ()
    answers = _text_answers(article)
    answers["randomised"] = _randomised(design)
    answers["registered"] = _registered(known, review=items is SYNTHESIS_ITEMS)
    answers["sample_size_reported"] = _sample_size(size)
    return tuple(_check(item, *answers[item]) if item in answers else _silent(item) for item in items)


def _check(item: str, answer: CheckAnswer, span: Span | None) -> ReportingCheck:
    if answer is CheckAnswer.NOT_REPORTED:
        return _silent(item)
    return unchecked(
        ReportingCheck, {"item": item, "answer": answer, "basis": "rule", "span": span}, _ANSWERED
    )


@cache
def _silent(item: str) -> ReportingCheck:
    """Return the answer of most items of most abstracts; it is frozen, so that one will do for all."""
    return ReportingCheck(item=item, answer=CheckAnswer.NOT_REPORTED)


def _text_answers(article: Article) -> dict[str, tuple[CheckAnswer, Span | None]]:
    answers: dict[str, tuple[CheckAnswer, Span | None]] = {}
    for where, text in ((ABSTRACT, article.abstract or ""), (TITLE, article.title)):
        for candidate, start, end in rule_index(where).matches(cued_text(text, where), REPORTING):
            item, answer = candidate.claim.labels
            given = (CheckAnswer(answer), Span.cut(where, text, start, end))
            if item not in answers or _WINS.index(given[0]) < _WINS.index(answers[item][0]):
                answers[item] = given
    return answers


def _randomised(design: DesignFinding) -> tuple[CheckAnswer, Span | None]:
    spans = [s.span for s in design.signals if s.span and s.design is D.RANDOMIZED_TRIAL]
    span = next((found for found in spans if "random" in found.text.lower()), None)
    if design.design in (D.NON_RANDOMIZED_TRIAL, D.SINGLE_ARM_TRIAL):
        own = next((s.span for s in design.signals if s.design is design.design), None)
        return CheckAnswer.NO, own
    if design.design is D.QUASI_RANDOMIZED_TRIAL or "randomization_not_stated" in design.labels:
        return CheckAnswer.UNCLEAR, span
    randomised = design.design in (D.RANDOMIZED_TRIAL, D.N_OF_1_TRIAL)
    stated = randomised or "of_randomized_trial" in design.labels
    return (CheckAnswer.YES, span) if stated else (CheckAnswer.NOT_REPORTED, None)


def _registered(known: tuple[Registration, ...], *, review: bool) -> tuple[CheckAnswer, Span | None]:
    """A review's own registration is one of PROSPERO; the trials in it have numbers of their own."""
    for found in known:
        if is_review_registration(found.id) or not review:
            return CheckAnswer.YES, found.span
    return CheckAnswer.NOT_REPORTED, None


def _sample_size(size: SampleSize | None) -> tuple[CheckAnswer, Span | None]:
    if size is None or size.kind == "studies":
        return CheckAnswer.NOT_REPORTED, None
    return CheckAnswer.YES, size.span
