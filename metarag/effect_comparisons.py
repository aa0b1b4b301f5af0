"""Which arms an effect compares: 'less often with norastatin than with placebo', 'X versus Y'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from metarag.pico_types import TermKind
from metarag.pico_vocabulary import Words, vocabulary

_MOST_WORDS = 6
_KINDS = frozenset((TermKind.DRUG, TermKind.PROCEDURE, TermKind.COMPARATOR))
_CONNECTOR = re.compile(
    r"\b(?:(?:when |as )?compared (?:with|to)|in comparison (?:with|to)|relative to|versus|vs\.?|rather than|as opposed to"
    r"|than(?: with| in| on| for| among| by| those (?:on|receiving|given|in|with|assigned to))?|over)(?= )",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^\W*(?:compared|relative|in comparison|as compared) (?:with|to) ", re.IGNORECASE)
_RANDOMISED = re.compile(
    r"\b(?:randomi[sz]ed|randomly (?:assigned|allocated)|assigned|allocated)\b[^.;:]{0,100}?\b(?:to receive|to|receiving|either) (?:either |receive )?"
    r"(?P<one>(?:[\w+/-]+ ){1,5}?)(?:\([^)]{1,20}\) )?(?:or|versus|vs\.?|and|compared with) (?:to |matching |a )?(?P<two>(?:[\w+/-]+[ ,.;(]){1,3})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][\w'/+-]*")
_BOUNDARY = re.compile(r"[.;:,()\[\]]")
_STOPS = frozenset(
    "was were is are had has did and or but which that who after at during from by occurred developed fell rose reduced"
    " increased lowered lower higher less more fewer greater often frequent likely among hazard odds risk rate ratio"
    " ratios relative mean difference associated associate improved decreased group's between significantly similar".split()
)
_PREPOSITIONS = frozenset(
    "with in on for of to by the a an among receiving given taking under who those patients assigned".split()
)
_FILLERS = frozenset(
    "the a an group groups arm arms patients participants those treatment therapy treated receiving given assigned to"
    " in on with users recipients of and daily alone who were people women men children adults use subjects".split()
)
_LEADING_FILLERS = frozenset("either receive oral assigned allocated treated patients".split())
_TRAILING_FILLERS = frozenset("group groups arm arms alone patients participants treatment and in".split())
CONTROL_WORDS = frozenset(
    "placebo control controls sham usual standard conventional routine comparator untreated unexposed unvaccinated"
    " nothing waiting waitlist no without dummy saline vehicle observation".split()
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The two sides as printed and as a key (``aspirin|placebo``); the first one is compared with the second."""

    one: str
    two: str

    @property
    def text(self) -> str:
        """Both sides in words."""
        return f"{self.one} vs {self.two}"

    @property
    def key(self) -> str | None:
        """Canonical names of both sides, ``None`` where one has none or both are the same."""
        one, two = arm_key(self.one), arm_key(self.two)
        return None if one is None or two is None or one == two else f"{one}|{two}"


def arms(one: str, two: str) -> Comparison | None:
    """Return the comparison of two arms named beside their numbers, or ``None`` where a name is missing."""
    first, second = _trimmed(one.split()), _trimmed(two.split())
    return Comparison(first, second) if first and second else None


def comparison_in(before: str, after: str) -> Comparison | None:
    """Return what a sentence compares.

    Parameters
    ----------
    before, after : str
        The words up to the effect's numbers, and those behind them. The last comparison before the
        numbers counts, then the first behind them.
    """
    leading = _LEADING.match(before)
    if leading is not None:
        two = _words_from(before, leading.end())
        one = _named_behind(after) or _after_comma(before, leading.end())
        return Comparison(one, two) if one and two else None
    for text, found in (
        (before, list(_CONNECTOR.finditer(before))[::-1]),
        (after, list(_CONNECTOR.finditer(after))),
    ):
        for connector in found:
            one, two = _words_to(text, connector.start()), _words_from(text, connector.end())
            if one and two:
                return Comparison(one, two)
    return None


def randomised_comparison(text: str) -> Comparison | None:
    """Return the arms that the text says people were assigned to, where the second one is a control."""
    for found in _RANDOMISED.finditer(text):
        one, two = _trimmed(found["one"].split()), _trimmed(re.split(r"[ ,.;(]", found["two"]))
        if one and two and CONTROL_WORDS & {*two.lower().split()}:
            return Comparison(one, two)
    return None


def arm_key(words: str) -> str | None:
    """Return a canonical name for an arm: of the drugs and procedures in it, else its own few words."""
    names = sorted(
        {
            concept.name
            for hit in vocabulary().find(Words.of(words))
            for concept in hit.concepts
            if concept.kind in _KINDS
        }
    )
    if names:
        return "+".join(name.replace(" ", "_") for name in names)
    kept = [
        word for word in words.lower().replace("-", " ").split() if word not in _FILLERS and word.strip("%")
    ]
    if not kept and {"control", "controls"} & {*words.lower().split()}:
        return "control"
    return "_".join(kept) if 0 < len(kept) <= 4 and any(word[0].isalpha() for word in kept) else None


def _words_to(text: str, stop: int) -> str:
    """Return the few words before a position, back to a verb, a preposition's object or punctuation."""
    start = 0
    for boundary in _BOUNDARY.finditer(text, max(0, stop - 120), stop):
        start = boundary.end()
    words: list[str] = []
    for word in reversed(_WORD.findall(text, max(start, stop - 120), stop)):
        if word.lower() in _STOPS or len(words) == _MOST_WORDS:
            break
        if word.lower() in _PREPOSITIONS and words:
            break
        words.append(word)
    return _trimmed(words[::-1])


def _words_from(text: str, start: int) -> str:
    boundary = _BOUNDARY.search(text, start)
    words: list[str] = []
    for word in _WORD.findall(text, start, boundary.start() if boundary else min(len(text), start + 120)):
        if word.lower() in _STOPS or len(words) == _MOST_WORDS:
            break
        if word.lower() in _PREPOSITIONS and words:
            break
        words.append(word)
    return _trimmed(words)


def _trimmed(words: Sequence[str]) -> str:
    kept = [word for word in words if word]
    while kept and kept[0].lower() in _PREPOSITIONS | _LEADING_FILLERS:
        kept.pop(0)
    while len(kept) > 1 and kept[-1].lower() in _TRAILING_FILLERS:
        kept.pop()
    return " ".join(kept[:_MOST_WORDS])


def _named_behind(after: str) -> str:
    """Return the arm of '0.83 (...) with 5 mg'."""
    found = re.match(r"[\s)\]]*(?:with|for|in|on) ", after)
    return _words_from(after, found.end()) if found else ""


def _after_comma(before: str, start: int) -> str:
    comma = before.find(",", start)
    return _words_from(before, comma + 1) if comma >= 0 else ""
