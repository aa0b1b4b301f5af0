"""Which way the included articles point on the question's outcome, and whether they conflict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metarag.audit import Decision
from metarag.other_treatments import asked_treatments, is_head_to_head
from metarag.outcome_keys import OutcomeKey
from metarag.pipeline import Ranking
from metarag.pooling import Tier
from metarag.records import Frozen
from metarag.results import REVIEW, ArticleResult, Result, article_result, asked_outcomes, tier_name
from metarag.types import Evidence, Question, RetractionState

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
    """

    outcome: str
    results: tuple[ArticleResult, ...] = ()
    silent: int = 0
    polarity: str | None = None
    quantity: bool = False

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
    asked about. Its result is that of an effect on the outcome whose interval excludes no effect or not;
    without one, that of its sentences on the outcome, if they agree. Outcomes are never mixed: fewer
    infarctions and more bleeding are two results.
    """
    facets, treatments = facet_decisions(ranking), asked_treatments(question)
    fitting = [
        item
        for item in ranking
        if not is_withdrawn(item)
        and tier_name(item) != "other"
        and fits_question(facets.get(item.key))
        and not is_head_to_head(item.article.title, treatments)
    ]
    return tuple(_agreement(wanted, fitting, treatments) for wanted in asked_outcomes(question))


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


def _agreement(wanted: OutcomeKey, fitting: Sequence[Evidence], treatments: frozenset[str]) -> Agreement:
    found = [article_result(item, wanted, treatments=treatments) for item in fitting]
    return Agreement(
        outcome=wanted.key,
        results=tuple(result for result in found if result),
        silent=sum(result is None for result in found),
        polarity=wanted.polarity,
        quantity=wanted.quantity,
    )


def fits_question(decision: Decision | None) -> bool:
    """Tell whether an article is on the question's treatment and people; where nothing was compared, it is."""
    if facet_of(decision, "intervention").startswith(_WRONG):
        return False
    return not facet_of(decision, "population").startswith("mismatch")
