"""Collect the terms of each facet from texts, MeSH headings and keywords, the most telling place first."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from metarag.pico_abbreviations import abbreviations
from metarag.pico_numbers import age_terms, duration_terms
from metarag.pico_roles import (
    is_absent,
    is_comparator,
    is_either,
    is_optional,
    is_outcome,
    is_part_of_contrary,
)
from metarag.pico_types import ExtractedPico, Noted, TermKind
from metarag.pico_vocabulary import Beginning, Concept, Hit, Vocabulary, concepts_of, vocabulary
from metarag.pico_words import Words
from metarag.unchecked import unchecked
from metarag.word_facts import facts_of

_K = TermKind
_SPECIES = (_K.HUMAN, _K.ANIMAL, _K.CELLS)
_TREATMENTS = (_K.DRUG, _K.PROCEDURE)
_PEOPLE = (_K.AGE, _K.SEX, _K.SETTING, _K.SEVERITY, _K.HISTORY)
_MENTIONED = (_K.CONDITION, _K.DRUG, _K.PROCEDURE, _K.COMPARATOR, _K.OUTCOME)
_MAX_TERMS = 16
"""Terms kept of a facet: an appraisal must stay small whatever the text."""
_MAX_MENTIONED = 100
"""Names kept of what is mentioned; an abstract has about 15."""
NO_TREATMENT = "no treatment"
"""Concept for 'no aspirin' and 'without prophylaxis'; stands in the vocabulary as well."""
_NOTHING = Concept(NO_TREATMENT, _K.COMPARATOR)
_PICO_FIELDS = set(ExtractedPico.model_fields)
Ranges = tuple[tuple[int, int], ...]


class PicoReader:
    """Collects terms; each concept keeps the first place it was read at, so feed the title first.

    Parameters
    ----------
    vocabulary : Vocabulary
        What is known by name.
    asks : bool
        True for a question: in "adults, including smokers" it does not demand smokers.
    """

    def __init__(self, vocabulary: Vocabulary, *, asks: bool = False) -> None:
        self.vocabulary = vocabulary
        self._asks = asks
        self._facets: dict[str, dict[tuple[TermKind, str, bool, bool], Noted]] = {
            facet: {} for facet in ("population", "intervention", "comparator", "outcome", "time")
        }
        self._mentioned: set[str] = set()
        self._species: Counter[TermKind] = Counter()

    def read(self, text: str, where: str, *, people: Ranges | None = None) -> Words:
        """Read a text, and return its words.

        Parameters
        ----------
        text, where : str
            The text, and the name its spans give it.
        people : tuple of (start, end) or None
            Where ages, settings and treatments are those of the people studied; ``None`` is everywhere. The
            background of an abstract speaks of other people, and its results of severe events.
        """
        words = Words.of(text)
        begun = self._begun(words)
        defined = self._defined(words, begun)
        place, firsts = self._place, [first for first, _ in people or ()]
        for hit in self.vocabulary.find(words, defined, begun=begun):
            studied = people is None or _within(people, firsts, hit.start)
            for concept in hit.concepts:
                place(concept, hit, words, where, studied)
        for term in age_terms(words, where, people):
            self.add("population", term)
        ages = {t.end for t in self._facets["population"].values() if t.kind is _K.AGE}
        for term in duration_terms(words, where):
            # The '60 years' of 'aged 45 to 60 years' is no duration.
            if term.end not in ages:
                self.add("time", term)
        return words

    def add(self, facet: str, noted: Noted) -> None:
        """Add a term unless the facet has its concept already or is full."""
        terms = self._facets[facet]
        key = _key(noted.concept, noted.kind, noted.where, noted.absent)
        if key not in terms and len(terms) < _MAX_TERMS:
            terms[key] = noted

    def mention(self, concepts: Iterable[Concept]) -> None:
        """Note that concepts occur."""
        for concept in concepts:
            if concept.kind in _MENTIONED and len(self._mentioned) < _MAX_MENTIONED:
                self._mentioned.add(concept.name)

    def has(self, facet: str, *kinds: TermKind) -> bool:
        """True when the facet holds a term of one of these kinds."""
        return any(term.kind in kinds for term in self._facets[facet].values())

    def result(self, *, length: int = 0) -> ExtractedPico:
        """Return all that was collected from an abstract or text of ``length`` characters."""
        values = {
            **{
                facet: tuple([noted.term() for noted in terms.values()])
                for facet, terms in self._facets.items()
            },
            "mentioned": tuple(sorted(self._mentioned)),
            "humans": self._species[_K.HUMAN],
            "animals": self._species[_K.ANIMAL],
            "cells": self._species[_K.CELLS],
            "length": length,
        }
        return unchecked(ExtractedPico, values, _PICO_FIELDS)

    def _place(self, concept: Concept, hit: Hit, words: Words, where: str, studied: bool) -> None:
        kind = concept.kind
        if kind in _SPECIES:
            self._species[kind] += 1
            self._put("population", concept, hit, words, where)
        elif kind in _PEOPLE:
            if studied:
                absent = kind is _K.HISTORY and is_absent(words, hit)
                self._put("population", concept, hit, words, where, absent=absent)
        elif kind in _TREATMENTS:
            self._place_treatment(concept, hit, words, where, studied)
        else:
            self.mention((concept,))
            if kind is _K.CONDITION:
                self._place_condition(concept, hit, words, where, studied)
            else:
                facet = "comparator" if kind is _K.COMPARATOR else "outcome"
                self._put(facet, concept, hit, words, where)

    def _place_treatment(self, concept: Concept, hit: Hit, words: Words, where: str, studied: bool) -> None:
        if is_part_of_contrary(words, hit):
            return
        # "Women not using hormone therapy" does not speak of hormone therapy as something studied.
        if is_absent(words, hit):
            if studied:
                self._put("comparator", _NOTHING, hit, words, where)
            return
        self.mention((concept,))
        if studied:
            compared = is_comparator(words, hit) and self.has("intervention", *_TREATMENTS)
            self._put("comparator" if compared else "intervention", concept, hit, words, where)

    def _place_condition(self, concept: Concept, hit: Hit, words: Words, where: str, studied: bool) -> None:
        either = is_either(words, hit)
        if self._asks and (either or is_optional(words, hit)):
            return
        if not either and is_absent(words, hit):
            if studied:
                self._put("population", concept, hit, words, where, absent=True)
        elif not studied or is_outcome(words, hit):
            self._put("outcome", concept, hit, words, where)
        else:
            self._put("population", concept, hit, words, where)

    def _put(
        self, facet: str, concept: Concept, hit: Hit, words: Words, where: str, *, absent: bool = False
    ) -> None:
        # As :meth:`add`, but most concepts are there already; only a MeSH heading has a key of its own.
        terms, name, kind = self._facets[facet], concept.name, concept.kind
        key = (kind, name, absent, False)
        if key not in terms and len(terms) < _MAX_TERMS:
            start, end = hit.start, hit.end
            terms[key] = Noted(name, kind, where, start, end, words.text[start:end], absent)

    def _begun(self, words: Words) -> list[tuple[int, Beginning]] | None:
        """Return where names of the usual vocabulary begin, which other readers of the text looked up, too."""
        if self.vocabulary is not vocabulary() or words.lower is not words.folded.words:
            return None
        return facts_of(words.folded.text).begun

    def _defined(
        self, words: Words, begun: Sequence[tuple[int, Beginning]] | None
    ) -> Mapping[str, tuple[Concept, ...]]:
        """Return the concepts of the abbreviations that a text defines."""
        text = words.text
        if "(" not in text:
            return MappingProxyType({})
        starts = [words.start(number) for number, _ in begun or ()]
        found = {
            short: self._concepts_within(words, span, begun, starts)
            for short, span in abbreviations(text).items()
        }
        return MappingProxyType({short: concepts for short, concepts in found.items() if concepts})

    def _concepts_within(
        self,
        words: Words,
        span: tuple[int, int],
        begun: Sequence[tuple[int, Beginning]] | None,
        starts: Sequence[int],
    ) -> tuple[Concept, ...]:
        """Return the concepts in a part of a text; ``starts`` are the places of what has ``begun``."""
        start, end = span
        # A long form can begin within a word, which is another word by itself.
        if begun is None or words.text[start - 1 : start].isalnum():
            return self.vocabulary.concepts_in(words.text[start:end])
        inside = begun[bisect_left(starts, start) : bisect_left(starts, end)]
        if not inside:
            return ()
        until = bisect_left(words.folded.starts, end)
        return concepts_of(self.vocabulary.find(words, begun=inside, until=until))


def _key(concept: str, kind: TermKind, where: str, absent: bool) -> tuple[TermKind, str, bool, bool]:
    # The check tags Humans and Animals decide more than words do, so they are kept beside them.
    return kind, concept, absent, where == "mesh" and kind in _SPECIES


def _within(ranges: Ranges, firsts: list[int], position: int) -> bool:
    """True when one of the ranges, which are ascending and apart, holds a position."""
    index = bisect_right(firsts, position) - 1
    return index >= 0 and position < ranges[index][1]
