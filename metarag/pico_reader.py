"""Collect the terms of each facet from texts, MeSH headings and keywords, the most telling place first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from metarag.pico_abbreviations import abbreviations
from metarag.pico_numbers import age_terms, duration_terms
from metarag.pico_roles import is_absent, is_comparator, is_optional, is_outcome
from metarag.pico_types import ExtractedPico, PicoTerm, TermKind
from metarag.pico_vocabulary import Concept, Hit, Vocabulary, Words
from metarag.types import Span

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
        self._facets: dict[str, dict[tuple[str, bool, bool], PicoTerm]] = {
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
        defined = self._defined(text)
        for hit in self.vocabulary.find(words, defined):
            studied = people is None or any(start <= hit.start < end for start, end in people)
            for concept in hit.concepts:
                self._place(concept, hit, words, where, studied)
        for start, end in ((0, len(text)),) if people is None else people:
            for term in age_terms(text[start:end], where):
                self.add("population", _moved(term, start))
        ages = {t.span.end for t in self._facets["population"].values() if t.kind is _K.AGE}
        for term in duration_terms(text, where):
            # The '60 years' of 'aged 45 to 60 years' is no duration.
            if term.span.end not in ages:
                self.add("time", term)
        return words

    def add(self, facet: str, term: PicoTerm) -> None:
        """Add a term unless the facet has its concept already or is full."""
        terms = self._facets[facet]
        # The check tags Humans and Animals decide more than words do, so they are kept beside them.
        tag = term.kind in _SPECIES and term.span.where == "mesh"
        key = (f"{term.kind}:{term.concept}", term.absent, tag)
        if key not in terms and len(terms) < _MAX_TERMS:
            terms[key] = term

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
        return ExtractedPico(
            length=length,
            **{facet: tuple(terms.values()) for facet, terms in self._facets.items()},
            mentioned=tuple(sorted(self._mentioned)),
            humans=self._species[_K.HUMAN],
            animals=self._species[_K.ANIMAL],
            cells=self._species[_K.CELLS],
        )

    def _place(self, concept: Concept, hit: Hit, words: Words, where: str, studied: bool) -> None:
        kind = concept.kind
        # "Women not using hormone therapy" does not speak of hormone therapy as something studied.
        if kind not in _TREATMENTS or not is_absent(words, hit):
            self.mention((concept,))
        if kind in _SPECIES:
            self._species[kind] += 1
            self.add("population", _term(concept, hit, words, where))
        elif kind in _PEOPLE:
            if studied:
                absent = kind is _K.HISTORY and is_absent(words, hit)
                self.add("population", _term(concept, hit, words, where, absent=absent))
        elif kind is _K.CONDITION:
            self._place_condition(concept, hit, words, where, studied)
        elif kind in _TREATMENTS:
            if studied:
                self._place_treatment(concept, hit, words, where)
        else:
            facet = "comparator" if kind is _K.COMPARATOR else "outcome"
            self.add(facet, _term(concept, hit, words, where))

    def _place_treatment(self, concept: Concept, hit: Hit, words: Words, where: str) -> None:
        if is_absent(words, hit):
            self.add("comparator", _term(Concept(NO_TREATMENT, _K.COMPARATOR), hit, words, where))
            return
        compared = is_comparator(words, hit) and self.has("intervention", *_TREATMENTS)
        self.add("comparator" if compared else "intervention", _term(concept, hit, words, where))

    def _place_condition(self, concept: Concept, hit: Hit, words: Words, where: str, studied: bool) -> None:
        if self._asks and is_optional(words, hit):
            return
        if is_absent(words, hit):
            if studied:
                self.add("population", _term(concept, hit, words, where, absent=True))
        elif not studied or is_outcome(words, hit):
            self.add("outcome", _term(concept, hit, words, where))
        else:
            self.add("population", _term(concept, hit, words, where))

    def _defined(self, text: str) -> Mapping[str, tuple[Concept, ...]]:
        """Return the concepts of the abbreviations that a text defines."""
        if "(" not in text:
            return MappingProxyType({})
        found = {
            short: self.vocabulary.concepts_in(text[a:b]) for short, (a, b) in abbreviations(text).items()
        }
        return MappingProxyType({short: concepts for short, concepts in found.items() if concepts})


def _term(concept: Concept, hit: Hit, words: Words, where: str, *, absent: bool = False) -> PicoTerm:
    span = Span(where=where, start=hit.start, end=hit.end, text=words.text[hit.start : hit.end])
    return PicoTerm(concept=concept.name, kind=concept.kind, span=span, absent=absent)


def _moved(term: PicoTerm, offset: int) -> PicoTerm:
    span = term.span
    moved = Span(where=span.where, start=span.start + offset, end=span.end + offset, text=span.text)
    return PicoTerm(concept=term.concept, kind=term.kind, span=moved)
