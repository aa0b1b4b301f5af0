"""From the raw arm data of one study to an effect: OR, RR, RD from counts, MD and SMD from means."""

from __future__ import annotations

import math
from dataclasses import dataclass

from metarag.meta_binary import BINARY_MEASURES, BinaryMeasure, binary_effects
from metarag.meta_continuous import mean_differences, standardised_mean_differences
from metarag.types import EffectEstimate

CONTINUOUS_MEASURES = ("MD", "SMD")


@dataclass(frozen=True, slots=True)
class DerivedEffect:
    """An effect computed from raw data, on the analysis scale (log for ratios, proportion for RD).

    ``corrected`` is true where a table had an empty cell and 0.5 was added to each.
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
        OR, RR and RD need a table of counts; MD and SMD need means, SDs and sizes.

    Raises
    ------
    ValueError
        ``measure`` is none of the five.
    """
    if measure in BINARY_MEASURES:
        counts = estimate.events_1, estimate.total_1, estimate.events_2, estimate.total_2
        known = [count for count in counts if count is not None]
        return count_effect(measure, *known) if len(known) == len(counts) else None  # type: ignore[arg-type]
    if measure not in CONTINUOUS_MEASURES:
        raise ValueError(f"cannot derive {measure!r}; choose OR, RR, RD, MD or SMD")
    arms = (
        (estimate.mean_1, estimate.sd_1, estimate.total_1),
        (estimate.mean_2, estimate.sd_2, estimate.total_2),
    )
    values = [value for arm in arms for value in arm if value is not None]
    return mean_effect(measure, *values) if len(values) == 2 * len(arms[0]) else None


def count_effect(
    measure: BinaryMeasure, events_1: int, total_1: int, events_2: int, total_2: int
) -> DerivedEffect | None:
    """Return OR, RR or RD of arm 1 against arm 2; ``None`` for a ratio of a table without information.

    See :func:`metarag.meta_binary.binary_effects` for formulas and zero cells.
    """
    table = binary_effects([events_1], [total_1], [events_2], [total_2], measure=measure, double_zero="drop")
    if table.dropped:
        return None
    error = math.sqrt(float(table.variances[0]))
    return (
        DerivedEffect(measure, float(table.effects[0]), error, bool(table.corrected)) if error > 0 else None
    )


def mean_effect(
    measure: str, mean_1: float, sd_1: float, n_1: float, mean_2: float, sd_2: float, n_2: float
) -> DerivedEffect | None:
    """Return MD or SMD (Hedges' g) of arm 1 against arm 2; ``None`` for arms of one participant or no spread.

    See :mod:`metarag.meta_continuous` for the formulas.
    """
    if min(n_1, n_2) < 2 or min(sd_1, sd_2) <= 0:
        return None
    compute = mean_differences if measure == "MD" else standardised_mean_differences
    effects = compute([mean_1], [sd_1], [n_1], [mean_2], [sd_2], [n_2])
    return DerivedEffect(measure, float(effects.effects[0]), math.sqrt(float(effects.variances[0])))
