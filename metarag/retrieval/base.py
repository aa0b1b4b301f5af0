"""What a retriever is, and what comes out of reading a file of records."""

from __future__ import annotations

from typing import Protocol

from metarag.audit import QueryRecord
from metarag.records import Article, Frozen
from metarag.types import Question, Retrieved


class ReadFailure(Frozen):
    """One record that could not be read; the rest of the file stands.

    Parameters
    ----------
    position : int
        Which record of the file, from 1.
    pmid : str or None
        As far as it could be found in the damaged text.
    offset : int or None
        Byte (XML) or line (text formats) where the record begins.
    reason : str
        One sentence; never the record's text.
    """

    position: int
    reason: str
    pmid: str | None = None
    offset: int | None = None

    def __str__(self) -> str:
        who = f"record {self.position}" + (f" (PMID {self.pmid})" if self.pmid else "")
        return f"{who}: {self.reason}"


class Deletion(Frozen):
    """A PMID that PubMed withdrew (``DeleteCitation``)."""

    pmid: str
    version: int | None = None


Record = Article | Deletion | ReadFailure
"""What a reader yields, in document order."""


class RetrievalResult(Frozen):
    """The articles of one search, best first, and the search as it was run."""

    articles: tuple[Retrieved, ...]
    query: QueryRecord
    failures: tuple[ReadFailure, ...] = ()


class Retriever(Protocol):
    """Finds candidate articles for a question."""

    def retrieve(self, question: Question, *, limit: int = 50) -> RetrievalResult:
        """Return at most ``limit`` articles, best first; an empty result is not an error."""
