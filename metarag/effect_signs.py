"""Dashes beside numbers: a sign, a separator of two limits, or part of a name."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.effect_tokens import Token, kind_at, norm_at

_CURRENCIES = frozenset("$\u20ac\u00a3\u00a5")
_KEEPS_NUMBER = frozenset("to fold percent per ci cis x times".split())
_BEHIND_NUMBER = frozenset(("num", "percent", "close", "name", "noise"))


def dash_at(tokens: Sequence[Token], at: int, before: Sequence[Token]) -> tuple[int, list[Token]]:
    """Return how many tokens a dash takes, and what they become.

    Behind a number the first dash separates and a second one is a sign: '-5.1--1.3', '-0.5-0.9'.
    'COVID-19' is a name.
    """
    number = at + 1 + (norm_at(tokens, at + 1) in _CURRENCIES)
    if kind_at(tokens, number) != "num":
        return 1, [tokens[at]]
    last = before[-1] if before else None
    if last is not None and last.kind == "word" and last.end == tokens[at].start and is_glued(tokens, at):
        return number + 1 - at, [tokens[at], tokens[number]._replace(kind="name")]
    if last is not None and (last.kind in _BEHIND_NUMBER or _is_unit(before)):
        return 1, [tokens[at]]
    signed = tokens[number]._replace(
        start=tokens[at].start, norm="-" + tokens[number].norm, value=-tokens[number].value
    )
    return number + 1 - at, [signed]


def number_at(tokens: Sequence[Token], at: int) -> tuple[int, Token]:
    """Return a number, or the name that '90-day' and '2-sided' are."""
    dash = at + 1
    if dash == len(tokens) or tokens[dash].kind != "dash":
        return 1, tokens[at]
    glued = is_glued(tokens, at) and is_glued(tokens, dash)
    if not glued or kind_at(tokens, dash + 1) != "word" or norm_at(tokens, dash + 1) in _KEEPS_NUMBER:
        return 1, tokens[at]
    word = tokens[dash + 1]
    return 3, tokens[at]._replace(kind="name", end=word.end, norm=f"{tokens[at].norm}-{word.norm}")


def is_glued(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether no space stands between a token and the one after it."""
    return index + 1 < len(tokens) and tokens[index].end == tokens[index + 1].start


def _is_unit(before: Sequence[Token]) -> bool:
    """Tell whether the last word stands behind a number, as in '-49.9 cm2 - -6.3 cm2'."""
    if len(before) < 2 or before[-1].kind != "word" or before[-1].norm in ("to", "and"):
        return False
    return before[-2].kind == "num"
