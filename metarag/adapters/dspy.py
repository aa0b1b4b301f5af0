"""DSPy: a module that reranks passages.

>>> from metarag.adapters.dspy import MetaragRerank
>>> MetaragRerank(k=5).k
5
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from metarag.adapters.documents import HostDocument
from metarag.adapters.extras import needs
from metarag.adapters.reranking import Reranked, Reranker

with needs("dspy"):
    import dspy

Passage: TypeAlias = str | Mapping[str, Any] | Any


class MetaragRerank(dspy.Module):
    """Reranks passages by how far they can be trusted for the query.

    Parameters
    ----------
    k : int or None
        Passages to return; ``None`` returns all.
    settings : dict or None
        Fields of :class:`metarag.config.Settings`.
    drop_excluded : bool
        Leave out retracted and other excluded passages; by default they come last, with score 0.
    """

    def __init__(
        self, k: int | None = None, settings: dict[str, Any] | None = None, *, drop_excluded: bool = False
    ) -> None:
        super().__init__()
        self.k = k
        self.settings = settings
        self.drop_excluded = drop_excluded
        self._reranker = Reranker(settings, top_n=k, drop_excluded=drop_excluded)

    def forward(self, query: str, passages: Sequence[Passage] | None = None, k: int | None = None) -> Any:
        """Return a prediction with ``passages``, their ``indices``, ``scores`` and what was found."""
        given = list(passages or ())
        return _prediction(given, self._reranker.rank(query, [_host(p) for p in given], top_n=k))

    async def aforward(
        self, query: str, passages: Sequence[Passage] | None = None, k: int | None = None
    ) -> Any:
        """Do the same without holding up the event loop."""
        given = list(passages or ())
        return _prediction(given, await self._reranker.arank(query, [_host(p) for p in given], top_n=k))


def _text(passage: Passage) -> str:
    if isinstance(passage, str):
        return passage
    if isinstance(passage, Mapping):
        return str(passage.get("long_text") or passage.get("text") or "")
    return str(getattr(passage, "long_text", "") or getattr(passage, "text", ""))


def _host(passage: Passage) -> HostDocument:
    metadata = passage if isinstance(passage, Mapping) else {}
    return HostDocument(_text(passage), metadata)


def _prediction(passages: Sequence[Passage], found: Sequence[Reranked]) -> Any:
    return dspy.Prediction(
        passages=[_text(passages[item.index]) for item in found],
        indices=[item.index for item in found],
        scores=[item.score for item in found],
        metarag=[item.result for item in found],
    )
