"""Phrases in which an abstract describes its participants and its outcomes, as it words them itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from metarag.pico_types import PicoTerm, TermKind
from metarag.pico_vocabulary import Words
from metarag.types import Span

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


def participant_phrases(words: Words, where: str) -> list[PicoTerm]:
    """Return phrases such as '280 outpatients with hay fever', the first six."""
    spans = []
    for word, place in zip(words.lower, words.matches, strict=True):
        pattern = _WITH if word in _PEOPLE else _COUNTED if word.isdigit() or word in _NUMERALS else None
        if pattern and (match := pattern.match(words.text, place.start())):
            spans.append(match.span())
    return list(_terms(words.text, where, _outermost(spans)))


def outcome_phrases(words: Words, where: str) -> list[PicoTerm]:
    """Return what 'the primary outcome was X', 'change in X' and 'incidence of X' name, the first six."""
    spans = []
    for word, place in zip(words.lower, words.matches, strict=True):
        for firsts, pattern in _OUTCOMES:
            if word in firsts and (match := pattern.match(words.text, place.start())):
                spans.append(match.span("x"))
    return list(_terms(words.text, where, spans))


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out spans that lie within one before them."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _terms(text: str, where: str, spans: list[tuple[int, int]]) -> Iterator[PicoTerm]:
    for start, end in spans[:_MAX_PHRASES]:
        said = text[start:end].rstrip()
        yield PicoTerm(
            concept=" ".join(said.lower().split()),
            kind=TermKind.OPEN,
            span=Span(where=where, start=start, end=start + len(said), text=said),
        )
