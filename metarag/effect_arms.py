"""Counts of one arm: 'n of N', 'n/N (p %)', 'p % of N', 'Of N patients ..., n'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from metarag.effect_tokens import Token
from metarag.effect_units import is_unit_of_time_or_dose

SMALLEST_TOTAL = 5
"""Participants an arm must have: below it '1/2' and '2 of 3' are fractions, doses or visits."""
_NUMBER_WORDS = MappingProxyType(
    {
        word: value
        for value, word in enumerate(
            "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen twenty".split()
        )
    }
    | {"none": 0, "zero": 0}
)
_TENS = MappingProxyType(
    {
        word: 10 * value
        for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
    }
)
COUNT_WORDS = frozenset((*_NUMBER_WORDS, *_TENS))
_OF = frozenset(("of", "/"))
_INTRODUCE_TOTAL = frozenset(("of", "among", "the"))
_NOT_EVENTS = frozenset(
    "of received were was completed underwent entered are to in on at from with by men women males females"
    " patients participants children".split()
)
_LEADING_REACH = 14
OPENERS = frozenset("and while whereas but whilst compared".split())
_AMONG = frozenset(("among", "in"))
FILL = frozenset("the these those all total a out evaluable randomised randomized eligible".split())
PEOPLE = frozenset(
    "patients participants women men children infants people persons subjects individuals"
    " adults eyes babies neonates"
    " mothers residents cases pregnancies births procedures patient users students girls boys".split()
)
EVENTS = frozenset(
    "deaths events patients participants cases women men infections episodes children"
    " infants subjects people strokes"
    " bleeds relapses failures responders recurrences individuals adults recovered died"
    " had developed births occurred were reported".split()
)


@dataclass(frozen=True, slots=True)
class ArmResult:
    """One arm's events and total, or mean and standard deviation, with its token indices.

    ``end`` is where the span ends when the group size stands further on. ``spread`` is what the printed
    spread of a mean is: ``sd``, ``se``, ``sem`` or ``pm`` (a bare plus-minus).
    """

    first: int
    stop: int
    total: int | None
    events: int | None = None
    percent: Token | None = None
    approximate: bool = False
    mean: float | None = None
    spread: str | None = None
    spread_value: float | None = None
    end: int = 0


def counted_arms(tokens: Sequence[Token]) -> list[ArmResult]:
    """Return the events and totals of a sentence from left to right."""
    found: list[ArmResult] = []
    free_from = 0
    for index in [n for n, token in enumerate(tokens) if token.kind == "num" or token.norm in COUNT_WORDS]:
        arm = _count(tokens, index) if index >= free_from else None
        if arm is not None:
            found.append(_with_percent(tokens, arm, free_from))
            free_from = found[-1].stop
    return found


def integer(token: Token) -> int | None:
    """Return the whole number a token prints, or ``None``."""
    if token.kind == "num" and token.half_unit >= 0.5 and 0 <= token.value < 1e9:
        return int(token.value)
    return None


def _count(tokens: Sequence[Token], at: int) -> ArmResult | None:
    token = tokens[at]
    events, index = _events(tokens, at)
    if token.kind == "num" and at + 2 < len(tokens) and tokens[at + 1].kind == "percent":
        return _share(tokens, at)
    if events is None or (at > 1 and tokens[at - 1].kind == "slash" and tokens[at - 2].kind == "num"):
        return None
    percent, index = _percent_in_brackets(tokens, index)
    total_at = _total_position(tokens, index, in_words=token.kind == "word")
    if total_at is None:
        if token.kind != "num":
            return None
        if percent is not None:
            return _with_group_size(tokens, at, index, events, percent)
        return _with_leading_total(tokens, at, events)
    total = integer(tokens[total_at])
    if total is None:
        return None
    total, stop = _grouped(tokens, total_at, total)
    if total < max(SMALLEST_TOTAL, events) or is_unit_of_time(tokens, stop):
        return None
    return ArmResult(at, stop, total, events, percent)


def _events(tokens: Sequence[Token], at: int) -> tuple[int | None, int]:
    """Return the number of events, in digits or words ('twenty-one'), and where it ends."""
    token = tokens[at]
    if token.kind == "num":
        events = integer(token)
        return (None, at + 1) if events is None else _grouped(tokens, at, events)
    if token.norm in _TENS:
        unit = tokens[at + 2].norm if at + 2 < len(tokens) and tokens[at + 1].kind == "dash" else ""
        if 0 < _NUMBER_WORDS.get(unit, 0) < 10:
            return _TENS[token.norm] + _NUMBER_WORDS[unit], at + 3
        return _TENS[token.norm], at + 1
    return (_NUMBER_WORDS.get(token.norm) if token.kind == "word" else None), at + 1


def is_unit_of_time(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a denominator counts time or doses, not people: '12/100 person-years', '4 of 12 weeks'."""
    if index >= len(tokens) or tokens[index].norm in PEOPLE:
        return False
    if tokens[index].kind in ("slash", "dash"):
        return True
    behind = [token.norm for token in tokens[index : index + 3]]
    return (
        tokens[index].norm in ("person", "patient", "mm", "mmhg", "\u03bcg", "mcg", "child", "woman", "mg")
        or "years" in behind[:2]
        or (is_unit_of_time_or_dose(tokens, index) and tokens[index].norm not in EVENTS)
    )


def _grouped(tokens: Sequence[Token], at: int, value: int) -> tuple[int, int]:
    """Return the number at ``at``, joined with a following group of three digits ('1 502')."""
    if at + 1 < len(tokens) and tokens[at].kind == "num":
        number, group = tokens[at], tokens[at + 1]
        close = group.start - number.end == 1 and 1 <= number.end - number.start <= 3
        if (
            close
            and group.kind == "num"
            and group.end - group.start == 3
            and value > 0
            and integer(group) is not None
        ):
            return value * 1000 + int(group.value), at + 2
    return value, at + 1


def _percent_in_brackets(tokens: Sequence[Token], index: int) -> tuple[Token | None, int]:
    """Read '(12.0%)' behind the events, with a word such as 'patients' before it."""
    at = index
    while at < len(tokens) and at - index < 2 and tokens[at].norm in EVENTS:
        at += 1
    if at + 3 < len(tokens) and tokens[at].kind == "open" and tokens[at + 1].kind == "num":
        number, after = tokens[at + 1], at + 2
        after += tokens[after].kind == "percent"
        if after > at + 2 and tokens[after].kind == "close":
            return number, after + 1
    return None, index


def _total_position(tokens: Sequence[Token], index: int, *, in_words: bool) -> int | None:
    at = index
    while at < len(tokens) and at - index < 3 and tokens[at].norm in EVENTS:
        at += 1
    if at >= len(tokens):
        return None
    link = tokens[at].norm
    if link == "out" and at + 1 < len(tokens):
        at, link = at + 1, tokens[at + 1].norm
    if link == "/" and (in_words or at > index):
        return None
    if link not in _OF and not (link in _AMONG and (at > index or _counts_people(tokens, at))):
        return None
    at += 1
    while at < len(tokens) and tokens[at].norm in FILL and link != "/":
        at += 1
    if at >= len(tokens) or tokens[at].kind != "num":
        return None
    if link == "/" and tokens[at].start - tokens[index - 1].end > 3:
        return None
    return at


def _counts_people(tokens: Sequence[Token], link: int) -> bool:
    """Tell whether '9 in 210 patients' and '24 among 98' count people, as '9 in 2010' does not."""
    if tokens[link].norm == "among":
        return True
    return link + 2 < len(tokens) and tokens[link + 2].norm in PEOPLE


def _share(tokens: Sequence[Token], at: int) -> ArmResult | None:
    """Read '30% of 150 patients': events rounded from the share."""
    index = at + 2
    if tokens[index].norm != "of":
        return None
    index += 1
    while index < len(tokens) and tokens[index].norm in FILL:
        index += 1
    total = integer(tokens[index]) if index < len(tokens) else None
    share = tokens[at]
    if total is None or not 0 <= share.value <= 100:
        return None
    total, stop = _grouped(tokens, index, total)
    if (
        total < SMALLEST_TOTAL
        or is_unit_of_time(tokens, stop)
        or (stop < len(tokens) and tokens[stop].kind == "percent")
    ):
        return None
    return ArmResult(at, stop, total, round(share.value * total / 100), approximate=True)


def _with_group_size(
    tokens: Sequence[Token], at: int, index: int, events: int, percent: Token
) -> ArmResult | None:
    """Read '12 (12.0%) in the early group (n=100)' and 'Of 100 patients ..., 12 (12.0%)'.

    The size counts only where the printed share agrees with it.
    """
    for place in (*range(index, min(index + 10, len(tokens))), *range(at - 1, max(-1, at - 14), -1)):
        token = tokens[place]
        sized = token.kind == "noise" and token.norm == "n"
        introduced = token.kind == "num" and place > 0 and tokens[place - 1].norm in _INTRODUCE_TOTAL
        if not (sized or introduced) or token.value < max(SMALLEST_TOTAL, events):
            continue
        if agrees(events, int(token.value), percent):
            return ArmResult(at, index, int(token.value), events, percent, end=max(index, place + 1))
    return None


def _with_leading_total(tokens: Sequence[Token], at: int, events: int) -> ArmResult | None:
    """Read 'Of 120 patients given B, 15 relapsed': the total opens the clause, the events follow a comma."""
    if at < 3 or at + 1 >= len(tokens) or tokens[at - 1].kind != "comma":
        return None
    behind = tokens[at + 1]
    if behind.kind != "word" or behind.norm in _NOT_EVENTS or is_unit_of_time(tokens, at + 1):
        return None
    for place in range(at - 2, max(0, at - _LEADING_REACH), -1):
        if tokens[place].kind in ("num", "semicolon", "comma", "dot"):
            total = integer(tokens[place])
            large_enough = total is not None and total >= max(SMALLEST_TOTAL, events)
            return (
                ArmResult(at, at + 1, total, events)
                if large_enough and _opens_clause(tokens, place)
                else None
            )
    return None


def _opens_clause(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether the number is that of 'Of (the) 120 patients' at the start of a clause."""
    of = place - 1 - (tokens[place - 1].norm == "the")
    if of < 0 or tokens[of].norm != "of" or tokens[place + 1].norm not in PEOPLE:
        return False
    before = tokens[of - 1] if of else None
    return before is None or before.kind in ("semicolon", "comma") or before.norm in OPENERS


def agrees(events: int, total: int, percent: Token) -> bool:
    """Tell whether a printed percentage is ``events / total``, rounded or cut off after its last digit."""
    over = 100 * events / total - percent.value
    return -percent.half_unit * 1.01 - 1e-9 <= over < 2 * percent.half_unit - 1e-9


def _with_percent(tokens: Sequence[Token], arm: ArmResult, floor: int) -> ArmResult:
    """Take in the percentage printed beside the counts, before or behind."""
    if arm.percent is not None or arm.approximate:
        return arm
    index = arm.stop
    while index < len(tokens) and index - arm.stop < 3 and tokens[index].norm in PEOPLE | EVENTS:
        index += 1
    if (
        index + 2 < len(tokens)
        and tokens[index].kind in ("open", "comma", "semicolon")
        and tokens[index + 1].kind == "num"
    ):
        after = index + 2
        if tokens[after].kind == "percent":
            stop = after + 1 + (after + 1 < len(tokens) and tokens[after + 1].kind == "close")
            return _replaced(arm, arm.first, stop, tokens[index + 1])
    before = arm.first - 1
    if before - 2 >= floor and tokens[before].kind == "open" and tokens[before - 1].kind == "percent":
        stop = arm.stop
        while stop < len(tokens) and stop - arm.stop < 3 and tokens[stop].kind != "close":
            stop += 1
        if tokens[before - 2].kind == "num":
            return _replaced(arm, before - 2, min(stop + 1, len(tokens)), tokens[before - 2])
    return arm


def _replaced(arm: ArmResult, first: int, stop: int, percent: Token) -> ArmResult:
    return ArmResult(first, stop, arm.total, arm.events, percent)
