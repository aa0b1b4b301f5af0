"""The ledger of a folder of runs: a chain of digests in which one changed byte shows.

Each line of ``ledger.jsonl`` holds the SHA-256 of a run file as it was written and the digest of the line
before it. Whoever changes a run, a line, or the order of lines breaks the chain. It proves nothing against
someone who writes the whole chain anew; for that, keep the last digest (``metarag audit verify`` shows it)
somewhere else.
"""

from __future__ import annotations

import hashlib
import os
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
"""A line takes milliseconds; a lock that is older was left behind by a process that died."""

_HEX: Final = r"^[0-9a-f]{64}$"


class Entry(Frozen):
    """One line: a run file as it was written."""

    number: int = Field(ge=1)
    file: str
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
            entries = [entry for entry in _entries(ledger) if isinstance(entry, Entry)]
            last = entries[-1] if entries else None
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
    if not ledger.exists():
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


def _entries(ledger: Path) -> Iterator[Entry | LedgerFault]:
    """Yield each line; one that says the right thing in other bytes is damaged too."""
    if not ledger.exists():
        return
    *lines, rest = ledger.read_bytes().split(b"\n")
    for number, line in enumerate([*lines, rest] if rest else lines, 1):
        damaged = LedgerFault(f"{LEDGER} line {number}", "is damaged")
        try:
            entry = Entry.model_validate_json(line)
        except ValidationError:
            yield damaged
        else:
            whole = entry.model_dump_json().encode() == line and number <= len(lines)
            yield entry if whole else damaged


def _broken_links(lines: list[Entry | LedgerFault]) -> Iterator[LedgerFault]:
    previous, number = BEGINNING, 0
    for place, entry in enumerate(lines, 1):
        where = f"{LEDGER} line {place}"
        if isinstance(entry, LedgerFault):
            yield entry
            number += 1
            continue
        if entry.digest != entry.computed():
            yield LedgerFault(where, "was changed")
        elif entry.previous != previous or entry.number != number + 1:
            yield LedgerFault(where, "does not follow the line before it")
        previous, number = entry.digest, entry.number


def _changed(path: Path, entry: Entry) -> list[LedgerFault]:
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
    """Let one process at a time add its line."""
    lock = ledger.with_suffix(".lock")
    began = time.monotonic()
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if time.monotonic() - began > _LOCK_SECONDS:
                lock.unlink(missing_ok=True)
            time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
