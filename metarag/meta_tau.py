"""Between-study variance: the generalised Q equation (Paule-Mandel, Q-profile) and restricted likelihood."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_inputs import Studies, Vector, checked_level, checked_studies
from metarag.meta_kernel import fit_stack, middle, weight_scale
from metarag.meta_results import HeterogeneityInterval
from metarag.meta_special import special

NEWTON_STEPS = 1000
"""Each step at least doubles a tau-squared far below the root: 400 would cross all of double precision."""

GRID_POINTS = 200
"""Where the restricted likelihood is looked at before the best point is refined: it can have two peaks."""

BISECTIONS = 200
"""Bound of the refinement; it stops by itself once the bracket is as narrow as rounding allows."""


def generalised_q(y: Vector, v: Vector, tau_squared: float) -> tuple[float, float]:
    """Return the generalised Q at ``tau_squared`` and its derivative (< 0 unless all effects are equal).

    References
    ----------
    DerSimonian & Kacker (2007), Contemp Clin Trials 28:105-114.
    """
    w = 1 / (v + tau_squared)
    residual = y - (w @ y) / w.sum()
    weighted = w * residual
    return float(weighted @ residual), -float(weighted @ weighted)


def solve_generalised_q(y: Vector, v: Vector, target: float) -> float:
    """Return the tau-squared >= 0 at which the generalised Q equals ``target``; 0 when Q is below it at 0.

    Q falls and is convex in tau-squared, so Newton's method from 0 approaches the root from the left
    and cannot miss it.
    """
    tau_squared = 0.0
    for _ in range(NEWTON_STEPS):
        q, slope = generalised_q(y, v, tau_squared)
        if q <= target:
            break
        step = (target - q) / slope
        tau_squared += step
        if step <= 2 * np.finfo(float).eps * tau_squared:
            break
    return tau_squared


def paule_mandel_tau_squared(studies: Studies) -> float:
    """Return the tau-squared at which the generalised Q equals its expectation, k - 1.

    References
    ----------
    Paule & Mandel (1982), J Res Natl Bur Stand 87:377-385.
    """
    return solve_generalised_q(studies.y - middle(studies.y), studies.v, studies.k - 1)


def restricted_log_likelihood(y: Vector, v: Vector, tau_squared: Vector) -> Vector:
    """Return the restricted log-likelihood at each tau-squared, up to a constant.

    References
    ----------
    Viechtbauer (2005), J Educ Behav Stat 30:261-293.
    """
    variance = v + tau_squared[:, None]
    w = 1 / variance
    total = w.sum(-1)
    residual = y - ((w @ y) / total)[:, None]
    log_likelihood: Vector = -0.5 * (
        np.log(variance).sum(-1) + np.log(total) + (w * residual * residual).sum(-1)
    )
    return log_likelihood


def restricted_score(y: Vector, v: Vector, tau_squared: float) -> float:
    """Return twice the derivative of the restricted log-likelihood: where it is 0, there is a peak."""
    w = 1 / (v + tau_squared)
    total = w.sum()
    weighted = w * (y - (w @ y) / total)
    return float(weighted @ weighted - weight_scale(w, total))


def reml_tau_squared(studies: Studies) -> float:
    """Return the tau-squared >= 0 of the highest peak of the restricted likelihood.

    The likelihood is read on a grid first, because with very unequal variances it can have two
    peaks and a local search would depend on its start; the best point is then refined by bisection.
    """
    y, v = studies.y - middle(studies.y), studies.v
    spread = float(y[-1] - y[0])
    if spread == 0:
        return 0.0
    highest = max(spread**2, float(v.min()))
    while restricted_score(y, v, highest) > 0:
        highest *= 2
    lowest = min(float(v.min()), highest) * 1e-6
    grid = np.concatenate([[0.0], np.geomspace(lowest, highest, GRID_POINTS)])
    best = int(restricted_log_likelihood(y, v, grid).argmax())
    low, high = float(grid[max(0, best - 1)]), float(grid[min(best + 1, GRID_POINTS)])
    if best == 0 and restricted_score(y, v, 0.0) <= 0:
        return 0.0
    return _bisect_score(y, v, low, high)


def _bisect_score(y: Vector, v: Vector, low: float, high: float) -> float:
    for _ in range(BISECTIONS):
        middle_point = (low + high) / 2
        if not low < middle_point < high:
            break
        if restricted_score(y, v, middle_point) > 0:
            low = middle_point
        else:
            high = middle_point
    return (low + high) / 2


def typical_variance(v: Vector) -> float:
    """Return Higgins and Thompson's typical sampling variance: what tau-squared is compared with.

    References
    ----------
    Higgins & Thompson (2002), Stat Med 21:1539-1558, equation 9.
    """
    w = 1 / v
    return float((v.size - 1) / weight_scale(w, w.sum()))


def q_profile(effects: ArrayLike, variances: ArrayLike, *, level: float = 0.95) -> HeterogeneityInterval:
    """Confidence limits of tau-squared, I-squared and H-squared by the Q-profile method.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        k >= 1; with k = 1 the limits are ``None``.
    level : float
        Coverage, in (0, 1).

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`.

    References
    ----------
    Viechtbauer (2007), Stat Med 26:37-52.
    """
    studies, level = checked_studies(effects, variances), checked_level(level)
    fit = fit_stack(studies.y, studies.v)
    effect, standard_error = float(fit.effect), float(fit.standard_error)
    if studies.k == 1:
        return HeterogeneityInterval(*(None,) * 10, effect, standard_error, q=None, k=1, level=level)
    q, tau_squared, typical = float(fit.q), float(fit.tau_squared), typical_variance(studies.v)
    # chdtri inverts the upper tail: a high quantile of Q belongs to the low limit of tau-squared.
    high_q, low_q = (
        float(special.chdtri(studies.k - 1, tail)) for tail in ((1 - level) / 2, (1 + level) / 2)
    )
    y = studies.y - middle(studies.y)
    low, high = (solve_generalised_q(y, studies.v, target) for target in (high_q, low_q))
    return HeterogeneityInterval(
        tau_squared=tau_squared,
        tau_squared_low=low,
        tau_squared_high=high,
        i_squared=tau_squared / (tau_squared + typical),
        i_squared_low=low / (low + typical),
        i_squared_high=high / (high + typical),
        h_squared=1 + tau_squared / typical,
        h_squared_low=1 + low / typical,
        h_squared_high=1 + high / typical,
        is_empty=q < low_q,
        effect=effect,
        standard_error=standard_error,
        q=q,
        k=studies.k,
        level=level,
    )
