"""The facets of a question: from its text, from the story of a patient, and from what the user gave."""

from __future__ import annotations

import re
from typing import Final

from metarag.pico_asked import as_asked
from metarag.pico_people import PRIMARY
from metarag.pico_phrases import alternatives
from metarag.pico_reader import PicoReader
from metarag.pico_types import AskedPico, ExtractedPico, Noted, PicoTerm, TermKind
from metarag.pico_vocabulary import Vocabulary, vocabulary
from metarag.types import Pico, Question

ANY: Final = "any"
"""What a user writes for a facet that shall not be compared, whatever the question says. Animals stay apart."""
FACETS: Final = ("population", "intervention", "comparator", "outcome")
_K = TermKind
_STORY: Final = re.compile(r"\b\d{1,3}[ -](?:year|month|week|day)s?[ -]old\b", re.IGNORECASE)
_FIRST: Final = re.compile(r"\bfirst\s$", re.IGNORECASE)
_STORY_LENGTH = 250
"""Characters from which a text about one patient of a stated age is a story, not a question."""
_OWN_KINDS: Final = {
    "population": (_K.CONDITION, _K.AGE, _K.SEX, _K.SETTING, _K.SEVERITY, _K.HISTORY, _K.ANIMAL, _K.CELLS),
    "intervention": (_K.DRUG, _K.PROCEDURE),
    "comparator": (_K.COMPARATOR, _K.DRUG, _K.PROCEDURE),
    "outcome": (_K.OUTCOME, _K.CONDITION),
}


def question_pico(question: Question, *, vocabulary_used: Vocabulary | None = None) -> AskedPico:
    """Return what a question asks for; a facet that the user gave wins over the parsed one.

    A facet given as :data:`ANY` has no terms, so that it fits every article.

    The options of a multiple-choice question are never read: they are candidates, not facts.
    """
    known = vocabulary_used or vocabulary()
    vignette = is_vignette(question.text)
    parsed = (
        _of_vignette(question.text, known) if vignette else text_pico(question.text, vocabulary_used=known)
    )
    given = {
        facet: _of_facet(facet, value, known)
        for facet in FACETS
        if (value := getattr(question.pico or Pico(), facet)) and any(c.isalnum() for c in value)
    }
    used = parsed.model_copy(update={facet: getattr(pico, facet) for facet, pico in given.items()})
    return AskedPico(used=used, parsed=parsed, given=tuple(given), vignette=vignette)


def text_pico(text: str, *, vocabulary_used: Vocabulary | None = None) -> ExtractedPico:
    """Return the facets of a question or another short text; spans have ``where`` ``text``."""
    reader = PicoReader(vocabulary_used or vocabulary(), asks=True)
    reader.read(text, "text")
    return _first_events(as_asked(reader.result(), text), text)


def _first_events(read: ExtractedPico, text: str) -> ExtractedPico:
    """Add that people had none before where a first event is asked about: "a first myocardial infarction"."""
    firsts = [t for t in read.outcome if t.kind is _K.CONDITION and _FIRST.search(text, 0, t.span.start)]
    if not firsts or any(t.kind is _K.HISTORY for t in read.population):
        return read
    at = firsts[0].span
    noted = Noted(PRIMARY, _K.HISTORY, "text", at.start, at.end, at.text)
    return read.model_copy(update={"population": (*read.population, noted.term())})


def is_vignette(text: str) -> bool:
    """True for the story of one patient, as exams tell it."""
    return len(text) >= _STORY_LENGTH and bool(_STORY.search(text))


def _of_vignette(text: str, known: Vocabulary) -> ExtractedPico:
    """Return who the patient is. What is asked stands in the options, at best in the last sentence."""
    story = PicoReader(known)
    story.read(text, "text")
    told = story.result()
    asked_from = max(text.rstrip(" ?\n").rfind(". "), text.rstrip(" ?\n").rfind("? ")) + 1
    asked = PicoReader(known)
    asked.read(" " * asked_from + text[asked_from:], "text")
    last = asked.result()
    # Drugs of the story are what the patient takes, not what is asked about.
    return told.model_copy(
        update={
            "population": _patient(told),
            "intervention": last.intervention,
            "comparator": (),
            "outcome": last.outcome,
            "time": (),
        }
    )


def _patient(told: ExtractedPico) -> tuple[PicoTerm, ...]:
    """Return the terms of one person: the age in figures, the first sex; relatives are in the story, too.

    Severity is left out: a story calls many signs mild or severe.
    """
    ages = [t for t in told.of_kind(_K.AGE) if any(c.isdigit() for c in t.span.text)]
    sexes = told.of_kind(_K.SEX)
    first = {min(terms, key=lambda t: t.span.start) for terms in (ages, sexes) if terms}
    return tuple(t for t in told.population if t.kind not in (_K.AGE, _K.SEX, _K.SEVERITY) or t in first)


def _of_facet(facet: str, value: str, known: Vocabulary) -> ExtractedPico:
    """Return one facet as the user wrote it: what the vocabulary knows, else the members of the list."""
    if value.strip().casefold() == ANY:
        return ExtractedPico()
    where = f"pico.{facet}"
    reader = PicoReader(known, asks=True)
    reader.read(value, where)
    read = reader.result()
    everything = (*read.population, *read.intervention, *read.comparator, *read.outcome)
    terms = tuple(t for t in everything if t.kind in _OWN_KINDS[facet])
    if facet == "population":
        terms += tuple(t for t in everything if t.kind is _K.HUMAN)
    if not any(t.kind is not _K.HUMAN for t in terms):
        terms += tuple(noted.term() for noted in alternatives(value, where))
    return ExtractedPico.model_validate({facet: terms})
