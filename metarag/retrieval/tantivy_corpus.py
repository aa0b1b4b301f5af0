"""A local index of the tantivy engine, open for reading."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self

import tantivy

from metarag.appraisal import APPRAISAL_VERSION
from metarag.errors import IndexUnusableError
from metarag.records import Article, TextOrigin
from metarag.report.plain import plain
from metarag.retrieval.corpus_info import CorpusInfo, advice_on_emptiness, gaps_of
from metarag.retrieval.corpus_rows import unpack
from metarag.retrieval.corpus_search import SearchHits
from metarag.retrieval.free_text import FreeTextQuery, free_text_query
from metarag.retrieval.local_index import as_id
from metarag.retrieval.query import Query
from metarag.retrieval.tantivy_query import text_query, tree_query
from metarag.retrieval.tantivy_schema import SCHEMA_VERSION, addresses, check_marker, tantivy_errors
from metarag.retrieval.tantivy_search import RANKING, search, stored_appraisal
from metarag.retrieval.tantivy_snapshot import Snapshot
from metarag.retrieval.tantivy_terms import TermQueries
from metarag.retrieval.word_forms import WordForms
from metarag.types import Appraisal

_COMMITTED: Final = "meta.json"


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
        self._current: Snapshot | None = None

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
        corpus.snapshot()
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
        searcher = self.snapshot().searcher
        with tantivy_errors(self.name):
            with self._lock:
                terms = TermQueries(searcher, self._schema, self._words)
                run = tree_query(asked, terms) if isinstance(asked, Query) else text_query(asked, terms)
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
        now = self.snapshot()
        with tantivy_errors(self.name):
            origins = {origin.value: now.count("text_origin", origin) for origin in sorted(TextOrigin)}
            return CorpusInfo(
                name=self.name,
                records=now.records,
                sources=tuple(now.sources.values()),
                text_origins={origin: n for origin, n in origins.items() if n},
                appraisals=now.count("appraisal_version", APPRAISAL_VERSION),
                schema_version=SCHEMA_VERSION,
                built_at=datetime.fromisoformat(now.state.built_at) if now.state.built_at else None,
                unfinished=now.state.unfinished,
                size=sum(file.stat().st_size for file in self._folder.iterdir() if file.is_file()),
                engine="tantivy",
            )

    def gaps(self) -> tuple[str, ...]:
        """Return a sentence for each thing that is known to be missing from the index."""
        now = self.snapshot()
        # A file that was bad and came again in order has the same name and another content.
        latest = {source.name: source for source in now.sources.values()}.values()
        return gaps_of(
            is_empty=not len(self),
            unfinished=now.state.unfinished,
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
            problem = advice_on_emptiness(self.snapshot().state.unfinished)
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
        now = self.snapshot()
        with tantivy_errors(self.name):
            return now.records

    def __iter__(self) -> Iterator[Article]:
        """Yield every article of one state of the index, about in the order in which they came in."""
        now = self.snapshot()
        places = now.places()
        while True:
            with tantivy_errors(self.name):
                batch = next(places, None)
                stored = [now.searcher.doc(address).get_first("article") or b"" for address in batch or ()]
            if batch is None:
                return
            yield from (unpack(Article, packed) for packed in stored)

    def snapshot(self) -> Snapshot:
        """Return the state that the last commit left; a build may end at any time.

        Raises
        ------
        IndexUnusableError
            The index is closed, or damaged.
        """
        with self._lock, tantivy_errors(self.name):
            if self._index is None:
                raise IndexUnusableError(f"local index {self.name} cannot be used: it is closed")
            status = (self._folder / _COMMITTED).stat()
            seen = (status.st_mtime_ns, status.st_ino)
            if self._current is None or seen != self._seen:
                self._current, self._seen = Snapshot.of(self._index), seen
            return self._current

    def _document(self, article_id: str) -> tantivy.Document | None:
        searcher = self.snapshot().searcher
        with tantivy_errors(self.name):
            query = tantivy.Query.term_query(self._schema, "article_id", as_id(article_id))
            found = addresses(searcher, query)
            return searcher.doc(found[0]) if found else None
