"""Raw results as comparisons of two arms, the intervention first where its words tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metarag.effect_arm_links import (
    ARM_WORDS,
    CONTROL,
    NEAR,
    PREPOSITIONS,
    are_arms,
    words_after,
    words_before,
)
from metarag.effect_arms import PEOPLE, ArmResult
from metarag.effect_tokens import Token, kind_at

_ENDS_NAME = frozenset((";", ".", ",", "and", "versus", "vs", "v", "compared", "than", "but", "respectively"))
_NOT_IN_NAME = PEOPLE | frozenset(
    "the in of to with on a an and vs versus compared than had were was".split()
)
_LONGEST_NAME = 6


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


def pair_arms(tokens: Sequence[Token], arms: Sequence[ArmResult]) -> list[ArmPair]:
    """Return the comparisons that the raw results of one sentence make, from left to right."""
    pairs: list[ArmPair] = []
    place = 0
    while place < len(arms):
        last = _end_of_chain(tokens, arms, place)
        if last == place + 1:
            pairs += _pair(tokens, arms, place)
        elif last > place + 1:
            pairs += _against_control(tokens, arms, range(place, last + 1))
        place = last + 1
    return pairs


def _end_of_chain(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> int:
    """Return the last of the results that are arms of one comparison; a new clause begins a new one."""
    last = place
    while last + 1 < len(arms) and are_arms(tokens, arms, last):
        between = tokens[arms[last].stop : arms[last + 1].first]
        if last > place and any(token.kind in ("semicolon", "p") for token in between):
            break
        last += 1
    return last


def _pair(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> list[ArmPair]:
    one, two = arms[place], arms[place + 1]
    names = _bracket_names(tokens, two.stop) or (_name(tokens, arms, place), _name(tokens, arms, place + 1))
    if names[0] == names[1] != "" and {*names[0].split()} & ARM_WORDS:
        # Two results of one arm: 'fever in 12 of 100 with drug and chills in 24 of 100 with drug'.
        return []
    controls = [bool({*name.split()} & CONTROL) for name in names]
    known = controls[0] != controls[1]
    stop = max(two.stop, two.end)
    if known and controls[0]:
        return [ArmPair(two, one, one.first, stop, arms_known=True, names=(names[1], names[0]))]
    return [ArmPair(one, two, one.first, stop, arms_known=known, names=names)]


def _against_control(
    tokens: Sequence[Token], arms: Sequence[ArmResult], places: Sequence[int]
) -> list[ArmPair]:
    """Compare each arm of three or more with the one that is named as the control; without one, none."""
    names = {place: _name(tokens, arms, place) for place in places}
    controls = [place for place, name in names.items() if {*name.split()} & CONTROL]
    if len(controls) != 1:
        return []
    control = arms[controls[0]]
    return [
        ArmPair(
            arms[place],
            control,
            min(arms[place].first, control.first),
            max(arms[place].stop, control.stop),
            arms_known=True,
            names=(names[place], names[controls[0]]),
            shared_control=True,
        )
        for place in places
        if place != controls[0]
    ]


def _bracket_names(tokens: Sequence[Token], at: int) -> tuple[str, str] | None:
    """Read '(cephalexin vs placebo)' behind both arms."""
    if kind_at(tokens, at) != "open":
        return None
    sides: list[list[str]] = [[]]
    for token in tokens[at + 1 : at + NEAR]:
        if token.kind == "close":
            break
        if token.norm in ("vs", "versus", "v"):
            sides.append([])
        elif token.kind in ("word", "num", "name"):
            sides[-1].append(token.norm)
    return (" ".join(sides[0]), " ".join(sides[1])) if len(sides) == 2 and all(sides) else None


def _name(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> str:
    """Return the words that name an arm: those behind its numbers, else those before, or ''."""
    after, before = words_after(tokens, arms, place), words_before(tokens, arms, place)
    ends = next((at for at, word in enumerate(after) if word in _ENDS_NAME), len(after))
    after = after[:ends]
    first = next((word for word in after if word.isalpha() and word not in PEOPLE), "")
    if first in PREPOSITIONS or first == "of" or {*after} & ARM_WORDS:
        return _phrase(after)
    if not {*before} & ARM_WORDS:
        return ""
    last_in = max((at for at, word in enumerate(before) if word in PREPOSITIONS), default=-1)
    return _phrase(before[last_in + 1 :])


def _phrase(words: Sequence[str]) -> str:
    kept: list[str] = []
    for word in words:
        if kept and word in _ENDS_NAME:
            break
        if word.replace("'", "").isalnum() and word not in _NOT_IN_NAME:
            kept.append(word)
        # 'Placebo group' ends with the word, 'group B' begins with it.
        if (word in ("group", "arm") and len(kept) > 1) or len(kept) == _LONGEST_NAME:
            break
    return " ".join(kept)
