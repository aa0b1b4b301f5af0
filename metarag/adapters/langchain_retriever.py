"""A retriever for LangChain whose documents are reranked; needs nothing but langchain-core."""

from __future__ import annotations

from pydantic import Field

from metarag.adapters.extras import needs
from metarag.adapters.langchain_compressor import MetaragCompressor

with needs("langchain"):
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class MetaragRetriever(BaseRetriever):
    """Another retriever whose documents are reranked.

    Parameters
    ----------
    retriever : BaseRetriever
        Finds the documents; its callbacks and traces stay its own.
    compressor : MetaragCompressor
        Puts them in order.
    """

    retriever: BaseRetriever
    compressor: MetaragCompressor = Field(default_factory=MetaragCompressor)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = self.retriever.invoke(query, config={"callbacks": run_manager.get_child()})
        return self.compressor.compress_documents(found, query)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = await self.retriever.ainvoke(query, config={"callbacks": run_manager.get_child()})
        return await self.compressor.acompress_documents(found, query)
