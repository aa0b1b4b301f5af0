"""From printed tokens to numbers on the measure's own scale: percentages, reductions, denominators."""

from __future__ import annotations

from collections.abc import Callable

from metarag.effect_checks import Numbers
from metarag.effect_lexicon import Measure
from metarag.effect_tokens import Token

_PLACES = 12
"""Decimal places kept, so that 1 - 84/100 is 0.16 and not 0.16000000000000003."""


def numbers_of(
    measure: Measure,
    estimate: Token,
    lower: Token | None,
    upper: Token | None,
    *,
    percent: bool,
    per: float | None = None,
) -> tuple[Numbers, tuple[str, ...]]:
    """Return the numbers on the scale of the measure, and flags for what was assumed or turned.

    Reductions become ratios (1 - x/100) and risk differences proportions; limits that these turn round
    are put in order silently, limits printed in the wrong order are put in order and flagged.
    """
    flags: list[str] = []
    printed = [estimate, lower, upper]
    if lower is not None and upper is not None and lower.value > upper.value:
        printed = [estimate, upper, lower]
        flags.append("limits_swapped")
    values = [None if token is None else token.value for token in printed]
    divisor = _divisor(
        measure, [value for value in values if value is not None], percent=percent, per=per, flags=flags
    )
    change, turned = _change(measure, divisor)
    halves = [0.0 if token is None else token.half_unit / divisor for token in printed]
    changed = [None if value is None else round(change(value), _PLACES) + 0.0 for value in values]
    if turned:
        changed = [changed[0], changed[2], changed[1]]
        halves = [halves[0], halves[2], halves[1]]
    first = changed[0] if changed[0] is not None else 0.0
    half_units = (halves[0], halves[1], halves[2])
    return Numbers(first, changed[1], changed[2], half_units, measure.scale, divisor), tuple(flags)


def _divisor(
    measure: Measure, values: list[float], *, percent: bool, per: float | None, flags: list[str]
) -> float:
    if measure.transform in ("reduction", "increase"):
        # '0.67 (0.52-0.77)' is an efficacy as a proportion; anything above 1 is per cent.
        return 1.0 if not percent and all(abs(value) <= 1 for value in values) else 100.0
    if measure.name != "RD":
        return 1.0
    if per is not None:
        return per
    if percent:
        return 100.0
    if any(abs(value) > 1 for value in values):
        flags.append("percent_assumed")
        return 100.0
    return 1.0


def _change(measure: Measure, divisor: float) -> tuple[Callable[[float], float], bool]:
    if measure.transform == "reduction":
        return lambda value: 1 - value / divisor, True
    if measure.transform == "increase":
        return lambda value: 1 + value / divisor, False
    if measure.transform == "absolute_reduction":
        return lambda value: -value / divisor, True
    return lambda value: value / divisor, False
