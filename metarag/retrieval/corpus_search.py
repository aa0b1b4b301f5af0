"""Search an open local index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, overload

from metarag.appraisal import APPRAISAL_VERSION
from metarag.errors import IndexUnusableError
from metarag.records import Article
from metarag.retrieval.base import ReadFailure
from metarag.retrieval.corpus_rows import unpack
from metarag.retrieval.free_text import FreeTextQuery
from metarag.retrieval.query_corpus import CorpusQuery
from metarag.types import Appraisal, Retrieved

COLUMN_WEIGHTS: Final = (3.0, 1.0, 2.0)
"""BM25 weights of title, abstract and terms (ours): a title is all subject, MeSH is chosen by a person."""

RANKING: Final = "BM25 (title 3, abstract 1, subject terms 2), then PMID, then id"

_COUNT: Final = "SELECT count(*) FROM text_index WHERE text_index MATCH ?"
_BEST: Final = """
    SELECT rowid, bm25(text_index, ?, ?, ?) AS score FROM text_index
    WHERE text_index MATCH ? ORDER BY score LIMIT ?
"""
_BEST_WITH_TIES: Final = """
    SELECT record.id, bm25(text_index, ?, ?, ?) AS score
    FROM text_index JOIN record ON record.id = text_index.rowid
    WHERE text_index MATCH ? ORDER BY score, record.pmid, record.article_id LIMIT ?
"""
_MATCHES = "FROM text_index JOIN record ON record.id = text_index.rowid WHERE text_index MATCH ? AND "
_ORDERED = """
    FROM record LEFT JOIN (SELECT rowid, bm25(text_index, ?, ?, ?) AS score FROM text_index
    WHERE text_index MATCH ?) AS found ON found.rowid = record.id WHERE
"""
_RECORDS: Final = """
    SELECT record.id, record.pmid, record.article_id, article.json, appraisal.json
    FROM record JOIN article ON article.record_id = record.id
    LEFT JOIN appraisal ON appraisal.record_id = record.id AND appraisal.version = ?
    WHERE record.id IN (SELECT value FROM json_each(?))
"""


class QueryAsRun(Protocol):
    """What an index ran; ``str`` shows it."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader has to know of it."""


@dataclass(frozen=True, slots=True)
class SearchHits(Sequence[Retrieved]):
    """Articles found, best first: a sequence of them, with what the search was.

    Attributes
    ----------
    articles : tuple of Retrieved
        ``retriever_score`` is BM25 turned positive, higher is better; ties stand by PMID, then id.
    query : QueryAsRun
        As it was run.
    total : int
        Records that match, of which the best are in ``articles``.
    failures : tuple of ReadFailure
        Hits whose stored record cannot be read; ``position`` is the rank.
    """

    articles: tuple[Retrieved, ...]
    query: QueryAsRun
    total: int
    failures: tuple[ReadFailure, ...] = ()

    def __len__(self) -> int:
        return len(self.articles)

    @overload
    def __getitem__(self, index: int) -> Retrieved: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Retrieved, ...]: ...
    def __getitem__(self, index: int | slice) -> Retrieved | tuple[Retrieved, ...]:
        return self.articles[index]


def search(connection: sqlite3.Connection, query: FreeTextQuery | CorpusQuery, *, limit: int) -> SearchHits:
    """Return the best ``limit`` records; see :meth:`~metarag.retrieval.corpus.Corpus.search`."""
    if isinstance(query, CorpusQuery) and query.where:
        total, hits = _conditioned(connection, query, limit)
    elif query.match:
        (total,) = connection.execute(_COUNT, (query.match,)).fetchone()
        hits = _ranked(connection, query.match, min(limit, total))
    else:
        return SearchHits(articles=(), query=query, total=0)
    found, failures = [], []
    for rank, hit in enumerate(hits, 1):
        try:
            article = unpack(Article, hit.article)
            appraisal = unpack(Appraisal, hit.appraisal) if hit.appraisal else None
        except IndexUnusableError as error:
            failures.append(ReadFailure(position=rank, reason=f"{hit.article_id}: {error}"))
        else:
            # FTS5 gives BM25 negated, so that the best comes first in SQL's ascending order.
            found.append(Retrieved(article=article, appraisal=appraisal, retriever_score=-hit.score))
    return SearchHits(articles=tuple(found), query=query, total=total, failures=tuple(failures))


class _Hit(NamedTuple):
    """Sorts by score, then PMID, then id."""

    score: float
    pmid: int
    article_id: str
    article: bytes
    appraisal: bytes | None


def _ranked(connection: sqlite3.Connection, match: str, limit: int) -> list[_Hit]:
    """Return the best ``limit`` as stored, best first."""
    if not limit:
        return []
    scores = dict(connection.execute(_BEST, (*COLUMN_WEIGHTS, match, limit + 1)))
    if len(scores) > limit:
        *kept, (_, cut) = scores.items()
        if kept[-1][1] == cut:
            # A tie across the cut: which of them stay is told by the PMID, looked up for every match.
            kept = connection.execute(_BEST_WITH_TIES, (*COLUMN_WEIGHTS, match, limit)).fetchall()
        scores = dict(kept)
    return _hits(connection, scores)


def _conditioned(connection: sqlite3.Connection, query: CorpusQuery, limit: int) -> tuple[int, list[_Hit]]:
    """Return how many records meet words and conditions, and the best of them as stored."""
    score, source = "0.0", "FROM record WHERE "
    ranked: tuple[str | float, ...] = ()
    counted: tuple[str, ...] = ()
    tested = source
    if query.match and query.all_match:
        score, source, tested = "bm25(text_index, ?, ?, ?)", _MATCHES, _MATCHES
        ranked, counted = (*COLUMN_WEIGHTS, query.match), (query.match,)
    elif query.match:
        score, source = "coalesce(found.score, 0.0)", _ORDERED
        ranked = (*COLUMN_WEIGHTS, query.match)
    # Only fixed words are joined here: what a user wrote is in the parameters (see corpus_terms.Condition).
    count = f"SELECT count(*) {tested}{query.where}"
    best = (
        f"SELECT record.id, {score} AS score {source}{query.where}"
        " ORDER BY score, record.pmid, record.article_id LIMIT ?"
    )
    (total,) = connection.execute(count, (*counted, *query.parameters)).fetchone()
    rows = connection.execute(best, (*ranked, *query.parameters, limit))
    return total, _hits(connection, dict(rows.fetchall()))


def _hits(connection: sqlite3.Connection, scores: dict[int, float]) -> list[_Hit]:
    records = connection.execute(_RECORDS, (APPRAISAL_VERSION, json.dumps(list(scores))))
    return sorted(_Hit(scores[row_id], pmid or 0, *stored) for row_id, pmid, *stored in records)
