"""From a question to a plan of queries: by rule, by a model, or as the user gave it."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from metarag.errors import ConfigurationError, suggest
from metarag.llm.base import ChatModel
from metarag.prompts import Prompt
from metarag.retrieval.expansion_model import (
    DEFAULT_EXAMPLES,
    ModelQuery,
    QueryExample,
    model_query,
    query_examples,
)
from metarag.retrieval.expansion_rule import rule_plan
from metarag.retrieval.query_plan import QueryPlan, QueryStep, given_plan
from metarag.retrieval.query_steps import Scope
from metarag.types import Question

__all__ = ["QueryExample", "QueryPlan", "QueryStep", "expand", "query_examples"]


def expand(
    question: Question | str,
    *,
    query: str | None = None,
    model: ChatModel | None = None,
    examples: int = DEFAULT_EXAMPLES,
    examples_file: Path | str | None = None,
    prompt: Prompt | None = None,
    scope: Scope = "narrow",
    with_options: bool = False,
) -> QueryPlan:
    """Return what to search for a question, step by step, until something is found.

    Parameters
    ----------
    question : Question or str
        The question.
    query : str or None
        Given by the user: the plan is this query and nothing else, and no model is asked.
    model : ChatModel or None
        Asked for the first query; the wider ones are by rule. What it answers is read and checked, and where
        it cannot be used, the plan is by rule and says why.
    examples : int
        Questions with queries that the model is shown, the best first.
    examples_file : Path, str or None
        A JSON file of your own: ``[{"question": ..., "query": ..., "score": ...}]``.
    prompt : Prompt or None
        ``None`` is the prompt ``query_expansion`` that comes with metarag.
    scope : str
        Of the filter by kind of question: ``narrow``, ``broad`` or ``none``.
    with_options : bool
        Let the options of a multiple-choice question into the query. By default they never are: they are
        candidates, and a search for all of them finds what is said of the wrong ones.

    Raises
    ------
    QuestionError
        The question cannot be worked with.
    QueryError
        ``query`` cannot be read.
    ConfigurationError
        There are fewer examples than asked for, they cannot be read, or ``scope`` is none of the three.
    """
    if scope not in get_args(Scope):
        raise ConfigurationError(
            f"no scope of the filter is called {scope!r}{suggest(scope, get_args(Scope))}"
        )
    asked = Question.ask(question)
    if query is not None:
        return given_plan(query)
    options = tuple(asked.options.values()) if with_options else ()
    rule = rule_plan(asked, scope=scope, options=options)
    if model is None:
        return rule
    known = query_examples(examples_file)
    if not 0 <= examples <= len(known):
        raise ConfigurationError(
            f"examples must be from 0 to {len(known)}, as many as there are; got {examples}"
        )
    text = "\n".join((asked.text, *(f"Option: {option}" for option in options)))
    found = model_query(text, model, examples=known[:examples], prompt=prompt, rule=rule)
    return _with_model(rule, found, model.model)


def _with_model(rule: QueryPlan, found: ModelQuery, asked: str) -> QueryPlan:
    """Return the plan with the model's query before the rule's steps, or with the reason why there is none."""
    used = {
        "prompt": found.prompt,
        "model_asked": asked,
        "model_answered": found.reply.model_answered if found.reply else None,
    }
    if found.query is None:
        warning = f"{found.warning} The query by rule stands."
        return rule.model_copy(update={**used, "warnings": (*rule.warnings, warning)})
    first, *wider = rule.steps
    steps = (
        QueryStep(query=found.query.text, note=f"By the model {asked}."),
        first.model_copy(update={"note": f"By rule. {first.note}"}),
        *wider,
    )
    warnings = (*found.query.warnings, *rule.warnings)
    return rule.model_copy(update={**used, "source": "model", "steps": steps, "warnings": warnings})
