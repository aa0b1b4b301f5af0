"""AnswerDotAI's ``rerankers``: a ranker.

>>> from metarag.adapters.rerankers import MetaragRanker
>>> MetaragRanker().model_name_or_path
'metarag'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, TypeAlias

from metarag.adapters.documents import HostDocument
from metarag.adapters.extras import needs
from metarag.adapters.kept import KeptReranker
from metarag.adapters.plain_values import copied
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
        self.settings = settings
        self.drop_excluded = drop_excluded
        self._kept = KeptReranker()
        self._reranker()

    def _reranker(self) -> Reranker:
        return self._kept.of(self.settings, drop_excluded=self.drop_excluded)

    def score(self, query: str, doc: str) -> float:
        """Return the score of one text."""
        found = self._reranker().rank(query, [HostDocument(doc)])
        return found[0].score if found else 0.0

    def as_langchain_compressor(self, k: int = 10) -> Any:
        """Return the compressor for LangChain, for ``k`` documents; the inherited way imports what LangChain 1 lacks.

        Raises
        ------
        MissingExtraError
            langchain-core is not installed.
        """
        from metarag.adapters.langchain import MetaragCompressor

        return MetaragCompressor(
            top_n=k, settings=dict(self.settings or {}), drop_excluded=self.drop_excluded
        )

    def rank(
        self,
        query: str,
        docs: Documents,
        doc_ids: Sequence[str | int] | str | int | None = None,
        metadata: Sequence[Mapping[str, Any] | None] | None = None,
    ) -> RankedResults:
        """Return copies of the documents, best first; ``metadata["metarag"]`` holds what was found.

        Raises
        ------
        ValueError
            There are more or fewer ids or metadata than documents.
        """
        given = _copies(docs, doc_ids, metadata)
        found = self._reranker().rank(query, [HostDocument(d.text, d.metadata or {}) for d in given])
        results = []
        for item in found:
            document = given[item.index]
            document.metadata = {**(document.metadata or {}), RESULT_KEY: item.result}
            results.append(Result(document=document, score=item.score, rank=item.result["rank"]))
        return RankedResults(results=results, query=query, has_scores=True)


def _copies(
    docs: Documents,
    doc_ids: Sequence[str | int] | str | int | None,
    metadata: Sequence[Mapping[str, Any] | None] | None,
) -> list[Document]:
    listed = [docs] if isinstance(docs, (str, Document)) else list(docs)
    ids = [doc_ids] if isinstance(doc_ids, (str, int)) else list(doc_ids or ())
    added = list(metadata or ())
    for name, given in (("doc_ids", ids), ("metadata", added)):
        if given and len(given) != len(listed):
            raise ValueError(f"{name} must be as many as the documents: got {len(given)} for {len(listed)}")
    copies = []
    for index, item in enumerate(listed):
        document = copy(item) if isinstance(item, Document) else Document(text=item, doc_id=index)
        document.doc_id = ids[index] if ids else index if document.doc_id is None else document.doc_id
        known = {**(document.metadata or {}), **((added[index] or {}) if added else {})}
        document.metadata = {key: copied(value) for key, value in known.items()}
        copies.append(document)
    return copies
