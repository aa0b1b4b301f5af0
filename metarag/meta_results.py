"""What the arithmetic gives back. Effects are on the scale of the inputs; ``None`` means not assessed.

One study says nothing of heterogeneity: with k = 1 every field about it is ``None``, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from metarag.meta_inputs import Flags, Index, Vector


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval with the test that belongs to it.

    Attributes
    ----------
    standard_error : float
        >= 0, in units of the effect.
    low, high : float
        Limits; equal to the effect when the standard error is 0.
    statistic, p_value : float or None
        Effect over standard error and its two-sided probability; ``None`` when the standard error is 0.
    df : int or None
        Degrees of freedom of t; ``None`` for the normal distribution.
    level : float
        Coverage, in (0, 1).
    """

    standard_error: float
    low: float
    high: float
    statistic: float | None
    p_value: float | None
    df: int | None
    level: float


@dataclass(frozen=True, slots=True)
class PooledEffect:
    """A summary of ``k`` studies under one model.

    Attributes
    ----------
    method : str
        ``FE``, ``DL``, ``PM`` or ``REML``.
    effect, standard_error : float
        Pooled effect and its standard error, on the scale of the inputs.
    z, p_value : float
        Wald statistic and its two-sided probability under the normal distribution.
    ci_low, ci_high : float
        Wald limits (normal) at ``level``.
    level : float
        Coverage of all intervals, in (0, 1).
    k, df : int
        Number of studies, and k - 1.
    tau_squared : float or None
        Between-study variance, >= 0, in squared units of the effect; 0 by assumption for ``FE``.
        ``None`` when k = 1.
    q, q_p_value : float or None
        Cochran's Q and its upper-tail probability under chi2(k - 1). ``None`` when k = 1.
    i_squared : float or None
        Share of variation beyond chance, in [0, 1] -- not a percentage. From Q for ``FE`` and ``DL``,
        from tau-squared for ``PM`` and ``REML``. ``None`` when k = 1.
    h_squared : float or None
        Total over sampling variation, >= 1. ``None`` when k = 1.
    hartung_knapp : Interval or None
        t(k - 1) with the variance scaled by the weighted residuals. Can be narrower than the Wald
        interval when studies agree by luck. ``None`` for ``FE`` and k = 1.
    hartung_knapp_floored : Interval or None
        The same, but never with a smaller standard error than ``standard_error``: the one to report.
    weights : tuple of float
        Each study's share of the weight, in [0, 1], in the order given; they sum to 1.
    """

    method: str
    effect: float
    standard_error: float
    z: float
    p_value: float
    ci_low: float
    ci_high: float
    level: float
    k: int
    df: int
    tau_squared: float | None
    q: float | None
    q_p_value: float | None
    i_squared: float | None
    h_squared: float | None
    hartung_knapp: Interval | None
    hartung_knapp_floored: Interval | None
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PredictionInterval:
    """Where the true effect of a new, similar study is expected.

    Attributes
    ----------
    low, high : float or None
        Limits; ``None`` when k < 3, for two studies do not show a spread.
    df : int or None
        Degrees of freedom of t; ``None`` when the normal distribution was asked for or k < 3.
    method : str
        Estimator of tau-squared: ``DL``, ``PM`` or ``REML``.
    effect, standard_error, tau_squared, q, i_squared, k, level
        As in :class:`PooledEffect`.
    """

    low: float | None
    high: float | None
    df: int | None
    method: str
    effect: float
    standard_error: float
    tau_squared: float | None
    q: float | None
    i_squared: float | None
    k: int
    level: float


@dataclass(frozen=True, slots=True)
class HeterogeneityInterval:
    """Q-profile confidence limits of tau-squared, and of I-squared and H-squared made of them.

    Attributes
    ----------
    tau_squared, tau_squared_low, tau_squared_high : float or None
        DerSimonian-Laird estimate and limits, >= 0. The estimate need not lie inside: it comes from
        another equation. ``None`` when k = 1.
    i_squared, i_squared_low, i_squared_high : float or None
        In [0, 1] -- not a percentage.
    h_squared, h_squared_low, h_squared_high : float or None
        >= 1.
    is_empty : bool or None
        True when Q is so small that no tau-squared fits; the limits are then both 0, which is a
        convention and not a precise answer.
    effect, standard_error, q, k, level
        As in :class:`PooledEffect`.
    """

    tau_squared: float | None
    tau_squared_low: float | None
    tau_squared_high: float | None
    i_squared: float | None
    i_squared_low: float | None
    i_squared_high: float | None
    h_squared: float | None
    h_squared_low: float | None
    h_squared_high: float | None
    is_empty: bool | None
    effect: float
    standard_error: float
    q: float | None
    k: int
    level: float


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """DerSimonian-Laird without each study in turn; entry i leaves study i out.

    Attributes
    ----------
    effect, standard_error, p_value, ci_low, ci_high : array of shape (k,), or None
        Pool of the others, with two-sided normal p and limits. ``None`` when k = 1: nothing is left.
    tau_squared, q, q_p_value, i_squared, h_squared : array of shape (k,), or None
        As in :class:`PooledEffect`, df = k - 2. ``None`` when k < 3: one study is left, which says
        nothing of heterogeneity.
    k : int
        Number of studies before one is left out.
    level : float
        Coverage of the limits, in (0, 1).
    """

    effect: Vector | None
    standard_error: Vector | None
    p_value: Vector | None
    ci_low: Vector | None
    ci_high: Vector | None
    tau_squared: Vector | None
    q: Vector | None
    q_p_value: Vector | None
    i_squared: Vector | None
    h_squared: Vector | None
    k: int
    level: float


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """How unlike the others each study is, and how far it moves the pool. Arrays of shape (k,).

    All are ``None`` when k = 1. At k = 2 the one study left has no tau-squared; 0 stands in, so that
    ``rstudent`` tests the difference of the two studies.

    Attributes
    ----------
    rstudent : array or None
        Studentised deleted residual (externally standardised): the study against the pool of the
        others, which have their own tau-squared.
    rstudent_p_value, rstudent_p_holm : array or None
        Two-sided normal probability of it, and the same after Holm's correction over the k studies.
    rstandard : array or None
        Internally standardised residual.
    cooks_distance : array or None
        Squared move of the pooled effect over its squared standard error.
    dffits : array or None
        Move of the fitted value in standard errors, by the deleted tau-squared.
    dfbetas : array or None
        Move of the pooled effect in standard errors, by the deleted tau-squared.
    covariance_ratio : array or None
        Squared standard error without the study over that with it; < 1: it costs precision.
    hat : array or None
        Share of the random-effects weight, in [0, 1].
    influential : bool array or None
        Viechtbauer and Cheung's rule: any of abs(dffits) > 3 sqrt(1 / (k - 1)), P(chi2(1) < Cook's
        distance) > 0.5, hat > 3 / k, abs(dfbetas) > 1. A hint; never a reason to exclude.
    effect, standard_error, tau_squared, q, i_squared : array or None
        The pool without the study, as in :class:`LeaveOneOut`.
    k : int
        Number of studies.
    """

    rstudent: Vector | None
    rstudent_p_value: Vector | None
    rstudent_p_holm: Vector | None
    rstandard: Vector | None
    cooks_distance: Vector | None
    dffits: Vector | None
    dfbetas: Vector | None
    covariance_ratio: Vector | None
    hat: Vector | None
    influential: Flags | None
    effect: Vector | None
    standard_error: Vector | None
    tau_squared: Vector | None
    q: Vector | None
    i_squared: Vector | None
    k: int


@dataclass(frozen=True, slots=True, eq=False)
class Baujat:
    """Coordinates of a Baujat plot. Arrays of shape (k,), or ``None`` when k = 1.

    Attributes
    ----------
    heterogeneity : array or None
        Squared Pearson residual of each study: its part of the heterogeneity.
    influence : array or None
        Squared move of the pooled effect over the squared standard error of the pool without it.
    model : str
        ``DL`` or ``FE``.
    """

    heterogeneity: Vector | None
    influence: Vector | None
    model: str


@dataclass(frozen=True, slots=True, eq=False)
class PairDeletion:
    """DerSimonian-Laird without each pair of studies; arrays of shape (k (k - 1) / 2,).

    Two outliers on one side raise tau-squared so far that leaving out one shows nothing (masking);
    without both they stand out.

    Attributes
    ----------
    first, second : int array
        Indices of the pair, first < second, in the order given.
    effect, standard_error, tau_squared, q, i_squared : array
        The pool without both.
    statistic, p_value : array
        Both studies against that pool: Wald chi-square with 2 degrees of freedom.
    p_holm : array
        After Holm's correction over all pairs.
    k : int
        Number of studies, >= 4.
    """

    first: Index
    second: Index
    effect: Vector
    standard_error: Vector
    tau_squared: Vector
    q: Vector
    i_squared: Vector
    statistic: Vector
    p_value: Vector
    p_holm: Vector
    k: int


@dataclass(frozen=True, slots=True, eq=False)
class Gosh:
    """Graphical display of study heterogeneity: DerSimonian-Laird of many subsets.

    Attributes
    ----------
    members : bool array of shape (n, k)
        Which studies each subset holds, in the order given.
    size : int array of shape (n,)
        Studies a subset, >= 2.
    effect, standard_error, tau_squared, q, i_squared : array of shape (n,)
        The subset's pool; I-squared in [0, 1].
    is_exhaustive : bool
        True when these are all subsets of two or more studies.
    k : int
        Number of studies; no subsets when it is 1.
    """

    members: Flags
    size: Index
    effect: Vector
    standard_error: Vector
    tau_squared: Vector
    q: Vector
    i_squared: Vector
    is_exhaustive: bool
    k: int
