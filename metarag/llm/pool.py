"""Threads for calls: a bounded number at a time, each with an end that is really kept.

The threads are daemons, so that neither Ctrl-C nor the end of the program waits for a silent server.
"""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, TypeVar

from metarag.errors import ModelError, ModelResponseError
from metarag.llm.base import ChatModel, ChatReply, ChatRequest, Failure, failed_reply

T = TypeVar("T")


@dataclass(slots=True)
class Caught(Generic[T]):
    """The result of work done in another thread, or what it raised.

    As a context manager it keeps whatever leaves its block: an exception that is not carried over to
    the thread that waits for it is lost.
    """

    value: T | None = None
    error: BaseException | None = None

    def __enter__(self) -> Caught[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return True


def run_within(work: Callable[[], T], seconds: float) -> Caught[T] | None:
    """Run ``work`` in a thread of its own; ``None`` when it takes longer than ``seconds``.

    A read timeout is no deadline: it starts again with each byte, so a server that sends one byte a
    second is never late. The thread that was waited for in vain ends with its connection.
    """
    caught: Caught[T] = Caught()
    done = threading.Event()

    def run() -> None:
        with caught:
            caught.value = work()
        done.set()

    threading.Thread(target=run, name="metarag-call", daemon=True).start()
    return caught if done.wait(max(0.0, seconds)) else None


def map_replies(
    chat: Callable[[ChatRequest], ChatReply],
    requests: Sequence[ChatRequest],
    *,
    workers: int,
    partial: bool = False,
) -> tuple[ChatReply, ...]:
    """Answer requests a few at a time; replies come in the order of the requests.

    Parameters
    ----------
    workers : int
        Requests in flight at most.
    partial : bool
        What to do when the run has to stop (wrong key, empty budget). False raises the error. True
        returns the replies received so far, and ``failed:stopped`` with the reason for the rest.

    Raises
    ------
    ModelError
        The run was stopped, and ``partial`` is false. Requests not yet sent are not sent.
    """
    board = _Board(chat, requests)
    for _ in range(min(workers, len(requests))):
        threading.Thread(target=board.work, name="metarag-map", daemon=True).start()
    try:
        return board.collect(min(workers, len(requests)), partial=partial)
    finally:
        board.stop.set()


class _Board:
    """The work of one map: what is to do, what is done, and the sign to stop."""

    def __init__(self, chat: Callable[[ChatRequest], ChatReply], requests: Sequence[ChatRequest]) -> None:
        self.stop = threading.Event()
        self._chat = chat
        self._requests = requests
        self._todo: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._finished: queue.SimpleQueue[tuple[int, Caught[ChatReply]] | None] = queue.SimpleQueue()
        for index in range(len(requests)):
            self._todo.put(index)

    def work(self) -> None:
        """Take requests until there are none or the sign is given; then say so with ``None``."""
        while not self.stop.is_set():
            try:
                index = self._todo.get_nowait()
            except queue.Empty:
                break
            caught: Caught[ChatReply] = Caught()
            with caught:
                caught.value = self._chat(self._requests[index])
            if caught.error is not None:
                self.stop.set()
            self._finished.put((index, caught))
        self._finished.put(None)

    def collect(self, workers: int, *, partial: bool) -> tuple[ChatReply, ...]:
        """Gather the replies in order; on a stop raise at once, or wait for what is paid for already."""
        replies: dict[int, ChatReply] = {}
        reason = ""
        while workers:
            message = self._finished.get()
            if message is None:
                workers -= 1
                continue
            index, caught = message
            if caught.value is not None:
                replies[index] = caught.value
            elif caught.error is not None:
                if not (partial and isinstance(caught.error, ModelError)):
                    raise caught.error
                reason = reason or str(caught.error)
        stopped = failed_reply(Failure.STOPPED, reason) if reason else None
        return tuple(replies.get(i) or _must(stopped) for i in range(len(self._requests)))


def _must(reply: ChatReply | None) -> ChatReply:
    """Return the reply of a request that has none of its own: only a stop leaves such requests."""
    if reply is None:
        raise ModelResponseError("a model's chat() returned nothing; it has to return a ChatReply")
    return reply


class MapsChat(ABC):
    """Gives a model with ``chat`` and ``concurrency`` its ``map_chat``."""

    @property
    @abstractmethod
    def concurrency(self) -> int:
        """Requests in flight at most."""

    @abstractmethod
    def chat(self, request: ChatRequest) -> ChatReply:
        """Answer one request."""

    def map_chat(self, requests: Sequence[ChatRequest], *, partial: bool = False) -> tuple[ChatReply, ...]:
        """Answer all requests, in their order; see :func:`map_replies`."""
        return map_replies(self.chat, requests, workers=self.concurrency, partial=partial)


class WrapsModel(MapsChat):
    """A model around another; to cache keys and audits it is the inner one.

    Parameters
    ----------
    inner : ChatModel
        The model that answers.
    """

    def __init__(self, inner: ChatModel) -> None:
        self.inner = inner

    @property
    def model(self) -> str:
        """The name the inner model is asked for by."""
        return self.inner.model

    @property
    def endpoint(self) -> str:
        """Where the inner model is."""
        return self.inner.endpoint

    @property
    def concurrency(self) -> int:
        """Requests in flight at most."""
        return self.inner.concurrency
