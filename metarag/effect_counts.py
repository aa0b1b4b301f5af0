"""From raw arm data to effects: odds ratio, risk ratio, risk difference, mean difference, SMD.

References
----------
Cochrane Handbook for Systematic Reviews of Interventions, 6.4 and 6.5 (formulas), 10.4.4 (zero cells).
Hedges (1981), J Educ Stat 6:107-128: the small-sample factor J, here in its exact gamma form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from metarag.types import EffectEstimate

CONTINUITY_CORRECTION = 0.5
"""Added to each cell of a table with a zero, for the ratios of that table only."""


@dataclass(frozen=True, slots=True)
class DerivedEffect:
    """An effect computed from raw data, on the analysis scale (log for ratios, proportion for RD).

    ``corrected`` is true when 0.5 was added to each cell.
    """

    measure: str
    effect: float
    standard_error: float
    corrected: bool = False


def derive(estimate: EffectEstimate, measure: str) -> DerivedEffect | None:
    """Return the effect that raw arm data imply, or ``None`` where they imply none.

    Parameters
    ----------
    estimate : EffectEstimate
        Its ``measure`` is ``2x2`` or ``means``.
    measure : {'OR', 'RR', 'RD', 'MD', 'SMD'}
        OR, RR and RD need a table of counts, MD and SMD need means, SDs and sizes.

    Raises
    ------
    ValueError
        ``measure`` is none of the five.
    """
    if measure in ("OR", "RR", "RD"):
        return _from_counts(estimate, measure)
    if measure in ("MD", "SMD"):
        return _from_means(estimate, measure)
    raise ValueError(f"cannot derive {measure!r}; choose OR, RR, RD, MD or SMD")


def _from_counts(estimate: EffectEstimate, measure: str) -> DerivedEffect | None:
    counts = (estimate.events_1, estimate.total_1, estimate.events_2, estimate.total_2)
    if any(count is None for count in counts):
        return None
    events_1, total_1, events_2, total_2 = (float(count) for count in counts if count is not None)
    return count_effect(measure, events_1, total_1, events_2, total_2)


def count_effect(
    measure: str, events_1: float, total_1: float, events_2: float, total_2: float
) -> DerivedEffect | None:
    """Return OR, RR or RD of arm 1 against arm 2; ``None`` where a table carries no information.

    A table without events, or with nothing but events, says nothing about a ratio. Its risk difference
    is zero, with the variance of the table with 0.5 in each cell: an arm without events would
    otherwise count as known without error.
    """
    if measure != "RD" and (events_1 + events_2 == 0 or (events_1, events_2) == (total_1, total_2)):
        return None
    cells = [events_1, total_1 - events_1, events_2, total_2 - events_2]
    corrected = min(cells) == 0
    if corrected:
        cells = [cell + CONTINUITY_CORRECTION for cell in cells]
    a, b, c, d = cells
    if measure == "RD":
        variance = a * b / (a + b) ** 3 + c * d / (c + d) ** 3
        return DerivedEffect("RD", events_1 / total_1 - events_2 / total_2, math.sqrt(variance), corrected)
    if measure == "OR":
        return DerivedEffect(
            "OR", math.log(a * d / (b * c)), math.sqrt(1 / a + 1 / b + 1 / c + 1 / d), corrected
        )
    effect = math.log(a / (a + b)) - math.log(c / (c + d))
    return DerivedEffect("RR", effect, math.sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)), corrected)


def _from_means(estimate: EffectEstimate, measure: str) -> DerivedEffect | None:
    values = (
        estimate.mean_1,
        estimate.sd_1,
        estimate.total_1,
        estimate.mean_2,
        estimate.sd_2,
        estimate.total_2,
    )
    if any(value is None for value in values):
        return None
    mean_1, sd_1, n_1, mean_2, sd_2, n_2 = (float(value) for value in values if value is not None)
    return mean_effect(measure, mean_1, sd_1, n_1, mean_2, sd_2, n_2)


def mean_effect(
    measure: str, mean_1: float, sd_1: float, n_1: float, mean_2: float, sd_2: float, n_2: float
) -> DerivedEffect | None:
    """Return MD (unequal variances) or SMD (Hedges' g) of arm 1 against arm 2, or ``None``."""
    if measure == "MD":
        variance = sd_1**2 / n_1 + sd_2**2 / n_2
        return DerivedEffect("MD", mean_1 - mean_2, math.sqrt(variance)) if variance > 0 else None
    df = n_1 + n_2 - 2
    if df <= 1:
        return None
    pooled = math.sqrt(((n_1 - 1) * sd_1**2 + (n_2 - 1) * sd_2**2) / df)
    if pooled <= 0:
        return None
    correction = math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) * math.sqrt(2 / df)
    g = correction * (mean_1 - mean_2) / pooled
    return DerivedEffect("SMD", g, math.sqrt(1 / n_1 + 1 / n_2 + g**2 / (2 * (n_1 + n_2))))
