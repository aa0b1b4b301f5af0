"""Whether a text tells of the treatment that a question asks about, or of another one.

A trial of two drugs against each other says how they compare, not what either does against none; and a
sentence on the other drug of a trial is no result of the one asked about.
"""

from __future__ import annotations

import re
from typing import Final

from metarag.asked_treatment import names_in_words, open_treatments
from metarag.pico_question import question_pico
from metarag.pico_types import TermKind
from metarag.pico_vocabulary import Relation, Words, vocabulary
from metarag.types import EffectEstimate, Question

# Given as placebos; the vocabulary knows them as drugs.
_INACTIVE: Final = frozenset({"crystalloid", "glucose", "saline", "dextrose", "placebo", "vitamin"})
_OF_ONE_KIND: Final = (Relation.SAME, Relation.NARROWER, Relation.BROADER)
_ITSELF: Final = (Relation.SAME, Relation.NARROWER)
_BESIDE: Final = (Relation.BROADER, Relation.SIBLING)
_COMPARES: Final = re.compile(
    r"\b(?:versus|vs\.?|compared (?:with|to)|comparison (?:of|between)|comparative|comparing)(?!\w)",
    re.IGNORECASE,
)
# "Usual care alone" is the control.
_ALONE: Final = re.compile(
    r"\b(?!care|placebo|control|therapy|treatment|surgery|diet|advice)[a-z][a-z-]{4,} alone\b", re.IGNORECASE
)
_SETTING: Final = re.compile(
    r"\b(?:in|during|after|before|following|undergoing|submitted to|scheduled for)\b", re.IGNORECASE
)


def asked_treatments(question: Question) -> frozenset[str]:
    """Return the drugs that a question asks about, and treatments that the vocabulary does not know.

    Empty too where it asks for a comparison with another drug: then no other drug is out of place.
    """
    asked = question_pico(question).used
    if any(term.kind is TermKind.DRUG for term in asked.comparator):
        return frozenset()
    drugs = frozenset(term.concept for term in asked.intervention if term.kind is TermKind.DRUG)
    return drugs | open_treatments(question)


def asked_procedures(question: Question) -> frozenset[str]:
    """Return the procedures that a question asks about; empty where it asks about a drug too."""
    asked = question_pico(question).used.intervention
    if any(term.kind is TermKind.DRUG for term in asked):
        return frozenset()
    return frozenset(term.concept for term in asked if term.kind is TermKind.PROCEDURE)


def is_only_setting(title: str, asked: frozenset[str]) -> bool:
    """True where everybody had the procedure asked about, and something else was studied.

    "Low against standard gas pressure in laparoscopic surgery" is no study of laparoscopic surgery; "pain
    after laparoscopic versus open surgery" is.
    """
    setting = _SETTING.search(title)
    if setting is None or not asked:
        return False
    before, after = title[: setting.start()], title[setting.end() :]
    return _has_procedure(after, asked) and not _has_procedure(before, asked) and not _COMPARES.search(after)


def is_head_to_head(title: str, asked: frozenset[str]) -> bool:
    """True where a title sets another drug against the one asked about."""
    return bool(asked and _COMPARES.search(title) and _others(title, asked))


def is_of_another(text: str, asked: frozenset[str]) -> bool:
    """True where a text names other drugs and none that is asked about."""
    return bool(asked and _others(text, asked) and not _named(text, asked))


def is_of_another_alone(text: str, asked: frozenset[str]) -> bool:
    """True where a text tells of "X alone", known or not, and names nothing that is asked about."""
    return bool(asked and _ALONE.search(text) and not _named(text, asked))


def names_asked(text: str, asked: frozenset[str]) -> bool:
    """True where a text names a drug that is asked about, its class or a member; or none is known."""
    return not asked or _named(text, asked)


def places_of(text: str, asked: frozenset[str]) -> list[tuple[int, int]]:
    """Return where in a text the treatments asked about are named, from left to right."""
    hits = vocabulary().find(Words.of(text))
    places = [
        (hit.start, hit.end)
        for hit in hits
        if any(vocabulary().related(asked, concept.name, _OF_ONE_KIND) for concept in hit.concepts)
    ]
    whole = [m for name in asked for m in re.finditer(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)]
    return sorted({*places, *(m.span() for m in whole)})


def names_others(text: str, asked: frozenset[str]) -> bool:
    """True where a text names drugs that are neither asked about nor given as placebos."""
    return _others(text, asked)


def is_of_the_class(text: str, asked: frozenset[str]) -> bool:
    """True where a text names the class of the drugs asked about, or another member, and none of them.

    "Corticosteroids" is short for systemic corticosteroids, not their class.
    """
    named = _drugs(text)
    return bool(
        asked
        and any(vocabulary().related(asked, drug, _BESIDE) for drug in named)
        and not any(vocabulary().related(asked, drug, _ITSELF) or _is_short(drug, asked) for drug in named)
    )


def is_against_asked(effect: EffectEstimate, asked: frozenset[str]) -> bool:
    """True where an effect is that of another drug, with the one asked about as its comparator."""
    one, _, two = (effect.comparison_key or "").replace("_", " ").partition("|")
    return bool(asked and _others(one, asked) and _named(two, asked))


def _is_short(drug: str, asked: frozenset[str]) -> bool:
    return any(set(drug.split()) < set(name.split()) for name in asked)


def _has_procedure(text: str, asked: frozenset[str]) -> bool:
    named = {c.name for c in vocabulary().concepts_in(text) if c.kind is TermKind.PROCEDURE}
    return any(vocabulary().related(asked, name, _OF_ONE_KIND) for name in named)


def _others(text: str, asked: frozenset[str]) -> bool:
    return any(not vocabulary().related(asked, drug, _OF_ONE_KIND) for drug in _drugs(text) - _INACTIVE)


def _named(text: str, asked: frozenset[str]) -> bool:
    if any(vocabulary().related(asked, drug, _OF_ONE_KIND) for drug in _drugs(text)):
        return True
    return any(names_in_words(name, text) for name in asked)


def _drugs(text: str) -> frozenset[str]:
    return frozenset(c.name for c in vocabulary().concepts_in(text) if c.kind is TermKind.DRUG)
