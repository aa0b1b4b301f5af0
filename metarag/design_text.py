"""Reads designs from title and abstract: literal cues first, then a bounded pattern at each cue.

A pattern is only tried where its cue stands, so that the work is linear in the text whatever the text
is, and a thousand abstracts a second are possible. All patterns have bounded repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Self

from metarag.design_reasons import Claim, Reasons
from metarag.types import SignalSource, Span, StudyDesign

MAX_TRIES: Final = 100
"""Occurrences of a rule's cues that are tried; a design is stated early or it is not stated."""

_WORD: Final = re.compile(r"[^\W_]+")
_KEY: Final = 4
_BEFORE: Final = 70
_SENTENCE: Final = 320
_GAP: Final = r"(?:[^\s.;:]{1,30}\s{1,2}){0,%s}?"
_PLAIN: Final = {ord(dash): "-" for dash in "‐‑‒–—―−"} | {
    ord(blank): " " for blank in "\u00a0\u2009\u202f\u200b\u200e\u200f\t"
}

TITLE: Final = "title"
ABSTRACT: Final = "abstract"
BOTH: Final = (TITLE, ABSTRACT)
_SOURCES: Final = {TITLE: SignalSource.TITLE, ABSTRACT: SignalSource.ABSTRACT}


@dataclass(frozen=True, slots=True)
class TextRule:
    """A phrase and what it says.

    Attributes
    ----------
    cues : tuple of str
        Folded literals; the pattern is tried at each place where one stands at the start of a word.
    pattern : re.Pattern
        Matched from the cue on.
    claim : Claim
        What the phrase says.
    where : tuple of str
        ``title``, ``abstract`` or both.
    after : re.Pattern or None
        Must match the up to 70 characters before the cue (ends with ``$``).
    not_after : re.Pattern or None
        Must not match there.
    unless : re.Pattern or None
        Must not match anywhere in the sentence of the phrase.
    """

    cues: tuple[str, ...]
    pattern: re.Pattern[str]
    claim: Claim
    where: tuple[str, ...] = BOTH
    after: re.Pattern[str] | None = None
    not_after: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None


def rule(
    cues: str,
    pattern: str,
    design: StudyDesign | None = None,
    weight: float = 0.0,
    *labels: str,
    where: Sequence[str] = BOTH,
    after: str | None = None,
    not_after: str | None = None,
    unless: str | None = None,
) -> TextRule:
    """Build a rule from short notation.

    Parameters
    ----------
    cues : str
        Alternatives divided by ``|``; ``~`` in a cue or a pattern stands for a hyphen, a blank or nothing.
    pattern : str
        A regular expression over folded text; a blank matches one to three white-space characters
        (`` ?`` none to three), and ``<n>`` up to ``n`` words within the sentence.
    """
    return TextRule(
        cues=tuple(form for cue in cues.split("|") for form in _cue_forms(cue)),
        pattern=compile_phrase(pattern),
        claim=Claim(design, weight, labels),
        where=tuple(where),
        after=compile_phrase(f"(?:{after})$") if after else None,
        not_after=compile_phrase(f"(?:{not_after})$") if not_after else None,
        unless=compile_phrase(unless) if unless else None,
    )


def compile_phrase(pattern: str) -> re.Pattern[str]:
    """Compile the notation of :func:`rule`."""
    spaced = pattern.replace(" ?", r"\s{0,3}").replace(" ", r"\s{1,3}").replace("~", r"[-\s]?")
    return re.compile(re.sub(r"<(\d{1,2})>", lambda m: _GAP % m.group(1), spaced))


def _cue_forms(cue: str) -> tuple[str, ...]:
    if "~" not in cue:
        return (cue,)
    return tuple(cue.replace("~", joint) for joint in ("-", " ", ""))


def fold(text: str) -> str:
    """Return the text in lower case with plain dashes and blanks, of the same length."""
    if text.isascii():
        return text.lower()
    plain = text.translate(_PLAIN)
    folded = plain.lower()
    if len(folded) == len(text):
        return folded
    # A few capitals (the Turkish dotted I) grow when lowered; spans must not move.
    return "".join(low if len(low := c.lower()) == 1 else c for c in plain)


_Entries = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """Rules by the first letters of their cues, so that each word of a text asks for its few rules.

    Attributes
    ----------
    rules : tuple of TextRule
        In the order in which their signals are given.
    by_start : mapping of str to entries
        The first four (or three) letters of a word to cues, each with the numbers of its rules.
    by_word : mapping of str to entries
        The same for cues that open with a whole word of one to three letters.
    """

    rules: tuple[TextRule, ...]
    by_start: Mapping[str, _Entries]
    by_word: Mapping[str, _Entries]

    @classmethod
    def build(cls, rules: Iterable[TextRule], where: str) -> Self:
        """Index the rules for a title or an abstract.

        Raises
        ------
        ValueError
            A cue opens with less than three letters that are no whole word.
        """
        chosen = tuple(candidate for candidate in rules if where in candidate.where)
        numbers: dict[str, tuple[int, ...]] = {}
        for number, candidate in enumerate(chosen):
            for cue in dict.fromkeys(candidate.cues):
                numbers[cue] = (*numbers.get(cue, ()), number)
        by_start: dict[str, _Entries] = {}
        by_word: dict[str, _Entries] = {}
        for cue, its_rules in numbers.items():
            key, whole = _opening(cue)
            table = by_word if whole else by_start
            table[key] = (*table.get(key, ()), (cue, its_rules))
        return cls(rules=chosen, by_start=MappingProxyType(by_start), by_word=MappingProxyType(by_word))

    def matches(self, folded: str) -> dict[int, tuple[int, int]]:
        """Return start and end of the first place where each rule holds, by the rule's number."""
        found: dict[int, tuple[int, int]] = {}
        tries: dict[int, int] = {}
        asked: dict[str, _Entries] = {}
        for match in _WORD.finditer(folded):
            word = match.group()
            if word not in asked:
                asked[word] = self._entries(word)
            for cue, numbers in asked[word]:
                if folded.startswith(cue, match.start()):
                    self._try(folded, match.start(), numbers, found, tries)
        return found

    def _try(
        self,
        folded: str,
        start: int,
        numbers: tuple[int, ...],
        found: dict[int, tuple[int, int]],
        tries: dict[int, int],
    ) -> None:
        for number in numbers:
            if number not in found and tries.get(number, 0) < MAX_TRIES:
                tries[number] = tries.get(number, 0) + 1
                end = _end_of_match(folded, start, self.rules[number])
                if end is not None:
                    found[number] = (start, end)

    def _entries(self, word: str) -> _Entries:
        """Return the cues that a word can open; most words open none."""
        if len(word) < _KEY:
            return self.by_start.get(word, ()) + self.by_word.get(word, ())
        return self.by_start.get(word[:_KEY], ()) + self.by_start.get(word[: _KEY - 1], ())


def _opening(cue: str) -> tuple[str, bool]:
    """Return the letters by which a cue is found, and whether they are a whole short word."""
    word = _WORD.match(cue)
    if word is None or (len(cue) == word.end() < _KEY - 1):
        raise ValueError(f"cue {cue!r} must open with a whole word or three letters of one")
    return word.group()[:_KEY], word.end() < min(_KEY, len(cue))


def text_reasons(text: str, where: str, index: RuleIndex) -> Reasons:
    """Return what a title or an abstract says, each signal with the exact span of its words.

    Parameters
    ----------
    text : str
        ``article.title`` or ``article.abstract``; spans index this string.
    where : str
        ``title`` or ``abstract``.
    """
    parts: list[Reasons] = []
    for number, (start, end) in sorted(index.matches(fold(text)).items()):
        span = Span(where=where, start=start, end=end, text=text[start:end])
        parts.append(index.rules[number].claim.reasons(_SOURCES[where], span.text, span))
    return Reasons.gather(*parts)


def _end_of_match(folded: str, start: int, candidate: TextRule) -> int | None:
    match = candidate.pattern.match(folded, start)
    if match is None or not _context_fits(folded, start, match.end(), candidate):
        return None
    return match.end()


def _context_fits(folded: str, start: int, end: int, candidate: TextRule) -> bool:
    before = folded[max(0, start - _BEFORE) : start]
    if candidate.after and not candidate.after.search(before):
        return False
    if candidate.not_after and candidate.not_after.search(before):
        return False
    return not (candidate.unless and candidate.unless.search(sentence_around(folded, start, end)))


def sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence that holds ``text[start:end]``, at most 320 characters to either side."""
    low, high = max(0, start - _SENTENCE), min(len(text), end + _SENTENCE)
    stop, line = text.rfind(". ", low, start), text.rfind("\n", low, start)
    left = max(low, line + 1, stop + 2 if stop >= 0 else 0)
    ends = [position for mark in (". ", "\n") if (position := text.find(mark, end, high)) >= 0]
    return text[left : min(ends, default=high)]
