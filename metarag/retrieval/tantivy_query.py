"""A tree as tantivy runs it: the same meaning of every term as in SQLite.

Words that are looked for give the score; filters, facts, dates and what is excluded change none.
"""

from __future__ import annotations

from dataclasses import dataclass

import tantivy

from metarag.retrieval.clinical_queries import CLINICAL_QUERIES
from metarag.retrieval.free_text import FreeTextQuery
from metarag.retrieval.query import Query
from metarag.retrieval.query_parser import parse
from metarag.retrieval.query_tree import Node, Not, Or, Range, Term
from metarag.retrieval.tantivy_terms import Part, TermQueries, every, some, unscored
from metarag.retrieval.term_meaning import (
    COLUMNS,
    FILTER_TAGS,
    Near,
    Phrase,
    Words,
    meaning_of_range,
    meaning_of_term,
)


@dataclass(frozen=True, slots=True)
class TantivyQuery:
    """A query as it is run.

    Attributes
    ----------
    query : tantivy.Query
        Documents it finds are records.
    scores : bool
        False when every score is 0, so that only the order of PMIDs is left.
    shown : str
        For a reader.
    warnings : tuple of str
        What PubMed would have done otherwise.
    """

    query: tantivy.Query
    scores: bool
    shown: str
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.shown


def text_query(text: FreeTextQuery, terms: TermQueries) -> TantivyQuery:
    """Return what is run for free text, any term of which is enough."""
    # One flat list: tantivy passes over what cannot be among the best only where no list is inside another.
    parts = [query for term in text.terms for query in terms.in_each(COLUMNS, Phrase(term))]
    return TantivyQuery(some(parts), scores=True, shown=text.match, warnings=text.warnings)


def tree_query(query: Query, terms: TermQueries) -> TantivyQuery:
    """Return what is run for a query.

    Raises
    ------
    UnsupportedQueryError
        The index has not what a part asks for, as in SQLite; or tantivy cannot search it in this way.
    """
    # Compiled for SQLite first: what it refuses is refused here, in the same words and at the same place.
    warnings = query.for_corpus().warnings
    part = _compiled(query.root, query.text, terms)
    return TantivyQuery(part.query, scores=_has_words(query.root), shown=part.shown, warnings=warnings)


def _compiled(node: Node, text: str, terms: TermQueries) -> Part:
    if isinstance(node, Range):
        return terms.meant(meaning_of_range(node, text), text=text, position=node.start)
    if isinstance(node, Term):
        return _term(node, text, terms)
    if isinstance(node, Not):
        kept = _compiled(node.kept, text, terms)
        out = [_compiled(part, text, terms) for part in node.excluded]
        clauses = [(tantivy.Occur.Must, kept.query)]
        clauses += [(tantivy.Occur.MustNot, part.query) for part in out]
        shown = " ".join((kept.shown, *(f"NOT {part.shown}" for part in out)))
        return Part(tantivy.Query.boolean_query(clauses), f"({shown})")
    parts = [_compiled(part, text, terms) for part in node.parts]
    joined, word = (some, " OR ") if isinstance(node, Or) else (every, " AND ")
    return Part(joined([part.query for part in parts]), f"({word.join(part.shown for part in parts)})")


def _term(term: Term, text: str, terms: TermQueries) -> Part:
    if term.tag not in FILTER_TAGS:
        return terms.meant(meaning_of_term(term, text), text=text, position=term.start)
    strategy = CLINICAL_QUERIES.get(term.text.lower())
    if strategy is None:
        return unscored(terms.meant(meaning_of_term(term, text), text=text, position=term.start))
    return unscored(_compiled(parse(strategy)[0], strategy, terms))


def _has_words(node: Node) -> bool:
    """Return True when something of a query gives a score."""
    if isinstance(node, Range):
        return False
    if isinstance(node, Term):
        return node.tag not in FILTER_TAGS and isinstance(meaning_of_term(node, ""), Words | Near)
    return _has_words(node.kept) if isinstance(node, Not) else any(map(_has_words, node.parts))
