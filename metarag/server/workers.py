"""A few threads that rank, and a queue with an end before them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from metarag.errors import RequestError

Result = TypeVar("Result")


class Workers:
    """Runs work in threads; more than may wait is refused at once instead of being kept waiting for ever.

    Parameters
    ----------
    size : int
        Threads, at least 1.
    max_waiting : int
        Pieces of work that may wait.
    """

    def __init__(self, size: int, max_waiting: int) -> None:
        self.size = size
        self.max_waiting = max_waiting
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="metarag")
        self._inside = 0

    @property
    def inside(self) -> int:
        """How many pieces of work are running or waiting."""
        return self._inside

    async def run(self, work: Callable[..., Result], /, *args: object, **kwargs: object) -> Result:
        """Return what ``work`` returns.

        Raises
        ------
        RequestError
            503: too many are waiting.
        """
        if self._inside >= self.size + self.max_waiting:
            raise RequestError(503, "the server is busy; try again in a moment")
        self._inside += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, partial(work, *args, **kwargs))
        finally:
            self._inside -= 1

    def close(self) -> None:
        """End when the running work has ended; what waits is let go."""
        self._pool.shutdown(wait=False, cancel_futures=True)
