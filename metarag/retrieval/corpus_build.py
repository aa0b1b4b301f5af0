"""Build a local index from files of records, and bring it up to date by the same call.

Each file is one transaction. A build that is killed loses the file it was reading and nothing
else; the same build again goes on from there, because a file already indexed is known by its content.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from metarag.appraisal import APPRAISAL_VERSION, appraise
from metarag.errors import InputError, MetaragError
from metarag.records import Article
from metarag.report.plain import plain
from metarag.retrieval.base import Record
from metarag.retrieval.corpus_connection import open_for_writing
from metarag.retrieval.corpus_info import BUILT_AT, UNFINISHED
from metarag.retrieval.corpus_report import BuildProgress, BuildReport, SourceReport
from metarag.retrieval.corpus_rows import unpack
from metarag.retrieval.corpus_schema import Clock, transaction, utc_now
from metarag.retrieval.corpus_write import BATCH, Outcome, RecordWriter, batches, store_appraisals

Reader = Callable[[Path], Iterable[Record]]

WRITE_WAIT: Final = 30.0
"""Seconds that a build waits for another one to finish the file it is at."""


def build_index(
    index: str | Path,
    sources: Sequence[str | Path],
    *,
    reader: Reader | None = None,
    appraisals: bool = True,
    wait: float = WRITE_WAIT,
    progress: Callable[[BuildProgress], None] | None = None,
    clock: Clock = utc_now,
) -> BuildReport:
    """Add files of records to ``index``, which is made if need be, and return what was done.

    Parameters
    ----------
    index : str or pathlib.Path
        The index file. Readers may go on using it; each file's records appear to them all at once.
    sources : sequence of str or pathlib.Path
        Oldest first: deletions, and revisions without a date, count in this order. With none, an
        index of an older version is brought up to date.
    reader : callable or None
        Makes records of a file; ``None`` reads PubMed XML, MEDLINE, RIS and JSONL.
    appraisals : bool
        Appraise each article now instead of at every question.
    wait : float
        Seconds to wait for another process that is writing.

    Raises
    ------
    InputError
        A source is missing, or is a pipe or device; nothing was written.
    IndexUnusableError
        The index cannot be written: disk, rights, another writer, or the file is something else.
        Files finished before that are in.
    """
    started = time.perf_counter()
    files = [Path(source) for source in sources]
    _check_files(files)
    names = [plain(file.name) for file in files]
    read = reader or _read_records
    with open_for_writing(Path(index), wait=wait, clock=clock) as connection:
        reports = []
        for number, (file, name) in enumerate(zip(files, names, strict=True), 1):
            try:
                digest = _digest(file)
            except OSError as error:
                reports.append(SourceReport(source=name, error=str(error)))
                continue
            if not _is_complete(connection, digest):
                _note_unfinished(connection, names[number - 1 :])
            report = index_source(
                connection,
                _lazily(read, file),
                name=name,
                digest=digest,
                appraisals=appraisals,
                remaining=names[number:],
                progress=_progress_of(progress, name, number, len(files)),
                clock=clock,
            )
            reports.append(report)
        _forget_unfinished(connection)
        renewed = renew_appraisals(connection) if appraisals else 0
    return BuildReport(
        sources=tuple(reports), appraisals_renewed=renewed, seconds=time.perf_counter() - started
    )


def index_source(
    connection: sqlite3.Connection,
    records: Iterable[Record],
    *,
    name: str,
    digest: str | None = None,
    appraisals: bool = True,
    remaining: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
    clock: Clock = utc_now,
) -> SourceReport:
    """Index one source in one transaction.

    Parameters
    ----------
    digest : str or None
        Of the content, by which the source is known again; ``None`` is never known again.
    remaining : sequence of str
        What the same build still has to do; kept until it is done, so that a reader can be warned.
    """
    until_error = _UntilError(records)
    with transaction(connection):
        source_id = _register(connection, name, digest, clock)
        if source_id is None:
            return SourceReport(source=name, skipped=True)
        writer = RecordWriter(connection, source_id=source_id, appraise=appraise if appraisals else None)
        writer.write(until_error, progress=progress)
        connection.execute(
            "UPDATE source SET records = ?, failures = ?, complete = ? WHERE id = ?",
            (writer.seen, len(writer.failures), until_error.error is None, source_id),
        )
        if until_error.error and not writer.seen:
            # Nothing of it is here, so that the index need not remember it as a part that is missing.
            connection.execute("DELETE FROM source WHERE id = ? AND records = 0", (source_id,))
        _set(connection, UNFINISHED, json.dumps(list(remaining)))
        _set(connection, BUILT_AT, clock().isoformat())
    return SourceReport(
        source=name,
        added=writer.outcomes[Outcome.ADDED],
        replaced=writer.outcomes[Outcome.REPLACED],
        unchanged=writer.outcomes[Outcome.UNCHANGED],
        older=writer.outcomes[Outcome.OLDER],
        deleted=writer.deleted,
        failures=tuple(writer.failures),
        error=until_error.error,
    )


def renew_appraisals(connection: sqlite3.Connection) -> int:
    """Appraise again what older rules appraised, or nobody; return how many."""
    stale = connection.execute(
        "SELECT id FROM record WHERE NOT EXISTS "
        "(SELECT 1 FROM appraisal WHERE appraisal.version = ? AND appraisal.record_id = record.id)",
        (APPRAISAL_VERSION,),
    ).fetchall()
    for batch in batches([row_id for (row_id,) in stale], BATCH):
        with transaction(connection):
            rows = connection.execute(
                "SELECT record_id, json FROM article WHERE record_id IN (SELECT value FROM json_each(?))",
                (json.dumps(batch),),
            ).fetchall()
            store_appraisals(connection, ((n, unpack(Article, packed)) for n, packed in rows), appraise)
    return len(stale)


class _UntilError:
    """The records up to the point where their source cannot be read on, and why it cannot."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.error: str | None = None
        self._records = records

    def __iter__(self) -> Iterator[Record]:
        try:
            yield from self._records
        except (MetaragError, OSError, EOFError, zlib.error) as error:
            self.error = str(error) or type(error).__name__


def _read_records(path: Path) -> Iterable[Record]:
    # Here, because opening an index to search it should not load an XML parser.
    from metarag.retrieval.records_file import read_records

    return read_records(path)


def _lazily(read: Reader, source: Path) -> Iterator[Record]:
    yield from read(source)


def _digest(source: Path) -> str:
    with source.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _register(connection: sqlite3.Connection, name: str, digest: str | None, clock: Clock) -> int | None:
    """Return the source's row, new or left incomplete by an earlier build; ``None`` when it is all in."""
    known = connection.execute("SELECT id, complete FROM source WHERE digest = ?", (digest,)).fetchone()
    if known:
        source_id, complete = known
        return None if complete else int(source_id)
    return connection.execute(
        "INSERT INTO source (name, digest, indexed_at) VALUES (?, ?, ?)", (name, digest, clock().isoformat())
    ).lastrowid


def _set(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))


def _check_files(files: Sequence[Path]) -> None:
    """Refuse what is missing, and what can be read only once: a file is known again by its content."""
    missing = [plain(str(file)) for file in files if not file.exists()]
    if missing:
        raise InputError(f"no such file: {', '.join(missing[:5])}; nothing was indexed")
    others = [plain(str(file)) for file in files if not file.is_file()]
    if others:
        raise InputError(
            f"not a regular file: {', '.join(others[:5])}; nothing was indexed. An index takes files, "
            "because it knows them again by their content: save what comes from a pipe to a file first"
        )


def _is_complete(connection: sqlite3.Connection, digest: str) -> bool:
    row = connection.execute("SELECT complete FROM source WHERE digest = ?", (digest,)).fetchone()
    return bool(row and row[0])


def _note_unfinished(connection: sqlite3.Connection, names: Sequence[str]) -> None:
    """Say what is still to do before it is begun, so that a build that is killed leaves the note."""
    with transaction(connection):
        _set(connection, UNFINISHED, json.dumps(list(names)))


def _forget_unfinished(connection: sqlite3.Connection) -> None:
    """Take back the note of what remains, which the last source leaves when it was skipped."""
    with transaction(connection):
        connection.execute("UPDATE setting SET value = '[]' WHERE name = ? AND value != '[]'", (UNFINISHED,))


def _progress_of(
    progress: Callable[[BuildProgress], None] | None, source: str, file: int, files: int
) -> Callable[[int], None] | None:
    if progress is None:
        return None
    return lambda records: progress(BuildProgress(source=source, file=file, files=files, records=records))
