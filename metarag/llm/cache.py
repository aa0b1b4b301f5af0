"""Replies on disk, found by what was asked: a second run makes no call, and a killed one goes on.

The cache is a convenience. When it cannot be read or written, calls are made as if there were none,
and one warning says why.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import Field, ValidationError

from metarag.cache_file import open_cache
from metarag.llm.base import ChatModel, ChatReply, ChatRequest
from metarag.llm.pool import WrapsModel
from metarag.llm.streaming import OnText, stream_chat
from metarag.per_process import PerProcess
from metarag.records import Frozen

KEY_VERSION = 1
"""Raised whenever the same request would be answered differently by new code."""
APPLICATION_ID = 0x6D726772
"""``mrgr``, in the file's header: no other database is taken for a cache and written to."""
_STRIKES = 3
"""Failures in a row after which the cache is left alone: a full disk does not get better by the call."""
_BUSY_SECONDS = 5.0
_PUT = "INSERT OR REPLACE INTO replies (key, reply, model, stored_at, prompt) VALUES (?, ?, ?, ?, ?)"

logger = logging.getLogger(__name__)


def request_key(request: ChatRequest) -> str:
    """Return the SHA-256 over all of a request that can change its answer, as 64 hex digits."""
    # The schema once more as text: the order of its properties is the order of the reply's.
    schema = request.reply_schema.text if request.reply_schema else None
    # Where it asks for none, a request has the key it had before there were log-probabilities.
    unused = None if request.top_logprobs else {"top_logprobs"}
    asked = request.model_dump(mode="json", exclude=unused)
    return _digest({"version": KEY_VERSION, "request": asked, "schema": schema})


def cache_key(request: ChatRequest, *, model: str, endpoint: str) -> str:
    """Return the key of a request to one model at one endpoint; no API key is part of it."""
    return _digest({"request": request_key(request), "model": model, "endpoint": endpoint})


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class CacheStats(Frozen):
    """What is in a cache, and what it was good for in this process.

    Attributes
    ----------
    entries, bytes : int or None
        ``None`` when the cache cannot be read.
    hits, misses, stored : int
        Of this process.
    trouble : str or None
        Why the cache is not, or not fully, in use.
    """

    path: str
    entries: int | None = None
    bytes: int | None = None
    hits: int = Field(default=0, ge=0)
    misses: int = Field(default=0, ge=0)
    stored: int = Field(default=0, ge=0)
    trouble: str | None = None


@dataclass(slots=True)
class _Opened:
    """The open file of a process, the lock of its threads, and what they found."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    connection: sqlite3.Connection | None = None
    strikes: int = 0
    trouble: str | None = None
    hits: int = 0
    misses: int = 0
    stored: int = 0


class ReplyCache:
    """Replies in one SQLite file, safe for threads, for forks and for other processes.

    Parameters
    ----------
    path : Path or str
        Made when first needed, with its folder. Holds replies, not questions; a reply can quote an
        article. Never holds an API key.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._opened = PerProcess(_Opened)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, key: str) -> ChatReply | None:
        """Return the reply, marked as cached; ``None`` when there is none or it cannot be read."""
        opened = self._opened.own
        with opened.lock:
            rows = self._run(opened, "SELECT reply FROM replies WHERE key = ?", (key,))
            reply = _stored_reply(rows[0][0]) if rows else None
            if reply is None:
                opened.misses += 1
            else:
                opened.hits += 1
        return reply

    def put(self, key: str, reply: ChatReply, *, prompt: str | None = None) -> None:
        """Keep a reply; a failed one is not kept, because the next run may have better luck.

        Parameters
        ----------
        prompt : str or None
            ``id@version#digest`` of the prompt behind it, to count replies by.
        """
        if reply.failed:
            return
        row = (key, reply.model_dump_json(), reply.model_asked, time.time(), prompt)
        opened = self._opened.own
        with opened.lock:
            if self._run(opened, _PUT, row) is not None:
                opened.stored += 1

    def clear(self) -> int:
        """Delete all replies and return how many there were."""
        opened = self._opened.own
        with opened.lock:
            rows = self._run(opened, "SELECT count(*) FROM replies")
            self._run(opened, "DELETE FROM replies")
            self._run(opened, "VACUUM")
        return int(rows[0][0]) if rows else 0

    def stats(self) -> CacheStats:
        """Return what is stored, and the hits and misses of this process."""
        opened = self._opened.own
        with opened.lock:
            rows = self._run(opened, "SELECT count(*), coalesce(sum(length(reply)), 0) FROM replies")
            entries, size = rows[0] if rows else (None, None)
            return CacheStats(
                path=str(self._path),
                entries=entries,
                bytes=size,
                hits=opened.hits,
                misses=opened.misses,
                stored=opened.stored,
                trouble=opened.trouble,
            )

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        opened = self._opened.own
        with opened.lock:
            if opened.connection is not None:
                opened.connection.close()
                opened.connection = None

    # Any: the types of SQLite's columns are those of the statement.
    def _run(
        self, opened: _Opened, statement: str, values: tuple[object, ...] = ()
    ) -> list[tuple[Any, ...]] | None:
        """Run a statement and return its rows; ``None`` when the cache is out of use."""
        if opened.strikes >= _STRIKES:
            return None
        try:
            opened.connection = connection = opened.connection or self._open()
            rows: list[tuple[Any, ...]] = connection.execute(statement, values).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._strike(opened, error)
            return None
        opened.strikes = 0
        return rows

    def _open(self) -> sqlite3.Connection:
        return open_cache(
            self._path, _prepare, application=APPLICATION_ID, wait=_BUSY_SECONDS, unmarked={"replies"}
        )

    def _strike(self, opened: _Opened, error: Exception) -> None:
        """Note a failure; a file that is no cache is given up on at once."""
        broken = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        opened.strikes = _STRIKES if broken else opened.strikes + 1
        if opened.trouble is None:
            opened.trouble = f"{type(error).__name__}: {error}"
            advice = "name another file" if broken else "check that it can be written"
            logger.warning("the reply cache %s is not in use (%s); %s", self._path, opened.trouble, advice)


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the table in a new file."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL,"
        " model TEXT, stored_at REAL NOT NULL, prompt TEXT) WITHOUT ROWID"
    )
    _add_prompt_column(connection)
    # Only once: even the same mark again would wait for whoever writes.
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _add_prompt_column(connection: sqlite3.Connection) -> None:
    """Bring a file of an earlier version up to date; a second process waits and then finds it done."""
    if "prompt" in _columns(connection):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if "prompt" not in _columns(connection):
            connection.execute("ALTER TABLE replies ADD COLUMN prompt TEXT")
        connection.execute("COMMIT")
    except sqlite3.Error:
        connection.execute("ROLLBACK")
        raise


def _columns(connection: sqlite3.Connection) -> set[str]:
    return {str(row[1]) for row in connection.execute("PRAGMA table_info(replies)")}


def _stored_reply(text: object) -> ChatReply | None:
    """Return a stored reply; one that another version wrote in another shape counts as missing."""
    try:
        reply = ChatReply.model_validate_json(str(text))
    except ValidationError:
        return None
    return None if reply.failed else reply.model_copy(update={"cached": True})


@dataclass(slots=True)
class _Turns:
    """Which requests the threads of a process are at."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    in_flight: dict[str, threading.Event] = field(default_factory=dict)

    def mine(self, key: str) -> threading.Event:
        """Wait while another thread is at the same request; return the event that ends this turn."""
        while True:
            with self.lock:
                other = self.in_flight.get(key)
                if other is None:
                    self.in_flight[key] = mine = threading.Event()
                    return mine
            other.wait()


class CachedModel(WrapsModel):
    """A model that asks the cache first.

    Parameters
    ----------
    inner : ChatModel
        Asked on a miss.
    cache : ReplyCache
        Replies are kept as they come, so that a killed run loses only what was in flight.

    Notes
    -----
    Two threads with the same request make one call: the second waits for the first.
    """

    def __init__(self, inner: ChatModel, cache: ReplyCache) -> None:
        super().__init__(inner)
        self.cache = cache
        self._turns = PerProcess(_Turns)

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the cached reply, or the inner model's."""
        return self._answer(request, self.inner.chat)

    def stream_chat(self, request: ChatRequest, on_text: OnText) -> ChatReply:
        """Return the cached reply, or the inner model's, whose text is given as it comes."""
        return self._answer(request, lambda asked: stream_chat(self.inner, asked, on_text))

    def _answer(self, request: ChatRequest, ask: Callable[[ChatRequest], ChatReply]) -> ChatReply:
        key = cache_key(request, model=self.model, endpoint=self.endpoint)
        turns = self._turns.own
        done = turns.mine(key)
        try:
            reply = self.cache.get(key)
            if reply is None:
                reply = ask(request)
                self.cache.put(key, reply, prompt=request.prompt)
        finally:
            with turns.lock:
                del turns.in_flight[key]
            done.set()
        return reply
