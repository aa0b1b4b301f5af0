"""`metarag eval report`, `compare` and `export`: what came of experiments."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from metarag.cli_eval_data import DataOption, read_data
from metarag.cli_output import err, out
from metarag.files import write_text_atomically

if TYPE_CHECKING:
    from metarag.evaluation.reports import Comparison, Report

FoldersArgument = Annotated[
    list[Path], typer.Argument(help="Folders of one experiment: its parts, or other systems or models.")
]
BaselineOption = Annotated[
    str | None,
    typer.Option(
        "--baseline", help="System to compare with; plain stands for plain@N with as many articles."
    ),
]
MaybeDataOption = Annotated[
    list[str] | None,
    typer.Option("--data", help="The questions again: likeness of the evidence to the right answers, leaks."),
]


def report_command(
    folders: FoldersArgument,
    baseline: BaselineOption = None,
    data: MaybeDataOption = None,
    format_: Annotated[
        str, typer.Option("--format", help="markdown, csv, latex, json or svg (accuracy with intervals).")
    ] = "markdown",
    out_path: Annotated[Path | None, typer.Option("--out", help="File to write; default: print it.")] = None,
) -> None:
    """Show accuracy with intervals, outcomes and paired comparisons, with what they were measured on."""
    from metarag.evaluation.report_figure import accuracy_figure
    from metarag.evaluation.report_formats import csv_text, json_text, latex, markdown

    writers = {
        "markdown": markdown,
        "csv": csv_text,
        "latex": latex,
        "json": json_text,
        "svg": accuracy_figure,
    }
    if format_ not in writers:
        raise typer.BadParameter(f"--format {format_!r}: choose from {', '.join(writers)}")
    text = writers[format_](_report(folders, baseline, ("closed_book", "plain"), data or ()))
    if out_path is None:
        sys.stdout.write(text)
        return
    write_text_atomically(out_path, text)
    err().print(f"Report: {out_path}", style="dim", soft_wrap=True)


def compare_command(folders: FoldersArgument, baseline: BaselineOption = None) -> None:
    """Show each system against the baseline on the same questions: gained, lost, exact McNemar, Holm."""
    found = _report(folders, baseline, ("plain", "closed_book"), ())
    console = out()
    if not found.comparisons:
        console.print(Text(f"There is nothing to compare with {found.baseline}."))
    for each in found.comparisons:
        console.print(Text(_line(each)), soft_wrap=True)
    for warning in found.warnings:
        err().print(f"Warning: {warning}", style="yellow", soft_wrap=True)


def export_command(
    folders: FoldersArgument,
    out_path: Annotated[Path, typer.Option("--out", help="JSONL file to write.")],
    data: DataOption,
) -> None:
    """Write every answer with its question, as lm-eval's --log_samples does, so that others can score them."""
    from metarag.evaluation.folder import read_folders
    from metarag.evaluation.samples import sample_lines

    _, results = read_folders(folders)
    lines = sample_lines(results, read_data(data))
    write_text_atomically(out_path, "".join(lines))
    err().print(f"{len(lines)} answers: {out_path}", style="dim", soft_wrap=True)


def _report(
    folders: Sequence[Path], baseline: str | None, defaults: Sequence[str], data: Sequence[str]
) -> Report:
    from metarag.evaluation.evidence_report import look_at
    from metarag.evaluation.folder import POOLS, read_folders
    from metarag.evaluation.pools import read_pools
    from metarag.evaluation.reports import build_report

    signature, results = read_folders(folders)
    shown = None
    if data:
        pools = chain.from_iterable(read_pools(folder / POOLS) for folder in folders)
        shown = look_at(results, read_data(data), pools)
    if baseline is None:
        known = {result.system.partition("@")[0] for result in results}
        baseline = next((name for name in defaults if name in known), None)
    return build_report(results, signature=signature, baseline=baseline, shown=shown)


def _line(each: Comparison) -> str:
    paired, interval = each.paired, each.paired.interval
    gained, lost = paired.discordant
    around = f" ({100 * interval.low:+.1f} to {100 * interval.high:+.1f})" if interval else ""
    return (
        f"{each.dataset} / {each.model} / {each.system} against {each.baseline}:"
        f" {100 * paired.difference:+.1f} points{around}, {gained} gained, {lost} lost of {paired.items},"
        f" p {_p(paired.p_value)}, Holm {_p(each.p_holm)}"
    )


def _p(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}" if value >= 0.001 else "<0.001"
