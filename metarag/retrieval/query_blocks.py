"""The parts of a question as parts of a query: one for each thing that has to be found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from metarag.pico_types import AskedPico, PicoTerm, TermKind
from metarag.retrieval.free_text import FUNCTION_WORDS
from metarag.retrieval.key_words import IGNORED_BY_PUBMED
from metarag.retrieval.query_tokens import is_plain
from metarag.retrieval.query_tree import Node, Term, all_of, any_of
from metarag.retrieval.search_terms import SearchTerms

MAX_PHRASE: Final = 3
"""Words of a name that are searched as a phrase; of a longer one each word is."""
MAX_ALTERNATIVES: Final = 4
"""Things of one facet that are searched as alternatives (ours)."""

_IGNORED: Final = FUNCTION_WORDS | IGNORED_BY_PUBMED
_K = TermKind
_YOUNG: Final = ("newborns", "infants", "children", "adolescents")
"""Age groups that articles name; adults are in most studies, and old people in many that do not say so."""
_PLACES: Final = ("intensive care", "nursing home", "emergency department")
_LETTERS: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_OR: Final = re.compile(r"\bor\b|/|,", re.IGNORECASE)


class Part(StrEnum):
    """What a block stands for."""

    POPULATION = "population"
    INTERVENTION = "intervention"
    COMPARATOR = "comparator"
    OUTCOME = "outcome"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Block:
    """One thing to be found, in all the ways that it is written.

    Attributes
    ----------
    part : Part
        The facet of the question.
    name : str
        In words, for a reader.
    node : Node
        As a query.
    """

    part: Part
    name: str
    node: Node


def pico_blocks(asked: AskedPico, text: str, terms: SearchTerms) -> list[Block]:
    """Return the blocks of a question's facets: population, intervention, comparator, outcome.

    What has no treatment, age of adults and sex are not searched: articles seldom name them so.

    Parameters
    ----------
    asked : AskedPico
        The facets.
    text : str
        The question, to see whether two conditions stand as alternatives.
    """
    used = asked.used
    blocks = _population(used.population, text, terms)
    active = [term for term in used.comparator if term.kind is not _K.COMPARATOR]
    treatments = {term.concept for term in used.intervention}
    for part, found in (
        (Part.INTERVENTION, used.intervention),
        (Part.COMPARATOR, [term for term in active if term.concept not in treatments]),
        (Part.OUTCOME, used.outcome),
    ):
        block = _any_block(part, [term for term in found if not term.absent], terms)
        if block and block.node not in [other.node for other in blocks]:
            blocks.append(block)
    return blocks


def concept_node(concept: str, terms: SearchTerms) -> Node | None:
    """Return what finds a concept: its headings, and its words in title and abstract; ``None`` for no word."""
    headings = [Term(heading, True, "mh") for heading in terms.headings_for(concept)]
    known = concept in terms.forms
    words: list[Node | None] = (
        [word_term(word) for word in terms.words_for(concept)] if known else [phrase_node(concept)]
    )
    parts: list[Node] = [*headings, *(word for word in words if word)]
    return any_of(*parts) if parts else None


def term_node(term: PicoTerm, terms: SearchTerms) -> Node | None:
    """Return what finds a term of the question: its concept, or only what was said where that is less."""
    form = terms.narrower_form(term.span.text)
    if form is None:
        return concept_node(term.concept, terms)
    heading = terms.narrower[form]
    said = word_term(form if term.kind is _K.DRUG else f"{form}*")
    return any_of(*([Term(heading, True, "mh")] if heading else []), *([said] if said else []))


def term_name(term: PicoTerm, terms: SearchTerms) -> str:
    """Return what a term of the question is called in a note."""
    return terms.narrower_form(term.span.text) or term.concept


def word_term(word: str) -> Term | None:
    """Return a word or phrase as looked for in title and abstract; ``None`` when nothing of it can be searched."""
    clean = " ".join(_LETTERS.findall(word))
    if not clean:
        return None
    cut = word.endswith("*") and len(clean.split()[-1]) >= 4
    return Term(clean + ("*" if cut else ""), " " in clean or not is_plain(clean), "tiab")


def phrase_node(phrase: str) -> Node | None:
    """Return an unknown name: a short one as a phrase, of a long one all words that tell something."""
    words = [word for word in _LETTERS.findall(phrase) if word.lower() not in _IGNORED]
    if not words:
        return None
    if len(words) <= MAX_PHRASE and len(words) == len(_LETTERS.findall(phrase)):
        return Term(" ".join(words), len(words) > 1 or not is_plain(words[0]), "tiab")
    return all_of(
        *(Term(word, not is_plain(word), "tiab") for word in dict.fromkeys(words[: 2 * MAX_PHRASE]))
    )


def _population(found: Sequence[PicoTerm], text: str, terms: SearchTerms) -> list[Block]:
    conditions = _narrowest([t for t in found if t.kind in (_K.CONDITION, _K.OPEN) and not t.absent], terms)
    if conditions:
        if len(conditions) > 1 and _are_alternatives(conditions, text):
            return list(filter(None, [_any_block(Part.POPULATION, conditions, terms)]))
        young = [term for term in found if term.concept in _YOUNG]
        groups = [*([term] for term in conditions), young]
    else:
        named = [term for term in found if term.concept in _PLACES]
        groups = [named or [term for term in found if term.concept in (*_YOUNG, "older people")]]
    return [block for group in groups if (block := _any_block(Part.POPULATION, group, terms))]


def _any_block(part: Part, found: Iterable[PicoTerm], terms: SearchTerms) -> Block | None:
    named = {term_name(term, terms): term for term in found}
    nodes = {name: node for name, term in named.items() if (node := term_node(term, terms))}
    nodes = dict(list(nodes.items())[:MAX_ALTERNATIVES])
    return Block(part, " or ".join(nodes), any_of(*nodes.values())) if nodes else None


def _narrowest(found: Sequence[PicoTerm], terms: SearchTerms) -> list[PicoTerm]:
    """Return the terms, each concept once and without those that hold another one that is named, too."""
    names = {term.concept: term for term in found}
    broader = {group for name in names for group in terms.classes_of(name)}
    return [term for name, term in names.items() if name not in broader]


def _are_alternatives(found: Sequence[PicoTerm], text: str) -> bool:
    spans = sorted((term.span.start, term.span.end) for term in found if term.span.where == "text")
    between = (text[end:start] for (_, end), (start, _) in pairwise(spans))
    return any(_OR.search(gap) for gap in between)
