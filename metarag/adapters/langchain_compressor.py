"""A document compressor for LangChain, also as a runnable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metarag.adapters.documents import HostDocument
from metarag.adapters.enrichment import Enrich
from metarag.adapters.extras import needs
from metarag.adapters.kept import KeptReranker
from metarag.adapters.plain_values import copied
from metarag.adapters.reranking import RESULT_KEY, Reranked, Reranker

with needs("langchain"):
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import ConfigDict, Field, PrivateAttr


class MetaragCompressor(BaseDocumentCompressor):
    """Reranks documents by how far they can be trusted for the query.

    Parameters
    ----------
    top_n : int or None
        Documents to return; ``None`` (default) returns all.
    drop_excluded : bool
        Leave out retracted and other excluded documents; by default they come last, with score 0.
    settings : dict
        Fields of :class:`metarag.config.Settings`.
    enrich : callable or None
        Completes documents that have a PMID; not part of a JSON round trip.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    top_n: int | None = Field(default=None, ge=1)
    drop_excluded: bool = False
    settings: dict[str, Any] = Field(default_factory=dict)
    enrich: Enrich | None = Field(default=None, exclude=True)
    _kept: KeptReranker = PrivateAttr(default_factory=KeptReranker)

    def model_post_init(self, context: Any) -> None:
        """Check the settings now, not at the first query."""
        self._reranker()

    def _reranker(self) -> Reranker:
        return self._kept.of(self.settings, drop_excluded=self.drop_excluded, enrich=self.enrich)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return copies of the documents, best first, with ``relevance_score`` and ``metarag`` in the metadata."""
        given = list(documents)
        return _placed(given, self._reranker().rank(query, _host(given), top_n=self.top_n))

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Do the same without holding up the event loop."""
        given = list(documents)
        return _placed(given, await self._reranker().arank(query, _host(given), top_n=self.top_n))

    def rerank(
        self, documents: Sequence[Document | str], query: str, *, top_n: int | None = None
    ) -> list[dict[str, Any]]:
        """Return index and ``relevance_score`` of each, as the rerankers of other vendors do."""
        texts = [Document(page_content=d) if isinstance(d, str) else d for d in documents]
        found = self._reranker().rank(query, _host(texts), top_n=self.top_n if top_n is None else top_n)
        return [{"index": item.index, "relevance_score": item.score} for item in found]

    def as_runnable(self) -> Runnable[dict[str, Any], list[Document]]:
        """Return a runnable that takes ``{"documents": ..., "query": ...}``."""

        def run(given: dict[str, Any]) -> list[Document]:
            return self.compress_documents(given["documents"], given["query"])

        async def arun(given: dict[str, Any]) -> list[Document]:
            return await self.acompress_documents(given["documents"], given["query"])

        return RunnableLambda(run, afunc=arun, name="metarag")


def _host(documents: Sequence[Document]) -> list[HostDocument]:
    return [HostDocument(d.page_content, d.metadata) for d in documents]


def _placed(documents: Sequence[Document], found: Sequence[Reranked]) -> list[Document]:
    return [_with_result(documents[item.index], item) for item in found]


def _with_result(document: Document, item: Reranked) -> Document:
    metadata = {key: copied(value) for key, value in document.metadata.items()}
    metadata |= {"relevance_score": item.score, RESULT_KEY: item.result}
    return document.model_copy(update={"metadata": metadata})
