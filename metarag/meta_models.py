"""Pooling models of one set of studies, and the prediction interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_inputs import Studies, Vector, checked_level, checked_studies
from metarag.meta_kernel import fit_stack, middle
from metarag.meta_results import Interval, PooledEffect, PredictionInterval
from metarag.meta_special import special
from metarag.meta_tau import paule_mandel_tau_squared, reml_tau_squared, typical_variance

RandomMethod = Literal["DL", "PM", "REML"]
Method = Literal["FE", "DL", "PM", "REML"]
PredictionDf = Literal["k-2", "k-1", "normal"]


def normal_p(z: Vector | float) -> Vector:
    """Return the two-sided probability of a standard normal deviate."""
    p: Vector = 2 * special.ndtr(-np.abs(z))
    return p


def normal_quantile(level: float) -> float:
    """Return the half-width, in standard errors, of an interval with this coverage."""
    return float(special.ndtri((1 + level) / 2))


def t_quantile(level: float, df: int) -> float:
    """Return the half-width, in standard errors, of a t interval with this coverage."""
    return float(special.stdtrit(df, (1 + level) / 2))


def fixed_effect(effects: ArrayLike, variances: ArrayLike, *, level: float = 0.95) -> PooledEffect:
    """Pool by inverse variance, under one common effect.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        k >= 1, on an additive scale (log odds ratio, not odds ratio); variances > 0.
    level : float
        Coverage of the interval, in (0, 1).

    Returns
    -------
    PooledEffect
        ``tau_squared`` is 0 by assumption; Q and I-squared are as observed; no Hartung-Knapp interval.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`.

    References
    ----------
    Cochran (1954), Biometrics 10:101-129.
    """
    return _pool(effects, variances, level, "FE", lambda _: 0.0)


def dersimonian_laird(effects: ArrayLike, variances: ArrayLike, *, level: float = 0.95) -> PooledEffect:
    """Pool by the DerSimonian-Laird method of moments.

    Parameters
    ----------
    effects : array of shape (k,)
        k >= 1 study effects on an additive scale (log odds ratio, not odds ratio).
    variances : array of shape (k,)
        Their sampling variances (squared standard errors), > 0, in squared units of the effect.
    level : float
        Coverage of all intervals, in (0, 1).

    Returns
    -------
    PooledEffect
        With k = 1 the study itself, and ``None`` for all that speaks of heterogeneity.

    Raises
    ------
    ValueError
        No study, shapes that differ, a value that is not finite, a variance that is not positive
        (the message names the index), or a level outside (0, 1).

    References
    ----------
    DerSimonian & Laird (1986), Control Clin Trials 7:177-188.
    Higgins & Thompson (2002), Stat Med 21:1539-1558 (I-squared, H-squared).
    Hartung & Knapp (2001), Stat Med 20:3875-3889; Röver et al. (2015), BMC Med Res Methodol 15:99
    (the floor: without it the interval can be narrower than the Wald interval).
    """
    return _pool(effects, variances, level, "DL", _moment_tau_squared)


def paule_mandel(effects: ArrayLike, variances: ArrayLike, *, level: float = 0.95) -> PooledEffect:
    """Pool with the tau-squared at which the generalised Q equals k - 1.

    Parameters, returns and errors are those of :func:`dersimonian_laird`; I-squared and H-squared are
    made of tau-squared and the typical sampling variance.

    References
    ----------
    Paule & Mandel (1982), J Res Natl Bur Stand 87:377-385.
    """
    return _pool(effects, variances, level, "PM", paule_mandel_tau_squared)


def reml(effects: ArrayLike, variances: ArrayLike, *, level: float = 0.95) -> PooledEffect:
    """Pool with the tau-squared of the highest peak of the restricted likelihood.

    Parameters, returns and errors are those of :func:`dersimonian_laird`; I-squared and H-squared are
    made of tau-squared and the typical sampling variance.

    References
    ----------
    Viechtbauer (2005), J Educ Behav Stat 30:261-293.
    """
    return _pool(effects, variances, level, "REML", reml_tau_squared)


def prediction_interval(
    effects: ArrayLike,
    variances: ArrayLike,
    *,
    method: RandomMethod = "DL",
    level: float = 0.95,
    df: PredictionDf = "k-2",
) -> PredictionInterval:
    """Interval for the true effect of a new study: effect +/- t sqrt(tau-squared + standard error squared).

    Parameters
    ----------
    effects, variances : array of shape (k,)
        k >= 1; with fewer than 3 studies the limits are ``None``.
    method : str
        Estimator of tau-squared: ``DL``, ``PM`` or ``REML``.
    level : float
        Coverage, in (0, 1). At small k the true coverage is lower (Nagashima 2019).
    df : str
        Degrees of freedom of t, ``k-2`` (Higgins 2009) or ``k-1``, or ``normal``.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`, or a method or df that is not one of these.

    References
    ----------
    Higgins, Thompson & Spiegelhalter (2009), J R Stat Soc A 172:137-159.
    Nagashima, Noma & Furukawa (2019), Stat Methods Med Res 28:1689-1702.
    """
    models: dict[str, Callable[..., PooledEffect]] = {
        "DL": dersimonian_laird,
        "PM": paule_mandel,
        "REML": reml,
    }
    if method not in models:
        raise ValueError(f"method must be one of {', '.join(models)}, got {method!r}")
    pooled = models[method](effects, variances, level=level)
    low = high = degrees = None
    if pooled.k >= 3 and pooled.tau_squared is not None:
        degrees = _prediction_df(df, pooled.k)
        quantile = normal_quantile(level) if degrees is None else t_quantile(level, degrees)
        half_width = quantile * float(np.hypot(pooled.standard_error, np.sqrt(pooled.tau_squared)))
        low, high = pooled.effect - half_width, pooled.effect + half_width
    return PredictionInterval(
        low=low,
        high=high,
        df=degrees,
        method=method,
        effect=pooled.effect,
        standard_error=pooled.standard_error,
        tau_squared=pooled.tau_squared,
        q=pooled.q,
        i_squared=pooled.i_squared,
        k=pooled.k,
        level=pooled.level,
    )


def _prediction_df(df: str, k: int) -> int | None:
    choices = {"k-2": k - 2, "k-1": k - 1, "normal": None}
    if df not in choices:
        raise ValueError(f"df must be one of {', '.join(choices)}, got {df!r}")
    return choices[df]


def _moment_tau_squared(studies: Studies) -> float:
    return float(fit_stack(studies.y, studies.v).tau_squared)


def _pool(
    effects: ArrayLike,
    variances: ArrayLike,
    level: float,
    method: Method,
    estimate: Callable[[Studies], float],
) -> PooledEffect:
    studies, level = checked_studies(effects, variances), checked_level(level)
    k, y, v = studies.k, studies.y, studies.v
    tau_squared = estimate(studies) if k > 1 else 0.0
    w = 1 / (v + tau_squared)
    anchor = float(middle(y)[0])
    effect = float(w @ (y - anchor) / w.sum()) + anchor
    standard_error = float(w.sum() ** -0.5)
    wald = _interval(effect, standard_error, level=level)
    q, q_p, i_squared, h_squared = _heterogeneity(studies, method, tau_squared)
    plain = floored = None
    if k > 1 and method != "FE":
        residual = (y - anchor) - (effect - anchor)
        hk = float(np.sqrt((w * residual) @ residual / (k - 1) / w.sum()))
        plain = _interval(effect, hk, level=level, df=k - 1)
        floored = _interval(effect, max(hk, standard_error), level=level, df=k - 1)
    return PooledEffect(
        method=method,
        effect=effect,
        standard_error=standard_error,
        z=effect / standard_error,
        p_value=float(normal_p(effect / standard_error)),
        ci_low=wald.low,
        ci_high=wald.high,
        level=level,
        k=k,
        df=k - 1,
        tau_squared=tau_squared if k > 1 else None,
        q=q,
        q_p_value=q_p,
        i_squared=i_squared,
        h_squared=h_squared,
        hartung_knapp=plain,
        hartung_knapp_floored=floored,
        weights=tuple((studies.as_given(w) / w.sum()).tolist()),
    )


def _interval(effect: float, standard_error: float, *, level: float, df: int | None = None) -> Interval:
    quantile = normal_quantile(level) if df is None else t_quantile(level, df)
    statistic = p_value = None
    if standard_error > 0:
        statistic = effect / standard_error
        tail = normal_p(statistic) if df is None else 2 * special.stdtr(df, -abs(statistic))
        p_value = float(tail)
    half_width = quantile * standard_error
    return Interval(
        standard_error=standard_error,
        low=effect - half_width,
        high=effect + half_width,
        statistic=statistic,
        p_value=p_value,
        df=df,
        level=level,
    )


def _heterogeneity(
    studies: Studies, method: Method, tau_squared: float
) -> tuple[float, float, float, float] | tuple[None, None, None, None]:
    """Return Q, its p, I-squared and H-squared."""
    if studies.k == 1:
        return None, None, None, None
    df = studies.k - 1
    q = float(fit_stack(studies.y, studies.v).q)
    ratio = q / df if method in ("FE", "DL") else 1 + tau_squared / typical_variance(studies.v)
    h_squared = max(1.0, ratio)
    return q, float(special.chdtrc(df, q)), 1 - 1 / h_squared, h_squared
