"""What one study, or two, do to a DerSimonian-Laird pool. None of it is by itself a reason to exclude."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_inputs import (
    Flags,
    Index,
    Studies,
    Vector,
    as_floats,
    checked_level,
    checked_studies,
    read_only,
    refuse_where,
)
from metarag.meta_kernel import (
    BLOCK,
    Fits,
    fit_stack,
    fit_without_each,
    middle,
    share_beyond_chance,
    weight_of_others,
)
from metarag.meta_models import normal_p, normal_quantile
from metarag.meta_results import Baujat, Influence, LeaveOneOut, PairDeletion
from metarag.meta_special import special

LARGEST_K_FOR_PAIRS = 300
"""Pairs cost k cubed: 300 studies are 45,000 pairs and about a second; beyond that nobody reads them."""


def leave_one_out(effects: ArrayLike, variances: ArrayLike, *, level: float = 0.95) -> LeaveOneOut:
    """DerSimonian-Laird without each study in turn, all at once.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        k >= 1, as for :func:`dersimonian_laird`.
    level : float
        Coverage of the limits, in (0, 1).

    Returns
    -------
    LeaveOneOut
        In the order given. Fields are ``None`` where too few studies are left to speak of them.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`.
    """
    studies, level = checked_studies(effects, variances), checked_level(level)
    if studies.k == 1:
        return LeaveOneOut(*(None,) * 10, k=1, level=level)
    fits = _without_each(studies.y, studies.v)
    half_width = normal_quantile(level) * fits.standard_error
    assessed = studies.k > 2
    df = fits.k - 1
    q_p_value = h_squared = None
    if assessed:
        q_p_value = studies.as_given(special.chdtrc(df, fits.q))
        h_squared = studies.as_given(np.maximum(1.0, fits.q / df))
    return LeaveOneOut(
        effect=studies.as_given(fits.effect),
        standard_error=studies.as_given(fits.standard_error),
        p_value=studies.as_given(normal_p(fits.effect / fits.standard_error)),
        ci_low=studies.as_given(fits.effect - half_width),
        ci_high=studies.as_given(fits.effect + half_width),
        tau_squared=studies.as_given(fits.tau_squared) if assessed else None,
        q=studies.as_given(fits.q) if assessed else None,
        q_p_value=q_p_value,
        i_squared=studies.as_given(share_beyond_chance(fits.q, df)) if assessed else None,
        h_squared=h_squared,
        k=studies.k,
        level=level,
    )


def influence(effects: ArrayLike, variances: ArrayLike) -> Influence:
    """Outlier and influence statistics of each study under DerSimonian-Laird.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        k >= 1, as for :func:`dersimonian_laird`.

    Returns
    -------
    Influence
        In the order given.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`.

    References
    ----------
    Viechtbauer & Cheung (2010), Res Synth Methods 1:112-125.
    Holm (1979), Scand J Stat 6:65-70.
    """
    studies = checked_studies(effects, variances)
    if studies.k == 1:
        return Influence(*(None,) * 15, k=1)
    anchor, y = _centred(studies)
    full, without, given = fit_stack(y, studies.v), _without_each(y, studies.v), studies.as_given
    variance, variance_without = studies.v + full.tau_squared, studies.v + without.tau_squared
    se_squared, se_squared_without = full.standard_error**2, without.standard_error**2
    hat, others = se_squared / variance, weight_of_others(1 / variance) * se_squared
    move = full.effect - without.effect
    rstudent = (y - without.effect) / np.sqrt(variance_without + se_squared_without)
    p_value = normal_p(rstudent)
    cooks_distance = move**2 / se_squared
    dffits = move / np.sqrt(hat * variance_without)
    # The sum of all weights at the deleted tau-squared: those left, and the study's own.
    dfbetas = move * np.sqrt(1 / se_squared_without + 1 / variance_without)
    assessed = studies.k > 2
    return Influence(
        rstudent=given(rstudent),
        rstudent_p_value=given(p_value),
        rstudent_p_holm=given(holm(p_value)),
        rstandard=given((y - full.effect) / np.sqrt(variance * others)),
        cooks_distance=given(cooks_distance),
        dffits=given(dffits),
        dfbetas=given(dfbetas),
        covariance_ratio=given(se_squared_without / se_squared),
        hat=given(hat),
        influential=given(_is_influential(hat, dffits, cooks_distance, dfbetas)),
        effect=given(without.effect + anchor),
        standard_error=given(without.standard_error),
        tau_squared=given(without.tau_squared) if assessed else None,
        q=given(without.q) if assessed else None,
        i_squared=given(share_beyond_chance(without.q, without.k - 1)) if assessed else None,
        k=studies.k,
    )


def baujat(effects: ArrayLike, variances: ArrayLike, *, model: Literal["DL", "FE"] = "DL") -> Baujat:
    """Part of the heterogeneity against influence on the pool, study by study.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        k >= 1, as for :func:`dersimonian_laird`.
    model : str
        ``FE`` as first published (the parts sum to Q), or ``DL``.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`, or another model.

    References
    ----------
    Baujat, Mahé, Pignon & Hill (2002), Stat Med 21:2641-2652.
    """
    if model not in ("DL", "FE"):
        raise ValueError(f"model must be DL or FE, got {model!r}")
    studies = checked_studies(effects, variances)
    if studies.k == 1:
        return Baujat(heterogeneity=None, influence=None, model=model)
    _, y = _centred(studies)
    if model == "DL":
        full, without = fit_stack(y, studies.v), _without_each(y, studies.v)
        heterogeneity = (y - full.effect) ** 2 / (studies.v + full.tau_squared)
        moved = ((full.effect - without.effect) / without.standard_error) ** 2
    else:
        w = 1 / studies.v
        heterogeneity = w * (y - (w @ y) / w.sum()) ** 2
        # The deletion formula of weighted least squares: the move is w r / (weight of the others).
        moved = heterogeneity * w / weight_of_others(w)
    return Baujat(
        heterogeneity=studies.as_given(heterogeneity), influence=studies.as_given(moved), model=model
    )


def pair_deletion(
    effects: ArrayLike, variances: ArrayLike, *, largest_k: int = LARGEST_K_FOR_PAIRS
) -> PairDeletion | None:
    """DerSimonian-Laird without each pair of studies: finds two outliers that mask each other.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        As for :func:`dersimonian_laird`.
    largest_k : int
        Above it nothing is computed.

    Returns
    -------
    PairDeletion or None
        ``None`` (not assessed) when k < 4, where fewer than two studies would be left, or k > largest_k.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`.

    References
    ----------
    Viechtbauer & Cheung (2010), Res Synth Methods 1:112-125 (deletion of sets of studies).
    Holm (1979), Scand J Stat 6:65-70.
    """
    studies = checked_studies(effects, variances)
    if not 4 <= studies.k <= largest_k:
        return None
    anchor, y = _centred(studies)
    first, second = np.triu_indices(studies.k, 1)
    one, two = studies.position[first], studies.position[second]
    fits = _without_pairs(y, studies.v, one, two)
    statistic = _joint_wald(y, studies.v, one, two, fits)
    p_value = np.exp(-statistic / 2)  # the upper tail of chi2 with 2 degrees of freedom
    return PairDeletion(
        first=read_only(first),
        second=read_only(second),
        effect=read_only(fits.effect + anchor),
        standard_error=read_only(fits.standard_error),
        tau_squared=read_only(fits.tau_squared),
        q=read_only(fits.q),
        i_squared=read_only(share_beyond_chance(fits.q, fits.k - 1)),
        statistic=read_only(statistic),
        p_value=read_only(p_value),
        p_holm=read_only(holm(p_value)),
        k=studies.k,
    )


def holm(p_values: ArrayLike) -> Vector:
    """Return p values adjusted by Holm's step-down procedure, in the order given.

    Parameters
    ----------
    p_values : array of shape (m,)
        In [0, 1].

    Raises
    ------
    ValueError
        Not one-dimensional, or a value outside [0, 1]; the message names the index.

    References
    ----------
    Holm (1979), Scand J Stat 6:65-70.
    """
    p = as_floats(p_values, "p_values")
    if p.ndim != 1:
        raise ValueError(f"p_values must be 1-d, got shape {p.shape}")
    refuse_where(~((p >= 0) & (p <= 1)), p, "p_values must lie in [0, 1]")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate((p.size - np.arange(p.size)) * p[order])
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def _centred(studies: Studies) -> tuple[float, Vector]:
    """Return an anchor and the effects around it: differences of pools keep their digits."""
    anchor = float(middle(studies.y)[0])
    return anchor, studies.y - anchor


def _without_each(y: Vector, v: Vector) -> Fits:
    stack = fit_without_each(y[None], v[None])
    return Fits(stack.effect[0], stack.standard_error[0], stack.tau_squared[0], stack.q[0], stack.k[0])


def _is_influential(hat: Vector, dffits: Vector, cooks_distance: Vector, dfbetas: Vector) -> Flags:
    k = hat.size
    flags: Flags = np.abs(dffits) > 3 * np.sqrt(1 / (k - 1))
    flags |= special.chdtr(1, cooks_distance) > 0.5
    flags |= hat > 3 / k
    flags |= np.abs(dfbetas) > 1
    return flags


def _without_pairs(y: Vector, v: Vector, one: Index, two: Index) -> Fits:
    rows = max(1, BLOCK // y.size)
    parts = []
    for start in range(0, one.size, rows):
        block = slice(start, start + rows)
        present = np.ones((one[block].size, y.size), dtype=bool)
        each = np.arange(len(present))
        present[each, one[block]] = present[each, two[block]] = False
        parts.append(fit_stack(y, v, present))
    names = ("effect", "standard_error", "tau_squared", "q", "k")
    return Fits(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _joint_wald(y: Vector, v: Vector, one: Index, two: Index, fits: Fits) -> Vector:
    """Chi-square of both studies' distance from a pool whose own error they share (Sherman-Morrison)."""
    w_one, w_two = 1 / (v[one] + fits.tau_squared), 1 / (v[two] + fits.tau_squared)
    d_one, d_two = y[one] - fits.effect, y[two] - fits.effect
    apart = w_one * d_one**2 + w_two * d_two**2
    shared = fits.standard_error**2 * (w_one * d_one + w_two * d_two) ** 2
    # Rounding alone can take it below zero.
    statistic: Vector = np.maximum(0.0, apart - shared / (1 + fits.standard_error**2 * (w_one + w_two)))
    return statistic
