"""The runs of a server's folder, by the names of their files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from metarag.errors import RequestError, RunFileError
from metarag.report.plain import shorten
from metarag.run_folder import RunHead, StoredRun, find_parent, is_file, read_head, stored_runs
from metarag.runs import RunRecord, load_run

_SUFFIX = ".json"


class Stored:
    """The runs of a folder. What a list shows of each is read once, until its file changes.

    Parameters
    ----------
    folder : Path
        It need not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._heads: dict[Path, tuple[tuple[int, int], StoredRun]] = {}

    def newest(self) -> Iterator[StoredRun]:
        """Yield the runs, newest first; damaged files last."""
        yield from stored_runs(self.folder, read=self._read)

    def head(self, name: str) -> RunHead:
        """Return what a list shows of a run, which costs much less than all of it.

        Raises
        ------
        RequestError
            404: there is no such run.
        RunFileError
            Its file is damaged.
        """
        found = self._read(self.path(name))
        if found.run is None:
            raise RunFileError(found.problem or f"run {name} cannot be read")
        return found.run

    def load(self, name: str) -> RunRecord:
        """Return a run.

        Raises
        ------
        RequestError
            404: there is no such run.
        RunFileError
            Its file is damaged.
        """
        return load_run(self.path(name))

    def path(self, name: str) -> Path:
        """Return the file of a run; a path is no name, so that no other file can be asked for.

        Raises
        ------
        RequestError
            404: there is no such run.
        """
        if not self.has(name):
            what = f"there is no run {shorten(name, 60)} here" if name else "no run was named"
            raise RequestError(404, f"{what}; the list of runs shows those there are")
        return self.folder / f"{name}{_SUFFIX}"

    def has(self, name: str) -> bool:
        """Tell whether there is a run of that name."""
        return Path(name).name == name and is_file(self.folder / f"{name}{_SUFFIX}")

    def parent(self, run: RunRecord) -> RunRecord | None:
        """Return the run that another one changes; ``None`` where it was removed or changed since."""
        try:
            return find_parent(run, self.folder)
        except RunFileError:
            return None

    def _read(self, path: Path) -> StoredRun:
        try:
            found = path.stat()
        except OSError:
            return read_head(path)
        stamp = (found.st_mtime_ns, found.st_size)
        known = self._heads.get(path)
        if known is None or known[0] != stamp:
            known = self._heads[path] = (stamp, read_head(path))
        return known[1]


def address(name: str, *more: str) -> str:
    """Return the address of a run's page, or of what belongs to it."""
    return "/".join(("/runs", quote(name, safe=""), *more))
