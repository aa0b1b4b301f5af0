"""From a question to a plan of searches by rule: no model, no network, the same every time."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from metarag.pico_facets import ACCURACY
from metarag.pico_question import question_pico
from metarag.pico_types import AskedPico, PicoTerm, TermKind
from metarag.pico_vocabulary import vocabulary
from metarag.pico_words import Words
from metarag.question_kind import SHORT, infer_kind
from metarag.retrieval.key_words import IGNORED_BY_PUBMED, key_words, told_parts
from metarag.retrieval.query_blocks import Block, Part, pico_blocks, term_name, term_node, word_term
from metarag.retrieval.query_plan import QueryPlan, QueryStep
from metarag.retrieval.query_steps import Scope, pico_steps, story_steps
from metarag.retrieval.query_tree import any_of
from metarag.retrieval.search_terms import SearchTerms, search_terms
from metarag.types import Question, QuestionKind

MOST_WORDS: Final = 3
"""Words that stand in for a facet that was not read (ours)."""
MOST_STORY_WORDS: Final = 6
MOST_CONDITIONS: Final = 2
"""Conditions of a story that are searched (ours): the others are what the patient has besides."""
STORY: Final = (
    "The question tells a story, so that by rule its telling words are searched; a query of your own, or a model's,"
    " finds more."
)
NAMELESS: Final = (
    "The question names no condition, treatment or other thing to search for, so that its longest words are."
)
_ANY_WORD: Final = re.compile(r"[^\W_]+")


def rule_plan(question: Question, *, scope: Scope = "narrow", options: Sequence[str] = ()) -> QueryPlan:
    """Return the plan for a question by its facets, their synonyms and headings, and its kind.

    Parameters
    ----------
    scope : str
        Of the Clinical Queries filter: ``narrow``, ``broad`` or ``none``.
    options : sequence of str
        Answers of a multiple-choice question that shall be searched, too; as alternatives.
    """
    terms = search_terms()
    asked = question_pico(question)
    kind = question.kind or infer_kind(question.text)[0]
    warnings: tuple[str, ...] = ()
    extra = _option_block(options, terms)
    if asked.vignette or len(question.text) > SHORT:
        steps, warnings = _story(question.text, asked, terms, extra), (STORY,)
    else:
        blocks = pico_blocks(_searched(asked), question.text, terms)
        blocks += _missing(question.text, asked, blocks, terms)
        warnings = () if blocks else (NAMELESS,)
        steps = pico_steps([*(blocks or _last_resort(question.text)), *extra], kind=kind, scope=scope)
    return QueryPlan(steps=steps, warnings=warnings, source="rule", pico=asked.used.as_pico(), kind=kind)


def _searched(asked: AskedPico) -> AskedPico:
    """Leave out how accurate a test is: the filter for diagnosis finds that, and titles seldom name it."""
    outcome = tuple(term for term in asked.used.outcome if term.concept != ACCURACY)
    return asked.model_copy(update={"used": asked.used.model_copy(update={"outcome": outcome})})


def _missing(text: str, asked: AskedPico, blocks: Sequence[Block], terms: SearchTerms) -> list[Block]:
    """Return words for what was not read: no treatment, or a treatment and nothing that it is for."""
    parts = {block.part for block in blocks}
    if Part.INTERVENTION in parts and parts & {Part.POPULATION, Part.OUTCOME}:
        return []
    taken = [*_places(asked), *_named(text, {term.concept for term in _terms(asked)})]
    return _word_blocks(key_words(text, terms, taken=taken)[:MOST_WORDS])


def _story(text: str, asked: AskedPico, terms: SearchTerms, extra: Sequence[Block]) -> tuple[QueryStep, ...]:
    """Return the steps for a story: the treatment that is asked about, the conditions told, the telling words."""
    told = list(told_parts(text))
    treatments = [term for term in asked.used.intervention if term.kind is not TermKind.OPEN]
    conditions = [
        term
        for term in asked.used.of_kind(TermKind.CONDITION)
        if not term.absent and any(start <= term.span.start < end for start, end in told)
    ]
    ill_with = [term for term in conditions if term.concept not in terms.background]
    # What the patient takes or has besides is told in every story; it is neither asked about nor telling.
    taken = [*_places(asked), *_named(text, kinds=(TermKind.DRUG,))]
    words = _word_blocks(key_words(text, terms, taken=taken, story=True)[:MOST_STORY_WORDS])
    named = [*_named_blocks(Part.INTERVENTION, treatments, terms), *extra]
    named += _named_blocks(Part.POPULATION, ill_with or ([] if words else conditions), terms)
    if named or words:
        return story_steps(named, words)
    return pico_steps(_last_resort(text), kind=QuestionKind.OTHER, scope="none")


def _named_blocks(part: Part, found: Sequence[PicoTerm], terms: SearchTerms) -> list[Block]:
    named = {term_name(term, terms): term for term in found}
    blocks = [Block(part, name, node) for name, term in named.items() if (node := term_node(term, terms))]
    return blocks[:MOST_CONDITIONS]


def _terms(asked: AskedPico) -> list[PicoTerm]:
    return [
        term
        for pico in (asked.used, asked.parsed)
        for facet in (pico.population, pico.intervention, pico.comparator, pico.outcome, pico.time)
        for term in facet
    ]


def _places(asked: AskedPico) -> list[tuple[int, int]]:
    """Return where the question names what was read of it."""
    return [(term.span.start, term.span.end) for term in _terms(asked) if term.span.where == "text"]


def _named(
    text: str, names: Collection[str] = (), *, kinds: Collection[TermKind] = ()
) -> list[tuple[int, int]]:
    """Return where a text names one of these concepts, or any of these kinds."""
    hits = vocabulary().find(Words.of(text))
    return [
        (hit.start, hit.end) for hit in hits if any(c.name in names or c.kind in kinds for c in hit.concepts)
    ]


def _word_blocks(words: Sequence[str]) -> list[Block]:
    return [Block(Part.WORDS, word, node) for word in words if (node := word_term(word))]


def _option_block(options: Sequence[str], terms: SearchTerms) -> list[Block]:
    words = dict.fromkeys(word for option in options for word in key_words(option, terms)[:2])
    nodes = {word: node for word in words if (node := word_term(word))}
    return [Block(Part.WORDS, " or ".join(nodes), any_of(*nodes.values()))] if nodes else []


def _last_resort(text: str) -> list[Block]:
    """Return the longest words of a question that names nothing, so that the query is never empty."""
    words = sorted(dict.fromkeys(_ANY_WORD.findall(text.lower())), key=len, reverse=True)
    searched = [word for word in words if word not in IGNORED_BY_PUBMED]
    return _word_blocks((searched or words)[:MOST_WORDS])
