"""P values: the number, its sign, and whether it tests the effect at all."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from metarag.effect_tokens import PValue, Token

_OTHER_TESTS = MappingProxyType(
    {
        "interaction": "interaction",
        "interactions": "interaction",
        "pinteraction": "interaction",
        "trend": "trend",
        "heterogeneity": "heterogeneity",
        "homogeneity": "heterogeneity",
        "noninferiority": "noninferiority",
        "inferiority": "noninferiority",
        "equivalence": "noninferiority",
        "linearity": "trend",
        "egger": "heterogeneity",
    }
)
_QUALIFIERS = (
    frozenset(
        "for value values of the two one sided tailed log rank linear difference between"
        " group groups was were is all"
        " overall both nominal adjusted corrected superiority non in across subgroups sex"
        " age treatment by uncorrected".split()
    )
    | _OTHER_TESTS.keys()
    | {"ns", "n.s.", "n.s", "nonsignificant", "not"}
)
_NOT_SIGNIFICANT = frozenset(("ns", "n.s.", "n.s", "nonsignificant", "non", "not"))
_LONGEST_QUALIFIER = 6


def p_value_at(tokens: Sequence[Token], at: int, before: Sequence[Token]) -> tuple[int, Token] | None:
    """Read the P value whose 'P' is ``tokens[at]``: how many tokens it takes, and what it says.

    'P for interaction = 0.12', 'p-value of .02', 'P=NS', 'P = 4.2 x 10-5', 'P<0.001 for superiority'.
    """
    index = at + 1
    words: list[str] = [token.norm for token in before[-3:] if token.kind == "word"]
    while index < len(tokens) and index - at <= _LONGEST_QUALIFIER and _qualifies(tokens[index]):
        if tokens[index].norm in _NOT_SIGNIFICANT and tokens[index - 1].norm in ("p", "=", "value"):
            return _made(tokens, at, index, PValue(None, "ns", _purpose(words)))
        if _closes(tokens, at, index):
            return None
        words.append(tokens[index].norm)
        index += 1
    if index >= len(tokens):
        return None
    operator, index = _operator(tokens, index)
    if operator is None:
        if words[-1:] not in (["of"], ["was"], ["were"], ["value"], ["values"]):
            return None
        operator = "="
    if index < len(tokens) and tokens[index].norm in _NOT_SIGNIFICANT:
        return _made(tokens, at, index, PValue(None, "ns", _purpose(words)))
    if index >= len(tokens) or tokens[index].kind != "num":
        return None
    half_unit = tokens[index].half_unit
    value, index = _value(tokens, index)
    words += _words_behind(tokens, index + 1)
    if not 0 <= value <= 1:
        return None
    one_sided = _is_one_sided(words, before, tokens[index + 1 : index + 6])
    return _made(tokens, at, index, PValue(value, operator, _purpose(words), half_unit, one_sided))


def _is_one_sided(words: Sequence[str], before: Sequence[Token], behind: Sequence[Token]) -> bool:
    near = [*words, *(token.norm for token in before[-4:]), *(token.norm for token in behind)]
    return "1-sided" in near or "1-tailed" in near or ("one" in near and bool({"sided", "tailed"} & {*near}))


def _closes(tokens: Sequence[Token], at: int, index: int) -> bool:
    """Tell whether the bracket closed here was opened before the 'P': '(95% CI; P value) was 0.76'."""
    depth = sum((token.kind == "open") - (token.kind == "close") for token in tokens[at:index])
    return tokens[index].kind == "close" and depth <= 0


def _qualifies(token: Token) -> bool:
    return token.kind in ("dash", "open", "close") or token.norm in _QUALIFIERS


def _operator(tokens: Sequence[Token], index: int) -> tuple[str | None, int]:
    read: str | None = None
    while index < len(tokens) and (
        tokens[index].kind in ("op", "colon") or (read and tokens[index].kind == "comma")
    ):
        sign = tokens[index].norm
        if sign[0] in "<\u2264\u226a":
            read = "<"
        elif sign[0] in ">\u2265\u226b":
            read = ">"
        else:
            read = read or "="
        index += 1
    return read, index


def _value(tokens: Sequence[Token], index: int) -> tuple[float, int]:
    """Return the number at ``index``, reading '10-11' as a power of ten, and where it ends."""
    value = tokens[index].value
    if (
        value == 10
        and index + 2 < len(tokens)
        and tokens[index + 1].kind == "dash"
        and tokens[index + 2].kind == "num"
    ):
        power = tokens[index + 2].value
        return (10.0**-power if power < 300 else 0.0), index + 2
    return value, index


def _words_behind(tokens: Sequence[Token], index: int) -> list[str]:
    """Return the words of 'for interaction' behind the number."""
    if index >= len(tokens) or tokens[index].norm not in ("for", "("):
        return []
    return [token.norm for token in tokens[index : index + 5] if token.kind == "word"]


def _purpose(words: Sequence[str]) -> str | None:
    return next((_OTHER_TESTS[word] for word in words if word in _OTHER_TESTS), None)


def _made(tokens: Sequence[Token], at: int, last: int, meaning: PValue) -> tuple[int, Token]:
    start, end = tokens[at].start, tokens[last].end
    return last + 1 - at, Token("p", start, end, "p", meaning=meaning)
