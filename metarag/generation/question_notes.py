"""What is to be said of a question itself before its answer: what it asks for that is not told, or told turned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metarag.agreement import facet_decisions, facet_of
from metarag.asked_treatment import (
    Turned,
    is_studied,
    missing_in_people,
    not_on_treatment,
    open_treatments,
    treatment_words,
    turned,
)
from metarag.audit import Decision
from metarag.generation.asked_words import Asked, AskedWords
from metarag.generation.base import AnswerSentence
from metarag.generation.limits import named_sentence
from metarag.generation.wording import listed
from metarag.joined_treatment import joined_names, named_by_none
from metarag.pico_types import TermKind
from metarag.pipeline import Ranking
from metarag.relevance import QuestionTerms
from metarag.results import tier_name
from metarag.types import Evidence, Question
from metarag.unspoken_words import unspoken_words

_TREATMENTS = (TermKind.DRUG, TermKind.PROCEDURE)


def unstudied_treatment(question: Question, ranking: Ranking) -> str | None:
    """Return the treatment of a question that no article studies, nor one of its class; else ``None``.

    What is on other treatments is no answer, however close the people and the outcome are.
    """
    named = treatment_words(question)
    facets = facet_decisions(ranking)
    if not named or not len(ranking):
        return None
    if any(is_studied(item.article, question) or _is_related(facets.get(item.key)) for item in ranking):
        return None
    return named


def unstudied_text(treatment: str, ranking: Ranking) -> str:
    """Return that no article studies a treatment, and that therefore there is no answer."""
    question = ranking.audit.question
    left = any(is_studied(item.article, question) for item in ranking.excluded)
    # Of a name that is not known, its synonyms are not either.
    name = f"{treatment} by that name" if open_treatments(question) else treatment
    return (
        f"No article found{' that can be used' if left else ''} studies {name}, so this question cannot be"
        " answered from the evidence at hand."
    )


def may_be_quoted(question: Question, item: Evidence) -> bool:
    """True unless an article is on treatment and the question is not, or on another than one not known."""
    if open_treatments(question) and not is_studied(item.article, question):
        return False
    if not_on_treatment(question) is None:
        return True
    found = item.appraisal.pico.intervention if item.appraisal and item.appraisal.pico else ()
    treated = any(term.kind in _TREATMENTS for term in found)
    named = bool(treatment_words(question)) and is_studied(item.article, question)
    return tier_name(item) not in ("review", "randomised") and (named or not treated)


def question_sentences(question: Question, ranking: Ranking, asked: AskedWords) -> list[AnswerSentence]:
    """Return what has to be known of the question to read the answer right."""
    unspoken = unspoken_text(question, ranking, asked)
    told = [AnswerSentence(text=unspoken)] if unspoken else []
    return [*_kind_sentences(question), *_joined_sentences(question, ranking), *told]


def names_nothing(question: Question) -> bool:
    """True where no word of a question is one that an article could speak of: "What is 2+2?"."""
    return not QuestionTerms.of(question).weights


def unspoken_text(question: Question, ranking: Ranking, asked: AskedWords) -> str:
    """Return which words of a question no article found names; empty where all are, or another note says so."""
    told = " ".join((*joined_names(question), *asked.phrases)).split()
    missing = [w for w in unspoken_words(question, (*ranking.evidence, *ranking.excluded)) if w not in told]
    return f"No article found names {listed(missing)}, which the question does." if missing else ""


def uncounted_text(question: Question, asked: AskedWords) -> str:
    """Return why results on what a question asks are not counted; empty where they are, or another note says so."""
    if asked.kind is Asked.COUNTED or not_on_treatment(question):
        return ""
    if asked.kind is Asked.NO_TREATMENT:
        return "No treatment was recognised in the question, so there is no verdict"
    if asked.kind is Asked.READ:
        return f"Results on {listed(asked.phrases)} are not counted by rules, so there is no verdict"
    if asked.kind is Asked.CONDITION:
        return f"“{asked.phrases[0]}” was read as what the people have, not as an outcome, so there is no verdict"
    said = f" (“{asked.phrases[0]}” is none)" if asked.phrases else ""
    return f"No outcome that is known was recognised in the question{said}, so there is no verdict"


def uncounted_sentence(question: Question, asked: AskedWords, named: Sequence[bool]) -> list[AnswerSentence]:
    """Return that there is no verdict, and what the quotes are worth.

    Parameters
    ----------
    named : sequence of bool
        Of each article that is quoted, whether a sentence of it names what is asked.
    """
    why = uncounted_text(question, asked)
    if not why:
        return []
    which = (
        ", and none of them names it"
        if not any(named)
        else ""
        if all(named)
        else ", those that name it first"
    )
    return [AnswerSentence(text=f"{why}; the quotes are on the topic only{which if asked.phrases else ''}.")]


def _joined_sentences(question: Question, ranking: Ranking) -> list[AnswerSentence]:
    """Say where the treatment was asked about together with something that no article names."""
    missing = named_by_none(joined_names(question), (*ranking.evidence, *ranking.excluded))
    if not missing:
        return []
    text = f"No article found names {listed(missing)}; what follows is on {treatment_words(question)} alone."
    return [AnswerSentence(text=text)]


def _kind_sentences(question: Question) -> list[AnswerSentence]:
    about = not_on_treatment(question)
    if about:
        text = (
            f"The question is about {about}: results are counted by rules for questions on a treatment only,"
            " so there is no verdict; quoted is the best evidence found."
        )
        return [AnswerSentence(text=text)]
    how, named = turned(question), treatment_words(question)
    if how is None:
        return []
    asks = f"The question asks about {how.value.format(named)}"
    stopped = ", and trials of stopping it are not counted" if how is Turned.STOPPED else ""
    return [AnswerSentence(text=f"{asks}; the results here are told for giving {named}{stopped}.")]


def other_people_sentence(
    question: Question, keys: Sequence[str], articles: Mapping[str, Evidence], ranking: Ranking
) -> AnswerSentence | None:
    """Return which of the counted articles are not, or only in part, on the people of the question."""
    facets = facet_decisions(ranking)
    reasons = {key: _other_people(question, articles[key], facets.get(key)) for key in dict.fromkeys(keys)}
    found = [(articles[key], why) for key, why in reasons.items() if why]
    if not found:
        return None
    return named_sentence("Counted, but not on just the people of the question", found)


def _other_people(question: Question, item: Evidence, decision: Decision | None) -> str:
    """Return what is different about the people of an article; empty where nothing is known to be."""
    said = facet_of(decision, "population")
    if said.startswith(("mismatch", "partial")):
        return said.partition(": ")[2]
    pico = item.appraisal.pico if item.appraisal else None
    missing = missing_in_people(question, pico.population) if pico else []
    return f"{listed(missing)}, which the question rules out" if missing else ""


def _is_related(decision: Decision | None) -> bool:
    """True for an article on the class of the treatment; one that only shares words with it is none."""
    found = facet_of(decision, "intervention")
    return found.startswith("partial") and "of the same class" in found
