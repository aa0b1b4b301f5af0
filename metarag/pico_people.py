"""Whether the people studied are those the question is about; the question is made ready once."""

from __future__ import annotations

from collections.abc import Sequence, Set

from metarag.pico_findings import MATCH, MISMATCH, PARTIAL, UNKNOWN, Finding, Fit, combined, named, said
from metarag.pico_related import BROADER, CLOSE, FITS, SIBLING, Kinds, Relations, Studied
from metarag.pico_types import AskedPico, ExtractedPico, PicoTerm, TermKind

_ANIMAL, _CELLS, _HUMAN = TermKind.ANIMAL, TermKind.CELLS, TermKind.HUMAN
_AGE, _SEX, _SETTING = TermKind.AGE, TermKind.SEX, TermKind.SETTING
_CONDITION, _HISTORY, _SEVERITY = TermKind.CONDITION, TermKind.HISTORY, TermKind.SEVERITY
_YOUNG = frozenset({"newborns", "infants", "children", "adolescents"})
_GROWN = frozenset({"adults", "older people"})
_IN_HOSPITAL = frozenset({"hospital", "intensive care", "emergency department"})
_OUT_OF_HOSPITAL = frozenset({"outpatients", "nursing home"})
PRIMARY, SECONDARY, HEALTHY = "primary prevention", "secondary prevention", "healthy people"
PREGNANCY = "pregnancy"
"""Concepts of the vocabulary."""
_MANY_MENTIONS = 4
"""Mentions of animals or cells, with none of people, that leave no doubt where no check tag decides. Ours."""


class AskedPopulation:
    """The people a question is about."""

    def __init__(self, asked: AskedPico, relations: Relations) -> None:
        used = asked.used
        self._species = _AskedSpecies(used)
        self._age = _AskedAge(used)
        self._sex = _AskedSex(used)
        self._condition = _AskedCondition(asked, relations)
        self._history = _AskedHistory(used, relations)
        self._setting = _AskedSetting(used)

    def compare(self, studied: Studied) -> Finding | None:
        """Return what is found of them; ``None`` when the question says nothing of them and they are people."""
        people = studied.people
        compared = (
            self._species.compare(studied),
            self._age.compare(people),
            self._sex.compare(people),
            self._condition.compare(studied),
            self._history.compare(people),
            self._setting.compare(people),
        )
        findings = [finding for finding in compared if finding]
        return combined("population", findings) if findings else None


class _AskedSpecies:
    """People, unless the question names animals or cells."""

    def __init__(self, asked: ExtractedPico) -> None:
        terms = asked.of_kind(_ANIMAL, _CELLS)
        self._terms, self._name = said(terms), named(terms)

    def compare(self, studied: Studied) -> Finding | None:
        if not self._terms:
            return _no_people(studied)
        others = [t for kind, t in studied.people if kind is _ANIMAL or kind is _CELLS]
        if others:
            return Finding("species", MATCH, named(others), self._terms, said(others))
        people = [t for kind, t in studied.people if kind is _HUMAN or kind is _AGE or kind is _SEX]
        if people or studied.pico.humans:
            reason = f"people; the question is about {self._name}"
            return Finding("species", MISMATCH, reason, self._terms, said(people))
        return Finding("species", UNKNOWN, f"{self._name} not named", self._terms)


def _no_people(studied: Studied) -> Finding | None:
    """Mismatch where the article studies animals or cells only."""
    if not [kind for kind, _ in studied.people if kind is _ANIMAL or kind is _CELLS]:
        return None
    found = studied.pico
    for kind, count, words in (
        (_ANIMAL, found.animals, "animals"),
        (_CELLS, found.cells, "cells in the laboratory"),
    ):
        terms = found.of_kind(kind)
        if terms and _only(kind, terms, count, found):
            reason = f"{words} only ({said(terms)}); the question is about people"
            return Finding("species", MISMATCH, reason, "people", said(terms), certain=True)
    return None


def _only(kind: TermKind, terms: tuple[PicoTerm, ...], count: int, found: ExtractedPico) -> bool:
    people = found.of_kind(_HUMAN)
    tagged_people = any(term.span.where == "mesh" for term in people)
    tagged = any(term.span.where == "mesh" for term in terms)
    if kind is _ANIMAL and tagged:
        # An indexer who saw people in it adds Humans; words on patients are then the outlook.
        return not tagged_people and (count > 0 or found.humans == 0)
    if kind is _ANIMAL and tagged_people:
        return False
    in_title = any(term.span.where == "title" for term in terms)
    people_in_title = any(term.span.where == "title" for term in people)
    if in_title and not people_in_title and found.humans < count:
        return True
    # Human cell lines carry the tag Humans, so it does not speak against cells.
    return found.humans == 0 and count >= _MANY_MENTIONS


class _AskedAge:
    def __init__(self, asked: ExtractedPico) -> None:
        self._terms = said(asked.of_kind(_AGE))
        self._groups = {term.concept for term in asked.of_kind(_AGE)}
        self._sides, self._listed = _sides(self._groups), _listed(self._groups)
        self._known: dict[frozenset[str], tuple[Fit, str]] = {}

    def compare(self, people: Kinds) -> Finding | None:
        if not self._groups:
            return None
        terms = [term for kind, term in people if kind is _AGE]
        if not terms:
            reason = "age group not stated"
            return Finding("age", UNKNOWN, reason, ", ".join(sorted(self._groups)))
        groups = frozenset([term.concept for term in terms])
        if groups not in self._known:
            self._known[groups] = self._fit(groups)
        fit, reason = self._known[groups]
        return Finding("age", fit, reason, self._terms, said(terms))

    def _fit(self, groups: frozenset[str]) -> tuple[Fit, str]:
        words = _listed(groups)
        if not self._sides & _sides(groups):
            return MISMATCH, f"{words}; the question is about {self._listed}"
        if self._groups & groups or ("adults" in self._groups and "older people" in groups):
            return MATCH, words
        return PARTIAL, f"{words}; {self._listed} are not named"


def _sides(groups: Set[str]) -> set[str]:
    return {side for side, members in (("young", _YOUNG), ("grown", _GROWN)) if groups & members}


def _listed(names: Set[str]) -> str:
    order = ("newborns", "infants", "children", "adolescents", "adults", "older people")
    return " and ".join([name for name in order if name in names])


class _AskedSex:
    def __init__(self, asked: ExtractedPico) -> None:
        self._terms = said(asked.of_kind(_SEX))
        self._sexes = {term.concept for term in asked.of_kind(_SEX)}
        pregnant = [t for t in asked.of_kind(_CONDITION) if t.concept == PREGNANCY and not t.absent]
        if pregnant and not self._sexes:
            self._terms, self._sexes = said(pregnant), {"women"}

    def compare(self, people: Kinds) -> Finding | None:
        if len(self._sexes) != 1:
            return None
        terms = [term for kind, term in people if kind is _SEX]
        if not terms:
            return None
        sexes = {term.concept for term in terms}
        if self._sexes & sexes:
            return Finding("sex", MATCH, " and ".join(sorted(sexes)), self._terms, said(terms))
        reason = f"{named(terms)} only; the question is about {', '.join(self._sexes)}"
        return Finding("sex", MISMATCH, reason, self._terms, said(terms))


class _AskedCondition:
    def __init__(self, asked: AskedPico, relations: Relations) -> None:
        self._terms = [t for t in asked.used.of_kind(_CONDITION) if not t.absent]
        self._words, self._name = said(self._terms), named(self._terms)
        self._vignette = asked.vignette
        self._concepts = frozenset([term.concept for term in self._terms])
        self._outcomes = frozenset([term.concept for term in asked.used.outcome])
        self._relations = relations

    def compare(self, studied: Studied) -> Finding | None:
        if not self._terms:
            return None
        theirs = [t for kind, t in studied.people if kind is _CONDITION and not t.absent]
        free_of = [
            t for kind, t in studied.people if kind is _CONDITION and t.absent and t.span.where in CLOSE
        ]
        without = self._relations.among(free_of, self._concepts, FITS)
        if without and not self._relations.among(theirs, self._concepts, FITS):
            reason = f"people without {named(without)}; the question is about people with it"
            return Finding("condition", MISMATCH, reason, self._words, said(without))
        in_title = [t for kind, t in studied.outcomes if kind is _CONDITION and t.span.where in CLOSE]
        related = self._relations.among(theirs + in_title, self._concepts, FITS | BROADER)
        for fit, how in ((MATCH, FITS), (PARTIAL, BROADER)) if related else ():
            pairs = [
                (asked, t)
                for asked in self._terms
                for t in self._relations.among(related, (asked.concept,), how)
            ]
            if pairs:
                return _condition_found(fit, pairs)
        return self._other(theirs, studied)

    def _other(self, theirs: list[PicoTerm], studied: Studied) -> Finding:
        """Tell another disease from one that the text names in passing or does not name at all."""
        passing = studied.mentioned and [t for t in self._terms if t.concept in studied.mentioned]
        if passing:
            reason = f"{named(passing)} is named, but not as the disease studied"
            return Finding("condition", PARTIAL, reason, said(passing))
        # "Beta-carotene and lung cancer" names what was counted, not who took part.
        close = [t for t in theirs if t.span.where in CLOSE]
        counted = self._relations.among(close, self._outcomes, FITS | BROADER | SIBLING)
        outcomes = {t.concept for t in counted}
        others = [t for t in close if t.concept not in outcomes]
        healthy = [t for kind, t in studied.people if kind is _SEVERITY and t.concept == HEALTHY]
        # A story names many diseases and often not the one it is about, so that another one proves nothing.
        if self._vignette or not (others or healthy):
            if PREGNANCY in self._concepts and not self._vignette:
                # Who is pregnant is said: what nobody says of the people studied was hardly so.
                return Finding("condition", PARTIAL, "pregnant women are not named", self._words)
            return Finding("condition", UNKNOWN, f"{self._name} is not named", self._words)
        reason = f"{named(others) or HEALTHY}; the question is about {self._name}"
        return Finding("condition", MISMATCH, reason, self._words, said(others or healthy))


def _condition_found(fit: Fit, pairs: Sequence[tuple[PicoTerm, PicoTerm]]) -> Finding:
    asked, found = [a for a, _ in pairs], [t for _, t in pairs]
    reason = named(found)
    if fit is PARTIAL:
        reason += f"; the question is about {named(asked)}"
    return Finding("condition", fit, reason, said(asked), said(found))


class _AskedHistory:
    """People without the disease, compared with who was studied: a first or a second event."""

    def __init__(self, asked: ExtractedPico, relations: Relations) -> None:
        free_of = [t for t in asked.of_kind(_CONDITION, _HISTORY) if t.absent]
        primary = any(t.concept == PRIMARY and not t.absent for t in asked.of_kind(_HISTORY))
        secondary = any(t.concept == SECONDARY for t in asked.of_kind(_HISTORY))
        self._free_of = frozenset([term.concept for term in free_of])
        self._relations = relations
        self._stated = bool(free_of) or primary
        self._words = said(free_of) or "first event"
        # To prevent a disease is asked of people who do not have it, unless the question says that they do.
        prevented = [] if secondary else [t for t in asked.outcome if t.kind is _CONDITION]
        self._prevented = said(prevented)

    def compare(self, people: Kinds) -> Finding | None:
        if not self._stated and not self._prevented:
            return None
        second = [t for kind, t in people if kind is _HISTORY and t.concept == SECONDARY and not t.absent]
        if not self._stated and not (second and self._prevented):
            return None
        told = [t for kind, t in people if kind is _HISTORY or kind is _SEVERITY]
        first = [t for t in told if t.concept in (PRIMARY, HEALTHY)]
        having = [(t, t.absent) for kind, t in people if kind is _CONDITION or kind is _HISTORY]
        absent = [t for t, lacking in having if lacking]
        first += self._relations.among(absent, self._free_of, FITS)
        if not self._stated:
            return None if first else self._second_event(second)
        if first:
            return Finding("history", MATCH, "people without it", self._words, said(first))
        if second:
            reason = f"{_having_it(second)}; the question is about people without"
            return Finding("history", MISMATCH, reason, self._words, said(second))
        ill = self._relations.among([t for t, lacking in having if not lacking], self._free_of, FITS)
        if ill:
            fit = MISMATCH if any(t.span.where in CLOSE for t in ill) else PARTIAL
            reason = f"{named(ill)}; the question is about people without"
            return Finding("history", fit, reason, self._words, said(ill))
        return Finding("history", UNKNOWN, "previous disease not stated", self._words)

    def _second_event(self, second: list[PicoTerm]) -> Finding:
        reason = f"{_having_it(second)}; the question does not say so"
        return Finding("history", PARTIAL, reason, self._prevented, said(second))


def _having_it(second: list[PicoTerm]) -> str:
    told, words = "people who already have it", said(second)
    return told if words in told else f"{told} ({words})"


class _AskedSetting:
    def __init__(self, asked: ExtractedPico) -> None:
        self._terms = said(asked.of_kind(_SETTING))
        self._places = {term.concept for term in asked.of_kind(_SETTING)}
        self._side, self._listed = _side(self._places), _listed_places(self._places)

    def compare(self, people: Kinds) -> Finding | None:
        if not self._places:
            return None
        terms = [term for kind, term in people if kind is _SETTING]
        if not terms:
            return None
        places = {term.concept for term in terms}
        words = said(terms)
        if self._places & places or (self._places == {"hospital"} and places & _IN_HOSPITAL):
            return Finding("setting", MATCH, _listed_places(places & self._side), self._terms, words)
        in_title = any(t.span.where in CLOSE for t in terms)
        fit = MISMATCH if in_title and not self._side & places else PARTIAL
        reason = f"{_listed_places(places)}; the question is about {self._listed}"
        return Finding("setting", fit, reason, self._terms, words)


def _side(places: set[str]) -> frozenset[str]:
    return (_IN_HOSPITAL if places & _IN_HOSPITAL else frozenset()) | (
        _OUT_OF_HOSPITAL if places & _OUT_OF_HOSPITAL else frozenset()
    )


def _listed_places(places: set[str]) -> str:
    return " and ".join(sorted(places))
