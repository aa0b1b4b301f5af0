"""AnswerDotAI's ``rerankers``: a ranker.

>>> from metarag.adapters.rerankers import MetaragRanker
>>> MetaragRanker().model_name_or_path
'metarag'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from metarag.adapters.documents import HostDocument
from metarag.adapters.extras import needs
from metarag.adapters.reranking import RESULT_KEY, Reranker

with needs("rerankers"):
    from rerankers.documents import Document
    from rerankers.models.ranker import BaseRanker
    from rerankers.results import RankedResults, Result

Documents: TypeAlias = str | Document | Sequence[str | Document]


class MetaragRanker(BaseRanker):
    """Reranks documents by how far they can be trusted for the query.

    Parameters
    ----------
    model_name_or_path : str
        A name only; there is no model to load.
    settings : mapping or None
        Fields of :class:`metarag.config.Settings`.
    drop_excluded : bool
        Leave out retracted and other excluded documents; by default they come last, with score 0.
    """

    def __init__(
        self,
        model_name_or_path: str = "metarag",
        verbose: int = 0,
        *,
        settings: Mapping[str, Any] | None = None,
        drop_excluded: bool = False,
        **_: object,
    ) -> None:
        self.model_name_or_path = model_name_or_path
        self.verbose = verbose
        self._reranker = Reranker(settings, drop_excluded=drop_excluded)

    def score(self, query: str, doc: str) -> float:
        """Return the score of one text."""
        found = self._reranker.rank(query, [HostDocument(doc)])
        return found[0].score if found else 0.0

    def rank(
        self,
        query: str,
        docs: Documents,
        doc_ids: Sequence[str | int] | str | int | None = None,
        metadata: Sequence[Mapping[str, Any]] | None = None,
    ) -> RankedResults:
        """Return copies of the documents, best first; ``metadata["metarag"]`` holds what was found."""
        given = _copies(docs, doc_ids, metadata)
        found = self._reranker.rank(query, [HostDocument(d.text, d.metadata or {}) for d in given])
        results = []
        for item in found:
            document = given[item.index]
            document.metadata = {**(document.metadata or {}), RESULT_KEY: item.result}
            results.append(Result(document=document, score=item.score, rank=item.result["rank"]))
        return RankedResults(results=results, query=query, has_scores=True)


def _copies(
    docs: Documents,
    doc_ids: Sequence[str | int] | str | int | None,
    metadata: Sequence[Mapping[str, Any]] | None,
) -> list[Document]:
    listed = [docs] if isinstance(docs, (str, Document)) else list(docs)
    ids = [doc_ids] if isinstance(doc_ids, (str, int)) else list(doc_ids or ())
    copies = []
    for index, item in enumerate(listed):
        document = Document(text=item, doc_id=index) if isinstance(item, str) else deepcopy(item)
        document.doc_id = ids[index] if ids else index if document.doc_id is None else document.doc_id
        document.metadata = {**(document.metadata or {}), **(metadata[index] if metadata else {})}
        copies.append(document)
    return copies
