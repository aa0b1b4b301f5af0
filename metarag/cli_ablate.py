"""`metarag ablate`: what each stage changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from metarag.ablation import Ablation, ablate
from metarag.cli_output import err, out, table, write_json
from metarag.cli_sources import (
    FileOption,
    IndexOption,
    JsonOption,
    QuestionArgument,
    SetOption,
    open_corpus,
    read_articles,
    settings_from,
)
from metarag.rag import DEFAULT_LIMIT
from metarag.records import Article
from metarag.retrieval.corpus import CorpusRetriever
from metarag.types import Question, Retrieved


def ablate_command(
    question: QuestionArgument,
    inputs: Annotated[list[Path] | None, typer.Option("--input", help="File of records, or -.")] = None,
    index: IndexOption = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Articles retrieved.")] = DEFAULT_LIMIT,
    top: Annotated[int, typer.Option("--top", min=1, help="How many of the best are compared.")] = 5,
    as_json: JsonOption = False,
    settings_file: FileOption = None,
    set_: SetOption = None,
) -> None:
    """Rank with every on/off combination of the stages and show what changes."""
    settings = settings_from(settings_file, set_)
    asked = Question.ask(question)
    found = ablate(asked, _candidates(asked, inputs, index, limit), settings=settings, k=top)
    if as_json:
        write_json(found.model_dump_json(indent=1))
    else:
        _show(found)


def _candidates(
    question: Question, inputs: list[Path] | None, index: Path | None, limit: int
) -> list[Article | Retrieved]:
    if inputs:
        return list(read_articles(inputs)[0])
    with open_corpus(index) as corpus:
        found = CorpusRetriever(corpus).retrieve(question, limit=limit)
    for warning in found.query.warnings:
        err().print(f"Warning: {warning}", style="yellow", soft_wrap=True)
    return list(found.articles)


def _show(found: Ablation) -> None:
    console = out()
    console.print(Text(f"Stages: {', '.join(found.stages)}. Best {found.k} compared with all stages on.\n"))
    rows = [
        (
            ", ".join(row.off) or "(nothing)",
            str(row.excluded),
            f"{row.overlap:.0%}",
            f"{row.moved:.1f}",
            row.top[0].removeprefix("pmid:") if row.top else "",
        )
        for row in found.rows
    ]
    console.print(table(("left out", "excluded", "same", "moved", "first"), rows))
    err().print(
        "same: share of the best that stays among the best; moved: mean change of rank in places.",
        style="dim",
    )
