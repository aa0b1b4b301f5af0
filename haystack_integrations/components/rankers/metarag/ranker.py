"""Haystack: a ranker component."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from metarag.adapters.documents import HostDocument
from metarag.adapters.extras import needs
from metarag.adapters.kept import KeptReranker
from metarag.adapters.plain_values import copied
from metarag.adapters.reranking import RESULT_KEY, Reranked, Reranker, checked_top_n

with needs("haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict


@component
class MetaragRanker:
    """Reranks documents by how far they can be trusted for the query.

    Parameters
    ----------
    top_k : int or None
        Documents to return; ``None`` (default) returns all.
    drop_excluded : bool
        Leave out retracted and other excluded documents; by default they come last, with score 0.
    deduplicate : bool
        Keep one of several documents with the same id, the best one, as Haystack's own rankers do.
    settings : dict or None
        Fields of :class:`metarag.config.Settings`.

    Raises
    ------
    ValueError
        ``top_k`` is smaller than 1.
    """

    def __init__(
        self,
        top_k: int | None = None,
        drop_excluded: bool = False,
        deduplicate: bool = True,
        settings: dict[str, Any] | None = None,
    ) -> None:
        self.top_k = top_k
        self.drop_excluded = drop_excluded
        self.deduplicate = deduplicate
        self.settings = settings
        checked_top_n(top_k)
        self._kept = KeptReranker()
        self._reranker()

    def _reranker(self) -> Reranker:
        return self._kept.of(self.settings, drop_excluded=self.drop_excluded)

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, documents: list[Document], top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Return copies of the documents, best first, with their score and ``meta["metarag"]``."""
        limit, given = checked_top_n(self.top_k if top_k is None else top_k), list(documents)
        found = self._reranker().rank(query, _host(given))
        return {"documents": self._placed(given, found)[:limit]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, documents: list[Document], top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Do the same without holding up the event loop."""
        limit, given = checked_top_n(self.top_k if top_k is None else top_k), list(documents)
        found = await self._reranker().arank(query, _host(given))
        return {"documents": self._placed(given, found)[:limit]}

    def to_dict(self) -> dict[str, Any]:
        """Return what the component can be made of again."""
        given = {name: getattr(self, name) for name in ("top_k", "drop_excluded", "deduplicate", "settings")}
        return dict(default_to_dict(self, **given))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MetaragRanker:
        """Make the component again."""
        made: MetaragRanker = default_from_dict(cls, data)
        return made

    def _placed(self, documents: list[Document], found: list[Reranked]) -> list[Document]:
        placed: dict[str, Document] = {}
        for item in found:
            document = documents[item.index]
            key = document.id if self.deduplicate else str(item.index)
            if key not in placed:
                placed[key] = _with_result(document, item, rank=len(placed) + 1)
        return list(placed.values())


def _with_result(document: Document, item: Reranked, *, rank: int) -> Document:
    meta = {key: copied(value) for key, value in (document.meta or {}).items()}
    # Of documents with one id only the best is left, so that places are counted here.
    return replace(document, score=item.score, meta=meta | {RESULT_KEY: item.result | {"rank": rank}})


def _host(documents: list[Document]) -> list[HostDocument]:
    return [HostDocument(d.content, d.meta, d.score) for d in documents]
