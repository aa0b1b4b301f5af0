"""`metarag runs` and `metarag rerun`: what was done, and doing it again with a person's changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from metarag.cli_commands import Commands
from metarag.cli_model import model_from
from metarag.cli_output import err, out, show_answer, show_question_warnings, show_ranking, write_json
from metarag.cli_sources import (
    BaseUrlOption,
    JsonOption,
    MaxCallsOption,
    ModelCacheOption,
    ModelOption,
    pairs_of,
)
from metarag.cli_stored import load_told
from metarag.errors import InputError
from metarag.report.comparison import Comparison, compare
from metarag.report.plain import plain, shorten
from metarag.reruns import Changes, rerun
from metarag.run_folder import RUNS, find_run, keep_run, stored_runs
from metarag.runs import RunRecord

runs_app = Commands(no_args_is_help=True, help="Runs that were kept: list, show, compare.")

FolderOption = Annotated[Path, typer.Option("--folder", help="Folder of runs.")]
RunArgument = Annotated[str, typer.Argument(help="Run file, id of a run, or the beginning of one.")]
SHOWN_QUESTION = 100
SHOWN_MOVES = 20


@runs_app.command("list")
def list_command(folder: FolderOption = RUNS) -> None:
    """List the runs of a folder, newest first."""
    rows, damaged = [], []
    for stored in stored_runs(folder):
        if stored.run is None:
            damaged.append(stored.problem or stored.path.name)
            continue
        counts = f"{stored.run.kept:,} kept, {stored.run.left_out:,} left out"
        # The name of the file finds the run again; it need not be the run's id.
        rows.append((stored.path.stem, counts, stored.run.parent or "", stored.run.question))
    if rows:
        _show_list(rows)
    else:
        out().print(Text(plain(f"There is no run in {folder}/; `metarag ask` makes one.")))
    for line in damaged:
        err().print(f"Not readable: {line}", style="yellow", soft_wrap=True)


def _show_list(rows: list[tuple[str, str, str, str]]) -> None:
    """Print a line a run. Names are whole however narrow the terminal, because they are typed again."""
    console = out()
    width = max(len(plain(name)) for name, *_ in rows)
    for name, counts, parent, question in rows:
        change = f"; changes {parent}" if parent else ""
        line = f"{plain(name):<{width}}  {counts}{change}"
        console.print(Text(line), soft_wrap=True)
        console.print(Text(f"    {shorten(question, SHOWN_QUESTION)}", style="dim"), soft_wrap=True)


@runs_app.command("show")
def show_command(
    run: RunArgument,
    folder: FolderOption = RUNS,
    top: Annotated[int, typer.Option("--top", min=1, help="How many articles are shown.")] = 20,
) -> None:
    """Show a run as `metarag ask` or `rank` showed it, with what people changed."""
    found = load_told(find_run(run, folder))
    console = out()
    console.print(Text(plain(found.ranking.audit.question.text), style="bold"))
    show_question_warnings(found.ranking)
    _show_overrides(found)
    if found.answer:
        show_answer(console, found.answer)
    show_ranking(console, found.ranking, top=top)


@runs_app.command("diff")
def diff_command(before: RunArgument, after: RunArgument, folder: FolderOption = RUNS) -> None:
    """Show what a run changed against another one: places of articles, answer, settings."""
    old, new = (load_told(find_run(name, folder)) for name in (before, after))
    _show_overrides(new)
    _show_settings(old, new)
    _show_comparison(compare(old, new))


def rerun_command(
    run: RunArgument,
    include: Annotated[
        list[str] | None, typer.Option("--include", help="PMID or key to keep; repeatable.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", help="PMID or key to leave out; repeatable.")
    ] = None,
    pico: Annotated[
        list[str] | None,
        typer.Option(
            "--pico",
            help="Facet as name=words, e.g. population=children; `any`: not compared; empty: as the question says.",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--setting", help="One setting as name=value; repeatable.")
    ] = None,
    note: Annotated[str, typer.Option("--note", help="Why; it stands in the report.")] = "",
    author: Annotated[str, typer.Option("--author", help="Who; it stands in the report.")] = "",
    folder: FolderOption = RUNS,
    out_path: Annotated[Path | None, typer.Option("--out", help="Run file to write.")] = None,
    as_json: JsonOption = False,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    model_cache: ModelCacheOption = None,
    max_calls: MaxCallsOption = None,
) -> None:
    """Make a run again with your changes: a child beside it; the run itself is never changed."""
    source = find_run(run, folder)
    parent = load_told(source)
    changes = Changes(
        author=author,
        note=note,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        pico=_facets(pico or []),
        settings=pairs_of(setting or [], "--setting"),
    )
    with model_from(model, base_url, model_cache, max_calls) as connected:
        child = rerun(parent, changes, model=connected)
    path = out_path or folder / f"{child.id}.json"
    if path.exists() and path.samefile(source):
        raise InputError(f"--out {path} is the run itself; name another file, so that it stays as it is")
    keep_run(child, path)
    if as_json:
        write_json(child.model_dump_json(indent=1))
    else:
        _show_overrides(child)
        _show_comparison(compare(parent, child))
    err().print(f"Changed run: {path}   (metarag audit report {path})", style="dim", soft_wrap=True)


def _facets(given: list[str]) -> dict[str, str | None]:
    facets: dict[str, str | None] = {}
    for text in given:
        name, equals, words = text.partition("=")
        if not equals:
            raise InputError(f"--pico takes name=words, got {shorten(text, SHOWN_QUESTION)!r}")
        if name.strip() in facets:
            raise InputError(f"--pico {name.strip()} is given twice, and only one could count; give it once")
        facets[name.strip()] = words.strip() or None
    return facets


def _show_overrides(run: RunRecord) -> None:
    for each in run.ranking.audit.overrides:
        what = f"{each.verdict.value} {each.key}" if each.verdict else f"{each.key}: {each.change}"
        line = f"{each.timestamp:%Y-%m-%d} {each.author}: {what} ({each.reason})"
        out().print(Text(plain(line)))


def _show_settings(old: RunRecord, new: RunRecord) -> None:
    before, after = old.ranking.audit.signature.settings, new.ranking.audit.signature.settings
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            out().print(Text(plain(f"setting {name}: {before.get(name)} -> {after.get(name)}")))


def _show_comparison(found: Comparison) -> None:
    console = out()
    if not found.moves:
        console.print(Text("The ranking is the same."))
    for move in found.moves[:SHOWN_MOVES]:
        console.print(Text(plain(f"{move.key}: {move.words}")))
    if len(found.moves) > SHOWN_MOVES:
        console.print(Text(f"and {len(found.moves) - SHOWN_MOVES:,} more came, left or moved"))
    if found.shifted_words:
        console.print(Text(found.shifted_words))
    if found.answer_before == found.answer_now:
        console.print(Text("The answer is the same."))
        return
    for title, text in (("Answer before", found.answer_before), ("Answer now", found.answer_now)):
        console.print(Text(title, style="bold"))
        for line in (text or "(none)").splitlines():
            console.print(Text(f"  {plain(line)}"))
