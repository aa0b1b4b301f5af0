"""What LlamaIndex is told of a reranking: its instrumentation and its older callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from metarag.adapters.extras import needs
from metarag.adapters.reranking import RESULT_KEY

with needs("llamaindex"):
    from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload
    from llama_index.core.instrumentation import get_dispatcher
    from llama_index.core.instrumentation.events.rerank import ReRankEndEvent, ReRankStartEvent
    from llama_index.core.schema import NodeWithScore, QueryBundle


@contextmanager
def telling(
    callbacks: CallbackManager, nodes: list[NodeWithScore], query: QueryBundle | None, top_n: int | None
) -> Iterator[list[NodeWithScore]]:
    """Tell the beginning, yield a list for the reranked nodes, and tell the end with what is in it."""
    query, placed = query or QueryBundle(""), list[NodeWithScore]()
    dispatcher, limit = get_dispatcher(__name__), top_n or len(nodes)
    dispatcher.event(ReRankStartEvent(query=query, nodes=nodes, top_n=limit, model_name=RESULT_KEY))
    payload = {EventPayload.NODES: nodes, EventPayload.QUERY_STR: query.query_str}
    payload |= {EventPayload.MODEL_NAME: RESULT_KEY, EventPayload.TOP_K: limit}
    with callbacks.event(CBEventType.RERANKING, payload=payload) as event:
        yield placed
        event.on_end(payload={EventPayload.NODES: placed})
    dispatcher.event(ReRankEndEvent(nodes=placed))
