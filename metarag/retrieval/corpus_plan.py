"""Run a query, or the steps of a plan until one finds something, against the local index."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from metarag.audit import QueryRecord
from metarag.errors import UnsupportedQueryError
from metarag.retrieval.corpus_schema import Clock
from metarag.retrieval.corpus_search import SearchHits
from metarag.retrieval.query import Query, parse_query
from metarag.retrieval.query_plan import QueryPlan, QueryStep, given_plan

Search = Callable[[Query], SearchHits]


def plan_of(query: str | Query | QueryPlan) -> QueryPlan:
    """Return a plan as it is, and a query as the only step of one.

    Raises
    ------
    QueryError
        The text is no query.
    """
    if isinstance(query, QueryPlan):
        return query
    return given_plan((query.text or query.for_pubmed()) if isinstance(query, Query) else query)


def run_plan(
    plan: QueryPlan, search: Search, *, source: str, ranking: str, gaps: tuple[str, ...] = (), clock: Clock
) -> tuple[SearchHits, QueryRecord]:
    """Return what the first step finds that finds something, and the record of all that were run.

    A step that the index cannot run is passed over, with a warning that gives the reason.

    Parameters
    ----------
    search : callable
        Runs one query.
    source : str
        The index, as the audit shall call it.
    ranking : str
        How the index puts hits in order.
    gaps : tuple of str
        What is known to be missing from the index.

    Raises
    ------
    UnsupportedQueryError
        The index can run none of the steps.
    """
    run: list[tuple[SearchHits, QueryRecord]] = []
    refused: dict[str, UnsupportedQueryError] = {}
    for step in plan.steps:
        query = parse_query(step.query)
        try:
            hits = search(query)
        except UnsupportedQueryError as error:
            refused[f"Not run, because {error.problem}: {step.query}"] = error
            continue
        run.append((hits, _record(step, query, hits, source=source, ranking=ranking, searched_at=clock())))
        if hits.total:
            break
    if not run:
        raise next(iter(refused.values()))
    hits, record = run[-1]
    warnings = dict.fromkeys((*plan.warnings, *record.warnings, *refused, *gaps))
    earlier = tuple(earlier for _, earlier in run[:-1])
    return hits, record.model_copy(update={"warnings": tuple(warnings), "earlier": earlier})


def _record(
    step: QueryStep, query: Query, hits: SearchHits, *, source: str, ranking: str, searched_at: datetime
) -> QueryRecord:
    return QueryRecord(
        source=source,
        query=step.query,
        translation=str(hits.query),
        warnings=(*query.warnings, *hits.query.warnings),
        total=hits.total,
        reachable=hits.total,
        retrieved=len(hits),
        sort=ranking,
        searched_at=searched_at,
        note=step.note,
    )
