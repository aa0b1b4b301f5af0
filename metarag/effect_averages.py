"""Means of one arm with their spread and group size: 'mean (SD s; n=k)', '6.3 ± 4.8 kg in 40 women'."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.effect_arms import PEOPLE, ArmResult, integer
from metarag.effect_document import Document
from metarag.effect_tokens import Token

_BEFORE_SIZE = frozenset("for in among of from the (".split())


def averaged_arms(tokens: Sequence[Token], document: Document) -> list[ArmResult]:
    """Return the means with their spread and group size, from left to right.

    The document says what a bare bracket behind a mean holds ('mean (SD)'), where it does.
    """
    found: list[ArmResult] = []
    free_from = 0
    for index in [place for place, token in enumerate(tokens) if token.kind == "num"]:
        arm = _average(tokens, index, document, free_from) if index >= free_from else None
        if arm is not None:
            found.append(arm)
            free_from = arm.stop
    return found


def _average(tokens: Sequence[Token], at: int, document: Document, floor: int) -> ArmResult | None:
    index = at + 1
    while index < len(tokens) and index - at <= 4 and tokens[index].kind in ("word", "percent", "slash"):
        index += 1
    opened = index
    while index < len(tokens) and index - opened < 2 and tokens[index].kind in ("open", "comma"):
        index += 1
    if index >= len(tokens):
        return None
    spread, value = tokens[index].norm, tokens[index].value
    if tokens[index].kind != "noise" or spread == "n":
        bare = index == opened + 1 and tokens[index].kind == "num" and index + 1 < len(tokens)
        if not (bare and tokens[index + 1].kind in ("close", "semicolon", "comma")):
            return None
        declared = document.spreads.bracket
        if declared is None:
            return None
        spread = declared
    if value <= 0:
        return None
    total, end = _group_size(tokens, at, index + 1, floor)
    return ArmResult(at, index + 1, total, mean=tokens[at].value, spread=spread, spread_value=value, end=end)


def _is_group_size(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a token is 'n=85' or the number of 'for 50 women'."""
    token = tokens[place]
    if token.kind == "noise":
        return token.norm == "n" and token.value >= 2
    counted = place + 1 < len(tokens) and tokens[place + 1].norm in PEOPLE
    return counted and (integer(token) or 0) >= 2 and place > 0 and tokens[place - 1].norm in _BEFORE_SIZE


def _group_size(tokens: Sequence[Token], at: int, index: int, floor: int) -> tuple[int | None, int]:
    """Find 'n=85' behind the spread, else before the mean."""
    for place in range(index, min(index + 12, len(tokens))):
        token = tokens[place]
        if _is_group_size(tokens, place):
            return int(token.value), place + 1
        if token.kind in ("num", "dot") or token.norm in ("and", "versus", "vs", "compared", "v"):
            break
    for place in range(at - 1, max(floor - 1, at - 12), -1):
        token = tokens[place]
        if _is_group_size(tokens, place):
            return int(token.value), index
        if token.kind == "num":
            break
    return None, index
