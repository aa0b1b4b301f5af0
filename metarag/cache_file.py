"""An SQLite file that holds a cache of ours: opened, or refused where it is somebody else's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Set
from contextlib import ExitStack
from pathlib import Path

from metarag.files import may_be_sqlite


def open_cache(
    path: Path,
    prepare: Callable[[sqlite3.Connection], None],
    *,
    application: int,
    wait: float,
    unmarked: Set[str] = frozenset(),
) -> sqlite3.Connection:
    """Return a connection for all threads of a process; the file is made, with its folder, where it is missing.

    Parameters
    ----------
    prepare : callable
        Makes the tables, and marks the file with the application's number.
    application : int
        In the file's header: no other database is taken for the cache and written to.
    wait : float
        Seconds to wait for another writer.
    unmarked : set of str
        Tables of a cache from before there was a mark.

    Raises
    ------
    sqlite3.Error
        It is no database, another one, or cannot be written.
    OSError
        The folder cannot be made, or the file not read.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not may_be_sqlite(path):
        raise sqlite3.DatabaseError("it is no database; name another file")
    with ExitStack() as failing:
        connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
        failing.callback(connection.close)
        (marked,) = connection.execute("PRAGMA application_id").fetchone()
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        }
        if marked != application and (marked or tables - unmarked):
            raise sqlite3.DatabaseError("it is another database")
        # With a write-ahead log a reader never waits for a writer, and what was committed before a
        # kill is there afterwards.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        prepare(connection)
        failing.pop_all()
    return connection
