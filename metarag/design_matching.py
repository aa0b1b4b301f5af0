"""Which rules hold in a text, given where their cues stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

from metarag.design_cues import MAX_TRIES
from metarag.design_text import TextRule, compile_phrase, sentence_bounds

_BEFORE = 70
"""Characters before a cue in which its context is read."""


@dataclass(frozen=True, slots=True)
class CuedText:
    """A folded text, where the cues stand in it, and what its sentences were already asked.

    Attributes
    ----------
    folded : str
    words : tuple of str
        Its words.
    places : mapping of str to list of int
        As :meth:`metarag.design_cues.CueTable.places` returned it.
    answers : dict
        Whether a pattern stands in a sentence, by pattern and bounds: many rules ask one sentence the same.
    """

    folded: str
    words: tuple[str, ...]
    places: Mapping[str, list[int]]
    answers: dict[tuple[str, int, int], bool] = field(default_factory=dict)

    def has_in_sentence(self, pattern: str, start: int, end: int) -> bool:
        """Return whether the pattern stands in the sentence that holds ``folded[start:end]``."""
        left, right = sentence_bounds(self.folded, start, end)
        key = (pattern, left, right)
        if key not in self.answers:
            self.answers[key] = compile_phrase(pattern).search(self.folded[left:right]) is not None
        return self.answers[key]


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """Rules by their cues.

    Attributes
    ----------
    rules : tuple of TextRule
        In the order in which their signals are given.
    by_cue : mapping of str to tuple of int
        The numbers of the rules that a cue belongs to.
    """

    rules: tuple[TextRule, ...]
    by_cue: Mapping[str, tuple[int, ...]]

    @classmethod
    def build(cls, rules: Iterable[TextRule], where: str) -> Self:
        """Index the rules for a title or an abstract."""
        chosen = tuple(candidate for candidate in rules if where in candidate.where)
        numbers: dict[str, list[int]] = {}
        for number, candidate in enumerate(chosen):
            for cue in dict.fromkeys(candidate.cues):
                numbers.setdefault(cue, []).append(number)
        return cls(chosen, MappingProxyType({cue: tuple(its) for cue, its in numbers.items()}))

    def matches(self, text: CuedText) -> list[tuple[int, int, int]]:
        """Return number, start and end of the first place of each rule that holds, by number."""
        cued: dict[int, list[list[int]]] = {}
        for cue, starts in text.places.items():
            for number in self.by_cue.get(cue, ()):
                cued.setdefault(number, []).append(starts)
        found: list[tuple[int, int, int]] = []
        for number in sorted(cued):
            place = _first_place(self.rules[number], cued[number], text)
            if place:
                found.append((number, *place))
        return found


def _first_place(candidate: TextRule, starts: list[list[int]], text: CuedText) -> tuple[int, int] | None:
    folded = text.folded
    if not _needs_are_met(text, candidate):
        return None
    match = compile_phrase(candidate.pattern).match
    # Cues of one rule may begin alike ("review", "review of"); a place is tried once.
    places = starts[0] if len(starts) == 1 else sorted({start for some in starts for start in some})
    for start in places[:MAX_TRIES]:
        found = match(folded, start)
        if found and _context_fits(text, start, found.end(), candidate):
            return start, found.end()
    return None


def _needs_are_met(text: CuedText, candidate: TextRule) -> bool:
    if candidate.needs and not any(literal in text.folded for literal in candidate.needs):
        return False
    return not candidate.needs_word or not candidate.needs_word.isdisjoint(text.words)


def _context_fits(text: CuedText, start: int, end: int, candidate: TextRule) -> bool:
    if candidate.after or candidate.not_after:
        before = text.folded[max(0, start - _BEFORE) : start]
        if candidate.after and not compile_phrase(candidate.after).search(before):
            return False
        if candidate.not_after and compile_phrase(candidate.not_after).search(before):
            return False
    return not (candidate.unless and text.has_in_sentence(candidate.unless, start, end))
