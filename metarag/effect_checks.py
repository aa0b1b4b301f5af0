"""Does a printed effect agree with itself, and what standard error follows from it.

References
----------
Higgins et al., Cochrane Handbook for Systematic Reviews of Interventions, 6.3.1 and 6.3.2: standard
errors from confidence intervals and from P values.
Georgescu & Wren (2018), Bioinformatics 34:1758: 5.6 to 7.5 % of printed ratios and intervals do not
agree with each other, so every one is recomputed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from metarag.effect_lexicon import Scale
from metarag.effect_tokens import PValue

ASSUMED_LEVEL = 95.0
"""Percent; what an interval without a level is taken for."""
P_TOLERANCE = 0.2
"""Standard deviations. Another test than Wald's (log-rank, exact, score) moves z by less than this; ours."""
COARSE_SPREAD = 0.2
"""Half-width of the standard error's rounding interval over its middle, above which it is marked as coarse.

0.9 (0.8-1.0) is uncertain by 45 %, 0.76 (0.63-0.92) by 4 %.
"""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Numbers:
    """An estimate with its limits on the measure's own scale, each with half a unit of its last digit.

    Attributes
    ----------
    estimate : float
    lower, upper : float or None
        ``None`` where not printed.
    half_units : tuple of float
        For estimate, lower, upper: the printed number stands for any within this distance.
    scale : {'log', 'identity'}
    divisor : float
        What the printed numbers were divided by (100 for percentages read as proportions).
    """

    estimate: float
    lower: float | None
    upper: float | None
    half_units: tuple[float, float, float]
    scale: Scale
    divisor: float = 1.0

    @property
    def effect(self) -> float | None:
        """The estimate on the analysis scale; ``None`` for a ratio that is not positive."""
        return to_analysis_scale(self.estimate, self.scale)


def to_analysis_scale(value: float, scale: Scale) -> float | None:
    """Return ``ln(value)`` for ratios and ``value`` otherwise; ``None`` where there is no logarithm."""
    if scale == "identity":
        return value
    return math.log(value) if value > 0 else None


@lru_cache(maxsize=64)
def two_sided_z(level: float) -> float:
    """Return the normal quantile of a two-sided interval: 1.96 for 95 (percent, in (0, 100))."""
    return _NORMAL.inv_cdf(0.5 + level / 200)


@lru_cache(maxsize=64)
def one_sided_z(level: float) -> float:
    """Return the normal quantile of a one-sided bound: 1.96 for 97.5 (percent, in (50, 100))."""
    return _NORMAL.inv_cdf(level / 100)


def z_of_p(p: float) -> float | None:
    """Return |z| for a two-sided P value in (0, 1); ``None`` at its ends."""
    return -_NORMAL.inv_cdf(p / 2) if 0 < p < 1 else None


def bounds(numbers: Numbers, which: int) -> tuple[float, float] | None:
    """Return the range that one printed number stands for, on the analysis scale.

    ``which`` is 0 for the estimate, 1 and 2 for the limits; ``None`` where not printed or without a
    logarithm. A ratio whose range reaches zero has no lower end: -inf.
    """
    value = (numbers.estimate, numbers.lower, numbers.upper)[which]
    if value is None:
        return None
    half = numbers.half_units[which]
    if which == 0:
        # An estimate of '1' beside limits of '1.04-1.33' is no rounded 1.18.
        half = min(half, 10 * max(numbers.half_units[1:]) or half)
    low, high = to_analysis_scale(value - half, numbers.scale), to_analysis_scale(value + half, numbers.scale)
    return None if high is None else (-math.inf if low is None else low, high)


def is_centred(numbers: Numbers) -> bool:
    """Tell whether the estimate is the middle of its limits on the analysis scale, within rounding."""
    estimate, lower, upper = (bounds(numbers, which) for which in range(3))
    if estimate is None or lower is None or upper is None:
        return False
    middle = (lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2
    # Sums of decimal fractions: the tiny slack keeps a half unit that is met exactly.
    return middle[0] <= estimate[1] + 1e-9 and estimate[0] <= middle[1] + 1e-9


def contains_estimate(numbers: Numbers) -> bool:
    """Tell whether the limits contain the estimate, within rounding."""
    _, low_half, high_half = numbers.half_units
    half = min(numbers.half_units[0], 10 * max(low_half, high_half) or numbers.half_units[0])
    above = numbers.lower is None or numbers.lower - low_half <= numbers.estimate + half + 1e-12
    below = numbers.upper is None or numbers.estimate - half - 1e-12 <= numbers.upper + high_half
    return above and below


def skewness(numbers: Numbers) -> float:
    """Return how far the estimate is from the middle, in half-widths of the interval; inf if unknown."""
    values = [bounds(numbers, which) for which in range(3)]
    if any(pair is None or math.isinf(pair[0]) for pair in values):
        return math.inf
    estimate, lower, upper = (sum(pair) / 2 for pair in values if pair is not None)
    width = (upper - lower) / 2
    return abs(estimate - (lower + upper) / 2) / width if width > 0 else math.inf


def standard_error_range(numbers: Numbers, z: float) -> tuple[float, float] | None:
    """Return the smallest and largest standard error that the printed digits allow."""
    lower, upper, estimate = bounds(numbers, 1), bounds(numbers, 2), bounds(numbers, 0)
    if lower is not None and upper is not None:
        return max(0.0, upper[0] - lower[1]) / (2 * z), (upper[1] - lower[0]) / (2 * z)
    limit = lower or upper
    if limit is None or estimate is None:
        return None
    gaps = [abs(a - b) for a in limit for b in estimate]
    return min(gaps) / z, max(gaps) / z


def standard_error(numbers: Numbers, z: float) -> float | None:
    """Return (upper - lower) / (2 z) on the analysis scale, or |limit - estimate| / z for one limit.

    ``None`` where a limit is missing or has no logarithm, or the limits coincide.
    """
    lower, upper = (
        None if limit is None else to_analysis_scale(limit, numbers.scale)
        for limit in (numbers.lower, numbers.upper)
    )
    if numbers.lower is not None and numbers.upper is not None:
        error = None if lower is None or upper is None else (upper - lower) / (2 * z)
    else:
        limit, effect = lower if lower is not None else upper, numbers.effect
        error = None if limit is None or effect is None else abs(limit - effect) / z
    return error if error is not None and error > 0 else None


def p_gap(numbers: Numbers, z: float, p: PValue) -> float | None:
    """Return by how much z from the interval misses z from the printed P value, beyond rounding.

    0 when they agree, ``None`` when either cannot be computed.
    """
    errors, effect = standard_error_range(numbers, z), bounds(numbers, 0)
    if p.value is None or errors is None or effect is None or errors[0] <= 0 or math.isinf(errors[1]):
        return None
    nearest = 0.0 if effect[0] <= 0 <= effect[1] else min(abs(effect[0]), abs(effect[1]))
    low, high = nearest / errors[1], max(abs(effect[0]), abs(effect[1])) / errors[0]
    largest, smallest = (
        z_of_p(max(p.value - p.half_unit, 1e-300)),
        z_of_p(min(p.value + p.half_unit, 1 - 1e-12)),
    )
    if largest is None or smallest is None:
        return None
    if p.operator == "<":
        return max(0.0, (z_of_p(p.value) or 0.0) - high)
    if p.operator == ">":
        return max(0.0, low - (z_of_p(p.value) or math.inf))
    return max(0.0, smallest - high, low - largest)
