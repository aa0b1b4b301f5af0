"""Interventions and comparators by the shape of a phrase, for what the vocabulary does not know."""

from __future__ import annotations

import re
from typing import Final

from metarag.literals import holds_one, matches_from
from metarag.pico_types import Noted, TermKind

# Each gap is bounded and cannot cross a clause, so that no text is slow.
_PHRASE: Final = r"[^.;:?!,()\n]{2,60}?"
_AFTER: Final = (
    r"(?=\s{1,4}(?:on|in|for|to|and|with|versus|vs|among|during|after|compared|as|at|before|when)\b"
    r"|[.;:?!,()\n]|$)"
)
_EFFECT_OF: Final = re.compile(
    r"\b(?:effects?|efficacy|effectiveness|impact|safety|benefits?|use|role|trial|tolerability)\s{1,4}of\s{1,4}"
    rf"(?P<x>{_PHRASE}){_AFTER}",
    re.IGNORECASE,
)
_VERSUS: Final = re.compile(
    rf"(?:^|[.;:,]\s{{1,4}}|\bof\s{{1,4}})(?P<x>{_PHRASE})\s{{1,4}}(?:versus|vs\.?|compared\s{{1,4}}(?:with|to)|or)\s{{1,4}}"
    rf"(?P<y>{_PHRASE}){_AFTER}",
    re.IGNORECASE,
)
_COMPARES: Final = ("versus", "vs", "compared", "or")
_ASSIGNED: Final = re.compile(
    r"\b(?:randomi[sz]ed|assigned|allocated)\s{1,4}(?:\w{1,12}\s{1,4}){0,3}?to\s{1,4}(?:receive\s{1,4}|either\s{1,4}){0,2}"
    rf"(?P<x>{_PHRASE})\s{{1,4}}(?:or|versus|vs\.?)\s{{1,4}}(?P<y>{_PHRASE}){_AFTER}",
    re.IGNORECASE,
)
_BEGIN_ASSIGNED: Final = ("randomi", "assigned", "allocated")
_ASKED: Final = re.compile(
    r"\b(?:do|does|did|is|are|can|could|should|will|would)\s{1,4}(?:the\s{1,4}use\s{1,4}of\s{1,4}|treatment\s{1,4}with\s{1,4})?"
    rf"(?P<x>{_PHRASE})\s{{1,4}}(?:an?\s{{1,4}})?"
    r"(?:be\b|reduce|improve|prevent|lower|increase|decrease|relieve|affect|help|work|cause|"
    r"effective|safe|superior|better|useful|protect|raise|shorten|delay|treat|worsen|slow)",
    re.IGNORECASE,
)
_TESTED: Final = re.compile(
    r"\b(?:how\s{1,4}(?:well|accurate(?:ly)?|sensitive|specific|reliabl[ey])\s{1,4}(?:is|are|does|do|can)"
    r"|(?:accuracy|sensitivity|specificity|predictive\s{1,4}value)\s{1,4}of)\s{1,4}"
    rf"(?P<x>{_PHRASE})(?=\s{{1,4}}(?:for|in|to|at|as|detect|diagnos|predict|exclude|identify|rule)|[?.,;]|$)",
    re.IGNORECASE,
)
_LIST: Final = re.compile(r",|;|/|\band/or\b|\bor\b|\band\b", re.IGNORECASE)
_EMPTY: Final = frozenset(
    """the a an it they this that these those treatment therapy patients drug drugs intervention interventions
    low high dose doses daily oral usual care different various two three another other group groups control
    there any risk factor factors that""".split()
)


def title_arms(title: str, where: str) -> tuple[list[Noted], list[Noted]]:
    """Return the intervention and the comparator of 'X versus Y in Z' and 'effect of X on Y'."""
    lower = title.lower()
    versus = _VERSUS.search(title) if holds_one(lower, _COMPARES) else None
    if versus:
        return _terms(versus, "x", where), _terms(versus, "y", where)
    effect = _EFFECT_OF.search(title) if "of" in lower else None
    return (_terms(effect, "x", where) if effect else []), []


def assigned_arms(text: str, where: str) -> tuple[list[Noted], list[Noted]]:
    """Return the arms of 'randomised to X or Y' and 'assigned to receive X or Y'."""
    match = next(matches_from(_BEGIN_ASSIGNED, _ASSIGNED, text), None)
    return (_terms(match, "x", where), _terms(match, "y", where)) if match else ([], [])


def asked_intervention(question: str, where: str) -> list[Noted]:
    """Return the subject of 'Does X reduce Y?' and the test of 'How accurate is X for Y?'."""
    match = _TESTED.search(question) or _ASKED.search(question)
    return _terms(match, "x", where) if match else []


def alternatives(text: str, where: str) -> list[Noted]:
    """Return the members of a list: 'diet, exercise or both' are three terms."""
    terms = []
    start = 0
    for match in (*_LIST.finditer(text), None):
        end = match.start() if match else len(text)
        terms += _open_term(text, start, end, where)
        start = match.end() if match else end
    return terms


def _terms(match: re.Match[str], group: str, where: str) -> list[Noted]:
    return _open_term(match.string, match.start(group), match.end(group), where)


def _open_term(text: str, start: int, end: int, where: str) -> list[Noted]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    said = text[start:end]
    if all(word in _EMPTY for word in re.findall(r"[^\W_]+", said.lower())):
        return []
    return [Noted(" ".join(said.lower().split()), TermKind.OPEN, where, start, end, said)]
