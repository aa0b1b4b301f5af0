"""Abbreviations of a question that mean several things in medicine, and as what each is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from metarag.pico_abbreviations import abbreviations
from metarag.pico_vocabulary import Vocabulary, vocabulary
from metarag.pico_words import Words
from metarag.resources import data_file

_CAPITALS: Final = re.compile(r"(?<![^\W_])[A-Z]{2,4}(?![^\W_])")


class Reading(NamedTuple):
    """As what an abbreviation that stands alone is read, and what else it may mean."""

    short: str
    meaning: str
    others: str


def ambiguous_readings(text: str, *, context: str = "") -> tuple[Reading, ...]:
    """Return the ambiguous abbreviations of a question that nothing in it explains, each once, in order.

    Parameters
    ----------
    text : str
        The question. One that defines an abbreviation, or names its meaning too, has said how it is read.
    context : str
        What else its author wrote, such as its PICO.

    Examples
    --------
    >>> [(each.short, each.meaning) for each in ambiguous_readings("Do anticoagulants prevent PE?")]
    [('PE', 'pulmonary embolism')]
    """
    known = _ambiguous()
    shorts = dict.fromkeys(short for short in _CAPITALS.findall(text) if short in known)
    if not shorts:
        return ()
    whole = f"{text}\n{context}"
    explained = frozenset(abbreviations(whole)).union(_named(whole, vocabulary()))
    return tuple(
        Reading(short, *known[short])
        for short in shorts
        if short not in explained and known[short][0] not in explained
    )


def _named(text: str, known: Vocabulary) -> Iterator[str]:
    """Yield the meanings that a text names in other words, or by another abbreviation."""
    for hit in known.find(Words.of(text)):
        if text[hit.start : hit.end] not in _ambiguous():
            yield from (concept.name for concept in hit.concepts)
    folded = text.casefold()
    yield from (meaning for meaning, _ in _ambiguous().values() if meaning.casefold() in folded)


@lru_cache(maxsize=1)
def _ambiguous() -> Mapping[str, tuple[str, str]]:
    listed = json.loads(data_file("pico_vocabulary.json").read_text(encoding="utf-8"))["ambiguous"]
    return {short: (meaning, others) for short, meaning, others in listed}
