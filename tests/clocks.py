"""Clocks for tests: nobody waits, and what would have been waited is known."""

import threading
import time


class SkippingClock:
    """Real time, in which a sleep is over at once and time has passed all the same."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._lock = threading.Lock()

    def __call__(self) -> float:
        with self._lock:
            return time.monotonic() + sum(self.waits)

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.waits.append(seconds)


class VirtualClock:
    """Time that only passes when somebody sleeps."""

    def __init__(self) -> None:
        self._now = 0.0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        with self._lock:
            return self._now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self._now += seconds
