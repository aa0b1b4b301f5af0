"""Several sources as one: their rankings put together, each article once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from metarag.audit import QueryRecord
from metarag.errors import ConfigurationError, RetrievalError, UnsupportedQueryError
from metarag.retraction import retraction_status
from metarag.retraction_watch import forgets
from metarag.retrieval.base import RetrievalResult, Retriever
from metarag.retrieval.corpus_rows import Revision
from metarag.types import Question, Retrieved

RANK_CONSTANT: Final = 60
"""As in Cormack 2009, where it was set on other data and any value near did as well."""


@dataclass(slots=True)
class _Candidate:
    """An article as the sources found it: its best copy, and its rank in each."""

    copies: list[Retrieved] = field(default_factory=list)
    ranks: dict[str, int] = field(default_factory=dict)

    def score(self, constant: int) -> float:
        # Rounded once: three sources in another order would give another last digit, and another order of ties.
        return math.fsum(1.0 / (constant + rank) for rank in self.ranks.values())


class HybridRetriever:
    """Retrieves from several sources and ranks by reciprocal rank fusion.

    The score of an article is the sum of 1 / (k + rank) over the sources that found it; ranks of different
    engines can be compared, their scores cannot. Ties go by best rank, then by id. A source that fails is told
    in the warnings, and the others stand.

    Parameters
    ----------
    sources : mapping of str to Retriever
        At least two, by the names that warnings use. Of two copies of an article the newer revision is kept,
        else that of the earlier source.
    rank_constant : int
        k, at least 1: the larger, the less the first places count.

    Raises
    ------
    ConfigurationError
        There are fewer than two sources, or ``rank_constant`` is smaller than 1.

    References
    ----------
    Cormack GV, Clarke CLA, Buettcher S. Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods. SIGIR 2009:758-759.
    """

    def __init__(self, sources: Mapping[str, Retriever], *, rank_constant: int = RANK_CONSTANT) -> None:
        if len(sources) < 2:
            raise ConfigurationError(f"a hybrid needs two sources or more, got {len(sources)}")
        if rank_constant < 1:
            raise ConfigurationError(f"rank_constant must be 1 or more, got {rank_constant}")
        self.sources = dict(sources)
        self.rank_constant = rank_constant

    def retrieve(self, question: Question, *, limit: int = 50) -> RetrievalResult:
        """Return at most ``limit`` articles, best first.

        Raises
        ------
        ValueError
            ``limit`` is negative.
        RetrievalError
            No source could be searched.
        """
        found: dict[str, RetrievalResult] = {}
        failed: dict[str, str] = {}
        for name, source in self.sources.items():
            try:
                found[name] = source.retrieve(question, limit=limit)
            except (RetrievalError, UnsupportedQueryError) as error:
                failed[name] = str(error)
        if not found:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in failed.items())
            raise RetrievalError(f"no source could be searched ({reasons})")
        articles = self._fused(found)[:limit]
        return RetrievalResult(
            articles=articles,
            query=self._record(found, failed, retrieved=len(articles)),
            failures=tuple(failure for result in found.values() for failure in result.failures),
        )

    def _fused(self, found: Mapping[str, RetrievalResult]) -> tuple[Retrieved, ...]:
        candidates: dict[str, _Candidate] = {}
        for name, result in found.items():
            for rank, hit in enumerate(result.articles, 1):
                candidate = candidates.setdefault(hit.article.id, _Candidate())
                candidate.copies.append(hit)
                candidate.ranks.setdefault(name, rank)
        scores = {key: candidate.score(self.rank_constant) for key, candidate in candidates.items()}
        order = sorted(candidates, key=lambda key: (-scores[key], min(candidates[key].ranks.values()), key))
        return tuple(_best_copy(candidates[key].copies, scores[key]) for key in order)

    def _record(
        self, found: Mapping[str, RetrievalResult], failed: Mapping[str, str], *, retrieved: int
    ) -> QueryRecord:
        records = {name: result.query for name, result in found.items()}
        missing = [f"{name} was not searched: {reason}" for name, reason in failed.items()]
        told = [f"{name}: {warning}" for name, record in records.items() for warning in record.warnings]
        times = [record.searched_at for record in records.values() if record.searched_at]
        changes = [record.changed for record in records.values() if record.changed is not None]
        return QueryRecord(
            source=" and ".join(record.source for record in records.values()),
            query="; ".join(f"{name}: {record.query}" for name, record in records.items()),
            warnings=(*missing, *told),
            retrieved=retrieved,
            sort=f"reciprocal rank fusion, k = {self.rank_constant}",
            searched_at=min(times, default=None),
            changed=any(changes) if changes else None,
            parts=tuple(records.values()),
        )


def _best_copy(copies: list[Retrieved], score: float) -> Retrieved:
    """Return the newest copy, with what only another copy knows of its relevance.

    Where no date of revision tells which is newer, a copy that tells a retraction comes before one that does not.
    """
    best = max(copies, key=lambda hit: Revision.of(hit.article))
    if len(copies) > 1:
        best = _gravest_copy(best, copies)
    relevance = next((hit.relevance for hit in (best, *copies) if hit.relevance is not None), None)
    appraisal = next(
        (hit.appraisal for hit in (best, *copies) if hit.appraisal and hit.article == best.article), None
    )
    return best.model_copy(update={"relevance": relevance, "retriever_score": score, "appraisal": appraisal})


def _gravest_copy(best: Retrieved, copies: list[Retrieved]) -> Retrieved:
    revision, state = Revision.of(best.article), retraction_status(best.article).state
    for hit in copies:
        other = retraction_status(hit.article).state
        if revision.is_unordered(Revision.of(hit.article)) and forgets(state, other):
            best, state = hit, other
    return best
