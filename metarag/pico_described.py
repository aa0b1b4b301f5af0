"""Phrases in which an abstract describes its participants and its outcomes, as it words them itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter
from typing import Final

from metarag.pico_types import Noted, TermKind
from metarag.pico_words import Words

# Patterns are tried only where one of their first words stands, and their gaps are bounded and stay within
# a clause, so that time is linear in the text.
_PEOPLE: Final = frozenset(
    """patients women men children adults participants subjects volunteers infants people persons
    outpatients inpatients adolescents girls boys neonates newborns individuals residents students smokers
    veterans""".split()
)
_NUMERALS: Final = frozenset(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred""".split()
)
_ANYONE: Final = "|".join(sorted(_PEOPLE))
_COUNTED: Final = re.compile(
    rf"[\w,]{{1,12}}(?:-[a-z]{{3,6}})?\s(?:[\w/-]{{1,20}}\s){{0,4}}?(?:{_ANYONE})\b"
    r"(?:\s(?:with|who|aged|undergoing|suffering|having|hospitali[sz]ed|scheduled)\s[^.,;:()\n]{3,80})?"
)
_COUNTED_REACH: Final = 12 + 7 + 1 + 4 * 21
"""Characters from the number to the word for people, at most, in the pattern above."""
_WITH: Final = re.compile(r"\w+\s(?:with|undergoing|aged|suffering from)\s[^.,;:()\n]{3,60}")
_MEASURES: Final = frozenset(
    "outcome outcomes endpoint endpoints point points measure measures variables".split()
)
_CHANGES: Final = frozenset(
    """change changes reduction reductions increase increases decrease decreases improvement improvements
    difference differences""".split()
)
_COUNTS: Final = frozenset("incidence rate rates frequency severity duration risk".split())
_END: Final = r"(?=\s(?:was|were|and|in|between|at|from|with|after|than|of|for)\b|[.,;:()])"
_OUTCOMES: Final = (
    (
        _MEASURES,
        re.compile(r"\w+\s(?:measures?\s|variables?\s)?(?:was|were|included?)\s(?P<x>[^.;:()\n]{3,120})"),
    ),
    (_CHANGES, re.compile(rf"\w+\sin\s(?:the\s)?(?P<x>(?:[\w/-]{{2,20}}\s){{0,3}}?[\w/-]{{3,20}}){_END}")),
    (_COUNTS, re.compile(rf"\w+\sof\s(?:the\s)?(?P<x>(?:[\w/-]{{2,20}}\s){{0,2}}?[\w/-]{{3,20}}){_END}")),
)
_MAX_PHRASES = 6


def participant_phrases(words: Words, where: str) -> list[Noted]:
    """Return phrases such as '280 outpatients with hay fever', the first six."""
    people = words.positions(words.index.keys() & _PEOPLE)
    if not people:
        return []
    starts = [words.start(position) for position in people]
    tried = [(start, _WITH) for start in starts]
    numbers = [word for word in words.index if word in _NUMERALS or word.isdigit()]
    for start in map(words.start, words.positions(numbers)):
        following = bisect_left(starts, start)
        if following < len(starts) and starts[following] - start <= _COUNTED_REACH:
            tried.append((start, _COUNTED))
    found = [pattern.match(words.text, start) for start, pattern in sorted(tried, key=itemgetter(0))]
    return list(_terms(words.text, where, _outermost([match.span() for match in found if match])))


def outcome_phrases(words: Words, where: str) -> list[Noted]:
    """Return what 'the primary outcome was X', 'change in X' and 'incidence of X' name, the first six."""
    tried = [
        (position, pattern)
        for firsts, pattern in _OUTCOMES
        for position in words.positions(words.index.keys() & firsts)
    ]
    spans = []
    for position, pattern in sorted(tried, key=itemgetter(0)):
        if match := pattern.match(words.text, words.start(position)):
            spans.append(match.span("x"))
            if len(spans) == _MAX_PHRASES:
                break
    return list(_terms(words.text, where, spans))


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out spans that lie within one before them."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _terms(text: str, where: str, spans: list[tuple[int, int]]) -> Iterator[Noted]:
    for start, end in spans[:_MAX_PHRASES]:
        said = text[start:end].rstrip()
        yield Noted(" ".join(said.lower().split()), TermKind.OPEN, where, start, start + len(said), said)
