"""A tree as tantivy runs it: the same meaning of every term as in SQLite, in tantivy's own queries.

Queries are built as objects and never as text, so that nothing that a user writes can be syntax. Words that are looked
for give the score; filters, facts, dates and what is excluded change none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import prod
from types import MappingProxyType
from typing import Final, NamedTuple

import tantivy

from metarag.errors import UnsupportedQueryError
from metarag.retrieval.clinical_queries import CLINICAL_QUERIES
from metarag.retrieval.corpus_search import COLUMN_WEIGHTS
from metarag.retrieval.free_text import FreeTextQuery
from metarag.retrieval.query import Query
from metarag.retrieval.query_parser import parse
from metarag.retrieval.query_tree import Node, Not, Or, Range, Term
from metarag.retrieval.term_meaning import (
    COLUMNS,
    FILTER_TAGS,
    Between,
    Facts,
    Meaning,
    Near,
    Phrase,
    Pmids,
    Words,
    meaning_of_range,
    meaning_of_term,
)
from metarag.retrieval.word_forms import WordForms

MAX_NEAR: Final = 5
"""Single words near each other (ours): every order of them is a search of its own."""
MAX_ARRANGEMENTS: Final = 2_000
"""Ways to stand near each other of phrases of several words (ours); each is a search of its own."""
MAX_BEGINNINGS: Final = 16_000
"""Words that the last word of a phrase may stand for; tantivy refuses more than 16,384."""

_WEIGHTS: Final = MappingProxyType(dict(zip(COLUMNS, COLUMN_WEIGHTS, strict=True)))
_Q = tantivy.Query
_MUST, _SHOULD, _MUST_NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot


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


class _Part(NamedTuple):
    query: tantivy.Query
    shown: str


class TantivyQueries:
    """Turns queries into tantivy's, for one state of an index.

    Parameters
    ----------
    words : WordForms
        Cuts and stems as was done when the index was made.
    """

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema, words: WordForms) -> None:
        self._searcher = searcher
        self._schema = schema
        self._words = words

    def of_text(self, text: FreeTextQuery) -> TantivyQuery:
        """Return the query of free text, any term of which is enough."""
        parts = [self._phrase(COLUMNS, Phrase(term)) for term in text.terms]
        return TantivyQuery(_any([part.query for part in parts]), True, text.match, text.warnings)

    def of_query(self, query: Query) -> TantivyQuery:
        """Return what is run for a query.

        Raises
        ------
        UnsupportedQueryError
            The index has not what a part asks for, as in SQLite; or tantivy cannot search it in this way.
        """
        warnings = query.for_corpus().warnings
        part = self._compiled(query.root, query.text, scores=True)
        return TantivyQuery(part.query, _has_words(query.root), part.shown, warnings)

    def _compiled(self, node: Node, text: str, *, scores: bool) -> _Part:
        if isinstance(node, Term | Range):
            return self._leaf(node, text, scores=scores)
        if isinstance(node, Not):
            kept = self._compiled(node.kept, text, scores=scores)
            out = [self._compiled(part, text, scores=False) for part in node.excluded]
            clauses = [(_MUST, kept.query), *((_MUST_NOT, part.query) for part in out)]
            shown = " ".join((kept.shown, *(f"NOT {part.shown}" for part in out)))
            return _Part(_Q.boolean_query(clauses), f"({shown})")
        parts = [self._compiled(part, text, scores=scores) for part in node.parts]
        occur, word = (_SHOULD, " OR ") if isinstance(node, Or) else (_MUST, " AND ")
        joined = _Q.boolean_query([(occur, part.query) for part in parts])
        return _Part(joined, f"({word.join(part.shown for part in parts)})")

    def _leaf(self, leaf: Term | Range, text: str, *, scores: bool) -> _Part:
        if isinstance(leaf, Range):
            return self._unscored(self._meant(meaning_of_range(leaf, text), leaf, text))
        if leaf.tag not in FILTER_TAGS:
            part = self._meant(meaning_of_term(leaf, text), leaf, text)
            return part if scores else self._unscored(part)
        strategy = CLINICAL_QUERIES.get(leaf.text.lower())
        if strategy is None:
            return self._unscored(self._meant(meaning_of_term(leaf, text), leaf, text))
        return self._unscored(self._compiled(parse(strategy)[0], strategy, scores=False))

    def _unscored(self, part: _Part) -> _Part:
        return _Part(_Q.const_score_query(part.query, 0.0), part.shown)

    def _meant(self, meaning: Meaning, leaf: Term | Range, text: str) -> _Part:
        if isinstance(meaning, Words):
            phrases = [self._checked(meaning.columns, phrase, leaf, text) for phrase in meaning.phrases]
            joined = _all([phrase.query for phrase in phrases])
            return _Part(joined, " AND ".join(phrase.shown for phrase in phrases))
        if isinstance(meaning, Near):
            return self._near(meaning, leaf, text)
        if isinstance(meaning, Facts):
            return self._unscored(self._facts(meaning))
        if isinstance(meaning, Pmids):
            ids = [f"pmid:{pmid}" for pmid in meaning.pmids]
            found = _Q.term_set_query(self._schema, "article_id", ids)
            return self._unscored(_Part(found, f"pmid:({' '.join(map(str, meaning.pmids))})"))
        return self._unscored(self._between(meaning))

    def _checked(self, columns: Sequence[str], phrase: Phrase, leaf: Term | Range, text: str) -> _Part:
        """Return the query of a phrase, unless its last word stands for too many."""
        stems = self._words.stems(phrase.text)
        if phrase.is_beginning and len(stems) > 1:
            for column in columns:
                found = self._searcher.terms_with_prefix(column, stems[-1], limit=MAX_BEGINNINGS + 1)
                if len(found) > MAX_BEGINNINGS:
                    problem = f"more than {MAX_BEGINNINGS:,} words begin like the last of this phrase; write more of it"
                    raise UnsupportedQueryError(problem, text=text, position=leaf.start)
        return self._phrase(columns, phrase)

    def _phrase(self, columns: Sequence[str], phrase: Phrase) -> _Part:
        stems = self._words.stems(phrase.text)
        others = [self._words.stems(other) for other in phrase.others]
        in_columns = [
            _weighted(column, self._in_column(column, stems, others, is_beginning=phrase.is_beginning))
            for column in columns
        ]
        star = "*" if phrase.is_beginning else ""
        written = [f'"{" ".join(stems)}{star}"', *(f'"{" ".join(other)}"' for other in others)]
        where = "" if tuple(columns) == COLUMNS else f"{'|'.join(columns)}:"
        shown = written[0] if len(written) == 1 else f"({' OR '.join(written)})"
        return _Part(_any(in_columns), where + shown)

    def _in_column(
        self, column: str, stems: list[str], others: list[list[str]], *, is_beginning: bool
    ) -> tantivy.Query:
        if not is_beginning:
            return self._words_in_a_row(column, stems)
        # No prefix query of tantivy's for phrases: it takes the first 50 words that fit, and does not say so.
        pattern = f"{stems[-1]}.*"
        going_on = (
            _Q.regex_phrase_query(self._schema, column, [*stems[:-1], pattern])
            if len(stems) > 1
            else _Q.regex_query(self._schema, column, pattern)
        )
        return _any([going_on, *(self._words_in_a_row(column, other) for other in others)])

    def _words_in_a_row(self, column: str, stems: list[str], slop: int = 0) -> tantivy.Query:
        if not stems:
            return _Q.empty_query()
        if len(stems) == 1:
            return _Q.term_query(self._schema, column, stems[0])
        return _Q.phrase_query(self._schema, column, stems, slop)

    def _near(self, near: Near, leaf: Term | Range, text: str) -> _Part:
        phrases = [tuple(self._words.stems(phrase)) for phrase in near.phrases]
        phrases = list(dict.fromkeys(phrase for phrase in phrases if phrase))
        if all(len(phrase) == 1 for phrase in phrases):
            if len(phrases) > MAX_NEAR:
                problem = f"the tantivy engine takes at most {MAX_NEAR} words near each other"
                raise UnsupportedQueryError(problem, text=text, position=leaf.start)
            found = [
                self._near_words(column, [p[0] for p in phrases], near.distance) for column in near.columns
            ]
        else:
            if prod(near.distance + len(phrase) + 1 for phrase in phrases) > MAX_ARRANGEMENTS:
                problem = (
                    "the tantivy engine has too many ways to put these near each other, because one is several words"
                    " (a hyphen parts them); allow fewer words between"
                )
                raise UnsupportedQueryError(problem, text=text, position=leaf.start)
            arranged = list(_arrangements(phrases, near.distance))
            found = [
                _any([_Q.phrase_query(self._schema, column, list(words)) for words in arranged])
                for column in near.columns
            ]
        shown = " ".join(f'"{" ".join(phrase)}"' for phrase in phrases)
        weighted = [_weighted(column, query) for column, query in zip(near.columns, found, strict=True)]
        return _Part(_any(weighted), f"{'|'.join(near.columns)}:NEAR({shown}, {near.distance})")

    def _near_words(self, column: str, stems: list[str], distance: int) -> tantivy.Query:
        """Return the query of words of which the first and the last have at most ``distance`` others between.

        tantivy's slop counts the words between in the given order, and more for any other order; so every order is
        asked for.
        """
        between = distance - (len(stems) - 2)
        if len(stems) > 1 and between < 0:
            return _Q.empty_query()
        orders = permutations(stems)
        return _any([self._words_in_a_row(column, list(order), max(0, between)) for order in orders])

    def _facts(self, facts: Facts) -> _Part:
        tokens = [token for token in facts.tokens if token]
        star = "*" if facts.is_beginning else ""
        shown = f"facets:({' '.join(token + star for token in tokens)})"
        if not facts.is_beginning:
            return _Part(_Q.term_set_query(self._schema, "facets", tokens), shown)
        return _Part(_any([_Q.regex_query(self._schema, "facets", f"{token}.*") for token in tokens]), shown)

    def _between(self, between: Between) -> _Part:
        kind = tantivy.FieldType.Unsigned
        # 0 stands for what is not known.
        low, high = max(1, between.low), between.high
        ranges = (
            [_Q.range_query(self._schema, column, kind, low, high) for column in between.columns]
            if low <= high
            else []
        )
        return _Part(_any(ranges), f"{'|'.join(between.columns)}:[{low} TO {high}]")


def _arrangements(phrases: Sequence[Sequence[str]], distance: int) -> Iterator[tuple[tuple[int, str], ...]]:
    """Yield every way in which phrases can stand so that none ends more than ``distance`` words before the last.

    Words with their positions, from 0; phrases may share words where they say the same.
    """
    reach = distance + max(map(len, phrases))
    for starts in product(range(reach + 1), repeat=len(phrases)):
        last = max(starts)
        if min(starts) or any(
            start < last - len(phrase) - distance for start, phrase in zip(starts, phrases, strict=True)
        ):
            continue
        placed: dict[int, str] = {}
        fits = all(
            placed.setdefault(start + offset, word) == word
            for start, phrase in zip(starts, phrases, strict=True)
            for offset, word in enumerate(phrase)
        )
        if fits and len(placed) > 1:
            yield tuple(sorted(placed.items()))


def _weighted(column: str, query: tantivy.Query) -> tantivy.Query:
    return _Q.boost_query(query, _WEIGHTS[column])


def _any(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return _joined(_SHOULD, queries)


def _all(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return _joined(_MUST, queries)


def _joined(occur: tantivy.Occur, queries: Sequence[tantivy.Query]) -> tantivy.Query:
    if not queries:
        return _Q.empty_query()
    return queries[0] if len(queries) == 1 else _Q.boolean_query([(occur, query) for query in queries])


def _has_words(node: Node) -> bool:
    """Return True when something of a query gives a score."""
    if isinstance(node, Range):
        return False
    if isinstance(node, Term):
        return node.tag not in FILTER_TAGS and isinstance(meaning_of_term(node, ""), Words | Near)
    return _has_words(node.kept) if isinstance(node, Not) else any(map(_has_words, node.parts))
