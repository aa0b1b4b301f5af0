"""Every host behind one face, so that one contract can be run over all of them."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Spec:
    """A document to be built in the host's own type."""

    text: str
    id: str = "d"
    metadata: dict[str, Any] = field(default_factory=dict)
    score: float | None = None


@dataclass
class Seen:
    """What came back, in the host's own terms."""

    text: str
    score: Any
    id: str | None = None
    metadata: dict[str, Any] | None = None
    result: dict[str, Any] | None = None


class Host:
    """What the contract needs to know of a host."""

    name = ""
    module = ""
    keeps_ids = True
    keeps_metadata = True
    score_in_metadata = False
    reads_metadata = True
    has_async = True

    def missing(self) -> str | None:
        if importlib.util.find_spec(self.module) is None:
            return f"{self.name} is not installed; .ci/adapters runs this in an environment that has it"
        return None

    def make(self, **options: Any) -> Any:
        raise NotImplementedError

    def build(self, specs: Sequence[Spec]) -> Any:
        raise NotImplementedError

    def run(self, adapter: Any, documents: Any, query: str) -> Any:
        """Return the host's own result."""
        raise NotImplementedError

    async def arun(self, adapter: Any, documents: Any, query: str) -> Any:
        raise NotImplementedError

    def seen(self, found: Any) -> list[Seen]:
        raise NotImplementedError

    def rank(self, specs: Sequence[Spec], query: str, **options: Any) -> list[Seen]:
        return self.seen(self.run(self.make(**options), self.build(specs), query))


class LangChain(Host):
    name = "langchain"
    module = "langchain_core"
    score_in_metadata = True

    def make(self, **options):
        from metarag.adapters.langchain import MetaragCompressor

        return MetaragCompressor(**options)

    def build(self, specs):
        from langchain_core.documents import Document

        return [Document(page_content=s.text, id=s.id, metadata=s.metadata) for s in specs]

    def run(self, adapter, documents, query):
        return adapter.compress_documents(documents, query)

    async def arun(self, adapter, documents, query):
        return await adapter.acompress_documents(documents, query)

    def seen(self, found):
        return [
            Seen(d.page_content, d.metadata["relevance_score"], d.id, d.metadata, d.metadata["metarag"])
            for d in found
        ]


class LlamaIndex(Host):
    name = "llamaindex"
    module = "llama_index"

    def make(self, **options):
        from metarag.adapters.llamaindex import MetaragPostprocessor

        return MetaragPostprocessor(**options)

    def build(self, specs):
        from llama_index.core.schema import NodeWithScore, TextNode

        return [
            NodeWithScore(node=TextNode(text=s.text, id_=s.id, metadata=s.metadata), score=s.score)
            for s in specs
        ]

    def run(self, adapter, documents, query):
        return adapter.postprocess_nodes(documents, query_str=query)

    async def arun(self, adapter, documents, query):
        if hasattr(adapter, "apostprocess_nodes"):
            return await adapter.apostprocess_nodes(documents, query_str=query)
        from llama_index.core.schema import QueryBundle

        return await adapter._apostprocess_nodes(documents, QueryBundle(query))

    def seen(self, found):
        return [
            Seen(n.node.text, n.score, n.node.node_id, n.node.metadata, n.node.metadata["metarag"])
            for n in found
        ]


class Haystack(Host):
    name = "haystack"
    module = "haystack"

    def make(self, *, top_n=None, **options):
        from metarag.adapters.haystack import MetaragRanker

        return MetaragRanker(top_k=top_n, **options)

    def build(self, specs):
        from haystack import Document

        return [Document(content=s.text, id=s.id, meta=s.metadata, score=s.score) for s in specs]

    def run(self, adapter, documents, query):
        return adapter.run(query, documents)["documents"]

    async def arun(self, adapter, documents, query):
        return (await adapter.run_async(query, documents))["documents"]

    def seen(self, found):
        return [Seen(d.content, d.score, d.id, d.meta, d.meta["metarag"]) for d in found]


class Rerankers(Host):
    name = "rerankers"
    module = "rerankers"

    def make(self, *, top_n=None, **options):
        from metarag.adapters.rerankers import MetaragRanker

        ranker = MetaragRanker(**options)
        ranker.shown = top_n
        return ranker

    def build(self, specs):
        from rerankers import Document

        return [Document(s.text, doc_id=s.id, metadata=s.metadata) for s in specs]

    def run(self, adapter, documents, query):
        found = adapter.rank(query, documents)
        return found.results if adapter.shown is None else found.top_k(adapter.shown)

    async def arun(self, adapter, documents, query):
        found = await adapter.rank_async(query, documents)
        return found.results if adapter.shown is None else found.top_k(adapter.shown)

    def seen(self, found):
        return [
            Seen(
                r.document.text,
                r.score,
                r.document.doc_id,
                r.document.metadata,
                r.document.metadata["metarag"],
            )
            for r in found
        ]


class DSPy(Host):
    name = "dspy"
    module = "dspy"
    keeps_ids = False
    keeps_metadata = False

    def make(self, *, top_n=None, **options):
        from metarag.adapters.dspy import MetaragRerank

        return MetaragRerank(k=top_n, **options)

    def build(self, specs):
        return [{"text": s.text, **s.metadata} for s in specs]

    def run(self, adapter, documents, query):
        return adapter(query=query, passages=documents)

    async def arun(self, adapter, documents, query):
        return await adapter.acall(query=query, passages=documents)

    def seen(self, found):
        return [
            Seen(text, score, result=result)
            for text, score, result in zip(found.passages, found.scores, found.metarag, strict=True)
        ]


class Txtai(Host):
    """Its callable needs nothing of txtai's, so that the contract runs everywhere."""

    name = "txtai"
    module = "metarag"
    keeps_ids = False
    keeps_metadata = False
    has_async = False

    def make(self, *, top_n=None, drop_excluded=False, **options):
        from metarag.adapters.txtai import MetaragSimilarity

        similarity = MetaragSimilarity(**options)
        return lambda query, texts: [(texts[i], s) for i, s in similarity(query, texts)[:top_n]]

    def build(self, specs):
        return [{"text": s.text, **s.metadata} for s in specs]

    def run(self, adapter, documents, query):
        return adapter(query, documents)

    def seen(self, found):
        return [Seen(row["text"], score) for row, score in found]


class Tool(Host):
    """The plain function for agents."""

    name = "tool"
    module = "metarag"
    keeps_ids = False
    keeps_metadata = False
    reads_metadata = False
    has_async = False

    def make(self, *, top_n=None, settings=None, **_):
        from metarag.adapters.tools import rank_evidence

        return lambda query, texts: [(texts[r.index], r) for r in rank_evidence(query, texts, top_n).results]

    def build(self, specs):
        return [s.text for s in specs]

    def run(self, adapter, documents, query):
        return adapter(query, documents)

    def seen(self, found):
        return [Seen(text, r.score, result={"excluded": r.excluded, "design": r.design}) for text, r in found]


HOSTS = (LangChain(), LlamaIndex(), Haystack(), Rerankers(), DSPy(), Txtai(), Tool())


def run_async(host: Host, adapter: Any, documents: Any, query: str) -> list[Seen]:
    return host.seen(asyncio.run(host.arun(adapter, documents, query)))
