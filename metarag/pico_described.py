"""Phrases in which an abstract describes its participants and its outcomes, as it words them itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from metarag.pico_types import PicoTerm, TermKind
from metarag.types import Span

# Each gap is bounded and stays within a clause, so that time is linear in the text.
_PEOPLE: Final = (
    r"(?:patients|women|men|children|adults|participants|subjects|volunteers|infants|people|persons|outpatients|"
    r"inpatients|adolescents|girls|boys|neonates|newborns|individuals|residents|students|smokers|veterans)"
)
_PARTICIPANTS: Final = re.compile(
    r"\b(?:\d{1,3}(?:,\d{3})?|[A-Z][a-z]{2,10}(?:-[a-z]{3,6})?)\s"
    rf"(?:[\w/-]{{1,20}}\s){{0,4}}?{_PEOPLE}\b"
    r"(?:\s(?:with|who|aged|undergoing|suffering|having|hospitalized|hospitalised|scheduled)\s[^.,;:()\n]{3,80})?"
)
_WITH: Final = re.compile(rf"\b{_PEOPLE}\s(?:with|undergoing|aged|suffering from)\s[^.,;:()\n]{{3,60}}")
_OUTCOME: Final = re.compile(
    r"\b(?:outcomes?|end ?-?points?|measures?|variables?)\s(?:(?:measures?|variables?)\s)?(?:was|were|included?)\s"
    r"(?:the\s)?(?P<x>[^.;:()\n]{3,120})"
    r"|\b(?:changes?|reductions?|increases?|decreases?|improvements?|differences?)\sin\s(?:the\s)?"
    r"(?P<y>(?:[\w/-]{2,20}\s){0,3}?[\w/-]{3,20})(?=\s(?:was|were|and|in|between|at|from|with|after|than|of|for)\b|[.,;:()])"
    r"|\b(?:incidence|rates?|frequency|severity|duration|risk)\sof\s(?:the\s)?"
    r"(?P<z>(?:[\w/-]{2,20}\s){0,2}?[\w/-]{3,20})(?=\s(?:was|were|and|in|between|at|from|with|after|than)\b|[.,;:()])"
)
_STARTS: Final = frozenset("The These This All Both Our Of In For Among When While Such No Some Most".split())
_MAX_PHRASES = 6


def participant_phrases(text: str, where: str) -> list[PicoTerm]:
    """Return phrases such as '280 outpatients with hay fever', the first six."""
    counted = (m for m in _PARTICIPANTS.finditer(text) if m.group().split(None, 1)[0] not in _STARTS)
    described = _WITH.finditer(text)
    spans = sorted({(m.start(), m.end()) for matches in (counted, described) for m in matches})
    return list(_terms(text, where, _outermost(spans)))


def outcome_phrases(text: str, where: str) -> list[PicoTerm]:
    """Return what 'the primary outcome was X', 'change in X' and 'incidence of X' name, the first six."""
    spans = []
    for match in _OUTCOME.finditer(text):
        group = next(name for name in ("x", "y", "z") if match[name])
        spans.append((match.start(group), match.end(group)))
    return list(_terms(text, where, spans))


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
