"""Whether the people studied are those the question is about."""

from __future__ import annotations

from metarag.pico_findings import Finding, Fit, combined, named, said
from metarag.pico_types import AskedPico, ExtractedPico, PicoTerm, TermKind
from metarag.pico_vocabulary import Relation, Vocabulary

_K = TermKind
_YOUNG = frozenset({"newborns", "infants", "children", "adolescents"})
_GROWN = frozenset({"adults", "older people"})
_IN_HOSPITAL = frozenset({"hospital", "intensive care", "emergency department"})
_OUT_OF_HOSPITAL = frozenset({"outpatients", "nursing home"})
PRIMARY, SECONDARY, HEALTHY = "primary prevention", "secondary prevention", "healthy people"
"""Concepts of the vocabulary."""
_CLOSE = ("title", "mesh", "keyword")
_MANY_MENTIONS = 4
"""Mentions of animals or cells, with none of people, that leave no doubt where no check tag decides. Ours."""


def compare_population(asked: AskedPico, found: ExtractedPico, known: Vocabulary) -> Finding | None:
    """Compare the people; ``None`` when the question says nothing of them and they are people."""
    species = _species(asked.used, found)
    findings = [
        finding
        for finding in (
            species,
            _age(asked.used, found),
            _sex(asked.used, found),
            _condition(asked, found, known),
            _history(asked.used, found, known),
            _setting(asked.used, found),
        )
        if finding
    ]
    return combined("population", findings) if findings else None


def _species(asked: ExtractedPico, found: ExtractedPico) -> Finding | None:
    """Mismatch where the article studies animals or cells only and the question does not ask about them."""
    if not found.of_kind(_K.ANIMAL, _K.CELLS) or asked.of_kind(_K.ANIMAL, _K.CELLS):
        return None
    for kind, count, words in (
        (_K.ANIMAL, found.animals, "animals"),
        (_K.CELLS, found.cells, "cells in the laboratory"),
    ):
        terms = found.of_kind(kind)
        if terms and _only(kind, terms, count, found):
            reason = f"{words} only ({said(terms)}); the question is about people"
            return Finding(
                aspect="species",
                fit=Fit.MISMATCH,
                reason=reason,
                found=said(terms),
                asked="people",
                certain=True,
            )
    return None


def _only(kind: TermKind, terms: tuple[PicoTerm, ...], count: int, found: ExtractedPico) -> bool:
    people = found.of_kind(_K.HUMAN)
    tagged_people = any(term.span.where == "mesh" for term in people)
    tagged = any(term.span.where == "mesh" for term in terms)
    if kind is _K.ANIMAL and tagged:
        # An indexer who saw people in it adds Humans; words on patients are then the outlook.
        return not tagged_people and (count > 0 or found.humans == 0)
    if kind is _K.ANIMAL and tagged_people:
        return False
    in_title = any(term.span.where == "title" for term in terms)
    people_in_title = any(term.span.where == "title" for term in people)
    if in_title and not people_in_title and found.humans < count:
        return True
    # Human cell lines carry the tag Humans, so it does not speak against cells.
    return found.humans == 0 and count >= _MANY_MENTIONS


def _age(asked: ExtractedPico, found: ExtractedPico) -> Finding | None:
    wanted = {term.concept for term in asked.of_kind(_K.AGE)}
    if not wanted:
        return None
    terms = found.of_kind(_K.AGE)
    groups = {term.concept for term in terms}
    if not groups:
        return Finding(
            aspect="age", fit=Fit.UNKNOWN, reason="age group not stated", asked=", ".join(sorted(wanted))
        )
    asked_words, found_words = _listed(wanted), _listed(groups)
    shown = {"asked": said(asked.of_kind(_K.AGE)), "found": said(terms)}
    if not _sides(wanted) & _sides(groups):
        reason = f"{found_words}; the question is about {asked_words}"
        return Finding(aspect="age", fit=Fit.MISMATCH, reason=reason, **shown)
    if wanted & groups or ("adults" in wanted and "older people" in groups):
        return Finding(aspect="age", fit=Fit.MATCH, reason=found_words, **shown)
    reason = f"{found_words}; {asked_words} are not named"
    return Finding(aspect="age", fit=Fit.PARTIAL, reason=reason, **shown)


def _sides(groups: set[str]) -> set[str]:
    return {side for side, members in (("young", _YOUNG), ("grown", _GROWN)) if groups & members}


def _listed(names: set[str]) -> str:
    order = ("newborns", "infants", "children", "adolescents", "adults", "older people")
    return " and ".join(name for name in order if name in names)


def _sex(asked: ExtractedPico, found: ExtractedPico) -> Finding | None:
    wanted = {term.concept for term in asked.of_kind(_K.SEX)}
    if len(wanted) != 1:
        return None
    terms = found.of_kind(_K.SEX)
    sexes = {term.concept for term in terms}
    if not sexes:
        return None
    shown = {"asked": said(asked.of_kind(_K.SEX)), "found": said(terms)}
    if wanted & sexes:
        return Finding(aspect="sex", fit=Fit.MATCH, reason=" and ".join(sorted(sexes)), **shown)
    reason = f"{named(terms)} only; the question is about {', '.join(wanted)}"
    return Finding(aspect="sex", fit=Fit.MISMATCH, reason=reason, **shown)


def _condition(asked: AskedPico, found: ExtractedPico, known: Vocabulary) -> Finding | None:
    wanted = [t for t in asked.used.of_kind(_K.CONDITION) if not t.absent]
    if not wanted:
        return None
    studied = [t for t in found.of_kind(_K.CONDITION) if not t.absent]
    named_in_title = [t for t in found.outcome if t.kind is _K.CONDITION and t.span.where in _CLOSE]
    candidates = (*studied, *named_in_title)
    for fit, relations in (
        (Fit.MATCH, (Relation.SAME, Relation.NARROWER)),
        (Fit.PARTIAL, (Relation.BROADER,)),
    ):
        pairs = [
            (a, t) for a in wanted for t in candidates if known.relation(a.concept, t.concept) in relations
        ]
        if pairs:
            reason = named(t for _, t in pairs)
            if fit is Fit.PARTIAL:
                reason += f"; the question is about {named(a for a, _ in pairs)}"
            asked_words, found_words = said(a for a, _ in pairs), said(t for _, t in pairs)
            return Finding(aspect="condition", fit=fit, reason=reason, asked=asked_words, found=found_words)
    return _other_condition(asked, wanted, studied, found, known)


def _other_condition(
    asked: AskedPico,
    wanted: list[PicoTerm],
    studied: list[PicoTerm],
    found: ExtractedPico,
    known: Vocabulary,
) -> Finding:
    """Tell another disease from one that the text names in passing or does not name at all."""
    passing = [a for a in wanted if known.mentions([a.concept], found.mentioned)]
    if passing:
        reason = f"{named(passing)} is named, but not as the disease studied"
        return Finding(aspect="condition", fit=Fit.PARTIAL, reason=reason, asked=said(passing))
    # "Beta-carotene and lung cancer" names what was counted, not who took part.
    others = [t for t in studied if t.span.where in _CLOSE and not _is_asked_outcome(t, asked, known)]
    healthy = [t for t in found.of_kind(_K.SEVERITY) if t.concept == HEALTHY]
    # A story names many diseases and often not the one it is about, so that another one proves nothing.
    if asked.vignette or not (others or healthy):
        reason = f"{named(wanted)} is not named"
        return Finding(aspect="condition", fit=Fit.UNKNOWN, reason=reason, asked=said(wanted))
    people = named(others) if others else "healthy people"
    reason = f"{people}; the question is about {named(wanted)}"
    return Finding(
        aspect="condition", fit=Fit.MISMATCH, reason=reason, asked=said(wanted), found=said(others or healthy)
    )


def _is_asked_outcome(term: PicoTerm, asked: AskedPico, known: Vocabulary) -> bool:
    return any(known.relation(o.concept, term.concept) is not Relation.NONE for o in asked.used.outcome)


def _history(asked: ExtractedPico, found: ExtractedPico, known: Vocabulary) -> Finding | None:
    """Compare 'people without the disease' with who was studied: a first or a second event."""
    free_of = [t for t in asked.of_kind(_K.CONDITION) if t.absent]
    primary = any(t.concept == PRIMARY for t in asked.of_kind(_K.HISTORY))
    first = [t for t in found.of_kind(_K.HISTORY, _K.SEVERITY) if t.concept in (PRIMARY, HEALTHY)]
    first += [t for t in found.of_kind(_K.CONDITION) if t.absent and _fits_any(free_of, t, known)]
    second = [t for t in found.of_kind(_K.HISTORY) if t.concept == SECONDARY and not t.absent]
    if not free_of and not primary:
        return _second_event(asked, second) if second and not first else None
    asked_words = said(free_of) or "first event"
    if first:
        return Finding(
            aspect="history", fit=Fit.MATCH, reason="people without it", asked=asked_words, found=said(first)
        )
    if second:
        reason = f"people who already have it ({said(second)}); the question is about people without"
        return Finding(
            aspect="history", fit=Fit.MISMATCH, reason=reason, asked=asked_words, found=said(second)
        )
    return Finding(aspect="history", fit=Fit.UNKNOWN, reason="previous disease not stated", asked=asked_words)


def _second_event(asked: ExtractedPico, second: list[PicoTerm]) -> Finding | None:
    """To prevent a disease is asked of people who do not have it, unless the question says that they do."""
    prevented = [t for t in asked.outcome if t.kind is _K.CONDITION]
    if not prevented or any(t.concept == SECONDARY for t in asked.of_kind(_K.HISTORY)):
        return None
    reason = f"people who already have it ({said(second)}); the question does not say so"
    return Finding(
        aspect="history", fit=Fit.PARTIAL, reason=reason, asked=said(prevented), found=said(second)
    )


def _fits_any(wanted: list[PicoTerm], term: PicoTerm, known: Vocabulary) -> bool:
    return any(known.relation(a.concept, term.concept) in (Relation.SAME, Relation.NARROWER) for a in wanted)


def _setting(asked: ExtractedPico, found: ExtractedPico) -> Finding | None:
    wanted = {t.concept for t in asked.of_kind(_K.SETTING)}
    terms = found.of_kind(_K.SETTING)
    places = {t.concept for t in terms}
    if not wanted or not places:
        return None
    shown = {"asked": said(asked.of_kind(_K.SETTING)), "found": said(terms)}
    if wanted & places or (wanted == {"hospital"} and places & _IN_HOSPITAL):
        return Finding(aspect="setting", fit=Fit.MATCH, reason=_places(places & _side(wanted)), **shown)
    in_title = any(t.span.where in _CLOSE for t in terms)
    apart = not _side(wanted) & places
    reason = f"{_places(places)}; the question is about {_places(wanted)}"
    return Finding(
        aspect="setting", fit=Fit.MISMATCH if apart and in_title else Fit.PARTIAL, reason=reason, **shown
    )


def _side(places: set[str]) -> frozenset[str]:
    return (_IN_HOSPITAL if places & _IN_HOSPITAL else frozenset()) | (
        _OUT_OF_HOSPITAL if places & _OUT_OF_HOSPITAL else frozenset()
    )


def _places(places: set[str] | frozenset[str]) -> str:
    return " and ".join(sorted(places))
