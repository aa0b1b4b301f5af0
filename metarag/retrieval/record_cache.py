"""Records on disk, so that what was fetched once is fetched again only to see whether it has changed.

The cache is a convenience: when it cannot be read or written, records are fetched as if there were none, and
``trouble`` says why.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from metarag.errors import IndexUnusableError
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
    ORDER BY pmid, version, revised
"""
_PUT: Final = """
    INSERT INTO record VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET json = excluded.json, checked_at = max(checked_at, excluded.checked_at)
"""


@dataclass(frozen=True, slots=True)
class CachedRecord:
    """A record, and when PubMed last said that it is the present one."""

    article: Article
    checked_at: datetime


class RecordCache:
    """PubMed's records in one SQLite file by PMID and revision; safe for threads and for a second process.

    Parameters
    ----------
    path : Path or str
        Made when first needed, with its folder. Holds records only: no query, no key, no address.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.trouble: str | None = None
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, pmids: Iterable[str]) -> dict[str, CachedRecord]:
        """Return the newest revision of each record that is here and can be read."""
        found: dict[str, CachedRecord] = {}
        for pmid, packed, checked in self._run(_NEWEST, [(json.dumps([int(p) for p in pmids]),)]):
            try:
                found[str(pmid)] = CachedRecord(unpack(Article, packed), datetime.fromisoformat(checked))
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
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # Any: the types of SQLite's columns are those of the statement.
    def _run(self, statement: str, rows: Sequence[tuple[object, ...]]) -> list[tuple[Any, ...]]:
        """Run a statement once a row, all or none; nothing comes of it when the cache cannot be used."""
        with self._lock:
            try:
                connection = self._open()
                if connection is None:
                    return []
                with connection:
                    connection.execute("BEGIN")
                    return [result for row in rows for result in connection.execute(statement, row)]
            except (sqlite3.Error, OSError) as error:
                self.trouble = f"the cache {self.path.name} is not in use: {error}"
                return []

    def _open(self) -> sqlite3.Connection | None:
        if self._connection is not None:
            return self._connection
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            usable = _prepare(connection)
        except BaseException:
            connection.close()
            raise
        if not usable:
            connection.close()
            self.trouble = (
                f"the cache {self.path.name} is not in use: it is another database; name another file"
            )
            return None
        self._connection = connection
        return connection


def _prepare(connection: sqlite3.Connection) -> bool:
    """Make the table in a new file; false for a database that is no cache of records."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION_ID and tables:
        return False
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    (format_,) = connection.execute("PRAGMA user_version").fetchone()
    if format_ != FORMAT:
        connection.execute("DROP TABLE IF EXISTS record")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute(_TABLE)
    return True
