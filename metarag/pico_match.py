"""How an article's facets fit a question's, and what number follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from pydantic import Field

from metarag.pico_findings import Finding, Fit, named, said
from metarag.pico_population import compare_population
from metarag.pico_types import AskedPico, ExtractedPico, PicoTerm, TermKind
from metarag.pico_vocabulary import Relation, Vocabulary
from metarag.records import Frozen
from metarag.relevance import stem, words

_K = TermKind
_TREATMENTS = (_K.DRUG, _K.PROCEDURE)
_CLOSE = ("title", "mesh", "keyword")
_FITS = (Relation.SAME, Relation.NARROWER)
ACTIVE = "active comparator"
"""Concept of the vocabulary: 'with each other', 'another drug'."""
SPEAKS_FROM = 400
"""Characters from which an abstract that does not name a known treatment is taken not to study it. Ours."""
_HALF = 0.5
Stems = Callable[[], tuple[frozenset[str], frozenset[str]]]
"""Gives the stems of title, headings and keywords, and those of the abstract, when they are needed."""


class FacetWeights(Frozen):
    """Weights of the facets in applicability. Ours: who is treated with what weighs most.

    The order follows GRADE's indirectness (population, intervention, outcome, then indirect comparison).
    """

    population: float = Field(default=1.0, ge=0)
    intervention: float = Field(default=1.0, ge=0)
    comparator: float = Field(default=0.5, ge=0)
    outcome: float = Field(default=0.5, ge=0)


class FitValues(Frozen):
    """What each decision is worth, in (0, 1]. Ours.

    ``unknown`` stands between partial and match: an abstract that does not state a facet is neither
    punished as if it were wrong nor rewarded as if it were right, and saying less never beats saying more.
    """

    match: float = Field(default=1.0, gt=0, le=1)
    partial: float = Field(default=0.6, gt=0, le=1)
    mismatch: float = Field(default=0.15, gt=0, le=1)
    unknown: float = Field(default=0.75, gt=0, le=1)


def compare(
    asked: AskedPico, found: ExtractedPico, *, known: Vocabulary, stems: Stems
) -> tuple[Finding, ...]:
    """Compare facet by facet. Only facets that the question states are compared.

    Parameters
    ----------
    asked, found : AskedPico, ExtractedPico
        What the question asks for and what the article studies.
    known : Vocabulary
        Says which concept belongs to which class.
    stems : callable
        Gives the article's stems; called only for a term that the vocabulary does not know.
    """
    return tuple(
        finding
        for finding in (
            compare_population(asked, found, known),
            _intervention(asked, found, known, stems),
            _comparator(asked.used, found, known),
            _outcome(asked.used, found, known, stems),
        )
        if finding
    )


def applicability(
    findings: Iterable[Finding], *, weights: FacetWeights, values: FitValues
) -> tuple[float | None, dict[str, float]]:
    """Return the weighted geometric mean of the facets' values, and the value of each facet.

    applicability = exp(sum(w_f ln v_f) / sum(w_f)) over the facets that the question states. ``None`` when
    the question states none, or when nothing at all is known of any: there is nothing to judge by.
    """
    listed = [finding for finding in findings if getattr(weights, finding.aspect) > 0]
    if all(finding.fit is Fit.UNKNOWN for finding in listed):
        return None, {}
    terms = {finding.aspect: getattr(values, finding.fit) for finding in listed}
    total = sum(getattr(weights, facet) for facet in terms)
    logs = sum(getattr(weights, facet) * math.log(value) for facet, value in terms.items())
    return min(1.0, math.exp(logs / total)), terms


def _intervention(asked: AskedPico, found: ExtractedPico, known: Vocabulary, stems: Stems) -> Finding | None:
    wanted = [t for t in asked.used.intervention if t.kind in _TREATMENTS]
    unnamed = [t for t in asked.used.intervention if t.kind is _K.OPEN]
    if not wanted:
        return _lexical("intervention", unnamed, stems) if unnamed else None
    arms = [t for t in (*found.intervention, *found.comparator) if t.kind in _TREATMENTS]
    close = [t for t in arms if t.span.where in _CLOSE]
    direct = _related(wanted, arms, known, _FITS)
    if direct:
        in_front = [t for t in direct if t.span.where in _CLOSE]
        if in_front or not close:
            return _finding("intervention", Fit.MATCH, named(direct), wanted, direct)
        reason = f"{named(close)} in the title; {named(direct)} in the abstract"
        return _finding("intervention", Fit.PARTIAL, reason, wanted, direct)
    similar = _related(wanted, arms, known, (Relation.BROADER, Relation.SIBLING))
    if similar:
        reason = f"{named(similar)}, of the same class; the question is about {named(wanted)}"
        return _finding("intervention", Fit.PARTIAL, reason, wanted, similar)
    return _other_intervention(wanted, arms, found, known)


def _other_intervention(
    wanted: list[PicoTerm], arms: list[PicoTerm], found: ExtractedPico, known: Vocabulary
) -> Finding:
    passing = [a for a in wanted if known.mentions([a.concept], found.mentioned)]
    if passing:
        reason = f"{named(passing)} is mentioned, but not as what was studied"
        return _finding("intervention", Fit.PARTIAL, reason, passing, [])
    if arms:
        reason = f"{named(arms)}; the question is about {named(wanted)}"
        return _finding("intervention", Fit.MISMATCH, reason, wanted, arms)
    fit = Fit.MISMATCH if found.length >= SPEAKS_FROM else Fit.UNKNOWN
    return _finding("intervention", fit, f"{named(wanted)} is not named", wanted, [])


def _comparator(asked: ExtractedPico, found: ExtractedPico, known: Vocabulary) -> Finding | None:
    wanted = [t for t in asked.comparator if t.kind is not _K.OPEN]
    if not wanted:
        return None
    arms = [t for t in (*found.comparator, *found.intervention) if t.kind is not _K.OPEN]
    if any(t.concept == ACTIVE for t in wanted):
        return _head_to_head(asked, wanted, arms, known)
    # Usual care and no treatment differ in words more than in what was done.
    without = [t for t in arms if t.kind is _K.COMPARATOR]
    direct = _related(wanted, arms, known, _FITS) or _related(wanted, without, known, (Relation.SIBLING,))
    if direct:
        return _finding("comparator", Fit.MATCH, named(direct), wanted, direct)
    others = [t for t in found.comparator if t.kind is not _K.OPEN]
    if others:
        reason = f"{named(others)}; the question compares with {named(wanted)}"
        return _finding("comparator", Fit.PARTIAL, reason, wanted, others)
    return _finding("comparator", Fit.UNKNOWN, "comparator not stated", wanted, [])


def _head_to_head(
    asked: ExtractedPico, wanted: list[PicoTerm], arms: list[PicoTerm], known: Vocabulary
) -> Finding:
    """Judge a question that asks for treatments against each other: placebo answers only part of it."""
    treatments = [t for t in asked.intervention if t.kind in _TREATMENTS]
    compared = [t for t in _related(treatments, arms, known, _FITS) if t.span.where in _CLOSE]
    if len({t.concept for t in compared}) > 1:
        return _finding("comparator", Fit.MATCH, f"{named(compared)} compared", wanted, compared)
    inactive = [t for t in arms if t.kind is _K.COMPARATOR]
    others = _related([t for t in wanted if t.concept != ACTIVE], inactive, known, _FITS)
    if others:
        reason = f"{named(others)}; the treatments asked about are not compared with each other"
        return _finding("comparator", Fit.PARTIAL, reason, wanted, others)
    return _finding("comparator", Fit.UNKNOWN, "comparator not stated", wanted, [])


def _outcome(asked: ExtractedPico, found: ExtractedPico, known: Vocabulary, stems: Stems) -> Finding | None:
    wanted = [t for t in asked.outcome if t.kind is not _K.OPEN]
    if not wanted:
        unnamed = [t for t in asked.outcome if t.kind is _K.OPEN]
        return _lexical("outcome", unnamed, stems) if unnamed else None
    measured = [t for t in (*found.outcome, *found.population) if t.kind in (_K.OUTCOME, _K.CONDITION)]
    direct = _related(wanted, measured, known, _FITS)
    if direct:
        return _finding("outcome", Fit.MATCH, named(direct), wanted, direct)
    if known.mentions([a.concept for a in wanted], found.mentioned):
        return _finding("outcome", Fit.MATCH, f"{named(wanted)}", wanted, [])
    similar = _related(wanted, measured, known, (Relation.BROADER, Relation.SIBLING))
    if similar:
        reason = f"{named(similar)}; the question is about {named(wanted)}"
        return _finding("outcome", Fit.PARTIAL, reason, wanted, similar)
    others = [t for t in found.outcome if t.kind is _K.OUTCOME]
    if others:
        reason = f"{named(others)}; {named(wanted)} is not named"
        return _finding("outcome", Fit.PARTIAL, reason, wanted, others)
    return _finding("outcome", Fit.UNKNOWN, "outcome not stated", wanted, [])


def _related(
    wanted: Iterable[PicoTerm], found: list[PicoTerm], known: Vocabulary, relations: tuple[Relation, ...]
) -> list[PicoTerm]:
    asked = frozenset([term.concept for term in wanted])
    return [t for t in found if known.related(asked, t.concept, relations)]


def _lexical(facet: str, wanted: list[PicoTerm], stems: Stems) -> Finding:
    """Compare terms that the vocabulary does not know by their words; absence of words proves nothing."""
    prominent, mentioned = stems()
    best = (0.0, 0.0, wanted[0])
    for term in wanted:
        roots = [stem(word) for word in words(term.concept)]
        if roots:
            close = sum(root in prominent for root in roots) / len(roots)
            anywhere = sum(root in prominent or root in mentioned for root in roots) / len(roots)
            best = max(best, (close, anywhere, term), key=lambda pair: pair[:2])
    close, anywhere, term = best
    if close == 1.0 or anywhere == 1.0:
        return _finding(facet, Fit.MATCH, f"'{term.concept}' is named", [term], [])
    if anywhere >= _HALF:
        return _finding(facet, Fit.PARTIAL, f"only part of '{term.concept}' is named", [term], [])
    return _finding(facet, Fit.UNKNOWN, f"'{term.concept}' is not named", [term], [])


def _finding(
    facet: str, fit: Fit, reason: str, asked: Iterable[PicoTerm], found: Iterable[PicoTerm]
) -> Finding:
    return Finding(aspect=facet, fit=fit, reason=reason, asked=said(asked), found=said(found))
