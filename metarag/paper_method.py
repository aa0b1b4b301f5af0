"""The arithmetic of META-RAG (arXiv 2510.24003): R, heterogeneity of stances, Algorithm 1, S = r^2 T.

The paper leaves many choices open. Each is an argument here; its default is ours and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metarag.meta_analysis import dersimonian_laird, leave_one_out

Stance = Literal["support", "oppose", "irrelevant"]
"""Of an article towards a claim; formula 1 of the paper: 1, 0 and NaN."""

HIGHEST = 7
"""Top of the paper's scale: Figure 4 scores publication types 1 to 7."""
SIGMA = 0.05
"""Ours. Variance of every stance; the paper gives none. From about 0.27 on, 15 stances never differ."""
MAX_CONTRIBUTION = 0.5
"""M, ours: the share of tau-squared that an article may account for."""
MIN_RELIABILITY = 4.0
"""R_c, ours: the middle of the 1 to 7 scale."""
DATE_TIERS = ((1, 5.0), (3, 4.0), (5, 3.0), (10, 2.0))
"""Ours: an article of at most so many years scores so much. The two examples of Figure 3 agree (2025.07 scores
5, 2023.02 scores 4, read in 2025)."""
OLDEST_SCORE = 1.0
"""Ours: the date's score of what is older."""
LOWEST = 1
"""Bottom of the paper's scale."""
_ROUNDING = 1e-9
# A tie of stances gives a contribution of 0, and some votes a tau-squared of 0, up to rounding.


@dataclass(frozen=True, slots=True)
class StanceHeterogeneity:
    """How the articles' stances towards one claim spread.

    Attributes
    ----------
    k : int
        Articles with a stance (ours: not all that were retrieved, which the paper's text defines).
    support : float or None
        theta_RE, the pooled share that supports, in [0, 1]; ``None`` without a stance.
    q, tau_squared : float or None
        Formulas 3 and 4; ``None`` for fewer than two stances.
    contributions : tuple of float or None
        Formula 7 for each article, in the order given; ``None`` for an irrelevant one.
    """

    k: int
    support: float | None
    q: float | None
    tau_squared: float | None
    contributions: tuple[float | None, ...]


def publication_date_score(
    year: int | None,
    *,
    reference_year: int,
    tiers: Sequence[tuple[int, float]] = DATE_TIERS,
    oldest: float = OLDEST_SCORE,
) -> float | None:
    """Return the date's score, 5 (newest) to 1 with the tiers that are ours; ``None`` without a year.

    Parameters
    ----------
    tiers : sequence of (int, float)
        Years up to which an age has a score, ascending, and the score.
    oldest : float
        Score of what is older than the last tier.
    """
    if year is None:
        return None
    age = reference_year - year
    return next((score for limit, score in tiers if age <= limit), oldest)


def experiment_score(
    answers: Sequence[bool | None], *, lowest: float = LOWEST, highest: float = HIGHEST
) -> float | None:
    """Return the score of the paper's three questions, 1 to 7; ``None`` when none was answered.

    ``answers`` are True where the answer is the favourable one (no ethnic limit, no regional population,
    limits stated). Ours: from ``lowest`` to ``highest`` by the share of favourable ones among those answered.
    """
    known = [answer for answer in answers if answer is not None]
    return lowest + (highest - lowest) * sum(known) / len(known) if known else None


def reliability_score(
    date: float | None,
    publication: float | None,
    experiment: float | None,
    *,
    alpha: float = 0.2,
    beta: float = 0.6,
    gamma: float = 0.2,
) -> float | None:
    """Return R = alpha Date + beta Pub + gamma Exp on the 1 to 7 scale; ``None`` when nothing is known.

    The weights are ours and are normalised over the terms that are known, so that R keeps its scale.

    Raises
    ------
    ValueError
        A weight is negative, or all are 0.
    """
    if min(alpha, beta, gamma) < 0 or alpha + beta + gamma == 0:
        raise ValueError(f"weights must be >= 0 and not all 0, got {alpha}, {beta}, {gamma}")
    terms = [(alpha, date), (beta, publication), (gamma, experiment)]
    known = [(weight, score) for weight, score in terms if score is not None and weight > 0]
    if not known:
        return None
    return sum(weight * score for weight, score in known) / sum(weight for weight, _ in known)


def stance_heterogeneity(stances: Sequence[Stance], *, sigma: float = SIGMA) -> StanceHeterogeneity:
    """Return formulas 1 to 7 for one claim.

    Irrelevant articles are left out of the sums, and k counts the others. Where tau-squared is 0 formula
    7 is 0 / 0; ours is then 0: nobody contributes to a heterogeneity that is not there.

    Raises
    ------
    ValueError
        ``sigma`` is not positive.
    """
    if not sigma > 0:
        raise ValueError(f"sigma must be positive, got {sigma}")
    voters = [i for i, stance in enumerate(stances) if stance != "irrelevant"]
    contributions: list[float | None] = [None] * len(stances)
    for i in voters:
        contributions[i] = 0.0
    if not voters:
        return StanceHeterogeneity(0, None, None, None, tuple(contributions))
    votes = np.array([float(stances[i] == "support") for i in voters])
    variances = np.full(votes.shape, sigma)
    pool = dersimonian_laird(votes, variances)
    if pool.tau_squared is not None and pool.tau_squared > _ROUNDING:
        without = leave_one_out(votes, variances).tau_squared
        # Two opposed stances: the one that is left has no spread, so each accounts for all of it.
        left = np.zeros(votes.shape) if without is None else without
        shares = (pool.tau_squared - left) / pool.tau_squared
        for i, share in zip(voters, shares, strict=True):
            contributions[i] = 0.0 if abs(share) < _ROUNDING else float(share)
    return StanceHeterogeneity(len(voters), pool.effect, pool.q, pool.tau_squared, tuple(contributions))


def algorithm_1(
    contributions: Mapping[str, Sequence[float | None]],
    reliabilities: Sequence[float | None],
    *,
    max_contribution: float = MAX_CONTRIBUTION,
    min_reliability: float = MIN_RELIABILITY,
    keep_irrelevant: bool = True,
) -> tuple[tuple[str, str] | None, ...]:
    """Return for each article the claim and the reason that keep it; ``None`` for one that is dropped.

    An article stays if for any claim its contribution is < M, or is >= M and its R is > R_c.

    Parameters
    ----------
    contributions : mapping of claim to sequence
        Formula 7 for each article; ``None`` where the article is irrelevant to the claim.
    reliabilities : sequence of float or None
        R on the 1 to 7 scale. ``None`` (not assessed) counts as > R_c: ours, for the unknown is not bad.
    keep_irrelevant : bool
        Ours. True: an article that is irrelevant to a claim is kept by it. False: the claim keeps it not,
        so that one irrelevant to all claims is dropped, which is what NaN in the formulas comes to.
    """
    kept: list[tuple[str, str] | None] = []
    for i, reliability in enumerate(reliabilities):
        reason = None
        for claim, values in contributions.items():
            value = values[i]
            if value is None:
                reason = "irrelevant" if keep_irrelevant else None
            elif value < max_contribution:
                reason = "contribution"
            elif reliability is None or reliability > min_reliability:
                reason = "reliability"
            if reason:
                kept.append((claim, reason))
                break
        else:
            kept.append(None)
    return tuple(kept)


def applicability_score(
    population: float | None, intervention: float | None, outcome: float | None
) -> float | None:
    """Return T in [0, 1], the mean of the facets that were assessed; equal weights are ours."""
    known = [facet for facet in (population, intervention, outcome) if facet is not None]
    return sum(known) / len(known) if known else None


def final_score(reliability: float, applicability: float) -> float:
    """Return S = r^2 T. With r = R / 7 and T in [0, 1] it lies in [0, 1] and sorts as on any other scale."""
    return reliability**2 * applicability
