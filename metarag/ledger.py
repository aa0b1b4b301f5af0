"""The ledger of a folder of runs: a chain of digests in which one changed byte shows.

Each line of ``ledger.jsonl`` holds the SHA-256 of a run file as it was written and the digest of the line
before it. Whoever changes a run, a line, or the order of lines breaks the chain. It proves nothing against
someone who writes the whole chain anew; for that, keep the last digest (``metarag audit verify`` shows it)
somewhere else.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import Field, ValidationError

from metarag.errors import RunFileError
from metarag.records import Frozen

LEDGER: Final = "ledger.jsonl"
BEGINNING: Final = "0" * 64
"""What stands for the digest before the first line."""
_LOCK_SECONDS: Final = 10.0
"""A line takes milliseconds; who waits longer is told, because somebody holds the ledger and does nothing."""

_HEX: Final = r"^[0-9a-f]{64}$"


class Entry(Frozen):
    """One line: a run file as it was written."""

    number: int = Field(ge=1)
    file: str = Field(pattern=r"^[^/\\\x00]+$", description="A name in the folder of the ledger, no path")
    run: str
    sha256: str = Field(pattern=_HEX)
    recorded_at: datetime
    previous: str = Field(pattern=_HEX)
    digest: str = Field(pattern=_HEX)

    def computed(self) -> str:
        """Return the digest that the line should have."""
        return hashlib.sha256(self.model_dump_json(exclude={"digest"}).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class LedgerFault:
    """What does not fit, and where."""

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What the ledger of a folder says of its runs.

    Attributes
    ----------
    head : str or None
        Digest of the last line; kept elsewhere, it also guards against a chain written anew.
    """

    runs: int
    faults: tuple[LedgerFault, ...]
    head: str | None


def record(path: Path, run_id: str, *, now: datetime | None = None) -> Entry:
    """Add a run file that was just written to the ledger of its folder.

    Raises
    ------
    RunFileError
        The ledger cannot be read or written.
    """
    ledger = path.parent / LEDGER
    try:
        with _locked(ledger):
            last = _last(ledger)
            content: dict[str, object] = {
                "number": last.number + 1 if last else 1,
                "file": path.name,
                "run": run_id,
                "sha256": _digest_of(path),
                "recorded_at": now or datetime.now(UTC),
                "previous": last.digest if last else BEGINNING,
            }
            unsigned = Entry.model_validate(content | {"digest": BEGINNING})
            entry = unsigned.model_copy(update={"digest": unsigned.computed()})
            with ledger.open("a", encoding="utf-8", newline="\n") as lines:
                begun = _ends_within_a_line(ledger)
                lines.write(("\n" if begun else "") + entry.model_dump_json() + "\n")
                lines.flush()
                os.fsync(lines.fileno())
    except OSError as error:
        raise RunFileError(f"the ledger {ledger} cannot be written: {error.strerror or error}") from error
    return entry


def verify(folder: Path) -> Verification:
    """Compare every run file of a folder with the ledger, and the ledger with itself.

    A file that was written again has several lines; the last one counts.

    Raises
    ------
    RunFileError
        There is no ledger, or it cannot be read.
    """
    ledger = folder / LEDGER
    if not ledger.is_file():
        raise RunFileError(f"there is no ledger {ledger}; runs that `metarag ask` and `rank` write have one")
    try:
        lines = list(_entries(ledger))
    except OSError as error:
        raise RunFileError(f"the ledger {ledger} cannot be read: {error.strerror or error}") from error
    faults = list(_broken_links(lines))
    latest = {entry.file: entry for entry in lines if isinstance(entry, Entry)}
    for name, entry in sorted(latest.items()):
        faults += _changed(folder / name, entry)
    for path in sorted(folder.glob("*.json")):
        if path.name not in latest and path.is_file():
            faults.append(LedgerFault(path.name, "is not in the ledger"))
    last = next((entry for entry in reversed(lines) if isinstance(entry, Entry)), None)
    return Verification(runs=len(latest), faults=tuple(faults), head=last.digest if last else None)


def fault_of(path: Path) -> LedgerFault | None:
    """Return how a run file differs from its last line in the ledger beside it; ``None`` where it does not.

    A file without a ledger, or that the ledger does not name, tells nothing.
    """
    try:
        entries = [entry for line in _lines(path.parent / LEDGER) if (entry := _entry(line))]
    except OSError:
        return None
    last = next((entry for entry in reversed(entries) if entry.file == path.name), None)
    return next(iter(_changed(path, last)), None) if last else None


def _entries(ledger: Path) -> Iterator[Entry | LedgerFault]:
    """Yield each line; one that says the right thing in other bytes is damaged too."""
    for number, line in enumerate(_lines(ledger), 1):
        yield _entry(line) or LedgerFault(f"{LEDGER} line {number}", "is damaged")


def _last(ledger: Path) -> Entry | None:
    """Return the last line that is whole; those before it need not be read to go on from there."""
    return next((entry for line in reversed(_lines(ledger)) if (entry := _entry(line))), None)


def _lines(ledger: Path) -> list[bytes]:
    """Return the lines with their ends; the last one has none if its writing was interrupted."""
    return ledger.read_bytes().splitlines(keepends=True) if ledger.is_file() else []


def _entry(line: bytes) -> Entry | None:
    try:
        entry = Entry.model_validate_json(line)
    except ValidationError:
        return None
    return entry if entry.model_dump_json().encode() + b"\n" == line else None


def _broken_links(lines: list[Entry | LedgerFault]) -> Iterator[LedgerFault]:
    previous, number = BEGINNING, 0
    for place, entry in enumerate(lines, 1):
        where = f"{LEDGER} line {place}"
        if isinstance(entry, LedgerFault):
            yield entry
            continue
        if entry.digest != entry.computed():
            yield LedgerFault(where, "was changed")
        elif entry.previous != previous or entry.number != number + 1:
            yield LedgerFault(where, "does not follow the line before it")
        previous, number = entry.digest, entry.number


def _changed(path: Path, entry: Entry) -> list[LedgerFault]:
    if path.exists() and not path.is_file():
        # Reading from a pipe or a device that stands there might never end.
        return [LedgerFault(entry.file, "is no file any more")]
    try:
        digest = _digest_of(path)
    except FileNotFoundError:
        return [
            LedgerFault(entry.file, f"is missing; run {entry.run} was recorded {entry.recorded_at:%Y-%m-%d}")
        ]
    except OSError as error:
        return [LedgerFault(entry.file, f"cannot be read: {error.strerror or error}")]
    if digest != entry.sha256:
        return [LedgerFault(entry.file, f"was changed after run {entry.run} had written it")]
    return []


def _ends_within_a_line(ledger: Path) -> bool:
    content = ledger.read_bytes()[-1:]
    return bool(content) and content != b"\n"


def _digest_of(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def _locked(ledger: Path) -> Iterator[None]:
    """Let one process at a time add its line; the system takes the lock back from one that dies."""
    with ledger.with_suffix(".lock").open("ab") as lock:
        began = time.monotonic()
        while not _locks(lock.fileno()):
            if time.monotonic() - began > _LOCK_SECONDS:
                raise OSError(errno.EAGAIN, f"another process has held it for {_LOCK_SECONDS:g} seconds")
            time.sleep(0.01)
        yield


def _locks(handle: int) -> bool:
    """Take the lock of an open file until it is closed; False where somebody else has it."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
