"""Readings of a sentence: which estimate belongs to which label, interval, P value or standard error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metarag.effect_checks import Numbers, contains_estimate, is_centred
from metarag.effect_intervals import PrintedInterval, find_intervals
from metarag.effect_labels import Label, label_of
from metarag.effect_lexicon import Measure
from metarag.effect_numbers import numbers_of
from metarag.effect_tokens import PValue, Token
from metarag.effect_units import is_in_points, is_unit_of_time_or_dose, names_percentage_points, per_of
from metarag.effect_wording import difference_kind, differs_by, has_ratio_unit

_REACH = 24
"""Tokens to the left of an interval that are searched for its estimate."""
_MOST_CANDIDATES = 5
_P_REACH = 9
_VERSUS = frozenset(("vs", "versus", "v"))


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


def read_intervals(tokens: Sequence[Token], carried: Measure | None = None) -> list[Reading]:
    """Return the effects of a marked sentence that are printed with an interval, from left to right.

    Parameters
    ----------
    tokens : sequence of Token
        As :func:`metarag.effect_marks.mark` returns them.
    carried : Measure or None
        The measure of the sentence before, where this one goes on from it ('For stroke it was ...').
    """
    readings: list[Reading] = []
    intervals = find_intervals(tokens)
    floor = index = 0
    while index < len(intervals):
        interval = intervals[index]
        found = _series(tokens, intervals[index : index + interval.series + 1], floor, carried)
        taken = len(found)
        if not found:
            one = _read(tokens, interval, floor, carried)
            found, taken = ([one] if one is not None else []), 1
        readings += found
        floor = max([interval.stop, *(reading.stop for reading in found)])
        index += taken
    return readings


def _series(
    tokens: Sequence[Token], intervals: Sequence[PrintedInterval], floor: int, carried: Measure | None
) -> list[Reading]:
    """Read '0.80, 0.75 and 0.95 (95% CIs 0.70-0.92, 0.60-0.93 and 0.81-1.11)': all fit, or none."""
    count = len(intervals)
    if count < 2:
        return []
    numbers = [index for index in range(floor, intervals[0].first) if tokens[index].kind == "num"][-count:]
    if len(numbers) < count:
        return []
    found: list[Reading] = []
    for estimate, interval in zip(numbers, intervals, strict=True):
        label = label_of(tokens, estimate, (intervals[0].first, intervals[-1].stop), floor, carried)
        reading = _reading(tokens, estimate, interval, label) if label is not None else None
        if reading is None or not is_centred(reading.numbers):
            return []
        found.append(reading)
    return found


def _read(
    tokens: Sequence[Token], interval: PrintedInterval, floor: int, carried: Measure | None
) -> Reading | None:
    if interval.mark.kind == "other":
        return None
    candidates = _candidates(tokens, interval.first, floor)
    readings = [
        reading
        for estimate in candidates
        if (label := label_of(tokens, estimate, (interval.first, interval.stop), floor, carried)) is not None
        and (reading := _reading(tokens, estimate, interval, label)) is not None
    ]
    if not readings:
        return _estimate_behind(tokens, interval, floor)
    chosen = _best(tokens, readings, interval)
    return None if chosen is None else _with_p(tokens, chosen)


def _candidates(tokens: Sequence[Token], before: int, floor: int) -> list[int]:
    """Return the numbers that may be the estimate of an interval, nearest first."""
    found: list[int] = []
    for index in range(before - 1, max(floor, before - _REACH) - 1, -1):
        kind = tokens[index].kind
        if kind == "num":
            found.append(index)
        elif found and (kind in ("semicolon", "interval") or (kind == "label" and len(found) > 1)):
            break
        if len(found) == _MOST_CANDIDATES:
            break
    return found


def _reading(
    tokens: Sequence[Token], estimate: int, interval: PrintedInterval, label: Label
) -> Reading | None:
    percent = (
        names_percentage_points(tokens, estimate + 1)
        or interval.percent
        or _points_ahead(tokens, interval)
        or (not label.measure.named and differs_by(tokens, estimate))
        or (label.index is not None and not label.measure.is_ratio and is_in_points(tokens, label.index))
    )
    if (label.inherited or not label.measure.named) and _has_own_name(tokens, estimate):
        return None
    if not label.measure.is_ratio and _is_one_arm(tokens, estimate, interval):
        return None
    measure = difference_kind(label.measure, tokens, estimate, percent=percent)
    if measure.is_ratio and measure.transform == "none":
        worded = "measure_from_words" in measure.flags
        if (
            percent
            or tokens[estimate].value <= 0
            or (not worded and has_ratio_unit(tokens, estimate, interval.stop))
        ):
            return None
        interval = _unsigned(interval)
    per, timed = per_of(tokens, estimate, interval.stop + 8)
    if timed and measure.name in ("RD", "MD"):
        measure = replace(measure, name="rate_difference", poolable=False)
    numbers, flags = numbers_of(
        measure, tokens[estimate], interval.lower, interval.upper, percent=percent, per=per
    )
    if interval.doubtful_sign and interval.upper is not None and not is_centred(numbers):
        signed = interval.upper._replace(value=-interval.upper.value)
        other, more = numbers_of(measure, tokens[estimate], interval.lower, signed, percent=percent, per=per)
        if is_centred(other):
            numbers, flags = other, more
    first = label.index if label.index is not None and 0 <= estimate - label.index <= 4 else estimate
    return Reading(
        measure, estimate, min(first, interval.first), interval.stop, numbers, label.index, interval,
        inherited=label.inherited, flags=flags,
    )  # fmt: skip


def _has_own_name(tokens: Sequence[Token], estimate: int) -> bool:
    """Tell whether an abbreviation that is no known label introduces the number: '(aRRR = 1.28', '(ARR 0.52'."""
    index = estimate - 1
    equated = tokens[index].norm == "=" if index >= 0 else False
    index -= equated
    if index < 1 or tokens[index].kind != "word" or not tokens[index].capitals:
        return False
    return equated or tokens[index - 1].kind in ("open", "semicolon")


def _is_one_arm(tokens: Sequence[Token], estimate: int, interval: PrintedInterval) -> bool:
    """Tell whether a number with its limits is one side of 'a (CI) versus b (CI)'."""
    if tokens[max(0, estimate - 1)].norm in _VERSUS or (
        tokens[estimate - 1].kind == "dot" and tokens[max(0, estimate - 2)].norm in _VERSUS
    ):
        return True
    behind = interval.stop
    while (
        behind < len(tokens)
        and behind - interval.stop < 3
        and tokens[behind].kind in ("close", "word", "percent")
    ):
        if tokens[behind].norm in _VERSUS:
            return any(token.kind == "num" for token in tokens[behind + 1 : behind + 4])
        behind += 1
    return False


def _points_ahead(tokens: Sequence[Token], interval: PrintedInterval) -> bool:
    return interval.upper is not None and any(
        names_percentage_points(tokens, index) for index in range(interval.stop, interval.stop + 2)
    )


def _unsigned(interval: PrintedInterval) -> PrintedInterval:
    """Read the dash of '95% CI-0.63 to 0.92' as a separator where a ratio cannot be negative."""
    lower, upper = interval.lower, interval.upper
    if lower is None or upper is None or not lower.value < 0 < -lower.value <= upper.value:
        return interval
    return replace(interval, lower=lower._replace(value=-lower.value))


def _best(tokens: Sequence[Token], readings: Sequence[Reading], interval: PrintedInterval) -> Reading | None:
    """Choose among estimates: one that its limits are centred on, else the nearest that may be one."""
    centred = next((reading for reading in readings if is_centred(reading.numbers)), None)
    if centred is not None:
        return centred
    for reading in readings:
        if is_unit_of_time_or_dose(tokens, reading.estimate + 1) and len(readings) > 1:
            continue
        sure = interval.labelled and not reading.inherited
        if contains_estimate(reading.numbers) and (sure or (not reading.inherited and reading.measure.named)):
            return reading
        if sure and reading.measure.named and reading.label is not None:
            return reading
    return None


def _estimate_behind(tokens: Sequence[Token], interval: PrintedInterval, floor: int) -> Reading | None:
    """Read '95% CI 1.08-1.95; OR 1.45': the label and its estimate behind the limits."""
    if not interval.labelled:
        return None
    for index in range(interval.stop, min(interval.stop + 3, len(tokens) - 1)):
        meaning = tokens[index].meaning
        if not isinstance(meaning, Measure) or meaning.name == "other" or not meaning.named:
            continue
        estimate = index + 1 + (tokens[index + 1].kind in ("op", "colon", "comma"))
        if estimate >= len(tokens) or tokens[estimate].kind != "num":
            return None
        reading = _reading(tokens, estimate, interval, Label(meaning, index, inherited=False))
        if reading is None or not is_centred(reading.numbers):
            return None
        return _with_p(tokens, replace(reading, first=max(floor, interval.first), stop=estimate + 1))
    return None


def _with_p(tokens: Sequence[Token], reading: Reading) -> Reading:
    """Attach the P value that follows the interval, or stands with it in the same brackets."""
    for index in range(reading.stop, min(reading.stop + _P_REACH, len(tokens))):
        token = tokens[index]
        if isinstance(token.meaning, PValue):
            if token.meaning.purpose is None:
                return replace(reading, p=token.meaning, stop=index + 1)
            continue
        if token.kind in ("num", "label", "interval", "dot") or token.norm in (
            "and",
            "while",
            "whereas",
            "but",
        ):
            break
    for index in range(reading.first, reading.stop):
        found = tokens[index].meaning
        if isinstance(found, PValue) and found.purpose is None:
            return replace(reading, p=found)
    before = reading.first - 1
    while before > 0 and tokens[before].kind in ("comma", "semicolon"):
        before -= 1
    found = tokens[before].meaning if before > 0 else None
    if isinstance(found, PValue) and found.purpose is None and tokens[before - 1].kind == "open":
        return replace(reading, p=found, first=before)
    return reading
