"""Intervals in a marked sentence: '95% CI 0.63 to 0.92', '(0.63-0.92)', '-5.1--1.3', one limit alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metarag.effect_tokens import IntervalMark, Token

UNLABELLED = IntervalMark(None, "confidence")

_BEFORE_LIMITS = frozenset(
    "from between of was were is be being with a the lower upper limit limits bound bounds ranged ranging for"
    " de entre von at value values an de interval respectively".split()
)
_SEPARATING_WORDS = frozenset("to and a bis à until through till und y et e até ate al t/m tot".split())
_SEPARATING_KINDS = frozenset(("dash", "em_dash", "tilde", "comma", "semicolon", "slash"))
_RANGE_KINDS = frozenset(("dash", "em_dash", "tilde"))
_NAMING = frozenset(("for", "of", "the", "in"))
_BEGINNINGS = frozenset(("interval", "open", "num"))
_LONGEST_UNIT = 4
_LONGEST_PREFIX = 6


@dataclass(frozen=True, slots=True)
class PrintedInterval:
    """Two limits as printed, or one.

    Attributes
    ----------
    first, stop : int
        Token indices from the interval's name or bracket to its last limit (exclusive).
    lower, upper : Token or None
        ``None`` for a limit at infinity or not printed.
    mark : IntervalMark
        What its name says; :data:`UNLABELLED` where it has none.
    labelled : bool
        True when a name stands beside these limits.
    percent : bool
        True when a limit carries a percent sign.
    doubtful_sign : bool
        True for '-5.1 -1.3', where the second dash may be a separator or a sign.
    series : int
        How many more intervals follow in the same list ('95% CIs 0.70-0.92, 0.60-0.93').
    """

    first: int
    stop: int
    lower: Token | None
    upper: Token | None
    mark: IntervalMark
    labelled: bool
    percent: bool = False
    doubtful_sign: bool = False
    series: int = 0


def find_intervals(tokens: Sequence[Token]) -> list[PrintedInterval]:
    """Return the intervals of a sentence from left to right; no token belongs to two."""
    found: list[PrintedInterval] = []
    free_from = 0
    for index in [place for place, token in enumerate(tokens) if token.kind in _BEGINNINGS]:
        if index < free_from:
            continue
        kind = tokens[index].kind
        if kind == "interval":
            here = _after_name(tokens, index)
        elif kind == "open":
            here = _in_brackets(tokens, index)
        else:
            here = _behind_estimate(tokens, index)
        if here:
            found += here
            free_from = here[-1].stop
    return found


def _after_name(tokens: Sequence[Token], at: int) -> list[PrintedInterval]:
    mark = tokens[at].meaning
    if not isinstance(mark, IntervalMark):
        return []
    start = _skip_prefix(tokens, at + 1)
    closed = start < len(tokens) and tokens[start].kind == "close" and start == at + 1
    named = start < len(tokens) and tokens[start].kind == "label" and tokens[start - 1].norm in _NAMING
    if closed or named:
        # '[95% CI] 1.08-1.95' and '95% CI for OR: 1.08-1.95'; 'OR (95% CI) 1.45 (...)' is a heading.
        start += 1
        start += start < len(tokens) and tokens[start].kind in ("colon", "op", "comma")
        read = _limits(tokens, start, kinds=_RANGE_KINDS, loose=False)
    else:
        read = _limits(tokens, start, kinds=_SEPARATING_KINDS, loose=True)
    if read is None:
        return _one_limit(tokens, at, start, mark)
    first = replace(read, first=at, mark=mark, labelled=True)
    return _series(tokens, first)


def _skip_prefix(tokens: Sequence[Token], index: int) -> int:
    limit = index + _LONGEST_PREFIX
    if index + 1 < len(tokens) and tokens[index].kind == "dash" and tokens[index + 1].kind == "num":
        return index + 1
    while index < len(tokens) and index < limit:
        token = tokens[index]
        skipped = (
            token.kind in ("open", "comma", "colon", "semicolon", "other") or token.norm in _BEFORE_LIMITS
        )
        if not skipped and not (token.kind == "op" and token.norm in ("=", "\u2248")):
            break
        index += 1
    return index


def _series(tokens: Sequence[Token], first: PrintedInterval) -> list[PrintedInterval]:
    """Return the interval with those that follow it in a list of ranges."""
    found = [first]
    while True:
        index = found[-1].stop
        gap = index
        while (
            gap < len(tokens)
            and gap - index < 3
            and (tokens[gap].kind in ("comma", "semicolon") or tokens[gap].norm == "and")
        ):
            gap += 1
        following = _limits(tokens, gap, kinds=_RANGE_KINDS, loose=False) if gap > index else None
        if following is None:
            break
        found.append(replace(following, mark=first.mark, labelled=True))
    count = len(found)
    return [replace(one, series=count - 1 - place) for place, one in enumerate(found)]


def _in_brackets(tokens: Sequence[Token], at: int) -> list[PrintedInterval]:
    """Read '(0.63 to 0.92)' and '(0.63-0.92; 95% CI)'; not '(3.1-5.6 months)' or '(IQR ...)'."""
    if at + 1 < len(tokens) and tokens[at + 1].kind == "interval":
        return []
    read = _limits(tokens, at + 1, kinds=_SEPARATING_KINDS - {"slash"}, loose=False)
    if read is None or read.lower is None or read.upper is None:
        return []
    mark, labelled = UNLABELLED, False
    for index in range(read.stop, min(read.stop + 4, len(tokens))):
        token = tokens[index]
        if token.kind == "interval" and isinstance(token.meaning, IntervalMark):
            if (
                _skip_prefix(tokens, index + 1) < len(tokens)
                and tokens[_skip_prefix(tokens, index + 1)].kind == "num"
            ):
                break
            mark, labelled = token.meaning, True
            return [replace(read, first=at, stop=index + 1, mark=mark, labelled=labelled)]
        if token.kind == "close":
            break
    if read.stop < len(tokens) and tokens[read.stop].kind in ("close", "semicolon", "comma", "p"):
        return [replace(read, first=at, mark=mark, labelled=labelled)]
    return []


def _behind_estimate(tokens: Sequence[Token], at: int) -> list[PrintedInterval]:
    """Read the limits of 'OR 1.45, 1.08-1.95': an estimate by its label, a comma, two limits."""
    if at < 1 or at + 3 >= len(tokens) or tokens[at + 1].kind not in ("comma", "semicolon", "colon"):
        return []
    before = tokens[at - 1]
    introduced = before.kind in ("label", "open", "semicolon") or (
        before.kind in ("op", "colon") and tokens[at - 2].kind == "label"
    )
    read = _limits(tokens, at + 2, kinds=_RANGE_KINDS, loose=False) if introduced else None
    if read is None and introduced and before.kind in ("open", "semicolon"):
        # '(-2.9; -5.7, -1.1)' under a heading 'difference; 95% CI', '(21% v 37%; 0.46, 0.24, 0.89)'.
        read = _limits(tokens, at + 2, kinds=frozenset(("comma",)), loose=False)
    if read is not None and read.stop + 1 < len(tokens) and tokens[read.stop].kind == "open":
        mark = tokens[read.stop + 1].meaning
        if isinstance(mark, IntervalMark):
            return [replace(read, first=at + 1, stop=read.stop + 2, mark=mark, labelled=True)]
    if (
        read is None
        or read.stop >= len(tokens)
        or tokens[read.stop].kind not in ("close", "semicolon", "comma", "p", "dot")
    ):
        return []
    return [replace(read, first=at + 1)]


def _limits(
    tokens: Sequence[Token], at: int, *, kinds: frozenset[str], loose: bool
) -> PrintedInterval | None:
    """Read two limits at ``at``; ``loose`` also takes '0.63 0.92' and '0.63 and 0.92'."""
    lower, index, percent = _limit(tokens, at)
    if index == at:
        return None
    between = index
    while between < len(tokens) and tokens[between].kind == "close" and between - index < 1:
        between += 1
    separator = tokens[between] if between < len(tokens) else None
    if separator is None:
        return None
    doubtful = False
    if separator.kind in kinds or (separator.kind == "word" and _separates(separator.norm, loose=loose)):
        doubtful = _is_doubtful(tokens, between)
        start = _skip_second(tokens, between + 1)
    elif loose and separator.kind == "num" and lower is not None and between == index:
        start = between
    else:
        return None
    upper, stop, more = _limit(tokens, start)
    if stop == start or (lower is None and upper is None):
        return None
    return PrintedInterval(
        at, stop, lower, upper, UNLABELLED, labelled=False, percent=percent or more, doubtful_sign=doubtful
    )


def _separates(word: str, *, loose: bool) -> bool:
    return word in _SEPARATING_WORDS and (loose or word in ("to", "bis", "à", "through"))


def _is_doubtful(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a dash has room before it and none behind, as a sign would."""
    if tokens[at].kind != "dash" or at + 1 >= len(tokens):
        return False
    return tokens[at - 1].end < tokens[at].start and tokens[at].end == tokens[at + 1].start


def _skip_second(tokens: Sequence[Token], index: int) -> int:
    limit = index + 3
    while index < min(limit, len(tokens)) and (
        tokens[index].kind in ("other", "open", "plus")
        or tokens[index].norm in ("upper", "limit", "bound", "and")
    ):
        index += 1
    return index


def _limit(tokens: Sequence[Token], at: int) -> tuple[Token | None, int, bool]:
    """Read one limit with its unit: the number (``None`` at infinity), where it ends, percent or not."""
    index = at
    if index < len(tokens) and tokens[index].kind in ("dash", "plus", "em_dash", "op", "other"):
        index += 1
    if index < len(tokens) and tokens[index].kind == "infinity":
        return None, index + 1, False
    if at >= len(tokens) or tokens[at].kind not in ("num", "other"):
        return None, at, False
    index = at + (tokens[at].kind == "other")
    if index >= len(tokens) or tokens[index].kind != "num":
        return None, at, False
    number, index, percent = tokens[index], index + 1, False
    end = index + _LONGEST_UNIT
    while index < min(end, len(tokens)) and _is_unit(tokens, index):
        percent = (
            percent or tokens[index].kind == "percent" or tokens[index].norm in ("percentage", "percent")
        )
        index += 1
    return number, index, percent


def _is_unit(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    if token.kind == "percent":
        return True
    if token.kind == "slash":
        return index + 1 < len(tokens) and tokens[index + 1].kind == "word"
    return token.kind == "word" and token.norm not in _SEPARATING_WORDS and token.norm not in _NOT_UNITS


_NOT_UNITS = frozenset(
    "vs versus in for with on among compared than whereas while but or p as after at by from respectively"
    " which was were is upper lower per_ than against favouring favoring indicating"
    " suggesting showing".split()
)


def _one_limit(tokens: Sequence[Token], at: int, start: int, mark: IntervalMark) -> list[PrintedInterval]:
    """Read 'upper limit of the 95% CI, 1.12' and 'one-sided 97.5% CI <1.12'."""
    before = [token.norm for token in tokens[max(0, at - 9) : at]]
    here = tokens[at].norm.split()
    ahead = [token.norm for token in tokens[at + 1 : start + 1]]
    side = next((word for word in (*reversed(before), *here, *ahead) if word in ("upper", "lower")), None)
    index = start
    if index < len(tokens) and tokens[index].kind == "op" and tokens[index].norm[0] in "<\u2264>\u2265":
        side = side or ("upper" if tokens[index].norm[0] in "<\u2264" else "lower")
        index += 1
    if side is None or not (mark.one_sided or _names_one_limit(before, here, ahead)):
        return []
    number, stop, percent = _limit(tokens, index)
    if number is None or stop == index:
        return []
    lower, upper = (None, number) if side == "upper" else (number, None)
    return [PrintedInterval(at, stop, lower, upper, mark, labelled=True, percent=percent)]


def _names_one_limit(before: Sequence[str], here: Sequence[str], ahead: Sequence[str]) -> bool:
    words = {*before, *here, *ahead}
    return bool(words & {"limit", "bound", "limits", "bounds"})
