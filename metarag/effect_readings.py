"""One estimate with its limits under its label: is it an effect, and of which measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metarag.effect_checks import Numbers, is_centred
from metarag.effect_intervals import PrintedInterval
from metarag.effect_labels import Label
from metarag.effect_lexicon import Measure
from metarag.effect_numbers import numbers_of
from metarag.effect_tokens import PValue, Token, kind_at, norm_at
from metarag.effect_units import is_in_points, is_per_increment, names_percentage_points, per_of
from metarag.effect_wording import difference_kind, differs_by, has_ratio_unit, is_fold

_VERSUS = frozenset(("vs", "versus", "v"))
_BESIDE = 4
"""Tokens between label and estimate within which the label is part of the effect's span."""
_NAME_REACH = 12
"""Tokens before an estimate in which 'per 10 mg' tells what its ratio is for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One effect as printed, before its numbers are judged.

    ``first`` and ``stop`` are token indices from the label (where it stands beside the estimate) to the
    last token read. ``inherited``: the label already served an earlier number, as in 'HR 0.83 with 5 mg
    and 0.70 with 10 mg'.
    """

    measure: Measure
    estimate: int
    first: int
    stop: int
    numbers: Numbers
    label: int | None = None
    interval: PrintedInterval | None = None
    p: PValue | None = None
    standard_error: Token | None = None
    inherited: bool = False
    flags: tuple[str, ...] = ()


def reading_of(
    tokens: Sequence[Token], estimate: int, interval: PrintedInterval, label: Label
) -> Reading | None:
    """Return the number at ``estimate`` with its limits as an effect, or ``None`` where it cannot be one.

    A ratio has no unit and is positive; a difference is not one side of 'a (CI) versus b (CI)'.
    """
    if (label.inherited or not label.measure.named) and _has_own_name(tokens, estimate):
        return None
    percent = _is_percentage(tokens, estimate, interval, label)
    measure = _measure(tokens, estimate, interval, label, percent=percent)
    if measure is None:
        return None
    if measure.is_ratio and measure.transform == "none":
        interval = _unsigned(interval)
    named_at = estimate if label.place is None else max(label.place, estimate - _NAME_REACH)
    per, timed = per_of(tokens, named_at, interval.stop + 8)
    if timed and measure.name in ("RD", "MD"):
        measure = replace(measure, name="rate_difference", poolable=False)
    numbers, flags = _numbers(measure, tokens[estimate], interval, percent=percent, per=per)
    if measure.is_ratio and is_per_increment(tokens, named_at, interval.stop + 6):
        flags = (*flags, "per_unit")
    beside = label.place is not None and 0 <= estimate - label.place <= _BESIDE
    first = min(label.place if beside and label.place is not None else estimate, interval.first)
    return Reading(
        measure, estimate, first, interval.stop, numbers, label.place, interval,
        inherited=label.inherited, flags=flags,
    )  # fmt: skip


def _measure(
    tokens: Sequence[Token], estimate: int, interval: PrintedInterval, label: Label, *, percent: bool
) -> Measure | None:
    """Return what the number measures: 'a 2.4-fold increase' is a ratio of 2.4, '+0.5%' may be a difference."""
    measure = difference_kind(label.measure, tokens, estimate, percent=percent)
    if measure.transform in ("increase", "reduction") and is_fold(tokens, estimate):
        if measure.transform == "reduction":
            return None
        measure = replace(measure, transform="none", flags=(*measure.flags, "measure_from_words"))
    if not measure.is_ratio:
        return None if _is_one_arm(tokens, estimate, interval) else measure
    possible = measure.transform != "none" or _may_be_ratio(
        tokens, estimate, interval, measure, percent=percent
    )
    return measure if possible else None


def _is_percentage(tokens: Sequence[Token], estimate: int, interval: PrintedInterval, label: Label) -> bool:
    if names_percentage_points(tokens, estimate + 1) or interval.percent:
        return True
    if interval.upper is not None and any(
        names_percentage_points(tokens, index) for index in range(interval.stop, interval.stop + 2)
    ):
        return True
    if not label.measure.named and differs_by(tokens, estimate):
        return True
    return label.place is not None and not label.measure.is_ratio and is_in_points(tokens, label.place)


def _may_be_ratio(
    tokens: Sequence[Token], estimate: int, interval: PrintedInterval, measure: Measure, *, percent: bool
) -> bool:
    if percent or tokens[estimate].value <= 0:
        return False
    # '1.45 times more likely': here the unit is the ratio's own.
    return "measure_from_words" in measure.flags or not has_ratio_unit(tokens, estimate, interval.stop)


def _numbers(
    measure: Measure, estimate: Token, interval: PrintedInterval, *, percent: bool, per: float | None
) -> tuple[Numbers, tuple[str, ...]]:
    """Return the numbers; of two ways to read a dash, the one that puts the estimate in the middle."""
    lower, upper = interval.lower, interval.upper
    numbers, flags = numbers_of(measure, estimate, lower, upper, percent=percent, per=per)
    if not interval.doubtful_sign or upper is None or is_centred(numbers):
        return numbers, flags
    signed = upper._replace(value=-upper.value)
    other = numbers_of(measure, estimate, lower, signed, percent=percent, per=per)
    return other if is_centred(other[0]) else (numbers, flags)


def _has_own_name(tokens: Sequence[Token], estimate: int) -> bool:
    """Tell whether an abbreviation that is no known label introduces the number: '(aRRR = 1.28'."""
    equated = norm_at(tokens, estimate - 1) == "="
    index = estimate - 1 - equated
    if kind_at(tokens, index) != "word" or not tokens[index].capitals:
        return False
    return equated or kind_at(tokens, index - 1) in ("open", "semicolon")


def _is_one_arm(tokens: Sequence[Token], estimate: int, interval: PrintedInterval) -> bool:
    """Tell whether a number with its limits is one side of 'a (CI) versus b (CI)'."""
    before = estimate - 1 - (kind_at(tokens, estimate - 1) == "dot")
    if norm_at(tokens, before) in _VERSUS:
        return True
    for index in range(interval.stop, interval.stop + 3):
        if norm_at(tokens, index) in _VERSUS:
            return any(token.kind == "num" for token in tokens[index + 1 : index + 4])
        if kind_at(tokens, index) not in ("close", "word", "percent"):
            break
    return False


def _unsigned(interval: PrintedInterval) -> PrintedInterval:
    """Read the limits of a ratio: no dash is a sign, and a one-sided bound of zero is none."""
    lower, upper = interval.lower, interval.upper
    if interval.mark.one_sided and lower is not None and lower.value == 0:
        return replace(interval, lower=None)
    if lower is None or upper is None or not lower.value < 0 < -lower.value <= upper.value:
        return interval
    return replace(interval, lower=lower._replace(value=-lower.value))
