"""Kinds of words that the readers of sample sizes and of facets look for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from metarag.number_words import NUMBER_WORDS


class WordKind(StrEnum):
    """What a word can begin, or says by itself; a word may be of several kinds."""

    NUMBER = "number"
    """Anything that begins with a digit, and number words."""
    FIGURE = "figure"
    """What begins with a decimal digit."""
    WHOLE = "whole number"
    """Digits alone, and the number words from two to a hundred."""
    PEOPLE = "people"
    TIME = "unit of time"
    MEASURE = "measure"
    CHANGE = "change"
    RATE = "rate"


PEOPLE_WORDS: Final = frozenset(
    """patients women men children adults participants subjects volunteers infants people persons
    outpatients inpatients adolescents girls boys neonates newborns individuals residents students smokers
    veterans""".split()
)
_LISTED: Final[Mapping[WordKind, frozenset[str]]] = MappingProxyType(
    {
        WordKind.NUMBER: NUMBER_WORDS,
        WordKind.WHOLE: NUMBER_WORDS - {"one", "thousand"},
        WordKind.PEOPLE: PEOPLE_WORDS,
        WordKind.TIME: frozenset("day days week weeks month months year years".split()),
        WordKind.MEASURE: frozenset(
            "outcome outcomes endpoint endpoints point points measure measures variables".split()
        ),
        WordKind.CHANGE: frozenset(
            """change changes reduction reductions increase increases decrease decreases improvement
            improvements difference differences""".split()
        ),
        WordKind.RATE: frozenset("incidence rate rates frequency severity duration risk".split()),
    }
)


def kinds_of(word: str) -> tuple[WordKind, ...]:
    """Return the kinds of a word in lower case; most words are of none."""
    kinds = [kind for kind, listed in _LISTED.items() if word in listed]
    kinds += [WordKind.NUMBER] * word[0].isdigit()
    kinds += [WordKind.FIGURE] * word[0].isdecimal()
    kinds += [WordKind.WHOLE] * word.isdigit()
    return tuple(kinds)
