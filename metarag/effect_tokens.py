"""A sentence as tokens: numbers with their printed precision, words, signs and brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal, NamedTuple

from metarag.effect_lexicon import IntervalKind, Measure
from metarag.effect_text import THIN_SPACE

Kind = Literal[
    "num", "word", "op", "open", "close", "percent", "dash", "em_dash", "plus_minus", "slash",
    "comma", "semicolon", "colon", "plus", "infinity", "tilde", "dot", "other",
    "name", "label", "interval", "p", "noise",
]  # fmt: skip
"""What the lexer reads, and (last line) what :mod:`metarag.effect_marks` makes of runs of it.

``name`` is a number that names something: 'COVID-19', '90-day'.
"""


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """The words that announce an interval: its level in percent, kind and sides, where they say so."""

    level: float | None
    kind: IntervalKind
    one_sided: bool = False


@dataclass(frozen=True, slots=True)
class PValue:
    """A printed P value. ``operator`` is ``=``, ``<``, ``>`` or ``ns``; ``purpose`` what else it tests."""

    value: float | None
    operator: str
    purpose: str | None = None
    half_unit: float = 0.0
    one_sided: bool = False

    def two_sided(self) -> PValue:
        """Return the two-sided P value, twice a one-sided one."""
        if not self.one_sided or self.value is None:
            return self
        return PValue(min(1.0, 2 * self.value), self.operator, self.purpose, 2 * self.half_unit)


class Token(NamedTuple):
    """One token of plain text.

    ``norm`` is the token in lower case. ``value`` and ``half_unit`` (half a unit in the last printed
    digit) are those of a number, and 0 otherwise. ``meaning`` belongs to labels, intervals and P values.
    ``capitals`` marks an abbreviation ('BMI', 'aRRR'): a word whose letters from the second on are capitals.
    """

    kind: Kind
    start: int
    end: int
    norm: str
    value: float = 0.0
    half_unit: float = 0.0
    meaning: Measure | IntervalMark | PValue | None = None
    capitals: bool = False


def kind_at(tokens: Sequence[Token], index: int) -> str:
    """Return the kind of a token, '' outside the sentence."""
    return tokens[index].kind if 0 <= index < len(tokens) else ""


def norm_at(tokens: Sequence[Token], index: int) -> str:
    """Return a token in lower case, '' outside the sentence."""
    return tokens[index].norm if 0 <= index < len(tokens) else ""


_EXPONENT = r"(?:[eE][-+]?\d{1,3}|\s?[x\u00d7*]\s?10\s?\^?\(?-\s?\d{1,3}\)?)?"
_POINT = (
    rf"(?<=[=<>(\[])0\. \d{{1,3}}(?!\d)|[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d+)?(?!\d)"
    rf"|[1-9]\d{{0,2}}(?:{THIN_SPACE}\d{{3}})+(?:\.\d+)?(?!\d)"
    rf"|[1-9]\d{{0,2}}(?:'\d{{3}})+(?!\d)|\d+(?:\.\d+)?{_EXPONENT}|\.\d+{_EXPONENT}"
)
_COMMA = (
    rf"[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d+)?(?!\d)|[1-9]\d{{0,2}}(?:{THIN_SPACE}\d{{3}})+(?:,\d+)?(?!\d)"
    rf"|\d+(?:[,.]\d+)?{_EXPONENT}|[,.]\d+{_EXPONENT}"
)
_REST = (
    # 'CI95%', 'HR0.76': a known abbreviation glued to its number is two tokens.
    r"|(?P<word>(?:a|adj|c|s)?(?:HR|OR|RR|IRR|SMD|MD|RD|CI|IC|KI|SD|SE|SEM|[Pp])(?=\.?\d)"
    r"|[Cc]\.\s?[Ii](?:\.|\b)|to(?=-?\d)"
    r"|n\.s\.|[Ss]\.[EeDd]\.(?:[Mm]\.)?|[^\W\d_][^\W_]*(?:'[^\W\d_]+)?)"
    r"|(?P<op><=|>=|<<|>>|[<>=\u2264\u2265\u226a\u226b\u2248])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<percent>%|\u2030)|(?P<dash>-)|(?P<em_dash>[\u2014\u2015])"
    r"|(?P<plus_minus>\u00b1|\+/-|\+-)|(?P<slash>/)|(?P<comma>,)|(?P<semicolon>;)|(?P<colon>:)|(?P<plus>\+)"
    r"|(?P<infinity>\u221e)|(?P<tilde>~)|(?P<dot>\.)|(?P<other>[^\s\w])"
)
# Most tokens are plain words between spaces: they are tried first, and the space behind a token goes with it.
_PLAIN_WORD = r"(?P<plain>[a-z]++(?![\w'.]))"
_LEX_POINT = re.compile(rf"(?:{_PLAIN_WORD}|(?P<num>{_POINT}){_REST}) ?+")
_LEX_COMMA = re.compile(rf"(?:{_PLAIN_WORD}|(?P<num>{_COMMA}){_REST}) ?+")
_SPLIT_EXPONENT = re.compile(r"\s?[x\u00d7*]\s?10\s?\^?\(?-\s?(\d{1,3})\)?$|[eE]([-+]?\d{1,3})$")
_made: Callable[[tuple[object, ...]], Token] = partial(tuple.__new__, Token)
"""Makes a token of all its fields in order, three times as fast as the class, which has defaults to fill in."""


def lex(text: str, start: int, end: int, *, decimal_comma: bool = False) -> list[Token]:
    """Return the tokens of ``text[start:end]``; ``decimal_comma`` reads '0,76' as one number."""
    tokens: list[Token] = []
    for found in (_LEX_COMMA if decimal_comma else _LEX_POINT).finditer(text, start, end):
        kind = found.lastgroup or ""
        first, last = found.span(kind)
        printed = text[first:last]
        if kind == "plain":
            token = _made(("word", first, last, printed, 0.0, 0.0, None, False))
        elif kind == "num":
            value, half_unit = _number(printed, decimal_comma)
            token = _made((kind, first, last, printed, value, half_unit, None, False))
        else:
            capitals = kind == "word" and len(printed) > 1 and printed[1:].isupper()
            token = _made((kind, first, last, printed.lower(), 0.0, 0.0, None, capitals))
        tokens.append(token)
    return tokens


@lru_cache(maxsize=4_096)
def _number(printed: str, decimal_comma: bool) -> tuple[float, float]:
    """Return the value of a printed number and half a unit in its last digit; most come again and again."""
    power = 0
    if not printed[-1].isdigit() or len(printed) > 4:
        exponent = _SPLIT_EXPONENT.search(printed)
        if exponent:
            power = -int(exponent[1]) if exponent[1] else int(exponent[2])
            printed = printed[: exponent.start()]
    digits = _plain_digits(printed, decimal_comma=decimal_comma)
    places = len(digits) - digits.find(".") - 1 if "." in digits else 0
    # A hostile run of digits has no meaning as a result; 300 keeps float() and 10**n finite.
    if len(digits) > 300 or places > 300:
        return 0.0, 0.5
    scale = 10.0**power if abs(power) < 300 else 0.0
    return float(digits) * scale, 0.5 * 10.0**-places * scale


def _plain_digits(printed: str, *, decimal_comma: bool) -> str:
    digits = printed.replace(THIN_SPACE, "").replace("'", "").replace(" ", "")
    if not decimal_comma:
        return digits.replace(",", "")
    whole, _, part = digits.rpartition(".")
    # '1.502' in a text with decimal commas is a thousand and a half; '0.502' is a slip for '0,502'.
    if whole and whole.lstrip("0") and len(part.partition(",")[0]) == 3:
        digits = whole.replace(".", "") + part
    return digits.replace(",", ".")
