"""A cache of replies looked at from outside: what it holds, and how it is emptied.

Nothing here makes a cache or changes a file that is none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from metarag.errors import InputError

_BUSY_SECONDS = 5.0
_COLUMNS = frozenset({"key", "reply", "model", "stored_at"})
_BY_PROMPT = (
    "SELECT model, prompt, count(*), sum(length(CAST(reply AS BLOB))), min(stored_at), max(stored_at)"
    " FROM replies GROUP BY model, prompt ORDER BY model, prompt"
)
_BY_MODEL = (
    "SELECT model, NULL, count(*), sum(length(CAST(reply AS BLOB))), min(stored_at), max(stored_at)"
    " FROM replies GROUP BY model ORDER BY model"
)
"""Of a file of an earlier version, which is read as it is."""


@dataclass(frozen=True, slots=True)
class CachedGroup:
    """Replies of one model to one prompt.

    Attributes
    ----------
    model, prompt : str or None
        The name the model was asked for by, and ``id@version#digest``; ``None`` was not stored.
    entries, bytes : int
        Replies, and bytes of their text.
    first, last : datetime
        When the oldest and the newest was stored, in UTC.
    """

    model: str | None
    prompt: str | None
    entries: int
    bytes: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class CacheContents:
    """What a cache holds; how often a reply was used is not stored.

    Attributes
    ----------
    file_bytes : int
        Of the file with its write-ahead log.
    groups : tuple of CachedGroup
        By model and prompt, in the order of their names.
    """

    file_bytes: int
    groups: tuple[CachedGroup, ...]

    @property
    def entries(self) -> int:
        """Replies in all."""
        return sum(group.entries for group in self.groups)


def cache_contents(path: Path) -> CacheContents:
    """Return what a cache holds.

    Raises
    ------
    InputError
        There is no such file, it is no cache of replies, or it cannot be read.
    """
    with _opened(path) as connection:
        rows = connection.execute(_BY_PROMPT if "prompt" in _columns(connection) else _BY_MODEL).fetchall()
        size = _size(path)
    return CacheContents(
        size,
        tuple(
            CachedGroup(model, prompt, entries, length, _time(first), _time(last))
            for model, prompt, entries, length, first, last in rows
        ),
    )


def clear_cache(path: Path) -> int:
    """Delete all replies of a cache, give the space back, and return how many there were.

    Raises
    ------
    InputError
        As :func:`cache_contents`, or the file cannot be written.
    """
    with _opened(path) as connection:
        count = connection.execute("DELETE FROM replies").rowcount
        connection.execute("VACUUM")
    return int(count)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; name the file that --model-cache was given")
    try:
        # mode=rw never makes a file, and reads one that cannot be written.
        address = f"{path.resolve().as_uri()}?mode=rw"
        connection = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
        with closing(connection):
            if not _columns(connection) >= _COLUMNS:
                raise InputError(f"{path} is no cache of a model's replies; nothing in it was changed")
            yield connection
    except sqlite3.OperationalError as error:
        raise InputError(
            f"{path} cannot be used ({error}); end what else uses it, or see to its rights"
        ) from error
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path} is no cache of a model's replies ({error}); nothing was changed") from error


def _columns(connection: sqlite3.Connection) -> set[str]:
    return {str(row[1]) for row in connection.execute("PRAGMA table_info(replies)")}


def _size(path: Path) -> int:
    log = path.with_name(f"{path.name}-wal")
    return path.stat().st_size + (log.stat().st_size if log.is_file() else 0)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
