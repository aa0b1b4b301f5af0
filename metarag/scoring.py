"""From a stage's judgements to one number: the final score, term by term."""

from __future__ import annotations

import math
from typing import Protocol, Self

from pydantic import Field, model_validator

from metarag.audit import Measurement
from metarag.option_models import Options, Weight
from metarag.paper_method import final_score
from metarag.types import Evidence

TERMS = ("relevance", "reliability", "consistency", "applicability")
_SHOWN_WEIGHTS = tuple((term, f"{term}_weight") for term in TERMS)
_NOTHING_ASSESSED = (None,) * len(TERMS)


class Scorer(Protocol):
    """Turns what the stages judged into a final score."""

    @property
    def criterion(self) -> str:
        """Stable id of the formula, e.g. ``score.geometric_mean``."""

    def score(self, item: Evidence) -> tuple[float | None, dict[str, Measurement]]:
        """Return the score in [0, 1] (or ``None``) and the terms it can be recomputed from."""


class TermWeights(Options):
    """Weights of the terms in the geometric mean.

    Ours, chosen on four drug-class reviews (``docs/ranking.md``): applicability counts twice. Other weights
    near these do about as well. The weight of consistency was not tuned: few records print effects.
    """

    relevance: Weight = 1.0
    reliability: Weight = 1.0
    consistency: Weight = 0.5
    applicability: Weight = 2.0

    @model_validator(mode="after")
    def _one_counts(self) -> Self:
        if not any(getattr(self, term) for term in TERMS):
            raise ValueError("at least one weight must be greater than 0")
        return self


class GeometricMean(Options):
    """Weighted geometric mean of what was assessed: exp(sum(w ln x) / sum(w)).

    A geometric mean, because a study that fails on one count is not saved by another: perfect
    reliability does not make an irrelevant article good evidence.

    Parameters
    ----------
    weights : TermWeights
        A weight of 0 takes the term out.
    neutral_reliability : float
        Stands in where reliability was not assessed, in (0, 1). Leaving the term out would lift an
        unclassified article to the level of its relevance, above every trial; the middle of the
        scale is neutral. Terms other than reliability are left out when not assessed.
    floor : float
        Smallest value of a term, so that one zero does not erase all others' differences.
    """

    weights: TermWeights = TermWeights()
    neutral_reliability: float = Field(default=0.5, gt=0, lt=1)
    floor: float = Field(default=0.01, gt=0, lt=0.5)

    @property
    def criterion(self) -> str:
        """Stable id of the formula."""
        return "score.geometric_mean"

    def score(self, item: Evidence) -> tuple[float | None, dict[str, Measurement]]:
        """Return the mean, and each term with its weight; ``None`` when nothing was assessed."""
        values = item.relevance, item.reliability, item.consistency, item.applicability
        terms: dict[str, Measurement] = dict(zip(TERMS, values, strict=True))
        if values == _NOTHING_ASSESSED:
            return None, terms
        weights, neutral, floor, total, logs = self.weights, self.neutral_reliability, self.floor, 0.0, 0.0
        if item.reliability is None:
            terms["reliability_neutral"] = neutral
        for (term, shown), assessed in zip(_SHOWN_WEIGHTS, values, strict=True):
            value = neutral if assessed is None and term == "reliability" else assessed
            if value is not None:
                terms[shown] = weight = getattr(weights, term)
                total += weight
                logs += weight * math.log(value if value > floor else floor)
        if total == 0:
            return None, terms
        return min(1.0, math.exp(logs / total)), terms


class PaperScore(Options):
    """S = r^2 T of META-RAG (arXiv 2510.24003), with r = R / 7 and T in [0, 1].

    The paper says nothing of what is not assessed; ours: a missing r counts as ``neutral_reliability``, a
    missing T as ``neutral_applicability``. Relevance is no part of S.
    """

    neutral_reliability: float = Field(default=0.5, gt=0, lt=1)
    neutral_applicability: float = Field(default=0.5, gt=0, lt=1)

    @property
    def criterion(self) -> str:
        """Stable id of the formula."""
        return "score.paper"

    def score(self, item: Evidence) -> tuple[float | None, dict[str, Measurement]]:
        """Return S and its two terms; ``None`` when neither was assessed."""
        terms: dict[str, Measurement] = {"r": item.reliability, "t": item.applicability}
        if item.reliability is None and item.applicability is None:
            return None, terms
        r = self.neutral_reliability if item.reliability is None else item.reliability
        t = self.neutral_applicability if item.applicability is None else item.applicability
        return final_score(r, t), terms | {"r_used": r, "t_used": t}
