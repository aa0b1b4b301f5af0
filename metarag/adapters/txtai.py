"""txtai: a similarity callable for its ``Reranker``; needs nothing of txtai's.

>>> from metarag.adapters.txtai import MetaragSimilarity
>>> similarity = MetaragSimilarity()
>>> similarity("Does aspirin prevent stroke?", ["Aspirin and stroke: a case report."])[0][0]
0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metarag.adapters.documents import HostDocument
from metarag.adapters.reranking import Reranker

Pair = tuple[int, float]


class MetaragSimilarity:
    """Scores texts by how far they can be trusted for the query, in the shape of txtai's similarity pipeline.

    Parameters
    ----------
    settings : mapping or None
        Fields of :class:`metarag.config.Settings`.
    """

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self._reranker = Reranker(settings)

    def __call__(
        self, query: str | Sequence[str], texts: Sequence[str | Mapping[str, Any] | None], **_: object
    ) -> list[Pair] | list[list[Pair]]:
        """Return ``(index, score)`` of every text, best first; for a list of queries, a list of such lists."""
        if isinstance(query, str):
            return self._pairs(query, texts)
        return [self._pairs(each, texts) for each in query]

    def _pairs(self, query: str, texts: Sequence[str | Mapping[str, Any] | None]) -> list[Pair]:
        found = self._reranker.rank(query, [_host(text) for text in texts])
        return [(item.index, item.score) for item in found]


def _host(text: str | Mapping[str, Any] | None) -> HostDocument:
    return HostDocument(text.get("text"), text) if isinstance(text, Mapping) else HostDocument(text)
