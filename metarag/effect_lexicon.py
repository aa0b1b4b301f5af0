"""The names of effect measures and of intervals, and what each means for reading the numbers beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from metarag.resources import data_file

Scale = Literal["log", "identity"]
Transform = Literal["none", "reduction", "increase", "absolute_reduction"]
IntervalKind = Literal["confidence", "credible", "other"]


@dataclass(frozen=True, slots=True)
class Measure:
    """What a label such as 'adjusted odds ratio' says of the numbers after it.

    Attributes
    ----------
    name : str
        ``OR RR HR IRR PR RD MD SMD`` and others, or ``other`` for a statistic that is no effect of a
        treatment or exposure (AUC, kappa, median ...) and whose numbers must not be taken for one.
    scale : {'log', 'identity'}
        Where the measure is additive.
    transform : str
        ``reduction``: the ratio is 1 - x/100 (vaccine efficacy, relative risk reduction);
        ``increase``: 1 + x/100; ``absolute_reduction``: a risk difference with its sign turned.
    role : str or None
        Set where the name alone shows that the number is not a study's own effect.
    named : bool
        False for words that name a measure only together with what surrounds them ('difference').
    soft : bool
        For ``other``: a word that also occurs in names of outcomes ('hazard ratio for response rate').
    poolable : bool
        False for measures outside the families that are pooled.
    defined_only : bool
        True for an abbreviation that counts only where the text spells it out.
    """

    name: str
    scale: Scale
    transform: Transform = "none"
    role: str | None = None
    named: bool = True
    soft: bool = False
    poolable: bool = True
    defined_only: bool = False
    adjusted: bool | None = None
    flags: tuple[str, ...] = ()

    @property
    def is_ratio(self) -> bool:
        """True where the number is compared with 1 and analysed as its logarithm."""
        return self.scale == "log"


@dataclass(frozen=True, slots=True)
class IntervalName:
    """What the words beside two limits say that the limits are.

    ``other`` is a range, quartiles, limits of agreement or a prediction interval: no standard error
    follows from it. ``needs_level``: an abbreviation ('UI') that counts only beside a percentage.
    """

    kind: IntervalKind
    needs_level: bool = False


Entry = Measure | IntervalName


@dataclass(slots=True)
class _Node:
    """A word of a phrase: what the phrase that ends here means, and the words that may follow."""

    entry: Entry | None = None
    following: dict[str, _Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases (lower case, canonical words) and abbreviations (as written).

    ``beginnings`` holds, in lower case, every word that may begin a phrase or be an abbreviation: a
    quick no for all the others.
    """

    phrases: _Node
    abbreviations: Mapping[str, Entry]
    beginnings: frozenset[str]

    def longest(self, words: Iterable[str]) -> tuple[int, Entry] | None:
        """Return how many of ``words`` the longest phrase at their beginning takes, and its meaning."""
        node, found = self.phrases, None
        for count, word in enumerate(words, 1):
            following = node.following.get(word)
            if following is None:
                break
            node = following
            if node.entry is not None:
                found = count, node.entry
        return found


_CANONICAL = MappingProxyType(
    {
        "differences": "difference",
        "ratios": "ratio",
        "reductions": "reduction",
        "intervals": "interval",
        "increases": "increase",
        "hazards": "hazard",
        "risks": "risk",
        "means": "mean",
        "standardized": "standardised",
        "annualized": "annualised",
        "efficacies": "efficacy",
    }
)

LONGEST_PHRASE = 7
"""Words; what :meth:`Lexicon.longest` ever needs to see."""


def canonical(word: str) -> str:
    """Return the form of a lower-case word under which phrases are kept: singular, British spelling."""
    return _CANONICAL.get(word, word)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the terms of ``data/effect_terms.json``."""
    terms = json.loads(data_file("effect_terms.json").read_text(encoding="utf-8"))
    phrases = _Node()
    abbreviations: dict[str, Entry] = {}
    for listed in terms["measures"]:
        _add(listed, _measure(listed), phrases, abbreviations)
    for listed in terms["intervals"]:
        _add(listed, IntervalName(listed["kind"]), phrases, abbreviations)
        with_level = IntervalName(listed["kind"], needs_level=True)
        abbreviations |= dict.fromkeys(listed["abbreviations_with_level"], with_level)
    firsts = phrases.following.keys()
    printed = {word for word, known in _CANONICAL.items() if known in firsts}
    beginnings = frozenset({*firsts, *printed, *(short.lower() for short in abbreviations)})
    return Lexicon(phrases, MappingProxyType(abbreviations), beginnings)


def _measure(listed: Mapping[str, Any]) -> Measure:
    settings = {key: value for key, value in listed.items() if key not in ("phrases", "abbreviations")}
    return Measure(**{**settings, "flags": tuple(settings.get("flags", ()))})


def _add(listed: Mapping[str, Any], entry: Entry, phrases: _Node, abbreviations: dict[str, Entry]) -> None:
    for phrase in listed.get("phrases", ()):
        words = tuple(map(canonical, phrase.split()))
        for variant in (words, _plural(words)):
            node = phrases
            for word in variant:
                node = node.following.setdefault(word, _Node())
            # The first listed meaning of a phrase stands.
            node.entry = node.entry or entry
    abbreviations |= dict.fromkeys(listed.get("abbreviations", ()), entry)


def _plural(words: tuple[str, ...]) -> tuple[str, ...]:
    return words if words[-1].endswith("s") else (*words[:-1], words[-1] + "s")
