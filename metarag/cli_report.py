"""`metarag audit`: a run as a report to read, in the formats of other programs, and whether it was changed."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from metarag.cli_commands import Commands
from metarag.cli_output import err, write_json
from metarag.cli_stored import load_told
from metarag.cli_verify import verify_command
from metarag.errors import InputError, RunFileError
from metarag.files import write_bytes_atomically
from metarag.report.comparison import Comparison, compare
from metarag.report.formats import SUFFIXES, ExportOptions, export
from metarag.run_folder import find_parent, find_run, newest_run
from metarag.runs import RunRecord

audit_app = Commands(
    no_args_is_help=True,
    help="Runs: a report to read, files for other programs, and whether one was changed.",
)
audit_app.command("verify")(verify_command)

RunArgument = Annotated[
    str | None, typer.Argument(help="Run file, id of a run, or the beginning of one; default: the newest.")
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", help="Write the report too: one HTML file, to be read offline.")
]


@audit_app.command("report")
def report_command(
    run: RunArgument = None,
    out_path: Annotated[
        Path | None, typer.Option("--out", help="HTML file; default: beside the run file.")
    ] = None,
) -> None:
    """Write the report of a run as one HTML file that needs no network."""
    _export(run, "html", out_path)


@audit_app.command("export")
def export_command(
    format_: Annotated[str, typer.Option("--format", help=f"One of: {', '.join(SUFFIXES)}.")],
    run: RunArgument = None,
    out_path: Annotated[
        Path | None, typer.Option("--out", help="File to write; default: beside the run file.")
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option("--figure", help="For svg and png: flow, forest-1, forest-2 ...; default: forest-1."),
    ] = None,
    kept_only: Annotated[
        bool, typer.Option("--kept-only", help="Without the articles that were left out (csv, ris, bibtex).")
    ] = False,
) -> None:
    """Write a run as a table, as references, as a figure or as FHIR (experimental)."""
    _export(run, format_, out_path, figure=figure, kept_only=kept_only)


@audit_app.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of the run file."""
    from metarag.report.schema import render_schema

    write_json(render_schema().rstrip("\n"))


def write_report(run: RunRecord, path: Path, *, run_file: Path) -> None:
    """Write the report of a run that was saved in ``run_file``, and say where.

    Raises
    ------
    InputError
        It would replace the run file, or cannot be written.
    """
    _refuse_same(path, run_file)
    options = ExportOptions(comparison=_comparison(run, run_file.parent))
    _write(path, export(run, "html", options), what="Report")


def _export(
    name: str | None,
    format_: str,
    out_path: Path | None,
    *,
    figure: str | None = None,
    kept_only: bool = False,
) -> None:
    run_file = find_run(name) if name else newest_run()
    path = out_path or run_file.with_suffix(SUFFIXES.get(format_, ""))
    _refuse_same(path, run_file)
    run = load_told(run_file)
    is_report = format_ == "html"
    options = ExportOptions(
        kept_only=kept_only,
        figure=figure,
        digest=hashlib.sha256(run_file.read_bytes()).hexdigest() if is_report else None,
        comparison=_comparison(run, run_file.parent) if is_report else None,
    )
    _write(path, export(run, format_, options), what="Report" if is_report else "Written")


def _comparison(run: RunRecord, folder: Path) -> Comparison | None:
    """Return what a run changed against the one that it was made from, where that lies beside it."""
    if run.parent is None:
        return None
    try:
        return compare(find_parent(run, folder), run)
    except RunFileError as error:
        told = f"The report does not show what changed in ranking and answer: {error}"
        err().print(told, style="yellow", soft_wrap=True)
        return None


def _write(path: Path, content: bytes, *, what: str) -> None:
    try:
        write_bytes_atomically(path, content)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
    err().print(f"{what}: {path}", style="dim", soft_wrap=True)


def _refuse_same(path: Path, run_file: Path) -> None:
    if path.exists() and run_file.exists() and path.samefile(run_file):
        raise InputError(f"{path} is the run file itself; name another file")
