"""`metarag index`: build, look at and check a local corpus."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from metarag.cli_commands import Commands
from metarag.cli_output import err, out, table
from metarag.cli_sources import SHOWN_FAILURES
from metarag.errors import RetrievalError
from metarag.report.plain import plain
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.corpus_report import BuildProgress, BuildReport
from metarag.retrieval.index_store import Engine
from metarag.retrieval.index_verify import verify_index
from metarag.retrieval.local_index import open_index

SECONDS_BETWEEN_LINES = 10.0
"""Where stderr is a file or a log, one line of progress this often; a terminal gets a live one."""
WRONG = 1
"""Exit code when the check found something."""
DEFAULT_INDEX = Path("metarag-index.sqlite")

index_app = Commands(
    no_args_is_help=True, rich_markup_mode=None, help="Build, inspect and check a local index."
)

IndexOption = Annotated[Path, typer.Option("--index", help="The index: a file, or a folder of tantivy's.")]


@index_app.command()
def build(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            help="PubMed XML, MEDLINE, RIS or JSONL, oldest first, or folders of PubMed's own files;"
            " with none, an older index is brought up to date."
        ),
    ] = None,
    index: Annotated[
        Path | None, typer.Option("--index", help="The index: a file, or a folder of tantivy's.")
    ] = None,
    engine: Annotated[
        Engine | None, typer.Option("--engine", help="What holds a new index; default: sqlite.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, help="Processes that read files; 1 reads in this one.")
    ] = 1,
    appraise: Annotated[
        bool, typer.Option("--appraise/--no-appraise", help="Appraise now, or at every question.")
    ] = True,
) -> None:
    """Add files to the index; the same file twice changes nothing, a revised record replaces the old one."""
    index = index or (Path("metarag-index.tantivy") if engine is Engine.TANTIVY else DEFAULT_INDEX)
    if not sources and not index.exists():
        raise typer.BadParameter(
            f"there is no index {plain(str(index))} yet: name the files to build it from"
        )
    progress = _BuildProgress(err())
    report = build_index(
        index, sources or [], engine=engine, jobs=jobs, appraisals=appraise, progress=progress
    )
    progress.end()
    _show(report)
    unread = [source for source in report.sources if source.error]
    if unread:
        raise RetrievalError(
            f"{len(unread)} of {len(report.sources)} files could not be read to the end; what was read stands"
        )


@index_app.command()
def info(index: IndexOption = DEFAULT_INDEX) -> None:
    """Show what the index holds."""
    with open_index(index) as corpus:
        facts = corpus.info()
    console = out()
    rows = [
        ("records", f"{facts.records:,}"),
        ("appraised by this version", f"{facts.appraisals:,}"),
        ("text", ", ".join(f"{n:,} {origin.replace('_', ' ')}" for origin, n in facts.text_origins.items())),
        ("built", f"{facts.built_at:%Y-%m-%d %H:%M} UTC" if facts.built_at else "never"),
        ("size", f"{facts.size / 1e6:,.1f} MB"),
        ("engine", facts.engine),
        ("schema", str(facts.schema_version)),
    ]
    console.print(table(("", ""), rows))
    console.print(table(("source", "records"), [(s.name, f"{s.records:,}") for s in facts.sources]))
    if facts.unfinished:
        names = plain(", ".join(facts.unfinished))
        console.print(
            Text(f"Not finished: {names}. Run the build again; it goes on with that file.", style="yellow")
        )


@index_app.command()
def verify(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(help="Files that should be in the index, or folders of PubMed's own files."),
    ] = None,
    index: IndexOption = DEFAULT_INDEX,
) -> None:
    """Read all of the index and tell what is wrong with it and what to do; exit code 1 when something is."""
    line = _Line(err())
    found = verify_index(index, sources or (), progress=lambda n: line.show(f"{n:,} records checked"))
    line.end()
    console = out()
    for note in found.notes:
        console.print(Text(plain(note)), soft_wrap=True)
    for problem in found.problems:
        console.print(Text(plain(str(problem))), soft_wrap=True)
    if found.problems:
        raise typer.Exit(WRONG)
    files = f", and {found.files:,} files are those that were indexed" if found.files else ""
    told = f"{found.name} ({found.engine}) is whole: {found.records:,} records can be read and found by their words"
    console.print(Text(f"{plain(told)}{files}."), soft_wrap=True)


class _Line:
    """One live line on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._shown = time.monotonic()
        self._width = 0

    def show(self, line: str) -> None:
        now = time.monotonic()
        live = self.console.is_terminal
        if now - self._shown < (0.2 if live else SECONDS_BETWEEN_LINES):
            return
        self._shown = now
        self.console.print(Text(line.ljust(self._width)), end="\r" if live else "\n", soft_wrap=True)
        self._width = len(line)

    def end(self) -> None:
        """Leave the live line as it is."""
        if self._width and self.console.is_terminal:
            self.console.print()


class _BuildProgress(_Line):
    """Shows how far a build is, how fast, and how long it will take."""

    def __call__(self, progress: BuildProgress) -> None:
        rate = f"; {progress.rate:,.0f} a second" if progress.rate else ""
        left = f", about {_duration(progress.seconds_left)} left" if progress.seconds_left is not None else ""
        self.show(
            f"file {progress.file:,} of {progress.files:,}, {plain(progress.source)}:"
            f" {progress.records:,} records{rate}{left}"
        )


def _duration(seconds: float) -> str:
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{hours} h" if hours >= 10 else f"{seconds / 3600:.1f} h"


def _show(report: BuildReport) -> None:
    rows = []
    for source in report.sources:
        state = "in the index already" if source.skipped else source.error or "read"
        counts = (source.added, source.replaced, source.unchanged, source.deleted, len(source.failures))
        rows.append((source.source, *(f"{n:,}" for n in counts), state))
    columns = ("source", "added", "replaced", "unchanged", "withdrawn", "failed", "state")
    if rows:
        out().print(table(columns, rows))
    console = err()
    if report.appraisals_renewed:
        console.print(f"{report.appraisals_renewed:,} appraisals were made or renewed.", style="dim")
    for source in report.sources:
        for failure in source.failures[:SHOWN_FAILURES]:
            console.print(f"Warning: {source.source}, {failure}", style="yellow", soft_wrap=True)
        if len(source.failures) > SHOWN_FAILURES:
            console.print(f"and {len(source.failures) - SHOWN_FAILURES} more in {source.source}")
