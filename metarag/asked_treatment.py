"""What a question asks of its treatment: which one it is, whether it is given, and whether there is one at all.

A treatment counts whether the vocabulary knows it or not: results of others are no answer to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from metarag.outcome_keys import outcome_key
from metarag.pico_question import question_pico
from metarag.pico_types import PicoTerm, TermKind
from metarag.pico_vocabulary import Relation, vocabulary
from metarag.question_kind import infer_kind
from metarag.records import Article
from metarag.relevance import stem, words
from metarag.sentences import finding_sentences, sentences_of
from metarag.types import Question, QuestionKind

_TREATMENTS: Final = (TermKind.DRUG, TermKind.PROCEDURE)
_CLOSE: Final = ("title", "mesh", "keyword")
_FITS: Final = (Relation.SAME, Relation.NARROWER)
# Words of a name that do not tell one treatment from another.
_GENERAL: Final = frozenset(
    stem(word)
    for word in """early late low high dose doses daily oral intravenous routine regular systematic use using
    treatment treatments therapy therapies giving given taking taken adding addition stopping withholding
    avoiding withdrawing discontinuing omitting not the and for with new""".split()
)
_PLACE: Final = re.compile(r"\s(?:in|for|among|during|after|before|at|on|as)\s", re.IGNORECASE)
_GIVEN: Final = re.compile(
    r"\b(?:randomi[sz]|assigned|allocated|received?|receiving|compar|versus|given|treated|users?\b)",
    re.IGNORECASE,
)
_STOPS: Final = (
    r"(?:stopp?(?:ing|ed)?|discontinu\w+|withdraw\w*|ceas(?:e|ing)|cessation|interrupt\w+|deprescrib\w+)"
)
_LEAVES_OUT: Final = (
    r"(?:withh(?:old|eld)\w*|avoid\w*|omit\w*|omission|without|not (?:giving|using|taking|prescribing))"
)
_LINK: Final = r"\s(?:[\w-]+\s){0,2}\Z"
_STOPPED_BEFORE: Final = re.compile(rf"\b{_STOPS}{_LINK}", re.IGNORECASE)
_STOPPED_AFTER: Final = re.compile(
    r"\A\s(?:therapy |treatment |use )?"
    r"(?:be (?:stopped|discontinued|withdrawn)|(?:discontinuation|withdrawal|cessation))\b",
    re.IGNORECASE,
)
_LEFT_OUT_BEFORE: Final = re.compile(rf"\b{_LEAVES_OUT}{_LINK}", re.IGNORECASE)
_LEFT_OUT_AFTER: Final = re.compile(
    r"\A\s(?:therapy |treatment )?(?:not\s(?:be\s)?(?:given|used|taken|prescribed|started|offered)"
    r"|be\s(?:avoided|withheld|omitted))\b",
    re.IGNORECASE,
)
_SET_AGAINST: Final = re.compile(
    r"\b(?:compared (?:with|to)|versus|vs\.?|than|against|relative to|over)\s(?:\w+\s){0,2}\Z", re.IGNORECASE
)
_ACCURACY: Final = re.compile(r"\A(?:diagnos|detect)", re.IGNORECASE)
_COMPARES_PEOPLE: Final = re.compile(
    r"\b(?:more|less) (?:common|frequent|likely)\b|\b(?:higher|lower|greater|worse) (?:in|among)\b",
    re.IGNORECASE,
)
_ABOUT: Final = MappingProxyType(
    {
        QuestionKind.DIAGNOSIS: "diagnosis",
        QuestionKind.PROGNOSIS: "prognosis",
        QuestionKind.PREVALENCE: "how common something is",
    }
)


class Turned(StrEnum):
    """How a question asks of the contrary of giving its treatment."""

    LEFT_OUT = "not giving {}"
    STOPPED = "stopping {}"
    CONTROL = "what {} is compared with"


def treatment_words(question: Question) -> str:
    """Return the treatments of a question in its own words, joined by "and"; empty where it names none."""
    named = dict.fromkeys(_with_article(term, question.text) for term in _treatments(question))
    return " and ".join(name for name in named if name)


def open_treatments(question: Question) -> frozenset[str]:
    """Return the treatments of a question that the vocabulary does not know, in the question's words."""
    return frozenset(
        _name(t) for t in _treatments(question) if t.kind is TermKind.OPEN and distinct(_name(t))
    )


@lru_cache(maxsize=1_024)
def distinct(name: str) -> frozenset[str]:
    """Return the stems of a name that tell it from others; empty for "early treatment"."""
    return frozenset(stem(word) for word in words(name)) - _GENERAL


def names_in_words(name: str, text: str) -> bool:
    """True where a text has every word that tells a name from others."""
    wanted = distinct(name)
    return bool(wanted) and wanted <= {stem(word) for word in words(text)}


def is_studied(article: Article, question: Question) -> bool:
    """Tell whether an article names a treatment of the question as what was studied.

    It is in the title, the MeSH headings or keywords, or in a sentence of the abstract on findings or on who
    was given what. True too where the question names none.
    """
    asked = _treatments(question)
    return not asked or any(_studies(article, term) for term in asked)


def turned(question: Question) -> Turned | None:
    """Return how a question asks of not giving its treatment, if it does: "Does stopping aspirin ..."."""
    asked = question_pico(question).used
    inside = [term for term in _treatments(question) if term.span.where == "text"]
    for term in inside:
        before, after = question.text[: term.span.start], question.text[term.span.end :]
        before += term.span.text if term.kind is TermKind.OPEN else ""
        if _STOPPED_BEFORE.search(before) or _STOPPED_AFTER.search(after):
            return Turned.STOPPED
        if _LEFT_OUT_BEFORE.search(before) or _LEFT_OUT_AFTER.search(after):
            return Turned.LEFT_OUT
        if term.kind is TermKind.OPEN and re.match(rf"(?:{_STOPS}|{_LEAVES_OUT})\b", term.span.text, re.I):
            return Turned.STOPPED if re.match(_STOPS, term.span.text, re.I) else Turned.LEFT_OUT
    controls = [t for t in asked.comparator if t.kind is TermKind.COMPARATOR and t.span.where == "text"]
    first = min((t.span.start for t in inside), default=0)
    if any(t.span.start < first and not _SET_AGAINST.search(question.text[: t.span.start]) for t in controls):
        return Turned.CONTROL
    return None


def not_on_treatment(question: Question) -> str | None:
    """Return what a question is about that has no treatment to count results of; ``None`` for all others.

    A question on accuracy is one of diagnosis whatever it names. One that names a treatment and asks, say, of
    mortality in some people is on that treatment.
    """
    kind, said = (question.kind, "") if question.kind else infer_kind(question.text)
    asked = _treatments(question)
    if kind is QuestionKind.DIAGNOSIS and (not asked or not _ACCURACY.search(said)):
        return _ABOUT[kind]
    if asked and not question.kind:
        return None
    if kind is QuestionKind.OTHER and _COMPARES_PEOPLE.search(question.text):
        kind = QuestionKind.PROGNOSIS
    return _ABOUT.get(kind)


def missing_in_people(question: Question, found: Iterable[PicoTerm]) -> list[str]:
    """Return what the people of a question do not have ("non-smokers") and an article is on people with."""
    asked = {term.concept for term in question_pico(question).used.population if term.absent}
    terms = [term for term in found if term.concept in asked]
    without = {term.concept for term in terms if term.absent}
    named = {t.concept for t in terms if t.span.where in _CLOSE} - without
    # "Cardiovascular disease" in a title is as often what was to be prevented.
    return sorted(name for name in named if outcome_key(name) is None)


def is_on_people_without(sentence: str, question: Question) -> bool:
    """True where a sentence names what the people of a question do not have: "not needing oxygen"."""
    asked = {term.concept for term in question_pico(question).used.population if term.absent}
    return bool(asked) and any(concept.name in asked for concept in vocabulary().concepts_in(sentence))


def _with_article(term: PicoTerm, text: str) -> str:
    before = text[: term.span.start] if term.span.where == "text" else ""
    found = re.search(r"\b(an?) \Z", before, re.IGNORECASE)
    return f"{found[1].lower()} {_name(term)}" if found else _name(term)


def _treatments(question: Question) -> tuple[PicoTerm, ...]:
    return question_pico(question).used.intervention


def _name(term: PicoTerm) -> str:
    """Return the words of a term; of one that is not known, without people and place."""
    said = _PLACE.split(term.span.text, maxsplit=1)[0] if term.kind is TermKind.OPEN else term.span.text
    if term.kind is TermKind.OPEN:
        said = re.sub(rf"\A(?:{_STOPS}|{_LEAVES_OUT})\s+(?:of\s+)?", "", said, flags=re.IGNORECASE)
    return " ".join(said.split())


def _studies(article: Article, term: PicoTerm) -> bool:
    about = [article.title, *article.keywords, *(h.descriptor for h in article.mesh)]
    about += [concept.name for concept in article.supplementary_mesh]
    if _names(" ; ".join(about), term):
        return True
    text, findings = article.abstract or "", set(finding_sentences(article))
    told = (text[slice(*s)] for s in sentences_of(text) if s in findings or _GIVEN.search(text[slice(*s)]))
    return any(_names(sentence, term) for sentence in told)


def _names(text: str, term: PicoTerm) -> bool:
    if term.kind not in _TREATMENTS:
        return not distinct(_name(term)) or names_in_words(_name(term), text)
    return _is_among((c.name for c in vocabulary().concepts_in(text)), term.concept)


def _is_among(named: Iterable[str], concept: str) -> bool:
    asked = frozenset({concept})
    return any(vocabulary().related(asked, name, _FITS) for name in named)
