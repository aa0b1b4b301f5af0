"""Where the command line gets its settings and its articles from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from metarag.cli_output import err
from metarag.config import Settings
from metarag.errors import ConfigurationError
from metarag.records import Article
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.corpus import Corpus
from metarag.retrieval.demo import open_demo_corpus
from metarag.retrieval.records_file import read_records

SHOWN_FAILURES = 5

QuestionArgument = Annotated[str, typer.Argument(help="The clinical question, in words.")]
IndexOption = Annotated[Path | None, typer.Option("--index", help="Local index; default: demo corpus.")]
FileOption = Annotated[Path | None, typer.Option("--settings", help="Settings file (.toml, .yaml or .json).")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="One setting as name=value; repeatable.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", help="Language model that adds to the rules; its key: METARAG_API_KEY."),
]
BaseUrlOption = Annotated[
    str | None, typer.Option("--base-url", help="Its server, up to and with /v1; default: OpenAI's.")
]
ModelCacheOption = Annotated[
    Path | None,
    typer.Option("--model-cache", help="File that keeps its replies, so that a second run asks none."),
]
MaxCallsOption = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Requests sent to it at most, retries too.")
]


def settings_from(path: Path | None, pairs: list[str] | None) -> Settings:
    """Return the settings of a file, with those of --set on top."""
    base = Settings.from_file(path) if path else Settings()
    given = dict(_pair(pair) for pair in pairs or ())
    return Settings.from_mapping({**base.model_dump(), **given}, where="--set") if given else base


def _pair(text: str) -> tuple[str, object]:
    import yaml

    name, equals, value = text.partition("=")
    if not equals:
        raise ConfigurationError(f"--set takes name=value, got {text!r}; e.g. --set hierarchy=ocebm-2011")
    try:
        return name.strip(), yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"--set {name}: {value!r} cannot be read: {error}") from error


def open_corpus(index: Path | None) -> Corpus:
    """Open the index, or the demo corpus with a word that it is the demo corpus."""
    if index is not None:
        return Corpus.open(index)
    err().print("Searching the demo corpus (eight questions); --index FILE searches your own.", style="dim")
    return open_demo_corpus()


def articles_of(paths: list[Path], failures: list[str]) -> Iterator[Article]:
    """Yield the articles of files; what cannot be read, or is withdrawn, is told in ``failures``."""
    for path in paths:
        deleted: set[str] = set()
        for record in read_records(path):
            if isinstance(record, ReadFailure):
                failures.append(f"{path.name}, {record}")
            elif isinstance(record, Deletion):
                deleted.add(record.pmid)
            else:
                yield record
        if deleted:
            failures.append(f"{path.name} withdraws {len(deleted)} PMIDs: {', '.join(sorted(deleted)[:10])}")


def report_failures(failures: list[str], *, read: int) -> None:
    """Say on stderr how many records were read and what could not be."""
    console = err()
    console.print(f"{read:,} records read.", style="dim")
    for failure in failures[:SHOWN_FAILURES]:
        console.print(f"Warning: {failure}", style="yellow", soft_wrap=True)
    if len(failures) > SHOWN_FAILURES:
        console.print(f"and {len(failures) - SHOWN_FAILURES} more; the run file lists all", style="yellow")
