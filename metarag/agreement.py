"""Which way the included articles point on the question's outcome, and whether they conflict."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.audit import Decision
from metarag.outcome_keys import OutcomeKey
from metarag.pipeline import Ranking
from metarag.pooling import Tier
from metarag.records import Frozen
from metarag.results import REVIEW, ArticleResult, Result, article_result, asked_outcomes
from metarag.types import Evidence, Question

_WRONG = ("mismatch", "partial")


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
    """

    outcome: str
    results: tuple[ArticleResult, ...] = ()
    silent: int = 0

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

    An article counts if its intervention matches the question's and its population is not another. Its
    result is that of an effect on the outcome whose interval excludes no effect or not; without one, that
    of its sentences on the outcome, if they agree. Outcomes are never mixed: fewer infarctions and more
    bleeding are two results.
    """
    facets = {d.key: d for d in ranking.audit.decisions if d.stage == "extrapolation"}
    fitting = [item for item in ranking if _fits(facets.get(item.key))]
    return tuple(_agreement(wanted, fitting) for wanted in asked_outcomes(question))


def _agreement(wanted: OutcomeKey, fitting: Sequence[Evidence]) -> Agreement:
    found = [article_result(item, wanted) for item in fitting]
    return Agreement(
        outcome=wanted.key,
        results=tuple(result for result in found if result),
        silent=sum(result is None for result in found),
    )


def _fits(decision: Decision | None) -> bool:
    if decision is None:
        return True
    intervention = str(decision.measurements.get("intervention") or "")
    population = str(decision.measurements.get("population") or "")
    return not intervention.startswith(_WRONG) and not population.startswith("mismatch")
