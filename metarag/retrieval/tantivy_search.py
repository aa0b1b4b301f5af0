"""Search an open tantivy index: the best records, in an order that does not depend on how they are stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import tantivy

from metarag.appraisal import APPRAISAL_VERSION
from metarag.errors import IndexUnusableError
from metarag.records import Article
from metarag.retrieval.base import ReadFailure
from metarag.retrieval.corpus_rows import unpack
from metarag.retrieval.corpus_search import QueryAsRun, SearchHits
from metarag.retrieval.tantivy_query import TantivyQuery
from metarag.retrieval.tantivy_schema import count
from metarag.types import Appraisal, Retrieved

RANKING: Final = (
    "BM25 of title, abstract and subject terms, weighted 3, 1 and 2 and added, then PMID, then id"
)

_GROWTH: Final = 8
"""Times more hits that are looked at while a tie goes on at the cut."""


class Hit(NamedTuple):
    """Sorts by score, the best first, then PMID, then id."""

    minus_score: float
    pmid: int
    article_id: str
    address: tantivy.DocAddress


def search(searcher: tantivy.Searcher, query: TantivyQuery, *, limit: int, shown: QueryAsRun) -> SearchHits:
    """Return the best ``limit`` records; see :meth:`~metarag.retrieval.tantivy_corpus.TantivyCorpus.search`."""
    total = count(searcher, query.query)
    found, failures = [], []
    for rank, hit in enumerate(_best(searcher, query, min(limit, total), total), 1):
        document = searcher.doc(hit.address)
        try:
            article = unpack(Article, document.get_first("article") or b"")
            appraisal = stored_appraisal(document)
        except IndexUnusableError as error:
            failures.append(ReadFailure(position=rank, reason=f"{hit.article_id}: {error}"))
        else:
            score = -hit.minus_score or 0.0
            found.append(Retrieved(article=article, appraisal=appraisal, retriever_score=score))
    return SearchHits(articles=tuple(found), query=shown, total=total, failures=tuple(failures))


def stored_appraisal(document: tantivy.Document) -> Appraisal | None:
    """Return a record's appraisal; ``None`` when there is none, or other rules than today's made it.

    Raises
    ------
    IndexUnusableError
        It cannot be read.
    """
    packed = document.get_first("appraisal")
    if not packed:
        return None
    appraisal = unpack(Appraisal, packed)
    return appraisal if appraisal.version == APPRAISAL_VERSION else None


def _best(searcher: tantivy.Searcher, query: TantivyQuery, limit: int, total: int) -> list[Hit]:
    """Return the best ``limit`` of ``total`` hits, best first."""
    if not limit:
        return []
    scored = _scored(searcher, query.query, limit, total) if query.scores else []
    if len(scored) < limit:
        # The rest meets the conditions and none of the words: those stand by their PMIDs.
        known = {(hit.address.segment_ord, hit.address.doc) for hit in scored}
        others = _by_pmid(searcher, query.query, limit + len(scored), total)
        scored += [hit for hit in others if (hit.address.segment_ord, hit.address.doc) not in known]
    return scored[:limit]


def _scored(searcher: tantivy.Searcher, query: tantivy.Query, limit: int, total: int) -> list[Hit]:
    """Return the best hits with a score, and all that tie with the last of them."""
    wanted = limit
    while True:
        wanted = min(wanted + 1, total)
        hits = searcher.search(query, limit=wanted, count=False).hits
        cut = hits[min(limit, len(hits)) - 1][0]
        if len(hits) < wanted or wanted >= total or hits[-1][0] < cut or cut <= 0:
            return _hits(
                searcher, [(score, address) for score, address in hits if score > 0 and score >= cut]
            )
        wanted *= _GROWTH


def _by_pmid(searcher: tantivy.Searcher, query: tantivy.Query, limit: int, total: int) -> list[Hit]:
    """Return the hits with the lowest PMIDs; those without one come first, all that tie with the last of them too."""
    wanted = limit
    while True:
        wanted = min(wanted + 1, total)
        found = searcher.search(
            query, limit=wanted, count=False, order_by_field="pmid", order=tantivy.Order.Asc
        ).hits
        cut = found[min(limit, len(found)) - 1][0]
        if len(found) < wanted or wanted >= total or found[-1][0] > cut:
            return _hits(searcher, [(0.0, address) for pmid, address in found if pmid <= cut])
        wanted *= _GROWTH


def _hits(searcher: tantivy.Searcher, scored: Sequence[tuple[float, tantivy.DocAddress]]) -> list[Hit]:
    places = [address for _, address in scored]
    pmids: Iterable[int] = searcher.fast_field_values("pmid", places) if places else ()
    return sorted(
        Hit(-score, pmid, _id(searcher, pmid, address), address)
        for (score, address), pmid in zip(scored, pmids, strict=True)
    )


def _id(searcher: tantivy.Searcher, pmid: int, address: tantivy.DocAddress) -> str:
    """Return a record's id; it is read only where the PMID does not give it."""
    return f"pmid:{pmid}" if pmid else str(searcher.doc(address).get_first("article_id"))
