"""`metarag index`: build and look at a local corpus."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from metarag.cli_output import err, out, table
from metarag.cli_sources import SHOWN_FAILURES
from metarag.errors import RetrievalError
from metarag.report.plain import plain
from metarag.retrieval.corpus import Corpus
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.corpus_report import BuildProgress, BuildReport

SECONDS_BETWEEN_LINES = 10.0
"""Where stderr is a file or a log, one line of progress this often; a terminal gets a live one."""

index_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Build and inspect a local index.")

IndexOption = Annotated[Path, typer.Option("--index", help="The index file.")]


@index_app.command()
def build(
    sources: Annotated[list[Path], typer.Argument(help="PubMed XML, MEDLINE, RIS or JSONL, oldest first.")],
    index: IndexOption = Path("metarag-index.sqlite"),
    appraise: Annotated[
        bool, typer.Option("--appraise/--no-appraise", help="Appraise now, or at every question.")
    ] = True,
) -> None:
    """Add files to the index; the same file twice changes nothing, a revised record replaces the old one."""
    console = err()
    report = build_index(index, sources, appraisals=appraise, progress=_Progress(console))
    _show(report)
    unread = [source for source in report.sources if source.error]
    if unread:
        raise RetrievalError(
            f"{len(unread)} of {len(report.sources)} files could not be read to the end; what was read stands"
        )


@index_app.command()
def info(index: IndexOption = Path("metarag-index.sqlite")) -> None:
    """Show what the index holds."""
    with Corpus.open(index) as corpus:
        facts = corpus.info()
    console = out()
    rows = [
        ("records", f"{facts.records:,}"),
        ("appraised by this version", f"{facts.appraisals:,}"),
        ("text", ", ".join(f"{n:,} {origin.replace('_', ' ')}" for origin, n in facts.text_origins.items())),
        ("built", f"{facts.built_at:%Y-%m-%d %H:%M} UTC" if facts.built_at else "never"),
        ("size", f"{facts.size / 1e6:,.1f} MB"),
        ("schema", str(facts.schema_version)),
    ]
    console.print(table(("", ""), rows))
    console.print(table(("source", "records"), [(s.name, f"{s.records:,}") for s in facts.sources]))
    if facts.unfinished:
        names = plain(", ".join(facts.unfinished))
        console.print(Text(f"Not finished: {names}. Run the build again; it goes on there.", style="yellow"))


class _Progress:
    """Shows how far a build is: a live line on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.started = self.shown = time.monotonic()

    def __call__(self, progress: BuildProgress) -> None:
        now = time.monotonic()
        interval = 0.2 if self.console.is_terminal else SECONDS_BETWEEN_LINES
        if now - self.shown < interval:
            return
        self.shown = now
        line = Text(
            f"file {progress.file} of {progress.files}, {plain(progress.source)}:"
            f" {progress.records:,} records, {now - self.started:.0f} s"
        )
        self.console.print(line, end="\r" if self.console.is_terminal else "\n")


def _show(report: BuildReport) -> None:
    rows = []
    for source in report.sources:
        state = "in the index already" if source.skipped else source.error or "read"
        counts = (source.added, source.replaced, source.unchanged, source.deleted, len(source.failures))
        rows.append((source.source, *(f"{n:,}" for n in counts), state))
    columns = ("source", "added", "replaced", "unchanged", "withdrawn", "failed", "state")
    out().print(table(columns, rows))
    console = err()
    for source in report.sources:
        for failure in source.failures[:SHOWN_FAILURES]:
            console.print(f"Warning: {source.source}, {failure}", style="yellow", soft_wrap=True)
        if len(source.failures) > SHOWN_FAILURES:
            console.print(f"and {len(source.failures) - SHOWN_FAILURES} more in {source.source}")
