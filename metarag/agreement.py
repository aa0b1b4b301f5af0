"""Which way the included articles point on the question's outcome, and whether they conflict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from metarag.asked_treatment import is_studied, not_on_treatment, treatment_words
from metarag.audit import Decision
from metarag.other_treatments import asked_procedures, asked_treatments, is_head_to_head, is_only_setting
from metarag.outcome_keys import OutcomeKey
from metarag.outcome_mentions import stands_for_several
from metarag.pipeline import Ranking
from metarag.pooling import Tier
from metarag.records import Frozen
from metarag.result_people import people_of
from metarag.results import (
    REVIEW,
    ArticleResult,
    Result,
    article_result,
    asked_outcomes,
    asked_together,
    class_result,
    combined_result,
    tier_name,
)
from metarag.stopped_treatment import is_of_stopping
from metarag.types import Evidence, Question, RetractionState

COMBINED = "combined:"
"""Begins the key of outcomes that are counted together, e.g. ``combined:myocardial_infarction+stroke``."""
_WRONG = ("mismatch", "partial")
_WITHDRAWN = (RetractionState.RETRACTED, RetractionState.RETRACTION_NOTICE)


class Agreement(Frozen):
    """All results on the question's outcome.

    Attributes
    ----------
    outcome : str
        Key of the outcome.
    results : tuple of ArticleResult
        In the order of the ranking; only articles that studied the question's treatment in its people.
    silent : int
        Articles that fit but say nothing of the outcome.
    polarity : str or None
        ``harm`` where more of the outcome is worse for the patient, ``benefit`` where it is better.
    quantity : bool
        True for what is measured (blood pressure) rather than counted (stroke).
    combined : tuple of ArticleResult
        Of fitting articles that tell no result on the outcome, but on a combined one that holds it.
    related : tuple of ArticleResult
        Of articles on a related treatment, or on the treatment's class. Neither of the two is counted.
    treatment : str
        What the results are of, in the question's words; empty where it was not read.
    """

    outcome: str
    results: tuple[ArticleResult, ...] = ()
    silent: int = 0
    polarity: str | None = None
    quantity: bool = False
    combined: tuple[ArticleResult, ...] = ()
    related: tuple[ArticleResult, ...] = ()
    treatment: str = ""

    def keys(self, result: Result) -> tuple[str, ...]:
        """Return the articles with this result, best first."""
        return tuple(found.key for found in self.results if found.result is result)

    @property
    def is_conflict(self) -> bool:
        """True when reviews, or randomised studies, differ among themselves in their result."""
        return any(len(self._results_of(tier)) > 1 for tier in (REVIEW, Tier.RANDOMISED.value))

    @property
    def kinds_differ(self) -> bool:
        """True when results differ at all: then it is between kinds of study, or among weaker ones."""
        return len({found.result for found in self.results}) > 1

    def _results_of(self, tier: str) -> set[Result]:
        return {found.result for found in self.results if found.tier == tier}


def agreements(question: Question, ranking: Ranking) -> tuple[Agreement, ...]:
    """Return which way the included articles point, on each outcome that the question names.

    An article counts if it reports a study or sums up studies, its intervention matches the question's, its
    population is not another, it is not retracted, and its title does not set another drug against the one
    asked about, or name the procedure asked about as the setting of something else. Its result is that of an
    effect on the outcome whose interval excludes no effect or not; without one, that of its sentences on the
    outcome, if they agree. Outcomes are never mixed: fewer infarctions and more bleeding are two results.

    A question on "heart attack or stroke" is answered on the two counted together first, then on each. One on
    diagnosis, prognosis or how common something is has no results to count.
    """
    if not_on_treatment(question):
        return ()
    facets, treatments = facet_decisions(ranking), asked_treatments(question)
    fitting = fitting_studies(question, ranking)
    beside = [item for item in _studies(question, ranking) if _is_on_related(facets.get(item.key))]
    asked, together, people = asked_outcomes(question), asked_together(question), people_of(question)
    first = [_on_combined(together, fitting, treatments, people)] if together else []
    found = (
        *(found for found in first if found.results),
        *(_agreement(w, fitting, treatments, people, beside=beside, listed=bool(together)) for w in asked),
    )
    return tuple(each.model_copy(update={"treatment": treatment_words(question)}) for each in found)


def fitting_studies(question: Question, ranking: Ranking) -> list[Evidence]:
    """Return the articles that count, in the order of the ranking; see :func:`agreements`."""
    facets = facet_decisions(ranking)
    return [
        item
        for item in _studies(question, ranking)
        if fits_question(facets.get(item.key)) and is_studied(item.article, question)
    ]


def _studies(question: Question, ranking: Ranking) -> list[Evidence]:
    treatments, procedures = asked_treatments(question), asked_procedures(question)
    return [
        item
        for item in ranking
        if not is_withdrawn(item)
        and tier_name(item) != "other"
        and not is_of_stopping(item.article)
        and not is_head_to_head(item.article.title, treatments)
        and not is_only_setting(item.article.title, procedures)
    ]


def is_withdrawn(item: Evidence) -> bool:
    """True for retracted articles and notices of retraction, whatever settings let them into a ranking."""
    return item.appraisal is not None and item.appraisal.retraction.state in _WITHDRAWN


def facet_decisions(ranking: Ranking) -> Mapping[str, Decision]:
    """Return, by evidence key, how the facets of each article were found to fit the question's."""
    return {
        decision.key: decision for decision in ranking.audit.decisions if decision.stage == "extrapolation"
    }


def facet_of(decision: Decision | None, facet: str) -> str:
    """Return what was found of a facet (``match: ...``); empty where it was not compared."""
    return str(decision.measurements.get(facet) or "") if decision else ""


def _agreement(
    wanted: OutcomeKey,
    fitting: Sequence[Evidence],
    treatments: frozenset[str],
    people: str,
    *,
    beside: Sequence[Evidence],
    listed: bool,
) -> Agreement:
    """Return the results on one outcome; combined ones are told elsewhere where it was ``listed``."""
    found = {item.key: article_result(item, wanted, treatments=treatments, people=people) for item in fitting}
    silent = [item for item in fitting if found[item.key] is None]
    listed = listed or stands_for_several(wanted.key)  # its combined results are its own
    combined = (
        []
        if listed
        else _known(combined_result(i, {wanted.key}, treatments=treatments, people=people) for i in silent)
    )
    related = [
        *_known(class_result(item, wanted, treatments=treatments, people=people) for item in silent),
        *_known(article_result(item, wanted, people=people) for item in beside),
    ]
    return Agreement(
        outcome=wanted.key,
        results=_known(found.values()),
        silent=len(silent),
        polarity=wanted.polarity,
        quantity=wanted.quantity,
        combined=tuple(combined),
        related=tuple(related),
    )


def _on_combined(
    keys: frozenset[str], fitting: Sequence[Evidence], treatments: frozenset[str], people: str
) -> Agreement:
    results = _known(combined_result(item, keys, treatments=treatments, people=people) for item in fitting)
    return Agreement(
        outcome=COMBINED + "+".join(sorted(keys)),
        results=results,
        silent=len(fitting) - len(results),
        polarity="harm",
    )


def _known(found: Iterable[ArticleResult | None]) -> tuple[ArticleResult, ...]:
    return tuple(result for result in found if result)


def _is_on_related(decision: Decision | None) -> bool:
    """Tell whether an article is on a related treatment, in the question's people."""
    related = facet_of(decision, "intervention").startswith("partial")
    return related and not facet_of(decision, "population").startswith("mismatch")


def fits_question(decision: Decision | None) -> bool:
    """Tell whether an article is on the question's treatment and people; where nothing was compared, it is."""
    if facet_of(decision, "intervention").startswith(_WRONG):
        return False
    return not facet_of(decision, "population").startswith("mismatch")
