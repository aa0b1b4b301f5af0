"""`metarag audit verify`: whether the runs of a folder are as they were written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from metarag.cli_output import err, out
from metarag.ledger import verify
from metarag.report.plain import plain
from metarag.run_folder import RUNS

CHANGED = 1
"""Exit code when something is not as it was written."""


def verify_command(
    folder: Annotated[Path, typer.Argument(help="Folder of runs.")] = RUNS,
    head: Annotated[
        str | None, typer.Option("--head", help="Last digest as you kept it; finds a chain written anew.")
    ] = None,
) -> None:
    """Compare every run of a folder with its ledger; one changed byte is found."""
    found = verify(folder)
    for fault in found.faults:
        out().print(Text(plain(str(fault))))
    forged = head is not None and found.head != head
    if forged:
        told = f"the last digest is {found.head}, not the {plain(head or '')} that you kept"
        out().print(Text(told), soft_wrap=True)
    if found.faults or forged:
        raise typer.Exit(CHANGED)
    out().print(
        Text(f"{found.runs} runs are as they were written. Last digest: {found.head}"), soft_wrap=True
    )
    err().print("Keep the digest elsewhere: with --head it also finds a chain written anew.", style="dim")
