"""Records on disk, so that what was fetched once is fetched again only to see whether it has changed.

The cache is a convenience: when it cannot be read or written, records are fetched as if there were none.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from metarag.cache_file import open_cache
from metarag.errors import IndexUnusableError
from metarag.per_process import PerProcess
from metarag.records import Article
from metarag.retrieval.corpus_rows import Revision, pack, to_json, unpack

APPLICATION_ID: Final = 0x6D726763
"""``mrgc``, in the file's header: no other database is taken for a cache and written to."""
FORMAT: Final = 1
"""Raised whenever stored records would be read as something else by new code."""
_BUSY_SECONDS: Final = 5.0
_TABLE: Final = """
    CREATE TABLE IF NOT EXISTS record (
        pmid INTEGER NOT NULL, version INTEGER NOT NULL, revised INTEGER NOT NULL,
        json BLOB NOT NULL, checked_at TEXT NOT NULL,
        PRIMARY KEY (pmid, version, revised)) WITHOUT ROWID
"""
_NEWEST: Final = """
    SELECT pmid, json, checked_at FROM record WHERE pmid IN (SELECT value FROM json_each(?))
    ORDER BY pmid, checked_at, version, revised
"""
_PUT: Final = """
    INSERT INTO record VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET json = excluded.json, checked_at = excluded.checked_at
"""


@dataclass(frozen=True, slots=True)
class CachedRecord:
    """A record, and when PubMed last said that it is the present one."""

    article: Article
    checked_at: datetime


@dataclass(slots=True)
class _Opened:
    """The open file of a process, and the lock of its threads."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    connection: sqlite3.Connection | None = None


class RecordCache:
    """PubMed's records in one SQLite file by PMID and revision; safe for threads and for other processes.

    Parameters
    ----------
    path : Path or str
        Made when first needed, with its folder. Holds records only: no query, no key, no address.

    Attributes
    ----------
    trouble : str or None
        Why the cache is not in use; it is tried again by the next :meth:`get`.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.trouble: str | None = None
        self._opened = PerProcess(_Opened)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, pmids: Iterable[str]) -> dict[str, CachedRecord]:
        """Return of each record the revision that PubMed gave last, as far as it is here and can be read."""
        self.trouble = None
        found: dict[str, CachedRecord] = {}
        for pmid, packed, checked in self._run(_NEWEST, [(json.dumps([int(p) for p in pmids]),)]):
            try:
                found[str(pmid)] = CachedRecord(unpack(Article, packed), _moment(checked))
            except (IndexUnusableError, ValueError, TypeError):
                # Damaged, or of another version: fetched again, as if it were not here.
                found.pop(str(pmid), None)
        return found

    def put(self, articles: Iterable[Article], *, checked_at: datetime) -> None:
        """Keep records; earlier revisions of them stay beside."""
        rows = [
            (int(a.pmid), r.version, r.revised, pack(to_json(a)), checked_at.isoformat())
            for a in articles
            if a.pmid and (r := Revision.of(a))
        ]
        self._run(_PUT, rows)

    def forget(self, pmids: Iterable[str]) -> None:
        """Delete all revisions of records."""
        self._run("DELETE FROM record WHERE pmid = ?", [(int(pmid),) for pmid in pmids])

    def __len__(self) -> int:
        rows = self._run("SELECT count(DISTINCT pmid) FROM record", [()])
        return int(rows[0][0]) if rows else 0

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        opened = self._opened.own
        with opened.lock:
            if opened.connection is not None:
                opened.connection.close()
                opened.connection = None

    # Any: the types of SQLite's columns are those of the statement.
    def _run(self, statement: str, rows: Sequence[tuple[object, ...]]) -> list[tuple[Any, ...]]:
        """Run a statement once a row, all or none; nothing comes of it when the cache cannot be used."""
        if not rows or self.trouble:
            return []
        opened = self._opened.own
        with opened.lock:
            try:
                opened.connection = connection = opened.connection or self._open()
                with connection:
                    connection.execute("BEGIN")
                    return [result for row in rows for result in connection.execute(statement, row)]
            except (sqlite3.Error, OSError, ValueError) as error:
                self.trouble = f"the cache {self.path.name} is not in use: {error}"
                return []

    def _open(self) -> sqlite3.Connection:
        return open_cache(self.path, _prepare, application=APPLICATION_ID, wait=_BUSY_SECONDS)


def _moment(written: str) -> datetime:
    """Return the time that was written.

    Raises
    ------
    ValueError
        It is none, or of no time zone, so that its age is not known.
    """
    moment = datetime.fromisoformat(written)
    if moment.tzinfo is None:
        raise ValueError(f"{written} has no time zone")
    return moment


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the table in a new file, or in one of another format."""
    with connection:
        # One process at a time, or one would drop the table that another has just filled.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        (format_,) = connection.execute("PRAGMA user_version").fetchone()
        if format_ != FORMAT:
            connection.execute("DROP TABLE IF EXISTS record")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute(_TABLE)
