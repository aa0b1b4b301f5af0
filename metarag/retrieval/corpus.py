"""A local index, open for reading, and the retriever that searches it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self

from metarag.appraisal import APPRAISAL_VERSION
from metarag.audit import QueryRecord
from metarag.errors import IndexUnusableError
from metarag.names import names
from metarag.records import Article
from metarag.report.plain import plain
from metarag.retrieval.base import Record, RetrievalResult
from metarag.retrieval.corpus_build import index_source
from metarag.retrieval.corpus_connection import damage_errors, open_for_reading, sqlite_errors
from metarag.retrieval.corpus_info import CorpusInfo, corpus_gaps, corpus_info, emptiness
from metarag.retrieval.corpus_plan import plan_of, run_plan
from metarag.retrieval.corpus_rows import unpack
from metarag.retrieval.corpus_schema import Clock, migrate, utc_now
from metarag.retrieval.corpus_search import RANKING, SearchHits, search
from metarag.retrieval.free_text import FreeTextQuery, free_text_query
from metarag.retrieval.index_store import MARKER
from metarag.retrieval.local_index import LocalIndex, as_id
from metarag.retrieval.query import Query
from metarag.retrieval.query_plan import QueryPlan
from metarag.types import Appraisal, Question

__all__ = ["Corpus", "CorpusInfo", "CorpusRetriever", "SearchHits"]

_ITERATION_BATCH: Final = 200


class Corpus:
    """A local index, open for reading; close it, or use it in a ``with`` block.

    Threads may share one: reads take turns. Each read sees the index as some build left it, never
    half of one. Make it with :meth:`open` or :meth:`in_memory`; an index of either engine is opened by
    :func:`~metarag.retrieval.local_index.open_index`.

    Attributes
    ----------
    ranking : str
        How hits are put in order.
    """

    ranking = RANKING

    def __init__(self, connection: sqlite3.Connection, *, name: str) -> None:
        self.name = name
        self._connection = connection
        self._lock = Lock()

    @classmethod
    def open(cls, index: str | Path) -> Self:
        """Open an index that :func:`~metarag.retrieval.corpus_build.build_index` made.

        Raises
        ------
        IndexUnusableError
            It is missing, damaged, something else, or of another schema.
        """
        path = Path(index)
        if (path / MARKER).is_file():
            raise IndexUnusableError(f"{path} is an index of the tantivy engine: open it with open_index")
        return cls(open_for_reading(path), name=plain(path.name))

    @classmethod
    def in_memory(cls, records: Iterable[Record], *, name: str = "memory") -> Self:
        """Index ``records`` in memory, without appraisals: for a few thousand that need not be kept.

        Raises
        ------
        IndexUnusableError
            A record cannot be indexed: there is no report that could say so.
        """
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        with sqlite_errors(name):
            connection.execute("PRAGMA foreign_keys = ON")
            migrate(connection)
            report = index_source(connection, records, name=name, appraisals=False)
            connection.execute("PRAGMA query_only = ON")
        problems = [*map(str, report.failures), *filter(None, [report.error])]
        if problems:
            connection.close()
            raise IndexUnusableError(f"{name} cannot be indexed: {'; '.join(problems[:3])}")
        return cls(connection, name=name)

    def search(self, text: str | FreeTextQuery | Query, *, limit: int = 50) -> SearchHits:
        """Return the best ``limit`` records for any text, by BM25 over title, abstract and subject terms.

        Parameters
        ----------
        text : str, FreeTextQuery or Query
            Free text, of which any word is enough; or a query, all of which is obeyed.

        Raises
        ------
        ValueError
            ``limit`` is negative.
        UnsupportedQueryError
            The index cannot run a part of the query.
        IndexUnusableError
            The index cannot be read.

        References
        ----------
        Robertson S, Zaragoza H. The probabilistic relevance framework: BM25 and beyond. Foundations
        and Trends in Information Retrieval 2009;3:333-389. SQLite FTS5 has k1 = 1.2, b = 0.75.
        """
        if limit < 0:
            raise ValueError(f"limit must be 0 or more, got {limit}")
        query = free_text_query(text) if isinstance(text, str) else text
        runs = query.for_corpus() if isinstance(query, Query) else query
        with self._snapshot() as connection:
            return search(connection, runs, limit=limit)

    def get(self, article_id: str) -> Article | None:
        """Return an article by its id (``pmid:...``, ``doi:...``) or bare PMID; ``None`` when it is not here.

        Raises
        ------
        IndexUnusableError
            The index or the record cannot be read.
        """
        packed = self._blob(
            "SELECT json FROM article JOIN record ON record.id = article.record_id WHERE article_id = ?",
            as_id(article_id),
        )
        return unpack(Article, packed) if packed else None

    def appraisal(self, article_id: str) -> Appraisal | None:
        """Return the stored appraisal; ``None`` when there is none, or other rules than today's made it.

        Raises
        ------
        IndexUnusableError
            The index or the appraisal cannot be read.
        """
        packed = self._blob(
            "SELECT json FROM appraisal JOIN record ON record.id = appraisal.record_id "
            "WHERE article_id = ? AND appraisal.version = ?",
            as_id(article_id),
            APPRAISAL_VERSION,
        )
        return unpack(Appraisal, packed) if packed else None

    def info(self) -> CorpusInfo:
        """Return what the index holds, where it came from and when."""
        with self._snapshot() as connection:
            return corpus_info(connection, name=self.name)

    def gaps(self) -> tuple[str, ...]:
        """Return a sentence for each thing that is known to be missing from the index."""
        with self._snapshot() as connection:
            return corpus_gaps(connection)

    def check_holds_records(self) -> None:
        """Refuse an empty index, in which finding nothing says nothing.

        Raises
        ------
        IndexUnusableError
            It holds no record; the message says whether its build was not finished.
        """
        with self._snapshot() as connection:
            problem = emptiness(connection)
        if problem:
            raise IndexUnusableError(f"local index {self.name} holds no record: {problem}")

    def close(self) -> None:
        """Close the index; using it afterwards raises :class:`IndexUnusableError`."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        with self._snapshot() as connection:
            return int(connection.execute("SELECT count(*) FROM record").fetchone()[0])

    def __iter__(self) -> Iterator[Article]:
        """Yield every article in the order of the ids; what a build changes meanwhile may be seen or not."""
        last = ""
        while True:
            with self._snapshot() as connection:
                rows = connection.execute(
                    "SELECT article_id, json FROM record JOIN article ON article.record_id = record.id "
                    "WHERE article_id > ? ORDER BY article_id LIMIT ?",
                    (last, _ITERATION_BATCH),
                ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield from (unpack(Article, packed) for _, packed in rows)

    def _blob(self, statement: str, *values: str) -> bytes | None:
        with self._snapshot() as connection:
            row = connection.execute(statement, values).fetchone()
        return row[0] if row else None

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """Hold one state of the index: a build may end between two statements."""
        with self._lock, sqlite_errors(self.name), damage_errors(self.name):
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


class CorpusRetriever:
    """Retrieves from a local index by the words of the question and its PICO, never by its options.

    With a query or a plan of queries it is that which is run, and nothing of the question. The order and
    BM25 score are the index's own; relevance is left to be judged, because BM25 depends on the other records.

    Parameters
    ----------
    corpus : LocalIndex
        Of either engine.
    query : str, Query, QueryPlan or None
        Run instead of the question's words, for every question; the steps of a plan until one finds something.
    clock : callable
        Tells the time that the audit shows.

    Raises
    ------
    QueryError
        The query cannot be read.
    """

    def __init__(
        self, corpus: LocalIndex, *, query: str | Query | QueryPlan | None = None, clock: Clock = utc_now
    ) -> None:
        self.corpus = corpus
        self.plan = None if query is None else plan_of(query)
        self._clock = clock

    def retrieve(
        self, question: Question, *, limit: int = 50, query: str | Query | QueryPlan | None = None
    ) -> RetrievalResult:
        """Return at most ``limit`` articles, best first; none is a result, not an error.

        Parameters
        ----------
        query : str, Query, QueryPlan or None
            For this question only.

        Raises
        ------
        ValueError
            ``limit`` is negative.
        QueryError
            The query cannot be read, or the index can run no step of the plan (``UnsupportedQueryError``).
        IndexUnusableError
            The index cannot be read, or holds no record at all.
        """
        self.corpus.check_holds_records()
        plan = self.plan if query is None else plan_of(query)
        if plan is not None:
            return self._planned(plan, limit)
        stated = question.pico.model_dump(exclude_none=True).values() if question.pico else ()
        asked = free_text_query(*stated, question.text, *names().preferred_in(question.text))
        hits = self.corpus.search(asked, limit=limit)
        record = QueryRecord(
            source=f"local index: {self.corpus.name}",
            query=asked.match,
            warnings=(*asked.warnings, *self.corpus.gaps()),
            total=hits.total,
            reachable=hits.total,
            retrieved=len(hits),
            sort=self.corpus.ranking,
            searched_at=self._clock(),
        )
        return RetrievalResult(articles=hits.articles, query=record, failures=hits.failures)

    def _planned(self, plan: QueryPlan, limit: int) -> RetrievalResult:
        hits, record = run_plan(
            plan,
            lambda query: self.corpus.search(query, limit=limit),
            source=f"local index: {self.corpus.name}",
            ranking=self.corpus.ranking,
            gaps=self.corpus.gaps(),
            clock=self._clock,
        )
        return RetrievalResult(articles=hits.articles, query=record, failures=hits.failures)
