"""Phrases in which an abstract describes its participants and its outcomes, as it words them itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter
from typing import Final

from metarag.pico_types import Noted, TermKind
from metarag.pico_words import Words
from metarag.word_facts import places_of_kind
from metarag.word_kinds import PEOPLE_WORDS, WordKind

# Patterns are tried only where one of their first words stands, and their gaps are bounded and stay within
# a clause, so that time is linear in the text.
_ANYONE: Final = "|".join(sorted(PEOPLE_WORDS))
_COUNTED: Final = re.compile(
    rf"[\w,]{{1,12}}(?:-[a-z]{{3,6}})?\s(?:[\w/-]{{1,20}}\s){{0,4}}?(?:{_ANYONE})\b"
    r"(?:\s(?:with|who|aged|undergoing|suffering|having|hospitali[sz]ed|scheduled)\s[^.,;:()\n]{3,80})?"
)
_COUNTED_REACH: Final = 12 + 7 + 1 + 4 * 21
"""Characters from the number to the word for people, at most, in the pattern above."""
_WITH: Final = re.compile(r"\w+\s(?:with|undergoing|aged|suffering from)\s[^.,;:()\n]{3,60}")
_END: Final = r"(?=\s(?:was|were|and|in|between|at|from|with|after|than|of|for)\b|[.,;:()])"
_OUTCOMES: Final = (
    (
        WordKind.MEASURE,
        re.compile(r"\w+\s(?:measures?\s|variables?\s)?(?:was|were|included?)\s(?P<x>[^.;:()\n]{3,120})"),
    ),
    (
        WordKind.CHANGE,
        re.compile(rf"\w+\sin\s(?:the\s)?(?P<x>(?:[\w/-]{{2,20}}\s){{0,3}}?[\w/-]{{3,20}}){_END}"),
    ),
    (
        WordKind.RATE,
        re.compile(rf"\w+\sof\s(?:the\s)?(?P<x>(?:[\w/-]{{2,20}}\s){{0,2}}?[\w/-]{{3,20}}){_END}"),
    ),
)
_MAX_PHRASES = 6


def participant_phrases(words: Words, where: str) -> list[Noted]:
    """Return phrases such as '280 outpatients with hay fever', the first six, none within another."""
    places = words.folded.starts
    starts = [places[number] for number in places_of_kind(WordKind.PEOPLE, words.folded)]
    tried = [(start, _WITH) for start in starts]
    for number in places_of_kind(WordKind.WHOLE, words.folded) if starts else ():
        start = places[number]
        following = bisect_left(starts, start)
        if following < len(starts) and starts[following] - start <= _COUNTED_REACH:
            tried.append((start, _COUNTED))
    spans: list[tuple[int, int]] = []
    for start, pattern in sorted(tried, key=itemgetter(0)):
        if (not spans or start >= spans[-1][1]) and (match := pattern.match(words.text, start)):
            spans.append(match.span())
            if len(spans) == _MAX_PHRASES:
                break
    return list(_terms(words.text, where, spans))


def outcome_phrases(words: Words, where: str) -> list[Noted]:
    """Return what 'the primary outcome was X', 'change in X' and 'incidence of X' name, the first six."""
    tried = [
        (position, pattern) for kind, pattern in _OUTCOMES for position in places_of_kind(kind, words.folded)
    ]
    spans = []
    for position, pattern in sorted(tried, key=itemgetter(0)):
        if match := pattern.match(words.text, words.start(position)):
            spans.append(match.span("x"))
            if len(spans) == _MAX_PHRASES:
                break
    return list(_terms(words.text, where, spans))


def _terms(text: str, where: str, spans: list[tuple[int, int]]) -> Iterator[Noted]:
    for start, end in spans:
        said = text[start:end].rstrip()
        yield Noted(" ".join(said.lower().split()), TermKind.OPEN, where, start, start + len(said), said)
