"""`metarag query`: what a query means, and what a question is searched by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from metarag.cli_commands import Commands
from metarag.cli_model import model_from
from metarag.cli_output import err, out, write_json
from metarag.cli_sources import BaseUrlOption, JsonOption, MaxCallsOption, ModelCacheOption, ModelOption
from metarag.errors import UnsupportedQueryError
from metarag.records import Frozen
from metarag.report.plain import plain
from metarag.retrieval.expansion import expand
from metarag.retrieval.expansion_model import DEFAULT_EXAMPLES
from metarag.retrieval.free_text import FUNCTION_WORDS
from metarag.retrieval.query import parse_query
from metarag.retrieval.query_plan import QueryPlan
from metarag.retrieval.query_words import query_lines

_SYNTAX: Final = re.compile(r"[\[\]\"*():]|\b(?:AND|OR|NOT)\b")

query_app = Commands(no_args_is_help=True, rich_markup_mode=None, help="Show what a query does.")


class Form(StrEnum):
    """What the text of the command line is."""

    QUERY = "query"
    QUESTION = "question"


class Scope(StrEnum):
    """How wide the filter of a question's kind is."""

    NARROW = "narrow"
    BROAD = "broad"
    NONE = "none"


class ExplainedStep(Frozen):
    """One step of a plan, as PubMed and as the local index run it."""

    query: str
    note: str
    pubmed: str
    local_index: str | None
    local_index_refuses: str | None
    warnings: tuple[str, ...]


class Explained(Frozen):
    """A plan and its steps, explained."""

    plan: QueryPlan
    steps: tuple[ExplainedStep, ...]


@query_app.callback()
def query() -> None:
    """Show what a query does."""


@query_app.command()
def explain(
    text: Annotated[str, typer.Argument(help="A query in PubMed's syntax, or a question in words.")],
    form: Annotated[
        Form | None, typer.Option("--as", help="What TEXT is; default: told by its form.")
    ] = None,
    scope: Annotated[
        Scope, typer.Option("--scope", help="Clinical Queries filter for a question.")
    ] = Scope.NARROW,
    examples: Annotated[
        int, typer.Option("--examples", min=0, help="Examples that a model is shown.")
    ] = DEFAULT_EXAMPLES,
    as_json: JsonOption = False,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    model_cache: ModelCacheOption = None,
    max_calls: MaxCallsOption = None,
) -> None:
    """Show a query in words, what PubMed is sent and what the local index runs; nothing is searched."""
    given = (form or _form_of(text)) is Form.QUERY
    with model_from(model, base_url, model_cache, max_calls) as connected:
        plan = expand(
            text, query=text if given else None, model=connected, examples=examples, scope=scope.value
        )
    explained = Explained(plan=plan, steps=tuple(_explained(plan)))
    if as_json:
        write_json(explained.model_dump_json(indent=1))
        return
    if not given:
        _show_question(out(), plan)
    _show_steps(out(), explained)
    for warning in plan.warnings:
        err().print(f"Warning: {warning}", style="yellow", soft_wrap=True)


def _form_of(text: str) -> Form:
    """Return what a text looks like: syntax makes a query, function words or a question mark a question."""
    if _SYNTAX.search(text):
        return Form.QUERY
    asks = text.rstrip().endswith("?") or not FUNCTION_WORDS.isdisjoint(text.lower().split())
    return Form.QUESTION if asks else Form.QUERY


def _explained(plan: QueryPlan) -> Iterator[ExplainedStep]:
    for step in plan.steps:
        parsed = parse_query(step.query)
        runs, refuses, warnings = None, None, parsed.warnings
        try:
            corpus_query = parsed.for_corpus()
        except UnsupportedQueryError as error:
            refuses = error.problem
        else:
            runs = str(corpus_query)
            warnings = (*warnings, *corpus_query.warnings)
        yield ExplainedStep(
            query=step.query,
            note=step.note,
            pubmed=parsed.for_pubmed(),
            local_index=runs,
            local_index_refuses=refuses,
            warnings=warnings,
        )


def _show_question(console: Console, plan: QueryPlan) -> None:
    console.print(Text("Question", style="bold"))
    if plan.kind:
        _line(console, f"kind: {plan.kind.value.replace('_', ' ')}")
    for facet, value in (plan.pico.model_dump() if plan.pico else {}).items():
        _line(console, f"{facet}: {value or 'not read'}")
    source = {"rule": "by rule", "model": f"by the model {plan.model_asked}, then by rule"}
    _line(console, f"queries: {source.get(plan.source, plan.source)}")


def _show_steps(console: Console, explained: Explained) -> None:
    for number, step in enumerate(explained.steps, 1):
        only = len(explained.steps) == 1
        heading = "Query" if only else f"Step {number}" + (", when nothing was found" if number > 1 else "")
        console.print(Text(f"\n{heading}: {plain(step.note)}", style="bold"))
        if number == 1:
            for line in query_lines(parse_query(step.query).root):
                _line(console, line)
        console.print(Text("Sent to PubMed", style="bold"))
        _line(console, step.pubmed)
        console.print(Text("Local index", style="bold"))
        if step.local_index is None:
            _line(console, f"cannot run it: {step.local_index_refuses}")
        else:
            _line(console, step.local_index if number == 1 else "runs it")
        for warning in step.warnings if number == 1 else ():
            _line(console, f"Note: {warning}", style="yellow")


def _line(console: Console, text: str, *, style: str = "") -> None:
    indent = len(text) - len(text.lstrip())
    console.print(Padding(Text(plain(text), style=style), (0, 0, 0, 2 + indent), expand=False))
