"""Facets of a question, each made ready once and then compared with article after article."""

from __future__ import annotations

from collections.abc import Iterable

from metarag.pico_findings import MATCH, MISMATCH, PARTIAL, UNKNOWN, Finding, Fit, named, said
from metarag.pico_related import BROADER, CLOSE, FITS, SIBLING, Relations, Studied
from metarag.pico_types import ExtractedPico, PicoTerm, TermKind
from metarag.stems import ArticleStems, stem, words

_DRUG, _PROCEDURE, _COMPARATOR = TermKind.DRUG, TermKind.PROCEDURE, TermKind.COMPARATOR
_OUTCOME, _CONDITION, _OPEN = TermKind.OUTCOME, TermKind.CONDITION, TermKind.OPEN
_TREATMENTS = (_DRUG, _PROCEDURE)
ACTIVE = "active comparator"
"""Concept of the vocabulary: 'with each other', 'another drug'."""
ACCURACY = "diagnostic accuracy"
"""Concept of the vocabulary for what a study of a test measures."""
SPEAKS_FROM = 400
"""Characters from which an abstract that does not name a known treatment is taken not to study it. Ours."""
_HALF = 0.5


class AskedIntervention:
    """The treatments that a question asks about; where none of them is known, their words."""

    def __init__(self, asked: ExtractedPico, relations: Relations) -> None:
        self._terms = [t for t in asked.intervention if t.kind in _TREATMENTS]
        self._words, self._name = said(self._terms), named(self._terms)
        self._concepts = frozenset([term.concept for term in self._terms])
        self._relations = relations
        self._lexical = AskedWords("intervention", asked.intervention)
        self._tests = any(term.concept == ACCURACY for term in asked.outcome)

    def compare(self, studied: Studied) -> Finding | None:
        """Return what is found of it; ``None`` when the question states none."""
        found = studied.pico
        arms = [t for t in (*found.intervention, *found.comparator) if t.kind in _TREATMENTS]
        if self._tests and (treated := self._treated(arms, studied)):
            reason = f"a study of {named(treated)}; the question is how accurate a test is"
            return self._finding(MISMATCH, reason, treated)
        if not self._terms:
            return self._lexical.compare(studied)
        direct = self._relations.among(arms, self._concepts, FITS)
        if direct:
            return self._direct(direct, arms)
        similar = self._relations.among(arms, self._concepts, BROADER | SIBLING)
        if similar:
            reason = f"{named(similar)}, of the same class; the question is about {self._name}"
            return self._finding(PARTIAL, reason, similar)
        return self._other(arms, studied)

    def _treated(self, arms: list[PicoTerm], studied: Studied) -> list[PicoTerm]:
        """Return the drugs in the title of a study that does not measure how accurate a test is."""
        if ACCURACY in studied.pico.mentioned:
            return []
        return [
            t for t in arms if t.kind is _DRUG and t.span.where == "title" and t.concept not in self._concepts
        ]

    def _direct(self, direct: list[PicoTerm], arms: list[PicoTerm]) -> Finding:
        close = [t for t in arms if t.span.where in CLOSE]
        if not close or any(t.span.where in CLOSE for t in direct) or _in_fewer_words(close, direct):
            return self._finding(MATCH, named(direct), direct)
        reason = f"{named(close)} in the title; {named(direct)} in the abstract"
        return self._finding(PARTIAL, reason, direct)

    def _other(self, arms: list[PicoTerm], studied: Studied) -> Finding:
        passing = studied.mentioned and [t for t in self._terms if t.concept in studied.mentioned]
        if passing:
            reason = f"{named(passing)} is mentioned, but not as what was studied"
            return Finding("intervention", PARTIAL, reason, said(passing))
        if arms:
            return self._finding(MISMATCH, f"{named(arms)}; the question is about {self._name}", arms)
        fit = MISMATCH if studied.pico.length >= SPEAKS_FROM else UNKNOWN
        return self._finding(fit, f"{self._name} is not named", ())

    def _finding(self, fit: Fit, reason: str, found: Iterable[PicoTerm]) -> Finding:
        return Finding("intervention", fit, reason, self._words, said(found))


def _in_fewer_words(close: Iterable[PicoTerm], direct: Iterable[PicoTerm]) -> bool:
    """True when a title is only shorter: "corticosteroid" for the abstract's "systemic corticosteroid"."""
    full = [frozenset(term.concept.split()) for term in direct]
    return all(any(set(term.concept.split()) < words for words in full) for term in close)


class AskedComparator:
    """What a question compares with: an inactive or another treatment, or its treatments with each other."""

    def __init__(self, asked: ExtractedPico, relations: Relations) -> None:
        self._terms = [t for t in asked.comparator if t.kind is not _OPEN]
        self._words, self._name = said(self._terms), named(self._terms)
        self._concepts = frozenset([term.concept for term in self._terms])
        self._treatments = frozenset([t.concept for t in asked.intervention if t.kind in _TREATMENTS])
        self._relations = relations

    def compare(self, studied: Studied) -> Finding | None:
        """Return what is found of it; ``None`` when the question states none."""
        if not self._terms:
            return None
        found = studied.pico
        arms = [t for t in (*found.comparator, *found.intervention) if t.kind is not _OPEN]
        # Usual care and no treatment differ in words more than in what was done.
        without = [t for t in arms if t.kind is _COMPARATOR]
        if ACTIVE in self._concepts:
            return self._each_other(arms, without)
        direct = self._relations.among(arms, self._concepts, FITS) or self._relations.among(
            without, self._concepts, SIBLING
        )
        if direct:
            return self._finding(MATCH, named(direct), direct)
        others = [t for t in found.comparator if t.kind is not _OPEN]
        if others:
            reason = f"{named(others)}; the question compares with {self._name}"
            return self._finding(PARTIAL, reason, others)
        return self._finding(UNKNOWN, "comparator not stated", ())

    def _each_other(self, arms: list[PicoTerm], without: list[PicoTerm]) -> Finding:
        """Judge a question that asks for treatments against each other: placebo answers only part of it."""
        fitting = self._relations.among(arms, self._treatments, FITS)
        compared = [t for t in fitting if t.span.where in CLOSE]
        if len({t.concept for t in compared}) > 1:
            return self._finding(MATCH, f"{named(compared)} compared", compared)
        others = self._relations.among(without, self._concepts - {ACTIVE}, FITS)
        if others:
            reason = f"{named(others)}; the treatments asked about are not compared with each other"
            return self._finding(PARTIAL, reason, others)
        return self._finding(UNKNOWN, "comparator not stated", ())

    def _finding(self, fit: Fit, reason: str, found: Iterable[PicoTerm]) -> Finding:
        return Finding("comparator", fit, reason, self._words, said(found))


class AskedOutcome:
    """The outcomes that a question asks about; where none of them is known, their words."""

    def __init__(self, asked: ExtractedPico, relations: Relations) -> None:
        terms = [t for t in asked.outcome if t.kind is not _OPEN]
        self._words, self._name = said(terms), named(terms)
        self._concepts = frozenset([term.concept for term in terms])
        self._relations = relations
        self._lexical = AskedWords("outcome", asked.outcome)

    def compare(self, studied: Studied) -> Finding | None:
        """Return what is found of it; ``None`` when the question states none."""
        if not self._concepts:
            return self._lexical.compare(studied)
        told = (*studied.outcomes, *studied.people)
        measured = [t for kind, t in told if kind is _OUTCOME or kind is _CONDITION]
        direct = self._relations.among(measured, self._concepts, FITS)
        if direct:
            return self._finding(MATCH, named(direct), direct)
        if not self._concepts.isdisjoint(studied.mentioned):
            return self._finding(MATCH, self._name, ())
        similar = self._relations.among(measured, self._concepts, BROADER | SIBLING)
        if similar:
            return self._finding(PARTIAL, f"{named(similar)}; the question is about {self._name}", similar)
        others = [t for kind, t in studied.outcomes if kind is _OUTCOME]
        if others:
            return self._finding(PARTIAL, f"{named(others)}; {self._name} is not named", others)
        return self._finding(UNKNOWN, "outcome not stated", ())

    def _finding(self, fit: Fit, reason: str, found: Iterable[PicoTerm]) -> Finding:
        return Finding("outcome", fit, reason, self._words, said(found))


class AskedWords:
    """Terms of a facet that the vocabulary does not know, by their words; absence of words proves nothing."""

    def __init__(self, facet: str, terms: Iterable[PicoTerm]) -> None:
        self._facet = facet
        unnamed = [term for term in terms if term.kind is _OPEN]
        self._terms = [(term, [stem(word) for word in words(term.concept)]) for term in unnamed]

    def compare(self, studied: Studied) -> Finding | None:
        """Return what is found of the term that is named best; ``None`` where there is none."""
        if not self._terms:
            return None
        close, anywhere, term = self._best(studied.stems())
        if close == 1.0 or anywhere == 1.0:
            return self._finding(MATCH, f"'{term.concept}' is named", term)
        if anywhere >= _HALF:
            return self._finding(PARTIAL, f"only part of '{term.concept}' is named", term)
        return self._finding(UNKNOWN, f"'{term.concept}' is not named", term)

    def _best(self, stems: ArticleStems) -> tuple[float, float, PicoTerm]:
        best = (0.0, 0.0, self._terms[0][0])
        for term, roots in self._terms:
            if roots:
                places = stems.mentions(roots)
                close = sum(root in places and places[root][1] for root in roots) / len(roots)
                anywhere = sum(root in places for root in roots) / len(roots)
                best = max(best, (close, anywhere, term), key=lambda found: found[:2])
        return best

    def _finding(self, fit: Fit, reason: str, term: PicoTerm) -> Finding:
        return Finding(self._facet, fit, reason, said([term]))
