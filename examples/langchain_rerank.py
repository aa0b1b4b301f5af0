"""LangChain: rerank what a retriever finds. Needs: pip install "metarag-ebm[langchain]"."""

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from passages import QUESTION, find, show

from metarag.adapters.langchain import MetaragCompressor, MetaragRetriever


class YourRetriever(BaseRetriever):
    """Stands for your own."""

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(page_content=p["text"], metadata=p["metadata"]) for p in find(query)]


retriever = MetaragRetriever(retriever=YourRetriever(), compressor=MetaragCompressor(top_n=5))
for document in retriever.invoke(QUESTION):
    result = document.metadata["metarag"]
    show(result["rank"], document.metadata["relevance_score"], result, document.page_content)
