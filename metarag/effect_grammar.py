"""Readings of a sentence: which estimate belongs to which label, interval, P value or standard error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metarag.effect_checks import contains_estimate, is_centred
from metarag.effect_intervals import PrintedInterval, find_intervals
from metarag.effect_labels import Label, label_of
from metarag.effect_lexicon import Measure
from metarag.effect_readings import Reading, reading_of
from metarag.effect_tokens import PValue, Token, kind_at
from metarag.effect_units import is_unit_of_time_or_dose

_REACH = 24
"""Tokens to the left of an interval that are searched for its estimate."""
_MOST_CANDIDATES = 5
_P_REACH = 9
_P_ENDS = frozenset(("num", "label", "interval", "dot"))
_P_END_WORDS = frozenset(("and", "while", "whereas", "but"))


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
        if readings and "measure_from_words" in readings[-1].measure.flags:
            # 'Lowered the risk of death by 25% (95% CI 12-36), of stroke by 22% (6-36)'.
            carried = readings[-1].measure
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
        reading = reading_of(tokens, estimate, interval, label) if label is not None else None
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
        and (reading := reading_of(tokens, estimate, interval, label)) is not None
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
        reading = reading_of(tokens, estimate, interval, Label(meaning, index, inherited=False))
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
        elif token.kind in _P_ENDS or token.norm in _P_END_WORDS:
            break
    for index in range(reading.first, reading.stop):
        inside = _tests_effect(tokens, index)
        if inside is not None:
            return replace(reading, p=inside)
    before = reading.first - 1
    while kind_at(tokens, before) in ("comma", "semicolon"):
        before -= 1
    leading = _tests_effect(tokens, before)
    if leading is not None and kind_at(tokens, before - 1) == "open":
        return replace(reading, p=leading, first=before)
    return reading


def _tests_effect(tokens: Sequence[Token], index: int) -> PValue | None:
    """Return the P value at ``index`` unless it tests something else (an interaction, a trend)."""
    meaning = tokens[index].meaning if index >= 0 else None
    return meaning if isinstance(meaning, PValue) and meaning.purpose is None else None
