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
from metarag.adapters.kept import KeptReranker
from metarag.adapters.reranking import Reranked, Reranker, checked_top_n

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
        self._kept = KeptReranker()
        checked_top_n(k)
        self._reranker()

    def _reranker(self) -> Reranker:
        return self._kept.of(self.settings, drop_excluded=self.drop_excluded)

    def forward(
        self, query: str, passages: Sequence[Passage] | str | None = None, k: int | None = None
    ) -> Any:
        """Return a prediction with ``passages``, their ``indices``, ``scores`` and what was found."""
        given, limit = _listed(passages), self.k if k is None else k
        return _prediction(given, self._reranker().rank(query, [_host(p) for p in given], top_n=limit))

    async def aforward(
        self, query: str, passages: Sequence[Passage] | str | None = None, k: int | None = None
    ) -> Any:
        """Do the same without holding up the event loop."""
        given, limit = _listed(passages), self.k if k is None else k
        found = await self._reranker().arank(query, [_host(p) for p in given], top_n=limit)
        return _prediction(given, found)


def _listed(passages: Sequence[Passage] | str | None) -> list[Passage]:
    return [passages] if isinstance(passages, str) else list(passages or ())


def _fields(passage: Passage) -> Mapping[str, Any]:
    if isinstance(passage, Mapping):
        return passage
    return dict(passage.items()) if isinstance(passage, dspy.Example) else {}


def _text(passage: Passage) -> str:
    if isinstance(passage, str):
        return passage
    fields = _fields(passage)
    found = (fields.get(key) or getattr(passage, key, None) for key in ("long_text", "text"))
    return next((text for text in found if isinstance(text, str)), "")


def _host(passage: Passage) -> HostDocument:
    return HostDocument(_text(passage), _fields(passage))


def _prediction(passages: Sequence[Passage], found: Sequence[Reranked]) -> Any:
    return dspy.Prediction(
        passages=[_text(passages[item.index]) for item in found],
        indices=[item.index for item in found],
        scores=[item.score for item in found],
        metarag=[item.result for item in found],
    )
