"""A plan of searches for a question: the narrowest first, each wider one for when nothing was found."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metarag.records import Frozen
from metarag.retrieval.query import parse_query
from metarag.types import Pico, QuestionKind


class QueryStep(Frozen):
    """One search of a plan.

    Parameters
    ----------
    query : str
        In the query language (``docs/queries.md``); :func:`~metarag.retrieval.query.parse_query` reads it.
    note : str
        In words: what the query asks for, or what was left out of the one before.
    """

    query: str = Field(min_length=1)
    note: str


class QueryPlan(Frozen):
    """What to search for a question, step by step, until something is found.

    Attributes
    ----------
    steps : tuple of QueryStep
        One or more, each wider than the one before.
    warnings : tuple of str
        What a reader has to know of how the plan came about, e.g. that a model's answer could not be used.
    source : str
        ``rule``, ``model`` (the first step is a model's, the wider ones are by rule) or ``given`` by the user.
    pico : Pico or None
        The facets that the steps were made of; ``None`` where the query was given.
    kind : QuestionKind or None
        By which the filter was chosen; ``None`` where the query was given.
    prompt, model_asked, model_answered : str or None
        Of the model that was asked, whether or not its answer was used.
    """

    steps: tuple[QueryStep, ...] = Field(min_length=1)
    warnings: tuple[str, ...] = ()
    source: Literal["rule", "model", "given"]
    pico: Pico | None = None
    kind: QuestionKind | None = None
    prompt: str | None = None
    model_asked: str | None = None
    model_answered: str | None = None


def given_plan(query: str) -> QueryPlan:
    """Return the plan of a query that the user wrote: that query, as it stands, and no other.

    Raises
    ------
    QueryError
        It cannot be read.
    """
    parsed = parse_query(query)
    return QueryPlan(
        steps=(QueryStep(query=query, note="The query as given."),), warnings=parsed.warnings, source="given"
    )
