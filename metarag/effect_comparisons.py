"""Which arms an effect compares: 'less often with norastatin than with placebo', 'X versus Y'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from metarag.effect_phrases import phrase
from metarag.literals import matches_from
from metarag.outcome_keys import outcomes_in
from metarag.pico_types import TermKind
from metarag.pico_vocabulary import Words, vocabulary

_MOST_WORDS = 6
_BETWEEN_SIZES = 60
_MOST_OWN_WORDS = 3
_DOSE = re.compile(r"\d[\d.,]* ?(?:mg|g|mcg|\u03bcg|iu|ml|gy|mg/kg|mg/day)(?: [a-z]+)?", re.IGNORECASE)
_KINDS = frozenset((TermKind.DRUG, TermKind.PROCEDURE, TermKind.COMPARATOR))
_CONNECTOR = phrase(
    "compared|comparison|relative|versus|vs|rather|opposed|than",
    r"\b(?:(?:when |as )?compared (?:with|to)|in comparison (?:with|to)|relative to|versus"
    r"|vs\.?|rather than|as opposed to"
    r"|than(?: with| in| on| for| among| by| those (?:on|receiving|given|in|with|assigned to))?)(?= )",
)
_LEADING = re.compile(r"^\W*(?:compared|relative|in comparison|as compared) (?:with|to) ", re.IGNORECASE)
_RANDOMISED = re.compile(
    r"\b(?:randomi[sz]ed|randomly (?:assigned|allocated)|assigned"
    r"|allocated)\b[^.;:]{0,100}?\b(?:to receive|to|receiving|either) (?:either |receive"
    r" )?"
    r"(?P<one>(?:[\w+/-]{1,30} ){1,5}?)(?:\([^)]{1,20}\) )?(?:or|versus|vs\.?|and|compared"
    r" with) (?:to |matching |a )?(?P<two>(?:[\w+/-]{1,30}[ ,.;(]){1,3})",
    re.IGNORECASE,
)
_BEGIN_RANDOMISED = ("randomi", "randomly", "assigned", "allocated")
_BEGIN_COMPARED = ("compar", "effect", "efficacy", "safety")
_SIZED = re.compile(r"\([nN] ?= ?\d+\)")
_NAME_BEFORE = re.compile(r"(?:[\w+/-]{1,30} ){1,4}$")
_COMPARED = re.compile(
    r"\b(?:compare|compared|comparing|comparison of|effects? of|efficacy of|effectiveness"
    r" of|efficacy and safety of|safety and efficacy of) (?:the )?"
    r"(?P<one>(?:[\w+/-]{1,30} ){1,5}?)(?:with|to|and|versus|vs|against|compared with|compared"
    r" to|or) (?P<two>(?:[\w+/-]{1,30}[ ,.;(]){1,4})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][\w'/+-]*")
_BOUNDARY = re.compile(r"[.;:,()\[\]]")
_STOPS = frozenset(
    "effective efficacious effect effects outcome outcomes differences difference"
    " severity especially estimated rr or hr"
    " significant slightly results respectively logged level levels change changes score"
    " scores time baseline values"
    " was were is are had has did and or but which that who after at during from by"
    " occurred developed fell rose reduced"
    " increased lowered lower higher less more fewer greater often frequent likely among"
    " hazard odds risk rate ratio"
    " ratios relative mean difference associated associate improved decreased group's"
    " between significantly similar".split()
)
_PREPOSITIONS = frozenset(
    "with in on for of to by the a an among receiving given taking under who those patients assigned".split()
)
_FILLERS = frozenset(
    "the a an group groups arm arms patients participants those treatment therapy treated"
    " receiving given assigned to"
    " in on with users recipients of and daily alone who were people women men children"
    " adults use subjects".split()
)
_LEADING_FILLERS = frozenset("either receive oral assigned allocated treated patients".split())
_TRAILING_FILLERS = frozenset("group groups arm arms alone patients participants treatment and in".split())
_GENERIC = frozenset(
    "intervention treatment active experimental study drug treated trial control controls"
    " test new agent".split()
)
CONTROL_WORDS = frozenset(
    "placebo control controls sham usual standard conventional routine comparator"
    " untreated unexposed unvaccinated"
    " nothing waiting waitlist no without dummy saline vehicle observation".split()
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The two sides as printed and as a key (``aspirin|placebo``); the first is compared with the second."""

    one: str
    two: str

    @property
    def text(self) -> str:
        """Both sides in words."""
        return f"{self.one} vs {self.two}"

    @property
    def is_generic(self) -> bool:
        """True where the first side is named by its part in the trial ('the intervention group') only."""
        return {*self.one.lower().split()} <= _GENERIC | _FILLERS

    @property
    def key(self) -> str | None:
        """Canonical names of both sides, ``None`` where one has none or both are the same.

        'Intervention' has none: every trial has one, and they are not the same.
        """
        if self.is_generic:
            return None
        one, two = arm_key(self.one), arm_key(self.two)
        return None if one is None or two is None or one == two else f"{one}|{two}"


def arms(one: str, two: str) -> Comparison | None:
    """Return the comparison of two arms named beside their numbers, or ``None`` where a name is missing."""
    first, second = _trimmed(one.split()), _trimmed(two.split())
    return Comparison(first, second) if _is_name(first) and _is_name(second) else None


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
    for text, last_first in ((before, True), (after, False)):
        found = list(_CONNECTOR.finditer(text))
        for connector in reversed(found) if last_first else found:
            one, two = _words_to(text, connector.start()), _words_from(text, connector.end())
            if _is_name(one) and _is_name(two):
                return Comparison(one, two)
    return None


def _is_name(words: str) -> bool:
    """Tell whether words can name an arm; '29 vs 12' compares numbers."""
    return (
        len(words) > 1
        and not words.replace(".", "").replace(" ", "").isdigit()
        and not words.split()[0].isdigit()
    ) or bool(_DOSE.match(words))


def randomised_comparison(text: str) -> Comparison | None:
    """Return the two arms that the text says it compares or assigned people to, where both have a name."""
    for one, two in _named_arms(text):
        comparison = _control_last(arms(one, re.split(r"[,.;(]", two)[0]))
        if comparison is None or comparison.key is None:
            continue
        if CONTROL_WORDS & {*comparison.two.lower().split()} or _are_known(comparison):
            return comparison
    return None


def _named_arms(text: str) -> Iterator[tuple[str, str]]:
    yield from _sides(matches_from(_BEGIN_RANDOMISED, _RANDOMISED, text))
    last: re.Match[str] | None = None
    for size in _SIZED.finditer(text):
        if last is not None and size.start() - last.end() < _BETWEEN_SIZES:
            one = _NAME_BEFORE.search(text, max(0, last.start() - _BETWEEN_SIZES), last.start())
            two = _NAME_BEFORE.search(text, last.end(), size.start())
            if one is not None and two is not None:
                yield one.group(), re.sub(r"^(?:or|and|versus|vs) (?:to )?", "", two.group())
        last = size
    yield from _sides(matches_from(_BEGIN_COMPARED, _COMPARED, text))


def _sides(matches: Iterable[re.Match[str]]) -> Iterator[tuple[str, str]]:
    return ((found["one"], found["two"]) for found in matches)


def _control_last(comparison: Comparison | None) -> Comparison | None:
    """Turn 'placebo or aripiprazole' round: by convention the control is what the other is compared with."""
    if comparison is None or not CONTROL_WORDS & {*comparison.one.lower().split()}:
        return comparison
    if CONTROL_WORDS & {*comparison.two.lower().split()}:
        return comparison
    return Comparison(comparison.two, comparison.one)


def _are_known(comparison: Comparison) -> bool:
    """Tell whether the vocabulary knows both arms, which a chance pair of words would not."""
    return all(
        any(concept.kind in _KINDS for hit in vocabulary().find(Words.of(side)) for concept in hit.concepts)
        for side in (comparison.one, comparison.two)
    )


@lru_cache(maxsize=4_096)
def arm_key(words: str) -> str | None:
    """Return a canonical name for an arm: of the drugs and procedures in it, else its own few words.

    ``None`` for what names no arm: a number, a clause, an outcome.
    """
    lower = words.lower().replace("-", " ").split()
    if not lower or not lower[0][0].isalnum() or _STOPS & {*lower}:
        return None
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
    kept = [word for word in lower if word not in _FILLERS]
    if not kept:
        return "control" if {"control", "controls"} & {*lower} else None
    if (
        len(kept) > _MOST_OWN_WORDS
        or outcomes_in(words)
        or not any(len(w) > 2 and w.isalpha() for w in kept[-2:])
    ):
        return None if not _DOSE.fullmatch(" ".join(kept)) else "_".join(kept)
    return "_".join(kept)


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
