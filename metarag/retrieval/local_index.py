"""What every local index can do, and how to open one without knowing its engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from metarag.records import Article
from metarag.retrieval.corpus_info import CorpusInfo
from metarag.retrieval.corpus_search import SearchHits
from metarag.retrieval.free_text import FreeTextQuery
from metarag.retrieval.index_store import Engine, engine_of, needs_tantivy
from metarag.retrieval.query import Query
from metarag.types import Appraisal


class LocalIndex(Protocol):
    """A local index, open for reading; close it, or use it in a ``with`` block.

    Threads may share one. Each read sees the index as some build left it, never half of one.

    Attributes
    ----------
    name : str
        What the audit calls it.
    ranking : str
        How hits are put in order.
    """

    name: str
    ranking: str

    def search(self, text: str | FreeTextQuery | Query, *, limit: int = 50) -> SearchHits:
        """Return the best ``limit`` records for free text, any word of which is enough, or for a query."""

    def get(self, article_id: str) -> Article | None:
        """Return an article by its id or bare PMID; ``None`` when it is not here."""

    def appraisal(self, article_id: str) -> Appraisal | None:
        """Return the stored appraisal; ``None`` when there is none by the rules of this version."""

    def info(self) -> CorpusInfo:
        """Return what the index holds, where it came from and when."""

    def gaps(self) -> tuple[str, ...]:
        """Return a sentence for each thing that is known to be missing from the index."""

    def check_holds_records(self) -> None:
        """Refuse an empty index, in which finding nothing says nothing."""

    def close(self) -> None:
        """Close the index."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Article]: ...


def open_index(index: str | Path) -> LocalIndex:
    """Open a local index: a file of SQLite's, or a folder of tantivy's.

    Raises
    ------
    IndexUnusableError
        It is missing, damaged, something else, or of another schema.
    MissingExtraError
        It is of the tantivy engine, and tantivy is not installed.
    """
    path = Path(index)
    if path.is_dir() and engine_of(path) is Engine.TANTIVY:
        with needs_tantivy():
            from metarag.retrieval.tantivy_corpus import TantivyCorpus
        return TantivyCorpus.open(path)
    # Here, because it takes the protocol above from this module.
    from metarag.retrieval.corpus import Corpus

    return Corpus.open(path)


def as_id(article_id: str) -> str:
    """Return the id that a bare PMID stands for, and any other id as it is."""
    return f"pmid:{article_id}" if article_id.isascii() and article_id.isdigit() else article_id
