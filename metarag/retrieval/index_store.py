"""What a build asks of an engine, and which engine an index is of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from metarag.errors import IndexUnusableError, MissingExtraError
from metarag.retrieval.corpus_prepare import PreparedSource
from metarag.retrieval.corpus_report import SourceReport
from metarag.retrieval.corpus_schema import Clock

MARKER: Final = "metarag-index.json"
"""File that tells a folder of a tantivy index from any other folder."""


class Engine(StrEnum):
    """What holds and searches a local index."""

    SQLITE = "sqlite"
    TANTIVY = "tantivy"


class IndexStore(Protocol):
    """An index that is open for writing.

    Attributes
    ----------
    analyses : bool
        True where the texts have to come cut into words and stemmed.
    """

    analyses: bool

    def is_complete(self, digest: str) -> bool:
        """Return True when a source of this content is in, to its end."""

    def note_unfinished(self, names: Sequence[str]) -> None:
        """Say what is still to do before it is begun, so that a build that is killed leaves the note."""

    def forget_unfinished(self) -> None:
        """Take back the note of what remains."""

    def add(
        self,
        source: PreparedSource,
        *,
        name: str,
        digest: str | None = None,
        remaining: Sequence[str] = (),
        progress: Callable[[int], None] | None = None,
    ) -> SourceReport:
        """Index one source, all of it at once for every reader."""

    def renew_appraisals(self) -> int:
        """Appraise again what older rules appraised, or nobody; return how many."""


def engine_of(index: Path) -> Engine | None:
    """Return the engine of what is there: a folder with our mark, or a file; ``None`` where nothing is yet.

    Raises
    ------
    IndexUnusableError
        It is a folder that holds something else.
    """
    if not index.is_dir():
        return Engine.SQLITE if index.exists() else None
    if (index / MARKER).is_file():
        return Engine.TANTIVY
    if any(index.iterdir()):
        raise IndexUnusableError(
            f"local index {index} cannot be written: it is a folder of something else; name another place"
        )
    return None


def open_store(
    index: Path, engine: Engine | None, *, wait: float, clock: Clock
) -> AbstractContextManager[IndexStore]:
    """Open an index for writing; a new one is made by ``engine``, by default SQLite.

    Raises
    ------
    IndexUnusableError
        It is of another engine, or a folder of something else.
    MissingExtraError
        tantivy is not installed.
    """
    found = engine_of(index)
    if engine and found and engine is not found:
        raise IndexUnusableError(
            f"local index {index} is of the engine {found}, not {engine}: name another place, or no engine"
        )
    if (found or engine) is not Engine.TANTIVY:
        from metarag.retrieval.corpus_store import CorpusStore

        return CorpusStore.open(index, wait=wait, clock=clock)
    with needs_tantivy():
        from metarag.retrieval.tantivy_store import TantivyStore
    return TantivyStore.open(index, wait=wait, clock=clock)


@contextmanager
def needs_tantivy() -> Iterator[None]:
    """Say which extra is missing, around imports.

    Raises
    ------
    MissingExtraError
        tantivy is not installed.
    """
    try:
        yield
    except ImportError as error:
        if error.name != "tantivy":
            raise
        raise MissingExtraError("A local index of the tantivy engine", "mirror") from error
