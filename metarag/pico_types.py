"""What is read of population, intervention, comparator and outcome, with the words that say so."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from pydantic import Field

from metarag.records import Frozen
from metarag.spans import SPAN_FIELDS, Pico, Span
from metarag.unchecked import unchecked


class TermKind(StrEnum):
    """What sort of thing a term is. ``OPEN`` is a phrase of the text that the vocabulary does not know."""

    CONDITION = "condition"
    DRUG = "drug"
    PROCEDURE = "procedure"
    COMPARATOR = "comparator"
    OUTCOME = "outcome"
    HUMAN = "human"
    ANIMAL = "animal"
    CELLS = "cells"
    AGE = "age"
    SEX = "sex"
    SETTING = "setting"
    SEVERITY = "severity"
    HISTORY = "history"
    DURATION = "duration"
    OPEN = "open"


class PicoTerm(Frozen):
    """A concept and the words that stand for it.

    Parameters
    ----------
    concept : str
        Preferred name in ``data/pico_vocabulary.json``, the drug itself where only its stem is known, or
        the phrase in lower case where nothing is known.
    kind : TermKind
        What sort of thing it is.
    span : Span
        ``where`` is ``title``, ``abstract``, ``mesh`` (the heading itself), ``keyword`` or ``text``.
    absent : bool
        True in "without diabetes": the people do not have it.
    """

    concept: str
    kind: TermKind
    span: Span
    absent: bool = False


class Noted(NamedTuple):
    """A term as it is read: light, because most are read more than once and kept once."""

    concept: str
    kind: TermKind
    where: str
    start: int
    end: int
    text: str
    absent: bool = False

    def term(self) -> PicoTerm:
        """Return the term; not validated, for its fields are what readers of this package found."""
        span = {"where": self.where, "start": self.start, "end": self.end, "text": self.text}
        values = {
            "concept": self.concept,
            "kind": self.kind,
            "span": unchecked(Span, span, SPAN_FIELDS),
            "absent": self.absent,
        }
        return unchecked(PicoTerm, values, _TERM_FIELDS)


# Pydantic asks for a set that is not frozen; a copy of a term has a copy of it.
_TERM_FIELDS: Final = set(PicoTerm.model_fields)


class ExtractedPico(Frozen):
    """The facets of a question or an article. An empty facet means that nothing was read of it.

    Attributes
    ----------
    population : tuple of PicoTerm
        Species, age group, sex, condition, setting, severity and history.
    intervention, comparator, outcome, time : tuple of PicoTerm
        Each concept once, at its most telling place: title, then MeSH, keywords, abstract.
    mentioned : tuple of str
        Names of all conditions, drugs, procedures, comparators and outcomes found anywhere, sorted. What is
        not even mentioned is a mismatch; what is mentioned in passing is not.
    humans, animals, cells : int
        How often the text speaks of people, of animals and of cells in the laboratory.
    length : int
        Characters of the abstract or text: a short one that does not name a thing proves nothing.
    """

    population: tuple[PicoTerm, ...] = ()
    intervention: tuple[PicoTerm, ...] = ()
    comparator: tuple[PicoTerm, ...] = ()
    outcome: tuple[PicoTerm, ...] = ()
    time: tuple[PicoTerm, ...] = ()
    mentioned: tuple[str, ...] = ()
    humans: int = Field(default=0, ge=0)
    animals: int = Field(default=0, ge=0)
    cells: int = Field(default=0, ge=0)
    length: int = Field(default=0, ge=0)

    def of_kind(self, *kinds: TermKind) -> tuple[PicoTerm, ...]:
        """Return the population terms of these kinds."""
        if len(kinds) == 1:
            (only,) = kinds
            return tuple([term for term in self.population if term.kind is only])
        return tuple([term for term in self.population if term.kind in kinds])

    def as_pico(self) -> Pico:
        """Return the concepts of each facet in words; ``None`` where nothing was read."""

        def words(terms: tuple[PicoTerm, ...]) -> str | None:
            named = [
                f"no {t.concept}" if t.absent else t.concept for t in terms if t.kind is not TermKind.HUMAN
            ]
            return ", ".join(dict.fromkeys(named)) or None

        return Pico(
            population=words(self.population),
            intervention=words(self.intervention),
            comparator=words(self.comparator),
            outcome=words(self.outcome),
        )


class AskedPico(Frozen):
    """What a question asks for.

    Attributes
    ----------
    used : ExtractedPico
        What articles are compared with: the user's facets where given, the parsed ones elsewhere.
    parsed : ExtractedPico
        What the question's own text says, to be shown beside it.
    given : tuple of str
        Facets that the user gave; spans of their terms have ``where`` ``pico.population`` and so on.
    vignette : bool
        True when the question tells the story of one patient.
    """

    used: ExtractedPico
    parsed: ExtractedPico
    given: tuple[str, ...] = ()
    vignette: bool = False
