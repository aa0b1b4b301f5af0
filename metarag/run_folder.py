"""A folder of run files: which there are, and which one a person means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from metarag.errors import RunFileError
from metarag.ledger import record
from metarag.runs import RunRecord, load_run, save_run

RUNS: Final = Path("metarag-runs")
"""Folder under the working directory where runs are kept unless something else is said."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A file of the folder: the run, or why it cannot be read."""

    path: Path
    run: RunRecord | None
    problem: str | None = None


def keep_run(run: RunRecord, path: Path) -> None:
    """Write a run, and its line in the ledger of its folder.

    A pipe or a device has no ledger.

    Raises
    ------
    RunFileError
        The run or the ledger cannot be written.
    """
    save_run(run, path)
    if path.is_file():
        record(path, run.id)


def stored_runs(folder: Path = RUNS) -> Iterator[StoredRun]:
    """Yield the runs of a folder, newest first; damaged files are told last, not hidden."""
    found = [_read(path) for path in _files(folder)]
    yield from sorted(
        (each for each in found if each.run),
        key=lambda each: (each.run.created_at, each.run.id) if each.run else (),
        reverse=True,
    )
    yield from (each for each in found if each.run is None)


def newest_run(folder: Path = RUNS) -> Path:
    """Return the file that was written last.

    Raises
    ------
    RunFileError
        There is none.
    """
    runs: list[tuple[float, Path]] = []
    for path in _files(folder):
        # A run that somebody deletes meanwhile is no run.
        with suppress(OSError):
            runs.append((path.stat().st_mtime, path))
    if not runs:
        raise RunFileError(f"there is no run in {folder}/; name one, or make one with `metarag ask`")
    return max(runs)[1]


def find_run(name: str, folder: Path = RUNS) -> Path:
    """Return the file that a person means by a path, by a run's id, or by the beginning of one.

    Raises
    ------
    RunFileError
        There is none, or more than one.
    """
    if Path(name).is_file():
        return Path(name)
    found = [path for path in _files(folder) if name and path.stem.startswith(name)]
    exact = [path for path in found if path.stem == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        shown = ", ".join(path.stem for path in found[:5])
        raise RunFileError(f"{name!r} is the beginning of {len(found)} runs: {shown}; write more of it")
    raise RunFileError(
        f"there is no run {name!r}, neither as a file nor in {folder}/; see `metarag runs list`"
    )


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.json") if path.is_file())


def _read(path: Path) -> StoredRun:
    try:
        return StoredRun(path, load_run(path))
    except RunFileError as error:
        return StoredRun(path, None, str(error))
