"""`metarag cache`: what a cache of a model's replies holds, and how to empty it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from metarag.cli_commands import Commands
from metarag.cli_output import err, out, table
from metarag.llm.cache_file import CachedGroup, cache_contents, clear_cache
from metarag.report.plain import plain

cache_app = Commands(
    no_args_is_help=True, rich_markup_mode=None, help="Look at or empty a cache of a model's replies."
)

FileArgument = Annotated[Path, typer.Argument(help="The file that --model-cache was given.")]
UNKNOWN = "not stored"


@cache_app.command()
def stats(file: FileArgument) -> None:
    """Show how many replies a cache holds, by model and prompt."""
    contents = cache_contents(file)
    console = out()
    size = f"{contents.file_bytes / 1e6:,.1f} MB on disk"
    console.print(Text(f"{plain(str(file))}: {contents.entries:,} replies, {size}", style="bold"))
    if contents.groups:
        columns = ("model", "prompt", "replies", "bytes", "first", "last")
        console.print(table(columns, map(_row, contents.groups)))
    console.print(
        Text("How often they were used is not stored; each run says what came from the cache.", style="dim")
    )


@cache_app.command()
def clear(
    file: FileArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """Delete all replies of a cache; every one of them has to be asked for again."""
    contents = cache_contents(file)
    if not contents.entries:
        err().print(f"{file} holds no replies.", style="dim")
        return
    if not yes:
        question = f"Delete {contents.entries:,} replies from {plain(str(file))}?"
        typer.confirm(question, abort=True, err=True)
    err().print(f"{clear_cache(file):,} replies deleted from {file}.", style="dim", soft_wrap=True)


def _row(group: CachedGroup) -> tuple[str, ...]:
    return (
        group.model or UNKNOWN,
        group.prompt or UNKNOWN,
        f"{group.entries:,}",
        f"{group.bytes:,}",
        f"{group.first:%Y-%m-%d %H:%M} UTC",
        f"{group.last:%Y-%m-%d %H:%M} UTC",
    )
