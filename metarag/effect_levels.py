"""The level of an interval and its sides, before its name ('one-sided 97.5% CI') or behind it ('CI 95%')."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from metarag.effect_tokens import Token, kind_at, norm_at

_ADJECTIVES = frozenset(
    "bootstrap bootstrapped bayesian bayes wald exact profile likelihood adjusted corrected multiplicity one"
    " two sided repeated robust posterior simultaneous bias accelerated equal tailed highest density wilson"
    " asymptotic percentile nominal de d central unadjusted stratified 1-sided 2-sided upper lower based"
    " binomial credible à of level bonferroni newcombe confidence interval".split()
)
_PERCENT_WORDS = frozenset(("percent", "per", "cent", "pct"))
_LINKS = frozenset(("à", "al", "a", "at", "of", "zu", "ao"))
_USUAL = frozenset((90.0, 95.0, 97.5, 98.0, 99.0))
_LONGEST = 7


class Level(NamedTuple):
    """A level in percent, a token index, and whether the interval has one side.

    ``place`` is where a level before the name begins, and where limits may begin behind any other.
    """

    value: float
    place: int
    one_sided: bool = False


def level_before(out: Sequence[Token]) -> Level | None:
    """Find '95%' at the end of the tokens so far, across words such as 'one-sided' and 'bootstrap'."""
    words: set[str] = set()
    index = len(out) - 1
    while index >= 0 and len(out) - index <= _LONGEST:
        token = out[index]
        if token.kind == "dash" or (token.kind in ("word", "name") and token.norm in _ADJECTIVES):
            words.add(token.norm)
        elif token.kind != "percent" and token.norm not in _PERCENT_WORDS:
            break
        elif index > 0 and out[index - 1].kind == "num":
            return _level_at(out, index - 1, words)
        index -= 1
    if index >= 0 and index == len(out) - 1 and out[index].kind == "num" and out[index].value in _USUAL:
        # '95 CI' without its sign.
        return _level_at(out, index, words)
    return None


def _level_at(out: Sequence[Token], index: int, words: set[str]) -> Level | None:
    value = out[index].value
    if not is_level(value):
        return None
    near = words | {token.norm for token in out[max(0, index - 4) : index]}
    one_sided = {"one", "sided"} <= near or "1-sided" in near or "one-sided" in near
    return Level(value, index, one_sided)


def level_glued(tokens: Sequence[Token], at: int) -> Level | None:
    """Find the level of 'CI95%' at ``at``, without a space behind the name."""
    if (
        kind_at(tokens, at) != "num"
        or tokens[at - 1].end != tokens[at].start
        or not is_level(tokens[at].value)
    ):
        return None
    return Level(tokens[at].value, at + 1 + (kind_at(tokens, at + 1) == "percent"))


def level_after(tokens: Sequence[Token], at: int) -> Level | None:
    """Find the level in 'CI 95%', 'CI (95%)', 'CI, 95%'; ``place`` is where the limits may begin.

    Limits in percent are no level: after one, two more numbers follow, or its bracket closes.
    """
    index = at
    while index - at < 2 and (
        kind_at(tokens, index) in ("open", "comma", "colon") or norm_at(tokens, index) in _LINKS
    ):
        index += 1
    if (
        kind_at(tokens, index) != "num"
        or kind_at(tokens, index + 1) != "percent"
        or not is_level(tokens[index].value)
    ):
        return None
    after = index + 2
    if kind_at(tokens, after) in ("em_dash", "tilde") or norm_at(tokens, after) in ("to", "and"):
        return None
    ahead = takewhile(lambda token: token.kind != "close" and token.norm != "p", tokens[after : after + 8])
    limits = sum(token.kind == "num" for token in ahead)
    closes = kind_at(tokens, after) == "close"
    enclosed = closes and kind_at(tokens, index - 1) == "open"
    return Level(tokens[index].value, after + enclosed) if limits >= 2 or closes else None


def is_level(value: float) -> bool:
    """Tell whether a number can be the coverage of an interval in percent."""
    return 50 <= value < 100
