"""Effects printed without an interval: with a P value, with a standard error, or alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metarag.effect_lexicon import Measure
from metarag.effect_numbers import numbers_of
from metarag.effect_readings import Reading
from metarag.effect_tokens import PValue, Token
from metarag.effect_units import is_per_increment, is_unit_of_time_or_dose, names_percentage_points
from metarag.effect_wording import difference_kind, has_ratio_unit

_REACH = 30
_INTRODUCTIONS = frozenset("was of is are were be by equals equalled approximately".split())
_BEHIND = 8


def read_points(tokens: Sequence[Token], readings: Sequence[Reading]) -> list[Reading]:
    """Return the effects whose label found no interval: 'HR 0.70, P = 0.02', 'difference -1.5 (SE 0.5)'."""
    used = {reading.label for reading in readings}
    taken = [(reading.first, reading.stop) for reading in readings]
    found: list[Reading] = []
    for index in [place for place, token in enumerate(tokens) if token.kind == "label"]:
        measure = tokens[index].meaning
        if not isinstance(measure, Measure) or measure.name == "other" or index in used:
            continue
        estimate = _estimate_after(tokens, index)
        if estimate is None or any(first <= estimate < stop for first, stop in taken):
            continue
        reading = _reading(tokens, index, estimate, measure)
        while reading is not None:
            found.append(reading)
            taken.append((reading.first, reading.stop))
            reading = _next_in_list(tokens, index, reading, measure)
    return found


def _next_in_list(tokens: Sequence[Token], label: int, last: Reading, measure: Measure) -> Reading | None:
    """Read the next number of '2.01 (P=.003) and 1.96 (P=.02)'."""
    index = last.stop
    while (
        index < len(tokens)
        and index - last.stop < 4
        and (tokens[index].kind in ("close", "comma") or tokens[index].norm == "and")
    ):
        index += 1
    if (
        last.p is None
        or index + 2 >= len(tokens)
        or tokens[index].kind != "num"
        or tokens[index + 1].kind != "open"
    ):
        return None
    following = _reading(tokens, label, index, measure)
    return replace(following, inherited=True) if following is not None and following.p is not None else None


def _estimate_after(tokens: Sequence[Token], label: int) -> int | None:
    for index in range(label + 1, min(label + _REACH, len(tokens))):
        token = tokens[index]
        if token.kind in ("label", "interval", "semicolon", "p", "noise"):
            return None
        if token.kind != "num" or is_unit_of_time_or_dose(tokens, index + 1):
            continue
        before = tokens[index - 1]
        introduced = (
            index == label + 1
            or before.kind in ("colon", "label")
            or before.norm == "="
            or before.norm in _INTRODUCTIONS
        )
        beside = index - label <= 3 and before.kind in ("comma", "open")
        return index if introduced or beside else None
    return None


def _reading(tokens: Sequence[Token], label: int, estimate: int, measure: Measure) -> Reading | None:
    percent = names_percentage_points(tokens, estimate + 1)
    measure = difference_kind(measure, tokens, estimate, percent=percent)
    if (
        measure.is_ratio
        and measure.transform == "none"
        and (tokens[estimate].value <= 0 or percent or has_ratio_unit(tokens, estimate, estimate + 1))
    ):
        return None
    p, error, stop = _uncertainty(tokens, estimate)
    if p is None and error is None:
        p = _p_before(tokens, label)
    beside = estimate - label <= 4
    exact = tokens[estimate].half_unit < 0.5 and not _has_spread(tokens, estimate)
    if p is None and error is None and not (beside and exact and measure.named and measure.is_ratio):
        return None
    if measure.transform != "none" and error is None and not beside:
        return None
    if _is_reference(tokens, estimate, measure):
        return None
    numbers, flags = numbers_of(measure, tokens[estimate], None, None, percent=percent)
    if measure.is_ratio and is_per_increment(tokens, label, stop + _BEHIND):
        flags = (*flags, "per_unit")
    first = label if beside else estimate
    return Reading(measure, estimate, first, stop, numbers, label, p=p, standard_error=error, flags=flags)


def _is_reference(tokens: Sequence[Token], estimate: int, measure: Measure) -> bool:
    """Tell whether 'OR 1.0 [reference]' only names the group that others are compared with."""
    if not measure.is_ratio or tokens[estimate].value != 1:
        return False
    return any(token.norm.startswith("ref") for token in tokens[estimate + 1 : estimate + 4])


def _p_before(tokens: Sequence[Token], label: int) -> PValue | None:
    """Return the P value of '(P = 0.02; HR 0.70)'."""
    if label < 3 or tokens[label - 1].kind not in ("semicolon", "comma") or tokens[label - 3].kind != "open":
        return None
    found = tokens[label - 2].meaning
    return found if isinstance(found, PValue) and found.purpose is None else None


def _has_spread(tokens: Sequence[Token], estimate: int) -> bool:
    """Tell whether a bare plus-minus stands behind the number, as behind a heart rate of 72.5 ± 8.1."""
    return estimate + 1 < len(tokens) and tokens[estimate + 1].kind == "noise"


def _uncertainty(tokens: Sequence[Token], estimate: int) -> tuple[PValue | None, Token | None, int]:
    """Return the P value and the standard error right behind an estimate, and where they end."""
    p: PValue | None = None
    error: Token | None = None
    stop = estimate + 1
    for index in range(estimate + 1, min(estimate + _BEHIND, len(tokens))):
        token = tokens[index]
        if isinstance(token.meaning, PValue):
            p = p or (token.meaning if token.meaning.purpose is None else None)
            stop = index + 1 if p else stop
        elif token.kind == "noise" and token.norm in ("se", "sem"):
            error, stop = token, index + 1
        elif token.kind in ("num", "label", "interval") or (token.kind == "dot" and index > estimate + 1):
            break
    return p, error, stop
