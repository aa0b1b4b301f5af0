"""Where a text counts people, and which counts it sets side by side as those of arms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from metarag.design_text import fold
from metarag.folded_words import folded_words
from metarag.number_words import NUMBER, PEOPLE, to_number
from metarag.types import Span
from metarag.word_facts import places_of_kind
from metarag.word_kinds import WordKind

MAX_CHARACTERS: Final = 20_000
"""Characters that are read: an abstract, or the beginning of a full text."""

# Words between the number and the people; a unit there means that something else is counted.
KIND: Final = (
    r"(?:\s(?!(?:years?|months?|weeks?|days?|hours?|h|min|mg|kg|ml|percent|of|to|or|and|in|trials?|study(?!\s)|studies"
    r"|centers?|centres?|hospitals?|sites?|clinics?|practices)\b)[a-z][^\s.;:()\d]{0,25}){0,5}?"
)
COUNTED: Final = rf"{NUMBER}{KIND}\s{PEOPLE}\b"
WERE: Final = r"(?:\s(?:who\s)?(?:were|was))?(?:\srandomly)?"

_SECOND: Final = NUMBER.replace("number", "second")
_TO_AN_ARM: Final = (
    r"(?:given|assigned|allocated|received|receiving|treated|taking|on|after|to|with|without|in\sthe"
    "|controls?|placebo)"
)
_UP_TO_NEXT: Final = (
    r"(?:\s(?!(?:and|or|enrolled|recruited|screened|included|eligible|entered|completed|analy[sz]ed"
    r"|randomi[sz]ed(?!\sto))\b)[^\s.;:(),]{1,25}){0,12}?(?:\s\([^()]{1,60}\))?"
)
_AND: Final = r",?\s(?:and|or|vs\.?|versus|against|compared\s(?:with|to))\s"
_EVENTS_OF: Final = (
    r"(?:in\s|(?:[a-z]{1,20}\s){1,3}by\s)?(?:\d{1,6}(?:\s\w{1,20}){0,2}\s(?:of|among|in)\s)?(?:the\s)?"
)
_PAIRS: Final = (
    rf"(?>{NUMBER})(?!\sof\s)(?:{KIND}\s{PEOPLE}\b)?{_UP_TO_NEXT}{_AND}{_EVENTS_OF}{_SECOND}"
    rf"(?!{KIND}\scases\b)(?:{KIND}\s{PEOPLE}\b|{WERE}\s{_TO_AN_ARM}\b)",
    rf"{NUMBER}(?:{KIND}\s{PEOPLE}\b)?{WERE}\s(?P<mark>{_TO_AN_ARM})\b{_UP_TO_NEXT},\s"
    rf"{_EVENTS_OF}{_SECOND}(?:{KIND}\s{PEOPLE}\b)?{WERE}\s(?P=mark)\b",
)
_PAIR_IN_BRACKETS: Final = (
    rf"(?<=\(){COUNTED}\)(?:\s[^\s.;:()]{{1,25}}){{1,12}}\s\({_SECOND}(?:{KIND}\s{PEOPLE})?\)"
)
# What the second number of a pair stands before, if no people; all that can stand between the two numbers.
_OF_AN_ARM: Final = rf"{NUMBER}{WERE}\s{_TO_AN_ARM}\b"
_CLAUSE: Final = re.compile(r"[^.;:()]*+(?:(?:\([^()]{1,60}\)|(?<=vs)\.)[^.;:()]*+)*+")
_PER: Final = re.compile(r"\b(?:every|each|per)\s\Z")
_CLAUSE_END: Final = re.compile(r"[.;:]")


class Row(NamedTuple):
    """Counts of people that one sentence sets side by side: their sizes by their places, and the end."""

    sizes: dict[int, int]
    end: int


class CountingText(NamedTuple):
    """A folded text with the starts of its numbers, of those that count people, and its rows of arms.

    ``clauses`` are what follows each of ``counts`` up to the end of its clause: several rules ask for them.
    """

    where: str
    text: str
    folded: str
    numbers: tuple[int, ...]
    counts: tuple[int, ...]
    clauses: tuple[str, ...]
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, where: str, text: str) -> CountingText:
        """Read a text up to its 20,000th character."""
        read = text[:MAX_CHARACTERS]
        folded = fold(read)
        words = folded_words(folded)
        numbered, counted = compiled(NUMBER).match, compiled(COUNTED).match
        starts = [words.starts[number] for number in places_of_kind(WordKind.NUMBER, words)]
        numbers = [start for start in starts if numbered(folded, start)]
        counts = [start for start in numbers if counted(folded, start) and not _is_rate(folded, start)]
        clauses = [_clause_from(folded, start) for start in counts]
        rows = tuple(_rows(folded, numbers, counts))
        return cls(where, read, folded, tuple(numbers), tuple(counts), tuple(clauses), rows)

    def span(self, start: int, end: int) -> Span:
        """Return the span of a part of it."""
        return Span.cut(self.where, self.text, start, end)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, once."""
    return re.compile(pattern)


def _is_rate(folded: str, start: int) -> bool:
    """True for "for every 76 women randomised, one less had ...": nobody counted those who took part."""
    return _PER.search(folded, max(0, start - 12), start) is not None


def _clause_from(folded: str, start: int) -> str:
    end = _CLAUSE_END.search(folded, start)
    return folded[start : end.start() if end else None]


def _rows(folded: str, numbers: list[int], counts: list[int]) -> Iterator[Row]:
    row, number_end = Row({}, 0), 0
    for start, match in _pairs(folded, numbers, counts):
        if start < number_end:
            continue
        number_end = match.end("number")
        second = {match.start("second"): to_number(match["second"])}
        if start in row.sizes:
            row = Row(row.sizes | second, match.end())
            continue
        if row.sizes:
            yield row
        row = Row({start: to_number(match["number"])} | second, match.end())
    if row.sizes:
        yield row


def _pairs(folded: str, numbers: list[int], counts: list[int]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the pairs of numbers that begin at each number; the patterns are tried only where one can be."""
    counting, of_an_arm = set(counts), compiled(_OF_AN_ARM).match
    seconds = [start for start in numbers if start in counting or of_an_arm(folded, start)]
    for start in numbers:
        bracketed = start in counting and folded[start - 1 : start] == "("
        match = compiled(_PAIR_IN_BRACKETS).match(folded, start) if bracketed else None
        if seconds and start < seconds[-1]:
            clause = _CLAUSE.match(folded, start)
            end = clause.end() if clause else start
            if any(start < second < end for second in seconds):
                match = next((m for pair in _PAIRS if (m := compiled(pair).match(folded, start))), match)
        if match:
            yield start, match
