"""Which raw results are two arms of one comparison, and which arm is the intervention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from metarag.effect_arms import ArmResult
from metarag.effect_tokens import Token

_VERSUS = frozenset("vs versus v compared against than relative contra".split())
_ARM_WORDS = frozenset(
    "group groups arm arms placebo control controls sham assigned allocated randomised"
    " randomized receiving received"
    " treated given usual standard therapy treatment intervention comparator vaccinated"
    " unvaccinated exposed unexposed"
    " recipients taking drug conventional routine".split()
)
_PREPOSITIONS = frozenset(
    "with on in given receiving assigned allocated treated under taking randomised"
    " randomized for after".split()
)
_CONTROL = frozenset(
    "placebo control controls sham usual standard conventional routine comparator"
    " untreated unexposed unvaccinated"
    " nothing waiting waitlist wait no without dummy saline vehicle observation".split()
)
_NOT_ARMS = frozenset(
    "baseline sensitivity specificity acuity snellen screened consented eligible agreement accuracy apgar"
    " scale vas retrieved responded invited".split()
)
_PRESSURE = frozenset(("mm", "mmhg"))
_TIMES = frozenset("day week month year weeks days months visit hour".split())
_RATINGS = frozenset(
    "score scores rating ratings points scored rated sessions items questions visits".split()
)
_BEFORE_AFTER = frozenset(
    "before after pre post pretreatment posttreatment preoperatively postoperatively initially".split()
)
_SEXES = frozenset("men women males females boys girls male female".split())
_ENDS_NAME = frozenset((";", ".", ",", "and", "versus", "vs", "v", "compared", "than", "but", "respectively"))
_NOT_IN_NAME = frozenset(
    "the in of to with on patients participants a an and vs versus compared than".split()
)
_LONGEST_NAME = 6
_NEAR = 16


@dataclass(frozen=True, slots=True)
class ArmPair:
    """Two arms, the intervention first where ``arms_known``.

    ``shared_control``: the second arm also serves another pair. ``names`` are the words for the arms.
    """

    one: ArmResult
    two: ArmResult
    first: int
    stop: int
    arms_known: bool
    names: tuple[str, str] = ("", "")
    shared_control: bool = False
    flags: tuple[str, ...] = field(default=())


def pair_arms(tokens: Sequence[Token], arms: Sequence[ArmResult]) -> list[ArmPair]:
    """Return the comparisons that the raw results of one sentence make, from left to right."""
    pairs: list[ArmPair] = []
    place = 0
    while place < len(arms):
        run = place
        while run + 1 < len(arms) and _are_arms(tokens, arms, run):
            between = tokens[arms[run].stop : arms[run + 1].first]
            if run > place and any(token.kind in ("semicolon", "p") for token in between):
                break
            run += 1
        chain = list(arms[place : run + 1])
        if len(chain) == 2:
            pairs += _pair(tokens, chain, arms, place)
        elif len(chain) > 2:
            pairs += _against_control(tokens, chain, arms, place)
        place = run + 1
    return pairs


def _are_arms(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> bool:
    """Tell whether a result and the next one are two arms, not two outcomes or two times."""
    one, two = arms[place], arms[place + 1]
    between = [token.norm for token in tokens[one.stop : two.first] if token.kind != "noise"]
    if len(between) > 2 * _NEAR or (one.events is None) != (two.events is None):
        return False
    before = _words_before(tokens, arms, place)
    after = _words_after(tokens, arms, place + 1)
    everything = {*before, *between, *after}
    if one.total == two.total and (one.total or 0) <= 100 and everything & _RATINGS:
        return False
    if (
        (_is_time(between) and _is_time(after))
        or everything & _NOT_ARMS
        or (one.events is not None and everything & _PRESSURE)
        or _sexes_differ(between, after)
    ):
        return False
    if {*between} & _VERSUS or "respectively" in after:
        return not ({"baseline"} & everything)
    if ({*before[-4:], *between} & _BEFORE_AFTER and not {*between} & _ARM_WORDS) or between == ["to"]:
        return False
    return _named_on_both_sides(before, between, after)


def _named_on_both_sides(before: Sequence[str], between: Sequence[str], after: Sequence[str]) -> bool:
    if "to" in between and "from" in before[-3:]:
        return False
    if {*between} & _ARM_WORDS and ({*after} | {*before}) & _ARM_WORDS:
        return bool({*after} & _ARM_WORDS) or not {*after[:3]} - {"", "."} or bool({*before} & _ARM_WORDS)
    if (
        after[:1] == ["in"]
        and "and" in after[1:8]
        and {"groups", "arms"} & {*after[:9]}
        and between == ["and"]
    ):
        return True
    if between[:1] == after[:1] == ["("] and ")" in between[1:6] and ")" in after[1:6]:
        return True
    if (
        between[-1:] == ["and"]
        and 2 <= len(between) <= 5
        and {*after[:4]} & _CONTROL
        and not {*between} & _CONTROL
    ):
        return True
    if len(between) <= 5 and {*before} & _ARM_WORDS and {*after} & _ARM_WORDS and "did" in between:
        return True
    one, two = _preposition(between[:-1]), _preposition(after)
    return one == two != "" and bool({"and", ","} & {*between})


def _sexes_differ(between: Sequence[str], after: Sequence[str]) -> bool:
    """Tell whether the 'arms' are men and women."""
    one, two = _SEXES & {*between[:4]}, _SEXES & {*after[:4]}
    return bool(one and two and one != two)


def _is_time(words: Sequence[str]) -> bool:
    """Tell whether words begin with a time: 'on day 7', 'in 2015'."""
    head = words[:4]
    return (
        bool(head)
        and head[0] in ("on", "in", "at")
        and (bool(_TIMES & {*head}) or any(w.isdigit() and len(w) == 4 for w in head))
    )


def _preposition(words: Sequence[str]) -> str:
    """Return the preposition that introduces an arm behind its numbers, or ''."""
    for place, word in enumerate(words[:5]):
        if word in _PREPOSITIONS:
            following = words[place + 1] if place + 1 < len(words) else ""
            return "" if following in _TIMES or (word == "in" and following.isdigit()) else word
    return ""


def _words_before(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> list[str]:
    floor = arms[place - 1].stop if place else 0
    first = arms[place].first
    return [token.norm for token in tokens[max(floor, first - _NEAR) : first]]


def _words_after(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> list[str]:
    ceiling = arms[place + 1].first if place + 1 < len(arms) else len(tokens)
    words: list[str] = []
    for token in tokens[arms[place].stop : min(ceiling, arms[place].stop + _NEAR)]:
        if words and token.kind in ("semicolon", "label"):
            break
        if token.kind != "noise":
            words.append(token.norm)
    return words


def _pair(
    tokens: Sequence[Token], chain: Sequence[ArmResult], arms: Sequence[ArmResult], place: int
) -> list[ArmPair]:
    one, two = chain
    names = _names(tokens, one, two, arms, place)
    controls = tuple(bool({*name.split()} & _CONTROL) for name in names)
    known = controls[0] != controls[1]
    if known and controls[0]:
        return [ArmPair(two, one, one.first, max(two.stop, two.end), True, (names[1], names[0]))]
    return [ArmPair(one, two, one.first, max(two.stop, two.end), known, names)]


def _against_control(
    tokens: Sequence[Token], chain: Sequence[ArmResult], arms: Sequence[ArmResult], place: int
) -> list[ArmPair]:
    """Compare each arm of three or more with the one that is named as the control; without one, none."""
    names = [_name(tokens, arms, place + offset) for offset in range(len(chain))]
    controls = [offset for offset, name in enumerate(names) if {*name.split()} & _CONTROL]
    if len(controls) != 1:
        return []
    control = chain[controls[0]]
    return [
        ArmPair(
            arm,
            control,
            min(arm.first, control.first),
            max(arm.stop, control.stop),
            True,
            (names[offset], names[controls[0]]),
            True,
        )
        for offset, arm in enumerate(chain)
        if arm is not control
    ]


def _names(
    tokens: Sequence[Token], one: ArmResult, two: ArmResult, arms: Sequence[ArmResult], place: int
) -> tuple[str, str]:
    bracket = _bracket_names(tokens, two.stop)
    if bracket is not None:
        return bracket
    return _name(tokens, arms, place), _name(tokens, arms, place + 1)


def _bracket_names(tokens: Sequence[Token], at: int) -> tuple[str, str] | None:
    """Read '(cephalexin vs placebo)' behind both arms."""
    if at >= len(tokens) or tokens[at].kind != "open":
        return None
    words: list[list[str]] = [[]]
    for token in tokens[at + 1 : at + _NEAR]:
        if token.kind == "close":
            break
        if token.norm in ("vs", "versus", "v"):
            words.append([])
        elif token.kind in ("word", "num", "name"):
            words[-1].append(token.norm)
    return (" ".join(words[0]), " ".join(words[1])) if len(words) == 2 and all(words) else None


def _name(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> str:
    """Return the words that name an arm: those behind its numbers, else those before."""
    after = _phrase(_words_after(tokens, arms, place))
    if after:
        return after
    before = _words_before(tokens, arms, place)
    return " ".join(word for word in before[-6:] if word.isalnum() and word not in ("the", "in", "of", "and"))


def _phrase(words: Sequence[str]) -> str:
    kept: list[str] = []
    for word in words:
        if kept and word in _ENDS_NAME:
            break
        if word.replace("'", "").isalnum() and word not in _NOT_IN_NAME:
            kept.append(word)
        if word in ("group", "arm") or len(kept) == _LONGEST_NAME:
            break
    return " ".join(kept)
