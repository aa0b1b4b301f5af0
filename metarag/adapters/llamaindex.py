"""LlamaIndex: a node postprocessor.

>>> from metarag.adapters.llamaindex import MetaragPostprocessor
>>> MetaragPostprocessor(top_n=5).top_n
5
"""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field, PrivateAttr

from metarag.adapters.documents import HostDocument
from metarag.adapters.extras import needs
from metarag.adapters.kept import KeptReranker
from metarag.adapters.llamaindex_events import telling
from metarag.adapters.plain_values import copied
from metarag.adapters.reranking import RESULT_KEY, Reranked, Reranker

with needs("llamaindex"):
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle


class MetaragPostprocessor(BaseNodePostprocessor):
    """Reranks nodes by how far they can be trusted for the query.

    Without a query they are ranked by what needs none: standing, design, agreement. Evidence fields are
    read from ``node.metadata``, the text without metadata from the node; neither is ever changed.

    Parameters
    ----------
    top_n : int or None
        Nodes to return; ``None`` (default) returns all.
    drop_excluded : bool
        Leave out retracted and other excluded nodes; by default they come last, with score 0.
    settings : dict
        Fields of :class:`metarag.config.Settings`.
    """

    model_config = ConfigDict(extra="forbid")

    top_n: int | None = Field(default=None, ge=1)
    drop_excluded: bool = False
    settings: dict[str, Any] = Field(default_factory=dict)
    _kept: KeptReranker = PrivateAttr(default_factory=KeptReranker)

    def model_post_init(self, context: Any) -> None:
        """Check the settings now, not at the first query."""
        super().model_post_init(context)
        self._reranker()

    def _reranker(self) -> Reranker:
        return self._kept.of(self.settings, drop_excluded=self.drop_excluded)

    @classmethod
    def class_name(cls) -> str:
        """Name in serialised form."""
        return "MetaragPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        with telling(self.callback_manager, nodes, query_bundle, self.top_n) as placed:
            found = self._reranker().rank(_text(query_bundle), _host(nodes), top_n=self.top_n)
            placed += _placed(nodes, found)
        return placed

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        with telling(self.callback_manager, nodes, query_bundle, self.top_n) as placed:
            found = await self._reranker().arank(_text(query_bundle), _host(nodes), top_n=self.top_n)
            placed += _placed(nodes, found)
        return placed


def _text(query_bundle: QueryBundle | None) -> str | None:
    return query_bundle.query_str if query_bundle else None


def _host(nodes: list[NodeWithScore]) -> list[HostDocument]:
    return [HostDocument(n.node.get_content(MetadataMode.NONE), n.node.metadata, n.score) for n in nodes]


def _placed(nodes: list[NodeWithScore], found: list[Reranked]) -> list[NodeWithScore]:
    """Return new nodes: a caller's node may be shared with an index and with earlier results."""
    return [
        NodeWithScore(node=_with_result(nodes[item.index].node, item), score=item.score) for item in found
    ]


def _with_result(node: BaseNode, item: Reranked) -> BaseNode:
    """Return a copy of a node; what it holds besides metadata (an index behind it, say) is shared with it."""
    metadata = {key: copied(value) for key, value in node.metadata.items()} | {RESULT_KEY: item.result}
    hidden = {
        name: [*(key for key in getattr(node, name) if key != RESULT_KEY), RESULT_KEY]
        for name in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
    }
    relationships = dict(node.relationships)
    return node.model_copy(update={"metadata": metadata, "relationships": relationships, **hidden})
