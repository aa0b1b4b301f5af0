"""Signs that studies disagree in kind: two clusters, or effects on both sides of the null."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_inputs import Flags, Vector, checked_level, checked_studies
from metarag.meta_kernel import middle
from metarag.meta_models import dersimonian_laird, normal_quantile, prediction_interval
from metarag.meta_special import special

SMALLEST_CLUSTER = 2
"""One study apart is an outlier, and the deleted residuals speak of it; a cluster has company."""

LARGEST_Q_P_VALUE = 0.10
"""Cochrane's usual level for Q (Handbook 10.10.2), whose power is low with few studies."""


@dataclass(frozen=True, slots=True)
class TwoClusterSplit:
    """The two groups of studies that explain most of Q.

    Attributes
    ----------
    is_split : bool
        ``share`` reaches ``threshold`` and Q is significant at ``largest_q_p_value``.
    share : float
        Part of Q that lies between the groups, in [0, 1].
    threshold : float
        What the share had to reach.
    lower, upper : tuple of int
        Indices of the studies in the group of smaller and of larger effects, two or more each.
    lower_effect, upper_effect : float
        Inverse-variance means of the groups.
    q, q_p_value, q_within : float
        Cochran's Q of all studies, its p, and what is left of it within the groups.
    k : int
        Number of studies, >= 4.
    """

    is_split: bool
    share: float
    threshold: float
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    lower_effect: float
    upper_effect: float
    q: float
    q_p_value: float
    q_within: float
    k: int


@dataclass(frozen=True, slots=True)
class DirectionConflict:
    """Whether studies point to opposite sides of the null.

    Attributes
    ----------
    is_conflict : bool
        Either of the two signs below.
    is_opposed : bool
        Intervals of single studies exclude the null on both sides.
    above, below : tuple of int
        Indices of the studies whose interval lies wholly above, wholly below the null.
    prediction_spans_null : bool or None
        The prediction interval holds the null while the interval of the pooled effect does not, and
        tau-squared is above 0: without it the two differ in their degrees of freedom only.
        ``None`` when k < 3.
    null, level : float
        The null and the coverage that were used.
    k : int
        Number of studies, >= 2.
    """

    is_conflict: bool
    is_opposed: bool
    above: tuple[int, ...]
    below: tuple[int, ...]
    prediction_spans_null: bool | None
    null: float
    level: float
    k: int


def cluster_share_threshold(k: int) -> float:
    """Return the share of Q from which a best split counts as two clusters: 2/pi + 0.7/sqrt(k).

    The best split of a normal sample explains 2/pi of its variance when the sample is large, and
    more when it is small. The second term is ours, set by simulation (``validation/cluster_split.py``)
    so that at most about one in seven pools with one normal distribution of effects reaches it.
    """
    return 2 / math.pi + 0.7 / math.sqrt(k)


def two_cluster_split(
    effects: ArrayLike,
    variances: ArrayLike,
    *,
    threshold: float | None = None,
    largest_q_p_value: float = LARGEST_Q_P_VALUE,
) -> TwoClusterSplit | None:
    """Find the cut of the sorted effects into two groups that explains most of Cochran's Q.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        As for :func:`dersimonian_laird`.
    threshold : float, optional
        Share of Q from which it counts, in (0, 1]; by default :func:`cluster_share_threshold`.
    largest_q_p_value : float
        Q must be at least this significant, in (0, 1].

    Returns
    -------
    TwoClusterSplit or None
        ``None`` (not assessed) when k < 4: two groups of two cannot be made.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`, or an option outside its range.

    References
    ----------
    Fisher (1958), J Am Stat Assoc 53:789-798 (the best grouping is a cut of the sorted values).
    """
    for name, value in (("threshold", threshold), ("largest_q_p_value", largest_q_p_value)):
        if value is not None and not 0 < value <= 1:
            raise ValueError(f"{name} must lie in (0, 1], got {value!r}")
    studies = checked_studies(effects, variances)
    k = studies.k
    if k < 2 * SMALLEST_CLUSTER:
        return None
    anchor = float(middle(studies.y)[0])
    y, w = studies.y - anchor, 1 / studies.v
    q = _q(y, w)
    cuts = range(SMALLEST_CLUSTER, k - SMALLEST_CLUSTER + 1)
    within = [_q(y[:cut], w[:cut]) + _q(y[cut:], w[cut:]) for cut in cuts]
    best = int(np.argmin(within))
    cut, q_within = cuts[best], within[best]
    share = min(1.0, max(0.0, 1 - q_within / q)) if q > 0 else 0.0
    needed = cluster_share_threshold(k) if threshold is None else threshold
    q_p_value = float(special.chdtrc(k - 1, q))
    is_upper = studies.position >= cut
    return TwoClusterSplit(
        is_split=share >= needed and q_p_value <= largest_q_p_value,
        share=share,
        threshold=needed,
        lower=_indices(~is_upper),
        upper=_indices(is_upper),
        lower_effect=_mean(y[:cut], w[:cut]) + anchor,
        upper_effect=_mean(y[cut:], w[cut:]) + anchor,
        q=q,
        q_p_value=q_p_value,
        q_within=q_within,
        k=k,
    )


def direction_conflict(
    effects: ArrayLike, variances: ArrayLike, *, null: float = 0.0, level: float = 0.95
) -> DirectionConflict | None:
    """Tell whether studies, or the spread of true effects, lie on both sides of the null.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        As for :func:`dersimonian_laird`.
    null : float
        No effect, on the scale of the effects: 0 for differences and for logarithms of ratios.
    level : float
        Coverage of all intervals, in (0, 1). Those of single studies are not corrected for their
        number: among many studies of no effect a few will exclude it on either side.

    Returns
    -------
    DirectionConflict or None
        ``None`` (not assessed) when k = 1. The pooled interval is the floored Hartung-Knapp one.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`, or a null that is not finite.

    References
    ----------
    Riley, Higgins & Deeks (2011), BMJ 342:d549 (prediction interval beside the confidence interval).
    """
    if not math.isfinite(null):
        raise ValueError(f"null must be finite, got {null!r}")
    studies, level = checked_studies(effects, variances), checked_level(level)
    if studies.k == 1:
        return None
    half_width = normal_quantile(level) * np.sqrt(studies.v)
    above = _indices(studies.as_given(studies.y - half_width > null))
    below = _indices(studies.as_given(studies.y + half_width < null))
    spans = _prediction_spans_null(studies.y, studies.v, null, level)
    is_opposed = bool(above and below)
    return DirectionConflict(
        is_conflict=is_opposed or bool(spans),
        is_opposed=is_opposed,
        above=above,
        below=below,
        prediction_spans_null=spans,
        null=float(null),
        level=level,
        k=studies.k,
    )


def _prediction_spans_null(y: Vector, v: Vector, null: float, level: float) -> bool | None:
    prediction = prediction_interval(y, v, level=level)
    pooled = dersimonian_laird(y, v, level=level).hartung_knapp_floored
    if prediction.low is None or prediction.high is None or pooled is None:
        return None
    spans = prediction.low <= null <= prediction.high and not pooled.low <= null <= pooled.high
    return spans and prediction.tau_squared != 0


def _mean(y: Vector, w: Vector) -> float:
    return float(w @ y / w.sum())


def _q(y: Vector, w: Vector) -> float:
    residual = y - _mean(y, w)
    return float((w * residual) @ residual)


def _indices(flags: Flags) -> tuple[int, ...]:
    return tuple(np.flatnonzero(flags).tolist())
