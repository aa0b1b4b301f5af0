"""A folder of run files: which there are, which one a person means, and which one another was made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ConfigDict, ValidationError

from metarag.config import describe
from metarag.errors import RunFileError
from metarag.ledger import record
from metarag.records import Frozen, UtcTime
from metarag.runs import Parent, RunId, RunRecord, load_run, read_content, save_run

RUNS: Final = Path("metarag-runs")
"""Folder under the working directory where runs are kept unless something else is said."""


class RunHead(Frozen):
    """What a list shows of a run. The rest of its file is not checked until it is opened.

    Attributes
    ----------
    kept, left_out : int
        Articles in the ranking and out of it.
    parent : str or None
        Id of the run that it changes.
    """

    # A head is taken out of a whole run file, so that everything else in it is no mistake.
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: RunId
    created_at: UtcTime
    question: str
    kept: int
    left_out: int
    parent: RunId | None = None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A file of the folder: the head of its run, or why it cannot be read."""

    path: Path
    run: RunHead | None
    problem: str | None = None


def keep_run(run: RunRecord, path: Path) -> None:
    """Write a run, and its line in the ledger of its folder.

    A pipe or a device has no ledger.

    Raises
    ------
    RunFileError
        The run or the ledger cannot be written, or the name of the file is no text that the ledger could hold.
    """
    if any(0xD800 <= ord(sign) <= 0xDFFF for sign in path.name):
        raise RunFileError(
            f"{path.name!a} cannot be the name of a run file: it is not valid Unicode; choose another name"
        )
    save_run(run, path)
    if path.is_file():
        record(path, run.id)


def read_head(path: Path) -> StoredRun:
    """Return what a list shows of a run file; a damaged one is told, not raised."""
    try:
        return StoredRun(path, _head(path, read_content(path)[1]))
    except RunFileError as error:
        return StoredRun(path, None, str(error))


def stored_runs(folder: Path = RUNS, *, read: Callable[[Path], StoredRun] = read_head) -> Iterator[StoredRun]:
    """Yield the runs of a folder, newest first; damaged files are told last, not hidden.

    Parameters
    ----------
    read : callable
        Reads one; a server keeps what it has read.
    """
    found = [read(path) for path in _files(folder)]
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
    if is_file(Path(name)):
        return Path(name)
    files = _files(folder) if name else []
    # A run may have been written under another name: then every file has to be asked.
    found = [p for p in files if p.stem.startswith(name)] or [p for p in files if _has_id(p, name)]
    exact = [path for path in found if path.stem == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        shown = ", ".join(path.stem for path in found[:5])
        raise RunFileError(f"{name!r} is the beginning of {len(found)} runs: {shown}; write more of it")
    raise RunFileError(
        f"there is no run {name!r}, neither as a file nor in {folder}/; see `metarag runs list`"
    )


def find_parent(run: RunRecord, folder: Path) -> RunRecord:
    """Return the run that another one was made from, as it was then.

    Raises
    ------
    RunFileError
        It is not in the folder, cannot be read, or is not what it was; or the run changes none.
    """
    if run.parent is None:
        raise RunFileError(f"run {run.id} changes no other run")
    usual = folder / f"{run.parent.id}.json"
    # A run may have been written under another name: then every file has to be asked.
    paths = [usual, *(path for path in _files(folder) if path != usual)]
    found = next((path for path in paths if _is_run(path, run.parent.id)), None)
    if found is None:
        raise RunFileError(f"run {run.parent.id} is not in {folder}")
    parent = load_run(found)
    if Parent.of(parent) != run.parent:
        raise RunFileError(f"run {run.parent.id} in {folder} is not as it was when it was changed")
    return parent


def is_file(path: Path) -> bool:
    """Tell whether a path is a file; one that can be no path at all is none."""
    # A name may be too long for the system, or hold a null character.
    with suppress(OSError, ValueError):
        return path.is_file()
    return False


def _is_run(path: Path, run_id: str) -> bool:
    head = read_head(path).run if is_file(path) else None
    return head is not None and head.id == run_id


def _has_id(path: Path, beginning: str) -> bool:
    head = read_head(path).run
    return head is not None and head.id.startswith(beginning)


def _head(path: Path, content: dict[str, Any]) -> RunHead:
    try:
        ranking, parent = content["ranking"], content.get("parent")
        return RunHead.model_validate(
            content
            | {
                "question": ranking["audit"]["question"]["text"],
                "kept": _count(ranking["evidence"]),
                "left_out": _count(ranking["excluded"]),
                "parent": parent["id"] if parent else None,
            }
        )
    except ValidationError as error:
        raise RunFileError(f"{path} is not a run file of this metarag: {describe(error)[:300]}") from error
    except (KeyError, TypeError) as error:
        raise RunFileError(f"{path} is not a run file of this metarag: it is no ranking ({error})") from error


def _count(items: object) -> int:
    if not isinstance(items, list):
        raise TypeError("articles are no list")
    return len(items)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.json") if is_file(path))
