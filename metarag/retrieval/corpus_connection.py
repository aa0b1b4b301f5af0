"""Open a local index for reading or for writing, and say in plain words why it cannot be."""

from __future__ import annotations

import os
import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

from metarag.errors import IndexUnusableError
from metarag.files import may_be_sqlite
from metarag.retrieval.corpus_schema import (
    Clock,
    check_is_index,
    check_is_plausible,
    check_is_whole,
    check_schema,
    is_empty,
    migrate,
    utc_now,
)

_SMALLEST: Final = 512
"""Bytes of a database. SQLite takes a smaller file for an empty one."""
READ_WAIT: Final = 5.0
"""Seconds that a reader waits; it only ever waits for a writer to change the journal's mode."""

_ADVICE: Final = MappingProxyType(
    {
        sqlite3.SQLITE_FULL: "the disk is full: make room and try again; what was indexed before stands",
        sqlite3.SQLITE_IOERR: "the disk failed, or a quota is used up: what was indexed before stands",
        sqlite3.SQLITE_READONLY: "it is read-only: choose a file and folder that you may write to",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened: check its folder and your rights to it",
        sqlite3.SQLITE_NOTADB: "it is not an SQLite database: name another file",
        sqlite3.SQLITE_CORRUPT: "it is damaged: delete it and build it again",
        sqlite3.SQLITE_BUSY: "another process is writing to it: try again when that has ended",
        sqlite3.SQLITE_LOCKED: "another connection is writing to it: try again when that has ended",
    }
)

_DAMAGE: Final = (ValueError, TypeError, LookupError, ArithmeticError, zlib.error, struct.error)
"""What rows with wrong bytes end in, between SQLite and the models (UnicodeDecodeError is a ValueError)."""


@contextmanager
def sqlite_errors(name: str) -> Iterator[None]:
    """Turn SQLite's errors into :class:`IndexUnusableError` with advice.

    Parameters
    ----------
    name : str
        The index, as the message shall call it.
    """
    try:
        yield
    except sqlite3.Error as error:
        # Extended codes carry the plain one in their lowest byte; misuse (a closed index) has no code.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        advice = _ADVICE.get(code, "SQLite refused")
        raise IndexUnusableError(f"local index {name} cannot be used: {advice} ({error})") from error


@contextmanager
def damage_errors(name: str) -> Iterator[None]:
    """Turn what comes of reading damaged rows into :class:`IndexUnusableError`.

    For blocks that only read an index: there, a value of the wrong type or form can have no other cause
    than that the file is not as it was written.
    """
    try:
        yield
    except IndexUnusableError:
        raise
    except _DAMAGE as error:
        raise IndexUnusableError(
            f"local index {name} cannot be used: {_ADVICE[sqlite3.SQLITE_CORRUPT]} ({type(error).__name__})"
        ) from error


def open_for_reading(index: Path) -> sqlite3.Connection:
    """Return a connection that cannot write, checked to be a local index of this schema.

    Raises
    ------
    IndexUnusableError
        There is no such file, or it is not a local index of this schema.
    """
    if not index.exists():
        raise IndexUnusableError(f"there is no local index {index}: build it first, or correct the path")
    if not index.is_file() or not index.stat().st_size:
        raise IndexUnusableError(f"{index} is not a local index, it is a folder or empty: build it first")
    if index.stat().st_size < _SMALLEST:
        raise _not_a_database(index)
    with sqlite_errors(str(index)), damage_errors(str(index)):
        try:
            return _checked(_connect(index, "mode=ro", READ_WAIT), index)
        except sqlite3.OperationalError as error:
            helpless = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if not helpless or _log_holds_data(index):
                raise
            # In write-ahead mode and where nobody can write, not even SQLite its helper files.
            return _checked(_connect(index, "mode=ro&immutable=1", READ_WAIT), index)


@contextmanager
def open_to_verify(index: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to an index that may be damaged: only that it is one of this schema is checked.

    Raises
    ------
    IndexUnusableError
        There is no such file, or it is not a local index of this schema.
    """
    if not index.is_file():
        raise IndexUnusableError(f"there is no local index {index}: build it first, or correct the path")
    with sqlite_errors(str(index)), closing(_connect(index, "mode=ro", READ_WAIT)) as connection:
        with damage_errors(str(index)):
            check_is_index(connection, str(index))
            check_schema(connection, str(index))
        yield connection


@contextmanager
def open_for_writing(index: Path, *, wait: float, clock: Clock = utc_now) -> Iterator[sqlite3.Connection]:
    """Yield a connection to ``index``, made or migrated as needed, and close it.

    Writes go to a write-ahead log, so that readers see the old state until a transaction ends. At
    the end the log is folded back where no reader is in the way: the index at rest is one file,
    which can be copied and read from a read-only folder.

    Parameters
    ----------
    wait : float
        Seconds to wait for another writer.

    Raises
    ------
    IndexUnusableError
        It cannot be written, is damaged or something else, is of a newer schema, or stays locked.
    """
    try:
        index.parent.mkdir(parents=True, exist_ok=True)
        # SQLite makes 0644; like any other output, the index is as open as the user's umask says.
        os.close(os.open(index, os.O_RDWR | os.O_CREAT, 0o666))
        is_foreign = not may_be_sqlite(index)
    except OSError as error:
        raise IndexUnusableError(f"local index {index} cannot be written: {error.strerror}") from error
    if is_foreign:
        raise _not_a_database(index)
    with sqlite_errors(str(index)), closing(_connect(index, "mode=rw", wait)) as connection:
        with damage_errors(str(index)):
            if not is_empty(connection):
                check_is_index(connection, str(index))
                check_is_whole(connection, str(index))
        connection.execute("PRAGMA journal_mode = WAL")
        # Safe from a crash of the process; a power cut may cost the last file, which is then indexed again.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -8192")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection, clock=clock)
        check_schema(connection, str(index))
        yield connection
        _fold_log(connection)


def _not_a_database(index: Path) -> IndexUnusableError:
    return IndexUnusableError(
        f"local index {index} cannot be used: {_ADVICE[sqlite3.SQLITE_NOTADB]}; it was left as it is"
    )


def _connect(index: Path, mode: str, wait: float) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{index.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
    )


def _checked(connection: sqlite3.Connection, index: Path) -> sqlite3.Connection:
    with ExitStack() as failing:
        failing.callback(connection.close)
        check_is_index(connection, str(index))
        check_schema(connection, str(index))
        check_is_plausible(connection, str(index))
        failing.pop_all()
    return connection


def _log_holds_data(index: Path) -> bool:
    log = index.with_name(f"{index.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _fold_log(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):  # readers hold it open; it stays in write-ahead mode
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()
