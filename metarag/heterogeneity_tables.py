"""A ratio that sums up arm data takes from them what its own words leave open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from metarag.types import EffectEstimate

MAX_APART = 200
"""Characters between arm data and their ratio; ours, about two lines."""
_RATIOS: Final = ("OR", "RR", "HR", "IRR")
_KEYS: Final = ("outcome_key", "comparison_key", "orientation")


def with_table_keys(effects: Sequence[EffectEstimate]) -> tuple[EffectEstimate, ...]:
    """Return the effects of an article; a ratio beside its arm data has their outcome and comparison.

    "90 of 1159 given magnesium and 118 of 1157 given saline died, relative risk 0.76 (0.57 to 0.99)": the
    counts are marked as the same result as the ratio and join no pool, and only they name the outcome.

    A ratio takes what it lacks if it is the nearest to the counts, their crude risk ratio lies within its
    limits, and nothing that it does name is another.
    """
    given = list(effects)
    taken: set[int] = set()
    for table in effects:
        if table.role != "same_outcome" or table.measure != "2x2" or not table.arms_known:
            continue
        near = [i for i, one in enumerate(given) if i not in taken and _sums_up(one, table)]
        if near:
            index = min(near, key=lambda i: (_gap(given[i], table), i))
            taken.add(index)
            missing = {name: getattr(table, name) for name in _KEYS if getattr(given[index], name) is None}
            given[index] = given[index].model_copy(update=missing)
    return tuple(given)


def _sums_up(ratio: EffectEstimate, table: EffectEstimate) -> bool:
    if ratio.measure not in _RATIOS or not ratio.poolable or table.effect is None:
        return False
    if ratio.effect is None or ratio.standard_error is None or _gap(ratio, table) > MAX_APART:
        return False
    half = 1.959963984540054 * ratio.standard_error
    return abs(table.effect - ratio.effect) <= half and _agree(
        (getattr(ratio, name), getattr(table, name)) for name in _KEYS
    )


def _agree(pairs: Iterable[tuple[str | None, str | None]]) -> bool:
    return all(one is None or other is None or one == other for one, other in pairs)


def _gap(one: EffectEstimate, other: EffectEstimate) -> int:
    if one.span.where != other.span.where:
        return MAX_APART + 1
    return max(one.span.start - other.span.end, other.span.start - one.span.end, 0)
