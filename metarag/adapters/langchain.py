"""LangChain: a document compressor, a runnable, and a retriever around another one.

>>> from metarag.adapters.langchain import MetaragCompressor
>>> MetaragCompressor(top_n=5).top_n
5
"""

from metarag.adapters.langchain_compressor import MetaragCompressor
from metarag.adapters.langchain_retriever import MetaragRetriever

__all__ = ["MetaragCompressor", "MetaragRetriever"]
