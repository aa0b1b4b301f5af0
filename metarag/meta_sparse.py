"""Mantel-Haenszel and Peto: pools of 2x2 tables that need no correction of zero cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_binary import BinaryMeasure, Tables, check_measure, checked_tables
from metarag.meta_inputs import Flags, checked_level
from metarag.meta_models import normal_p, normal_quantile
from metarag.meta_special import special


@dataclass(frozen=True, slots=True)
class TablePool:
    """A common-effect summary of 2x2 tables.

    Attributes
    ----------
    method : str
        ``MH`` or ``PETO``.
    measure : str
        ``OR``, ``RR`` (pooled as natural logarithms) or ``RD``.
    effect, standard_error, z, p_value, ci_low, ci_high : float or None
        On that scale. ``None`` when it cannot be estimated, e.g. without any event in one arm of all
        tables; the standard error of a risk difference of 0 without any event is not known either.
    level : float
        Coverage of the limits, in (0, 1).
    q, q_p_value : float or None
        Peto's heterogeneity test, df = k - 1. ``None`` for ``MH`` and for k < 2.
    k : int
        Tables that carry information.
    silent : tuple of int
        Indices of tables that do not: for ratios those without any event or with events only.
    """

    method: str
    measure: str
    effect: float | None
    standard_error: float | None
    z: float | None
    p_value: float | None
    ci_low: float | None
    ci_high: float | None
    level: float
    q: float | None
    q_p_value: float | None
    k: int
    silent: tuple[int, ...]


class _Estimate(NamedTuple):
    effect: float
    variance: float


def mantel_haenszel(
    events_1: ArrayLike,
    total_1: ArrayLike,
    events_2: ArrayLike,
    total_2: ArrayLike,
    *,
    measure: BinaryMeasure = "OR",
    level: float = 0.95,
) -> TablePool:
    """Pool 2x2 tables by Mantel and Haenszel's weights, without any continuity correction.

    Parameters
    ----------
    events_1, total_1, events_2, total_2 : array of shape (k,)
        Events and participants of the intervention and of the control.
    measure : str
        ``OR``, ``RR`` or ``RD``.
    level : float
        Coverage of the limits, in (0, 1).

    Raises
    ------
    ValueError
        A count is refused (see :func:`checked_tables`), or an option is not one of these.

    References
    ----------
    Mantel & Haenszel (1959), J Natl Cancer Inst 22:719-748.
    Robins, Breslow & Greenland (1986), Biometrics 42:311-323 (variance of the log odds ratio).
    Greenland & Robins (1985), Biometrics 41:55-68 (variance of the log risk ratio).
    Sato, Greenland & Robins (1989), Biometrics 45:1323-1324 (variance of the risk difference).
    """
    check_measure(measure)
    level = checked_level(level)
    tables = checked_tables(events_1, total_1, events_2, total_2)
    silent = tables.is_double_zero & (measure != "RD")
    formulas = {"OR": _mh_odds_ratio, "RR": _mh_risk_ratio, "RD": _mh_risk_difference}
    estimate = formulas[measure](tables)
    return _table_pool("MH", measure, estimate, level, silent)


def peto_odds_ratio(
    events_1: ArrayLike,
    total_1: ArrayLike,
    events_2: ArrayLike,
    total_2: ArrayLike,
    *,
    level: float = 0.95,
) -> TablePool:
    """Pool 2x2 tables by Peto's one-step odds ratio.

    Good for rare events, arms of like size and small effects; biased otherwise.

    Parameters and errors are those of :func:`mantel_haenszel`.

    References
    ----------
    Yusuf, Peto, Lewis, Collins & Sleight (1985), Prog Cardiovasc Dis 27:335-371.
    Cochrane Handbook 10.4.2 (when to use it).
    """
    level = checked_level(level)
    tables = checked_tables(events_1, total_1, events_2, total_2)
    a, b, c, d = tables
    n1, n2, n = a + b, c + d, a + b + c + d
    excess = a - n1 * (a + c) / n
    # A table of one person in all has no variance; the maximum only keeps the division defined.
    variance = n1 * n2 * (a + c) * (b + d) / (n**2 * np.maximum(n - 1, 1e-300))
    silent: Flags = variance == 0
    total = float(variance.sum())
    if total == 0:
        return _table_pool("PETO", "OR", None, level, silent)
    estimate = _Estimate(float(excess.sum()) / total, 1 / total)
    told = ~silent
    residual = excess[told] / variance[told] - estimate.effect
    q = float(variance[told] @ residual**2)
    return _table_pool("PETO", "OR", estimate, level, silent, q=q)


def _mh_odds_ratio(tables: Tables) -> _Estimate | None:
    a, b, c, d = tables
    n = a + b + c + d
    r, s = a * d / n, b * c / n
    if r.sum() == 0 or s.sum() == 0:
        return None
    p, q = (a + d) / n, (b + c) / n
    total_r, total_s = float(r.sum()), float(s.sum())
    mixed = float((p * s + q * r).sum()) / (total_r * total_s)
    variance = float((p * r).sum()) / total_r**2 + mixed + float((q * s).sum()) / total_s**2
    return _Estimate(float(np.log(total_r / total_s)), variance / 2)


def _mh_risk_ratio(tables: Tables) -> _Estimate | None:
    a, b, c, d = tables
    n1, n2 = a + b, c + d
    n = n1 + n2
    total_r, total_s = float((a * n2 / n).sum()), float((c * n1 / n).sum())
    if total_r == 0 or total_s == 0:
        return None
    variance = float(((n1 * n2 * (a + c) - a * c * n) / n**2).sum()) / (total_r * total_s)
    return _Estimate(float(np.log(total_r / total_s)), variance)


def _mh_risk_difference(tables: Tables) -> _Estimate:
    a, b, c, d = tables
    n1, n2 = a + b, c + d
    n = n1 + n2
    total = float((n1 * n2 / n).sum())
    effect = float(((a * n2 - c * n1) / n).sum()) / total
    # Sato, Greenland and Robins' P and Q: the variance is (effect * sum(P) + sum(Q)) / total^2.
    p = (n1**2 * c - n2**2 * a + n1 * n2 * (n2 - n1) / 2) / n**2
    q = (a * (n2 - c) + c * (n1 - a)) / (2 * n)
    return _Estimate(effect, (effect * float(p.sum()) + float(q.sum())) / total**2)


def _table_pool(
    method: str,
    measure: str,
    estimate: _Estimate | None,
    level: float,
    silent: Flags,
    *,
    q: float | None = None,
) -> TablePool:
    k = int(np.count_nonzero(~silent))
    effect = standard_error = z = p_value = ci_low = ci_high = None
    if estimate is not None:
        effect = estimate.effect
        if estimate.variance > 0:
            standard_error = float(np.sqrt(estimate.variance))
            z = effect / standard_error
            p_value = float(normal_p(z))
            half_width = normal_quantile(level) * standard_error
            ci_low, ci_high = effect - half_width, effect + half_width
    q_p_value = None
    if q is None or k < 2:
        q = None
    else:
        q_p_value = float(special.chdtrc(k - 1, q))
    return TablePool(
        method=method,
        measure=measure,
        effect=effect,
        standard_error=standard_error,
        z=z,
        p_value=p_value,
        ci_low=ci_low,
        ci_high=ci_high,
        level=level,
        q=q,
        q_p_value=q_p_value,
        k=k,
        silent=tuple(np.flatnonzero(silent).tolist()),
    )
