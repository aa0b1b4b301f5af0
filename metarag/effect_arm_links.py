"""Are two raw results two arms of one comparison? Not two outcomes, two times, two sexes or two ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metarag.effect_arms import PEOPLE, ArmResult
from metarag.effect_tokens import Token

NEAR = 16
"""Tokens before and behind a raw result that may name its arm."""
VERSUS = frozenset("vs versus v compared against than relative contra".split())
ARM_WORDS = frozenset(
    "group groups arm arms placebo control controls sham assigned allocated randomised randomized receiving"
    " received treated given usual standard therapy treatment intervention comparator vaccinated"
    " unvaccinated exposed unexposed recipients taking drug conventional routine".split()
)
CONTROL = frozenset(
    "placebo control controls sham usual standard conventional routine comparator untreated unexposed"
    " unvaccinated nothing waiting waitlist wait no without dummy saline vehicle observation".split()
)
PREPOSITIONS = frozenset(
    "with on in given receiving assigned allocated treated under taking randomised randomized for"
    " after".split()
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
_JOINT = frozenset(("and", ")", "]"))
_SMALL_SCALE = 100
"""Ratings are out of at most this much; equal totals above it are two arms of one size."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The words before the first of two results, between them, and behind the second."""

    before: tuple[str, ...]
    between: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def words(self) -> set[str]:
        """All of them."""
        return {*self.before, *self.between, *self.after}


def are_arms(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> bool:
    """Tell whether a result and the next one are the two arms of a comparison."""
    one, two = arms[place], arms[place + 1]
    between = tuple(token.norm for token in tokens[one.stop : two.first] if token.kind != "noise")
    if len(between) > 2 * NEAR or (one.events is None) != (two.events is None):
        return False
    gap = Gap(tuple(words_before(tokens, arms, place)), between, tuple(words_after(tokens, arms, place + 1)))
    return not _are_something_else(gap, one, two) and _are_linked(gap)


def words_before(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> list[str]:
    """Return the words before a result, back to the result before it."""
    floor = arms[place - 1].stop if place else 0
    first = arms[place].first
    return [token.norm for token in tokens[max(floor, first - NEAR) : first]]


def words_after(tokens: Sequence[Token], arms: Sequence[ArmResult], place: int) -> list[str]:
    """Return the words behind a result, up to the next one or the end of its clause."""
    ceiling = arms[place + 1].first if place + 1 < len(arms) else len(tokens)
    words: list[str] = []
    for token in tokens[arms[place].stop : min(ceiling, arms[place].stop + NEAR)]:
        if words and token.kind in ("semicolon", "label"):
            break
        if token.kind != "noise":
            words.append(token.norm)
    return words


def _are_something_else(gap: Gap, one: ArmResult, two: ArmResult) -> bool:
    if gap.words & _NOT_ARMS or (_is_time(gap.between) and _is_time(gap.after)):
        return True
    if (
        one.events is not None
        and one.total == two.total
        and (one.total or 0) <= _SMALL_SCALE
        and gap.words & _RATINGS
    ):
        return True
    if one.events is not None and {*gap.between[:4], *gap.after[:4]} & _PRESSURE:
        return True
    sexes = _SEXES & {*gap.between[:4]}, _SEXES & {*gap.after[:4]}
    return bool(sexes[0] and sexes[1] and sexes[0] != sexes[1])


def _are_linked(gap: Gap) -> bool:
    between = {*gap.between}
    if between & VERSUS or "respectively" in gap.after:
        return True
    if {*gap.before[-4:], *between} & _BEFORE_AFTER and not between & ARM_WORDS:
        return False
    if "to" in between and (gap.between == ("to",) or "from" in gap.before[-3:]):
        return False
    return _are_named(gap)


def _are_named(gap: Gap) -> bool:
    """Tell whether each of two results joined by 'and' or a comma has an arm of its own."""
    before, between, after = ({*words} & ARM_WORDS for words in (gap.before, gap.between, gap.after))
    if between and (before or after):
        return True
    if before and after and "did" in gap.between and len(gap.between) <= 5:
        return True
    if gap.between[-1:] == ("and",) and {*gap.between} <= _JOINT and _names_both(gap.after):
        return True
    if gap.between[:1] == gap.after[:1] == ("(",):
        return ")" in gap.between[1:6] and ")" in gap.after[1:6]
    if gap.between[-1:] == ("and",) and 2 <= len(gap.between) <= 5 and not {*gap.between} & CONTROL:
        return bool({*gap.after[:4]} & CONTROL) or _same_preposition(gap)
    return _same_preposition(gap)


def _names_both(after: Sequence[str]) -> bool:
    """Tell whether words name two arms at once: 'in the block (n=45) and control (n=44) groups'."""
    opens = next((place for place, word in enumerate(after[:4]) if word == "in"), None)
    if opens is None or {*after[:opens]} & {"and", ",", ";"}:
        return False
    words = after[opens:]
    return bool({"groups", "arms"} & {*words[:12]}) and "and" in words[1:9]


def _same_preposition(gap: Gap) -> bool:
    one, two = _preposition(gap.between[:-1]), _preposition(gap.after)
    return one == two != "" and bool({"and", ","} & {*gap.between})


def _preposition(words: Sequence[str]) -> str:
    """Return the preposition that introduces an arm behind its numbers, or ''."""
    for place, word in enumerate(words[:5]):
        if word in PREPOSITIONS:
            following = words[place + 1] if place + 1 < len(words) else ""
            return "" if following in _TIMES or (word == "in" and following.isdigit()) else word
        if word.isalpha() and word not in PEOPLE and place > 2:
            break
    return ""


def _is_time(words: Sequence[str]) -> bool:
    """Tell whether words begin with a time: 'on day 7', 'in 2015'."""
    head = words[:4]
    if not head or head[0] not in ("on", "in", "at"):
        return False
    return bool(_TIMES & {*head}) or any(word.isdigit() and len(word) == 4 for word in head)
