"""Numbers that stand beside a result and are none: 'SD 4.8', 'SE = 0.5', 'n=85', '\u00b1 1.4'."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from metarag.effect_tokens import Token, kind_at, norm_at

SPREAD_WORDS = MappingProxyType(
    {"sd": "sd", "sds": "sd", "se": "se", "ses": "se", "sem": "sem", "n": "n", "stdev": "sd"}
)
_PER = frozenset(("per", "each", "every"))
_LINKS = frozenset(("of", "was", "were"))


def spread_at(tokens: Sequence[Token], at: int, before: Sequence[Token]) -> tuple[int, Token] | None:
    """Return how many tokens a spread or group size at ``at`` takes, and the one they become.

    'Per SD 1.18' holds no spread: the number is a ratio per standard deviation.
    """
    named = _name(tokens, at)
    if named is None or any(token.norm in _PER for token in before[-2:]):
        return None
    what, index = named
    if (
        kind_at(tokens, index) == "open"
        and norm_at(tokens, index + 1) in SPREAD_WORDS
        and kind_at(tokens, index + 2) == "close"
    ):
        index += 3
    while _links(tokens, index):
        index += 1
    if kind_at(tokens, index) != "num":
        return None
    if what == "n" and index == at + 1 and tokens[at].end != tokens[index].start:
        return None
    return index + 1 - at, _noise(tokens[at], tokens[index], what)


def _name(tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
    if norm_at(tokens, at) != "standard":
        what = SPREAD_WORDS.get(norm_at(tokens, at).replace(".", ""))
        return None if what is None else (what, at + 1)
    kind = norm_at(tokens, at + 1)
    if kind in ("deviation", "deviations"):
        return "sd", at + 2
    if kind not in ("error", "errors"):
        return None
    of_mean = [norm_at(tokens, at + offset) for offset in (2, 3, 4)] == ["of", "the", "mean"]
    return ("sem", at + 5) if of_mean else ("se", at + 2)


def _links(tokens: Sequence[Token], index: int) -> bool:
    if norm_at(tokens, index) in _LINKS:
        return True
    return kind_at(tokens, index) in ("op", "colon", "comma") and norm_at(tokens, index) not in ("<", ">")


def plus_minus_at(tokens: Sequence[Token], at: int) -> tuple[int, Token] | None:
    """Return the spread behind a plus-minus: ``sd`` or ``se`` where a word behind it says so, else ``pm``."""
    if kind_at(tokens, at + 1) != "num":
        return None
    after = at + 2 + (kind_at(tokens, at + 2) == "percent")
    after += kind_at(tokens, after) == "open"
    what = SPREAD_WORDS.get(norm_at(tokens, after), "pm")
    return 2, _noise(tokens[at], tokens[at + 1], "pm" if what == "n" else what)


def _noise(first: Token, number: Token, what: str) -> Token:
    return Token("noise", first.start, number.end, what, number.value, number.half_unit)
