"""Reading a run that was kept, and saying so if it is not as it was written."""

from __future__ import annotations

from pathlib import Path

from metarag.cli_output import err
from metarag.ledger import fault_of
from metarag.runs import RunRecord, load_run


def load_told(path: Path) -> RunRecord:
    """Read a run back; warn where its ledger says that the file was changed since.

    Raises
    ------
    RunFileError
        As :func:`metarag.runs.load_run`.
    """
    run = load_run(path)
    if fault := fault_of(path):
        told = f"Warning: {fault}: what follows need not be what was found; see `metarag audit verify`"
        err().print(told, style="yellow", soft_wrap=True)
    return run
