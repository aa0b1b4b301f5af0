"""What the commands of `metarag eval` read questions from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metarag.cli_output import err

if TYPE_CHECKING:
    from metarag.evaluation.items import Dataset

DataOption = Annotated[
    list[str],
    typer.Option("--data", help="File of questions, FORMAT:FILE, or `invented`; repeatable."),
]
INVENTED = "invented"
FORMATS = ("medqa", "mmlu", "medmcqa", "pubmedqa", "mirage", "jsonl")
_LISTED_PROBLEMS = 3


def read_data(texts: Sequence[str]) -> list[Dataset]:
    """Read files of questions, and say on stderr what is odd about them.

    Raises
    ------
    InputError
        A file cannot be read, or holds no usable question.
    """
    return [_dataset(text) for text in texts]


def _dataset(text: str) -> Dataset:
    from metarag.evaluation.datasets import invented_questions, read_dataset

    if text == INVENTED:
        return invented_questions()
    format_, colon, path = text.partition(":")
    named = bool(colon) and format_ in FORMATS
    found = read_dataset(Path(path if named else text), format_ if named else None)  # type: ignore[arg-type]
    console = err()
    for problem in found.problems[:_LISTED_PROBLEMS]:
        line = f"line {problem.line}" if problem.line else problem.item or "?"
        console.print(f"{found.name}, {line}: {problem.message}", style="yellow", soft_wrap=True)
    if len(found.problems) > _LISTED_PROBLEMS:
        counts = ", ".join(f"{n} {kind}" for kind, n in found.counts.items())
        console.print(f"{found.name}, in all: {counts}", style="yellow", soft_wrap=True)
    left_out = sum(problem.left_out for problem in found.problems)
    if left_out:
        console.print(f"{found.name}: {left_out} questions are left out", style="yellow", soft_wrap=True)
    return found
