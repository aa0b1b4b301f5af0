"""Which rules hold in a text, given where their cues stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from metarag.design_context import CONTEXTS
from metarag.design_cues import CueTable, Opened, places_of_cues
from metarag.design_text import TextRule, compile_phrase, sentence_bounds
from metarag.folded_words import FoldedWords
from metarag.literals import holds_one

_BEFORE = 70
"""Characters before a cue in which its context is read."""


@dataclass(frozen=True, slots=True)
class CuedText:
    """A folded text, where the cues stand in it, and what its sentences were already asked.

    Attributes
    ----------
    folded : str
    places : mapping of int to list of int
        Where the cues of a rule stand, by the rule's number, if the text holds what the rule needs.
    answers : dict
        Whether a pattern stands in a sentence, by pattern and bounds: many rules ask one sentence the same.
    """

    folded: str
    places: Mapping[int, list[int]]
    answers: dict[tuple[str, int, int], bool] = field(default_factory=dict)

    def has_in_sentence(self, patterns: Iterable[str], start: int, end: int) -> bool:
        """Return whether one of the patterns stands in the sentence that holds ``folded[start:end]``."""
        left, right = sentence_bounds(self.folded, start, end)
        for pattern in patterns:
            key = (pattern, left, right)
            answer = self.answers.get(key)
            if answer is None:
                answer = self.answers[key] = _has(self.folded[left:right], pattern)
            if answer:
                return True
        return False


def _has(sentence: str, pattern: str) -> bool:
    literals = CONTEXTS.get(pattern)
    if literals and not holds_one(sentence, literals):
        return False
    return compile_phrase(pattern).search(sentence) is not None


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """Rules by their cues.

    Attributes
    ----------
    rules : tuple of TextRule
        In the order in which their signals are given.
    groups : tuple of range
        The numbers of the rules of each group.
    cues : CueTable
        The cues, each with the numbers of its rules, of all rules that need nothing.
    needed : mapping of str to tuple of int
        What the other rules need, with their numbers: parts of words, and whole ones. Their cues are common
        words, and stand in most texts in vain, so that they are looked for only where a need is met.
    whole : frozenset of str
        What must be a whole word to meet a need.
    """

    rules: tuple[TextRule, ...]
    groups: tuple[range, ...]
    cues: CueTable[int]
    needed: Mapping[str, tuple[int, ...]]
    whole: frozenset[str]

    @classmethod
    def build(cls, groups: Iterable[Iterable[TextRule]], where: str) -> Self:
        """Index groups of rules for a title or an abstract; one pass over a text finds the cues of all.

        Raises
        ------
        ValueError
            A rule needs both parts of words and whole words, or a part that no single word can hold.
        """
        chosen: list[TextRule] = []
        ranges: list[range] = []
        for group in groups:
            first = len(chosen)
            chosen += [candidate for candidate in group if where in candidate.where]
            ranges.append(range(first, len(chosen)))
        numbers: dict[str, list[int]] = {}
        needed: dict[str, tuple[int, ...]] = {}
        for number, candidate in enumerate(chosen):
            needs = {*candidate.needs, *candidate.needs_word}
            if candidate.needs and (candidate.needs_word or not all(map(str.isalnum, candidate.needs))):
                raise ValueError(
                    f"needs of {candidate.pattern!r} must be words, or letters and digits of words"
                )
            for need in needs:
                needed[need] = (*needed.get(need, ()), number)
            for cue in () if needs else dict.fromkeys(candidate.cues):
                numbers.setdefault(cue, []).append(number)
        whole = frozenset[str]().union(*(candidate.needs_word for candidate in chosen))
        if not whole.isdisjoint(need for candidate in chosen for need in candidate.needs):
            raise ValueError("what some rules need as a whole word others need as a part of one")
        return cls(tuple(chosen), tuple(ranges), CueTable.build(numbers), needed, whole)

    def needs_met(self, word: str) -> tuple[str, ...]:
        """Return what rules need and a word of a text meets."""
        return tuple(need for need in self.needed if (need == word if need in self.whole else need in word))

    def cued(
        self, text: FoldedWords, opened: Iterable[tuple[int, Opened[int]]], met: Iterable[str]
    ) -> CuedText:
        """Return a text with the places of all cues, given which words open some and which needs are met."""
        places = self.cues.places(text, opened)
        for number in {number for need in met for number in self.needed.get(need, ())}:
            if starts := places_of_cues(self.rules[number].cues, text.text):
                places[number] = starts
        return CuedText(text.text, places)

    def matches(self, text: CuedText, group: int) -> list[tuple[TextRule, int, int]]:
        """Return the rules of a group that hold, in order, with start and end of their first place."""
        found: list[tuple[TextRule, int, int]] = []
        numbers = self.groups[group]
        for number in sorted([number for number in text.places if number in numbers]):
            place = _first_place(self.rules[number], text.places[number], text)
            if place:
                found.append((self.rules[number], *place))
        return found


def _first_place(candidate: TextRule, starts: list[int], text: CuedText) -> tuple[int, int] | None:
    folded = text.folded
    match = compile_phrase(candidate.pattern).match
    for start in starts:
        found = match(folded, start)
        if found and _context_fits(text, start, found.end(), candidate):
            return start, found.end()
    return None


def _context_fits(text: CuedText, start: int, end: int, candidate: TextRule) -> bool:
    if candidate.after or candidate.not_after:
        before = text.folded[max(0, start - _BEFORE) : start]
        if candidate.after and not compile_phrase(candidate.after).search(before):
            return False
        if candidate.not_after and compile_phrase(candidate.not_after).search(before):
            return False
    return not candidate.unless or not text.has_in_sentence(candidate.unless, start, end)
