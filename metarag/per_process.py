"""What a process has to make for itself, because a fork copies it in whatever state it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerProcess(Generic[T]):
    """One thing a process: made when first asked for, and made anew in a process that was forked.

    A connection that two processes share gives one of them the other's answers, and a lock that a thread held
    when the process was forked is never let go. What was copied is left alone: closing it would be felt in the
    process that it belongs to.

    Parameters
    ----------
    make : callable
        Makes the thing.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[int, T] = {}

    @property
    def own(self) -> T:
        """The thing of this process; the same one for all of its threads."""
        process = os.getpid()
        made = self._made.get(process)
        # Threads that come here together all get what setdefault, which is one step, took from the first.
        return self._made.setdefault(process, self._make()) if made is None else made
