"""Retrieves candidate articles from PubMed, with every query that was run for it on record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Final, Protocol

from metarag.audit import QueryRecord
from metarag.errors import PubMedRejectedError, QueryError
from metarag.retrieval.base import ReadFailure, RetrievalResult
from metarag.retrieval.corpus_plan import plan_of
from metarag.retrieval.entrez_dates import DateLimits
from metarag.retrieval.entrez_fetch import FetchResult
from metarag.retrieval.entrez_search import SearchResult, Sort
from metarag.retrieval.query import Query, parse_query
from metarag.retrieval.query_plan import QueryPlan
from metarag.retrieval.record_cache import RecordCache
from metarag.retrieval.record_store import MAX_AGE, Fetcher, RecordStore
from metarag.types import Question, Retrieved

SOURCE: Final = "PubMed"


class Searcher(Fetcher, Protocol):
    """What searches PubMed and fetches from it: an :class:`~metarag.retrieval.entrez.EntrezClient`."""

    def search(self, query: str, *, limit: int, sort: Sort | str, dates: DateLimits | None) -> SearchResult:
        """Return ids, best first."""


class PubmedRetriever:
    """Searches PubMed for a question and fetches the records of the best hits, in PubMed's order.

    The question is made a query by ``expander``, whose queries are run one after the other, wider by the step,
    until something is found. All of them stand in the result's query record, and any can be run again as
    ``query``.

    Parameters
    ----------
    client : EntrezClient
        Where to search; sets pace, patience and whether there is a network at all.
    query : str, Query, QueryPlan or None
        Sent instead of queries made from the question: checked, not expanded.
    expander : callable or None
        Makes the queries of a question. ``None`` is :func:`metarag.retrieval.expansion.expand` by its rules.
    cache : RecordCache or None
        Where records are kept.
    sort : Sort or str
        In which order PubMed lists hits, and so which of many are retrieved.
    dates : DateLimits or None
        Nothing outside them is retrieved.
    max_age : timedelta
        Age at which a record of the cache is asked for again, in case it was retracted.
    progress : callable or None
        Told how many records are fetched, and of how many.

    Raises
    ------
    QueryError
        ``query`` is no query; the message shows where.
    ConfigurationError
        There is no such sort.
    """

    def __init__(
        self,
        client: Searcher,
        *,
        query: str | Query | QueryPlan | None = None,
        expander: Callable[[Question], QueryPlan] | None = None,
        cache: RecordCache | None = None,
        sort: Sort | str = Sort.RELEVANCE,
        dates: DateLimits | None = None,
        max_age: timedelta = MAX_AGE,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.client = client
        self.plan = None if query is None else plan_of(query)
        self.expander = expander or _by_rules
        self.sort = Sort.of(sort)
        self.dates = dates
        self._store = RecordStore(client, cache, max_age=max_age)
        self._progress = progress

    def retrieve(
        self, question: Question, *, limit: int = 50, query: str | Query | QueryPlan | None = None
    ) -> RetrievalResult:
        """Return at most ``limit`` articles, best first; none is a result, not an error.

        Each hit without an article is in ``failures`` with its rank and the reason.

        Parameters
        ----------
        query : str, Query, QueryPlan or None
            For this question only.

        Raises
        ------
        ValueError
            ``limit`` is negative.
        QueryError
            The query cannot be read; of a plan, no step can.
        RetrievalError
            PubMed did not answer, or refused; of a plan, all steps.
        """
        if limit < 0:
            raise ValueError(f"limit must be 0 or more, got {limit}")
        plan = self.plan if query is None else plan_of(query)
        ids, record = self._searched(plan or self.expander(question), limit)
        fetched = self._store.fetch(ids, progress=self._progress)
        changes = {
            "warnings": tuple(dict.fromkeys((*record.warnings, *fetched.notes))),
            "retrieved": len(fetched.articles),
        }
        return RetrievalResult(
            articles=tuple(Retrieved(article=article) for article in fetched.articles),
            query=record.model_copy(update=changes),
            failures=tuple(_failures(ids, fetched)),
        )

    def _searched(self, plan: QueryPlan, limit: int) -> tuple[tuple[str, ...], QueryRecord]:
        """Return the ids of the first step that finds something, and the record of all that were run."""
        run: list[tuple[SearchResult, QueryRecord]] = []
        refused: dict[str, QueryError | PubMedRejectedError] = {}
        for step in plan.steps:
            try:
                query = parse_query(step.query)
                found = self.client.search(
                    query.for_pubmed(), limit=max(limit, 1), sort=self.sort, dates=self.dates
                )
            except (QueryError, PubMedRejectedError) as error:
                reason = error.problem if isinstance(error, QueryError) else str(error)
                refused[f"Not run, because {reason}: {step.query}"] = error
                continue
            record = found.record(source=SOURCE, retrieved=0)
            by_model = plan.source == "model" and step is plan.steps[0]
            changes = {
                "note": step.note,
                "warnings": (*query.warnings, *record.warnings),
                "prompt": plan.prompt if by_model else None,
            }
            run.append((found, record.model_copy(update=changes)))
            if found.total:
                break
        if not run:
            raise next(iter(refused.values()))
        found, record = run[-1]
        warnings = dict.fromkeys((*plan.warnings, *record.warnings, *refused))
        earlier = tuple(earlier for _, earlier in run[:-1])
        update = {"warnings": tuple(warnings), "earlier": earlier}
        return found.ids[:limit], record.model_copy(update=update)


def _by_rules(question: Question) -> QueryPlan:
    from metarag.retrieval.expansion import expand

    return expand(question)


def _failures(ids: Sequence[str], fetched: FetchResult) -> Iterator[ReadFailure]:
    """Yield a failure for each hit that brought no article, by rank."""
    unread = {failure.pmid: failure.reason for failure in fetched.failures}
    why = "; ".join(fetched.problems) or "unknown"
    for rank, pmid in enumerate(ids, 1):
        if pmid in unread:
            yield ReadFailure(position=rank, pmid=pmid, reason=unread[pmid])
        elif pmid in fetched.missing:
            yield ReadFailure(position=rank, pmid=pmid, reason="PubMed lists it and has no record for it")
        elif pmid in fetched.unfetched:
            yield ReadFailure(position=rank, pmid=pmid, reason=f"not fetched ({why})")
