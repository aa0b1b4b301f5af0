"""A local index of the tantivy engine, open for reading."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, NamedTuple, Self

import tantivy

from metarag.appraisal import APPRAISAL_VERSION
from metarag.errors import IndexUnusableError
from metarag.records import Article, TextOrigin
from metarag.report.plain import plain
from metarag.retrieval.corpus_info import CorpusInfo, SourceInfo, advice_on_emptiness, gaps_of
from metarag.retrieval.corpus_rows import unpack
from metarag.retrieval.corpus_search import SearchHits
from metarag.retrieval.free_text import FreeTextQuery, free_text_query
from metarag.retrieval.local_index import as_id
from metarag.retrieval.query import Query
from metarag.retrieval.tantivy_notes import IndexState, read_sources, read_state
from metarag.retrieval.tantivy_query import TantivyQueries
from metarag.retrieval.tantivy_schema import (
    SCHEMA_VERSION,
    Kind,
    addresses,
    check_marker,
    count,
    tantivy_errors,
)
from metarag.retrieval.tantivy_search import RANKING, search, stored_appraisal
from metarag.retrieval.word_forms import WordForms
from metarag.types import Appraisal

_ROWS_TOGETHER: Final = 1_000
_COMMITTED: Final = "meta.json"


class _Snapshot(NamedTuple):
    """One state of the index, as some commit left it."""

    searcher: tantivy.Searcher
    state: IndexState
    sources: tuple[SourceInfo, ...]


class TantivyCorpus:
    """A local index of the tantivy engine; close it, or use it in a ``with`` block.

    It does what :class:`~metarag.retrieval.corpus.Corpus` does. The same query finds the same records; the scores
    are other ones: tantivy keeps the length of a text roughly, and counts replaced records among those that have a
    word until they are merged away. Threads may share one.

    Attributes
    ----------
    ranking : str
        How hits are put in order.
    """

    ranking = RANKING

    def __init__(self, index: tantivy.Index, folder: Path) -> None:
        self.name = plain(folder.name)
        self._index: tantivy.Index | None = index
        self._schema = index.schema
        self._folder = folder
        self._words = WordForms()
        self._lock = Lock()
        self._seen: tuple[int, int] | None = None
        self._current: _Snapshot | None = None

    @classmethod
    def open(cls, index: str | Path) -> Self:
        """Open a folder that :func:`~metarag.retrieval.corpus_build.build_index` made.

        Raises
        ------
        IndexUnusableError
            It is missing, damaged, something else, or of another schema.
        """
        folder = Path(index)
        if not folder.exists():
            raise IndexUnusableError(f"there is no local index {folder}: build it first, or correct the path")
        check_marker(folder)
        if not (folder / _COMMITTED).is_file():
            raise IndexUnusableError(
                f"local index {folder} is empty, its build was not begun: build it again"
            )
        with tantivy_errors(str(folder)):
            corpus = cls(tantivy.Index.open(str(folder)), folder)
        corpus._snapshot()
        return corpus

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
        and Trends in Information Retrieval 2009;3:333-389. tantivy has k1 = 1.2, b = 0.75.
        """
        if limit < 0:
            raise ValueError(f"limit must be 0 or more, got {limit}")
        asked = free_text_query(text) if isinstance(text, str) else text
        searcher = self._snapshot().searcher
        with tantivy_errors(self.name):
            with self._lock:
                queries = TantivyQueries(searcher, self._schema, self._words)
                run = queries.of_query(asked) if isinstance(asked, Query) else queries.of_text(asked)
            return search(searcher, run, limit=limit, shown=run if isinstance(asked, Query) else asked)

    def get(self, article_id: str) -> Article | None:
        """Return an article by its id (``pmid:...``, ``doi:...``) or bare PMID; ``None`` when it is not here.

        Raises
        ------
        IndexUnusableError
            The index or the record cannot be read.
        """
        document = self._document(article_id)
        return unpack(Article, document.get_first("article") or b"") if document else None

    def appraisal(self, article_id: str) -> Appraisal | None:
        """Return the stored appraisal; ``None`` when there is none, or other rules than today's made it.

        Raises
        ------
        IndexUnusableError
            The index or the appraisal cannot be read.
        """
        document = self._document(article_id)
        return stored_appraisal(document) if document else None

    def info(self) -> CorpusInfo:
        """Return what the index holds, where it came from and when."""
        searcher, state, sources = self._snapshot()
        with tantivy_errors(self.name):
            origins = {origin.value: self._count(searcher, "text_origin", origin) for origin in TextOrigin}
            return CorpusInfo(
                name=self.name,
                records=self._count(searcher, "kind", Kind.RECORD),
                sources=sources,
                text_origins={origin: n for origin, n in sorted(origins.items()) if n},
                appraisals=self._count(searcher, "appraisal_version", APPRAISAL_VERSION),
                schema_version=SCHEMA_VERSION,
                built_at=datetime.fromisoformat(state.built_at) if state.built_at else None,
                unfinished=state.unfinished,
                size=sum(file.stat().st_size for file in self._folder.iterdir() if file.is_file()),
                engine="tantivy",
            )

    def gaps(self) -> tuple[str, ...]:
        """Return a sentence for each thing that is known to be missing from the index."""
        snapshot = self._snapshot()
        # A file that was bad and came again in order has the same name and another content.
        latest = {source.name: source for source in snapshot.sources}.values()
        return gaps_of(
            is_empty=not len(self),
            unfinished=snapshot.state.unfinished,
            partial=[source.name for source in latest if not source.complete],
            failures=sum(source.failures for source in latest),
        )

    def check_holds_records(self) -> None:
        """Refuse an empty index, in which finding nothing says nothing.

        Raises
        ------
        IndexUnusableError
            It holds no record; the message says whether its build was not finished.
        """
        if not len(self):
            problem = advice_on_emptiness(self._snapshot().state.unfinished)
            raise IndexUnusableError(f"local index {self.name} holds no record: {problem}")

    def close(self) -> None:
        """Close the index; using it afterwards raises :class:`IndexUnusableError`."""
        with self._lock:
            if self._index is not None:
                self._words.close()
            self._index = self._current = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        searcher = self._snapshot().searcher
        with tantivy_errors(self.name):
            return self._count(searcher, "kind", Kind.RECORD)

    def __iter__(self) -> Iterator[Article]:
        """Yield every article of one state of the index, in the order in which they came in."""
        for document in self.documents():
            yield unpack(Article, document.get_first("article") or b"")

    def documents(self) -> Iterator[tantivy.Document]:
        """Yield the stored part of every record of one state of the index, in the order in which they came in."""
        searcher, state, _ = self._snapshot()
        for first in range(0, state.next_row, _ROWS_TOGETHER):
            with tantivy_errors(self.name):
                query = tantivy.Query.range_query(
                    self._schema,
                    "row",
                    tantivy.FieldType.Unsigned,
                    first,
                    first + _ROWS_TOGETHER - 1,
                    use_inverted_index=True,
                )
                found = [searcher.doc(address) for address in addresses(searcher, query)]
            yield from found

    def _document(self, article_id: str) -> tantivy.Document | None:
        searcher = self._snapshot().searcher
        with tantivy_errors(self.name):
            query = tantivy.Query.term_query(self._schema, "article_id", as_id(article_id))
            found = addresses(searcher, query)
            return searcher.doc(found[0]) if found else None

    def _count(self, searcher: tantivy.Searcher, field: str, value: str) -> int:
        return count(searcher, tantivy.Query.term_query(self._schema, field, value))

    def _snapshot(self) -> _Snapshot:
        """Return the state that the last commit left; a build may end at any time."""
        with self._lock, tantivy_errors(self.name):
            if self._index is None:
                raise IndexUnusableError(f"local index {self.name} cannot be used: it is closed")
            status = (self._folder / _COMMITTED).stat()
            seen = (status.st_mtime_ns, status.st_ino)
            if self._current is None or seen != self._seen:
                self._index.reload()
                searcher = self._index.searcher()
                sources = tuple(read_sources(searcher, self._schema).values())
                self._current = _Snapshot(searcher, read_state(searcher, self._schema), sources)
                self._seen = seen
            return self._current
