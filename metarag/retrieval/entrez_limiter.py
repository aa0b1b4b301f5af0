"""How often PubMed may be asked: one limit for each host and key, whatever the number of threads."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from metarag.errors import PubMedRateLimitError, PubMedTimeoutError
from metarag.per_process import PerProcess

PER_SECOND: Final = 3
"""Requests a second without a key (NCBI, "A General Introduction to the E-utilities", NBK25497)."""
PER_SECOND_WITH_KEY: Final = 10
WINDOW: Final = 1.0
"""Seconds."""
_SHORTEST_SLEEP: Final = 0.001
_LONGEST_WAIT_FOR_AN_ANSWER: Final = 0.5

_MAKING = threading.Lock()


class Deadline:
    """The end of a call, on a clock that does not jump.

    Parameters
    ----------
    seconds : float
        From now.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._ends = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds to the end; negative when it has passed."""
        return self._ends - self._clock()


@dataclass(slots=True)
class _Traffic:
    """What a process has sent lately, and what is still on its way."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    ended: deque[float] = field(default_factory=deque)
    in_flight: int = 0
    paused_until: float = -float("inf")


class RateLimiter:
    """Lets ``per_second`` requests through in any second, retries too, for all threads that share it.

    A request counts from before it is sent until one second after its answer began. It reaches the server
    somewhere in between, so the limit holds there as well, however threads are scheduled and however long
    the way is. It also means that no more than ``per_second`` requests are in flight.

    Parameters
    ----------
    per_second : int
        At least 1.
    clock, sleep : callable
        Seconds; given for tests.

    Notes
    -----
    Other processes at the same address are not known of, forked ones neither: NCBI counts them too.
    """

    def __init__(
        self,
        per_second: int = PER_SECOND,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if per_second < 1:
            raise ValueError(f"per_second must be 1 or more, got {per_second}")
        self.per_second = per_second
        self._clock = clock
        self._sleep = sleep
        # Requests of the process that this one was forked from never end here.
        self._traffic = PerProcess(_Traffic)

    @contextmanager
    def slot(self, deadline: Deadline) -> Iterator[None]:
        """Wait for the turn of one request, which is made inside the block.

        Raises
        ------
        PubMedRateLimitError
            PubMed asked for a pause that is longer than the deadline.
        PubMedTimeoutError
            The turn would come after the deadline.
        """
        traffic = self._traffic.own
        self._enter(traffic, deadline)
        try:
            yield
        finally:
            with traffic.changed:
                traffic.in_flight -= 1
                traffic.ended.append(self._clock())
                traffic.changed.notify()

    def pause(self, seconds: float) -> None:
        """Let nobody send for so long; what is in flight ends as it does."""
        traffic = self._traffic.own
        with traffic.changed:
            traffic.paused_until = max(traffic.paused_until, self._clock() + seconds)

    def _enter(self, traffic: _Traffic, deadline: Deadline) -> None:
        while True:
            with traffic.changed:
                now = self._clock()
                pause = traffic.paused_until - now
                wait = max(pause, self._wait_for_window(traffic, now))
                if wait <= 0 and traffic.in_flight + len(traffic.ended) < self.per_second:
                    traffic.in_flight += 1
                    return
                left = deadline.left
                if wait <= 0 < left:
                    # All are in flight: an answer frees the first, and nobody knows when.
                    traffic.changed.wait(min(left, _LONGEST_WAIT_FOR_AN_ANSWER))
                    continue
            if wait >= left:
                raise _too_late(deadline, paused=pause > 0, wait=wait)
            self._sleep(max(wait, _SHORTEST_SLEEP))

    def _wait_for_window(self, traffic: _Traffic, now: float) -> float:
        """Return the seconds until an answered request is a whole window ago; 0 when that cannot help."""
        ended = traffic.ended
        while ended and ended[0] + WINDOW <= now:
            ended.popleft()
        is_full = traffic.in_flight + len(ended) >= self.per_second
        return ended[0] + WINDOW - now if is_full and ended else 0.0


def shared_limiter(host: str, key: str | None) -> RateLimiter:
    """Return the limiter of a host and key: the same one for every client of this process.

    NCBI counts requests by address and by key, not by client, so two clients must not have two limits.
    """
    digest = hashlib.sha256(key.encode()).digest() if key else b""
    # lru_cache alone may make two when two threads ask for the first at the same time.
    with _MAKING:
        return _limiter(host, digest)


@lru_cache(maxsize=64)
def _limiter(host: str, digest: bytes) -> RateLimiter:
    return RateLimiter(PER_SECOND_WITH_KEY if digest else PER_SECOND)


def _too_late(deadline: Deadline, *, paused: bool, wait: float) -> PubMedRateLimitError | PubMedTimeoutError:
    if paused:
        return PubMedRateLimitError(
            f"PubMed asks to wait {wait:.0f} s more, and the deadline of {deadline.seconds:g} s does not allow it;"
            " try again later, or with an API key",
            retry_after=wait,
        )
    return PubMedTimeoutError(
        f"no request to PubMed could be sent within {deadline.seconds:g} s, because others were waiting too;"
        " ask for less at a time, or allow a longer deadline"
    )
