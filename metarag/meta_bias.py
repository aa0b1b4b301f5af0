"""Asymmetry of the funnel plot: small studies that differ from large ones, for whatever reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_inputs import Vector, checked_studies
from metarag.meta_kernel import middle, weight_of_others
from metarag.meta_models import normal_p
from metarag.meta_special import special

SMALLEST_K = 10
"""With fewer studies the tests cannot tell chance from asymmetry (Sterne et al. 2011, BMJ 342:d4002)."""

LARGEST_K_EXACT = 200
"""Studies to which Kendall's distribution is counted out; above, the normal one is the same to 3 digits."""


@dataclass(frozen=True, slots=True)
class EggerTest:
    """Egger's regression of the effects on their standard errors.

    Attributes
    ----------
    bias, standard_error : float
        Slope: change of the effect for one more unit of standard error; 0 for a symmetrical funnel.
    t, p_value : float or None
        Test of it with ``df`` = k - 2; ``None`` when the points lie on a line.
    limit_effect : float
        Intercept: the effect that a study without error would show.
    df, k : int
        Degrees of freedom and number of studies.
    """

    bias: float
    standard_error: float
    t: float | None
    p_value: float | None
    limit_effect: float
    df: int
    k: int


@dataclass(frozen=True, slots=True)
class BeggTest:
    """Begg and Mazumdar's rank correlation of standardised effects and variances.

    Attributes
    ----------
    tau : float
        Kendall's tau-b, in [-1, 1].
    p_value : float
        Two-sided: exact when no two values are tied and k <= 200, else normal.
    k : int
        Number of studies.
    """

    tau: float
    p_value: float
    k: int


def egger_test(effects: ArrayLike, variances: ArrayLike, *, smallest_k: int = SMALLEST_K) -> EggerTest | None:
    """Test whether effects depend on their standard errors (weighted regression, multiplicative error).

    Parameters
    ----------
    effects, variances : array of shape (k,)
        As for :func:`dersimonian_laird`. For log odds ratios the test is too often positive, because
        the effect and its error depend on each other.
    smallest_k : int
        Below it nothing is tested; at least 3.

    Returns
    -------
    EggerTest or None
        ``None`` (not assessed) with too few studies or equal standard errors.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`, or smallest_k below 3.

    References
    ----------
    Egger, Davey Smith, Schneider & Minder (1997), BMJ 315:629-634.
    """
    if smallest_k < 3:
        raise ValueError(f"smallest_k must be at least 3, got {smallest_k}: a line needs a point to spare")
    studies = checked_studies(effects, variances)
    x, w = np.sqrt(studies.v), 1 / studies.v
    if studies.k < smallest_k or x.min() == x.max():
        return None
    anchor = float(middle(studies.y)[0])
    y = studies.y - anchor
    mean_x, mean_y = w @ x / w.sum(), w @ y / w.sum()
    spread = float(w @ (x - mean_x) ** 2)
    bias = float(w @ ((x - mean_x) * (y - mean_y))) / spread
    residual = y - mean_y - bias * (x - mean_x)
    df = studies.k - 2
    standard_error = float(np.sqrt(w @ residual**2 / df / spread))
    t = bias / standard_error if standard_error > 0 else None
    return EggerTest(
        bias=bias,
        standard_error=standard_error,
        t=t,
        p_value=None if t is None else float(2 * special.stdtr(df, -abs(t))),
        limit_effect=float(mean_y - bias * mean_x) + anchor,
        df=df,
        k=studies.k,
    )


def begg_test(effects: ArrayLike, variances: ArrayLike, *, smallest_k: int = SMALLEST_K) -> BeggTest | None:
    """Test whether standardised effects and variances go up together, by ranks.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        As for :func:`dersimonian_laird`.
    smallest_k : int
        Below it nothing is tested; at least 2.

    Returns
    -------
    BeggTest or None
        ``None`` (not assessed) with too few studies, or when all effects or all variances are equal.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`, or smallest_k below 2.

    References
    ----------
    Begg & Mazumdar (1994), Biometrics 50:1088-1101.
    Kendall (1938), Biometrika 30:81-93.
    """
    if smallest_k < 2:
        raise ValueError(f"smallest_k must be at least 2, got {smallest_k}")
    studies = checked_studies(effects, variances)
    if studies.k < smallest_k:
        return None
    y, w = studies.y - middle(studies.y), 1 / studies.v
    error = np.sqrt(studies.v * weight_of_others(w) / w.sum())
    standardised = studies.as_given((y - w @ y / w.sum()) / error)
    return _kendall(standardised, studies.as_given(studies.v))


def _kendall(x: Vector, y: Vector) -> BeggTest | None:
    k = x.size
    upper = np.triu_indices(k, 1)
    signs_x, signs_y = (np.sign(z[upper[0]] - z[upper[1]]) for z in (x, y))
    untied_x, untied_y = np.count_nonzero(signs_x), np.count_nonzero(signs_y)
    if untied_x == 0 or untied_y == 0:
        return None
    s = float(signs_x @ signs_y)
    tau = s / float(np.sqrt(float(untied_x) * untied_y))
    pairs = len(upper[0])
    if untied_x == untied_y == pairs and k <= LARGEST_K_EXACT:
        p_value = _exact_kendall_p(int(pairs + s) // 2, k)
    else:
        p_value = float(normal_p(s / np.sqrt(_kendall_variance(x, y))))
    return BeggTest(tau=tau, p_value=p_value, k=k)


def _exact_kendall_p(concordant: int, k: int) -> float:
    """Count permutations by their concordant pairs: the i-th value adds 0 to i - 1 with equal chance."""
    chance = np.ones(1)
    for i in range(2, k + 1):
        chance = np.convolve(chance, np.full(i, 1 / i))
    tail = min(chance[: concordant + 1].sum(), chance[concordant:].sum())
    return min(1.0, 2 * float(tail))


def _kendall_variance(x: Vector, y: Vector) -> float:
    """Variance of Kendall's S with ties (Kendall 1970, Rank Correlation Methods, chapter 4)."""
    n = float(x.size)
    t, u = (np.unique(z, return_counts=True)[1].astype(float) for z in (x, y))
    v0, vt, vu = (float((g * (g - 1) * (2 * g + 5)).sum()) for g in (np.array([n]), t, u))
    v1 = float((t * (t - 1)).sum() * (u * (u - 1)).sum()) / (2 * n * (n - 1))
    v2 = float((t * (t - 1) * (t - 2)).sum() * (u * (u - 1) * (u - 2)).sum())
    return (v0 - vt - vu) / 18 + v1 + (v2 / (9 * n * (n - 1) * (n - 2)) if n > 2 else 0.0)
