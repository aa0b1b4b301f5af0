"""When to send, when to send again, and when to stop sending.

One retry layer for all calls: the SDK's own is switched off, because two layers multiply waits and
the SDK lets all waiting calls come back at the same moment.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from secrets import SystemRandom

from metarag.errors import ModelUnavailableError


def full_jitter(upper: float) -> float:
    """Return a random wait in [0, ``upper``] seconds.

    From the system's generator: waits are never part of a result, and forked processes must not draw
    the same ones.

    References
    ----------
    M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    return SystemRandom().uniform(0.0, upper)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient a call is. All times in seconds.

    Parameters
    ----------
    deadline : float
        From the first request of a call to its end, whatever happens in between.
    attempts : int
        Requests a call may lose to transient failures (429, 5xx, broken connections), the first included.
    base, cap : float
        The n-th wait is drawn from [0, min(cap, base * 2**n)].
    spread : float
        Calls that were told to wait come back over this span after the wait, not at once.
    give_up_after : int
        Calls in a row that came to nothing, retries included, before the endpoint counts as gone.
    closed_for : float
        How long nothing is sent after the endpoint was found gone or refused for good. Calls are then
        let through again, so that a long-lived process recovers.
    """

    deadline: float = 120.0
    attempts: int = 5
    base: float = 1.0
    cap: float = 30.0
    spread: float = 1.0
    give_up_after: int = 5
    closed_for: float = 60.0

    def __post_init__(self) -> None:
        if not (
            math.isfinite(self.deadline)
            and self.deadline > 0
            and self.attempts >= 1
            and self.give_up_after >= 1
        ):
            raise ValueError(
                "a retry policy needs a finite deadline > 0, attempts >= 1 and give_up_after >= 1"
            )

    def longest_wait(self, attempt: int) -> float:
        """Return the upper bound of the wait after the ``attempt``-th failure (from 1), in seconds."""
        return float(min(self.cap, self.base * 2 ** min(attempt - 1, 30)))


class Deadline:
    """The end of a call, on a clock that does not jump.

    Parameters
    ----------
    seconds : float
        From now.
    """

    def __init__(self, seconds: float) -> None:
        self._started = time.monotonic()
        self._seconds = seconds

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    @property
    def left(self) -> float:
        """Seconds to the end; negative when it has passed."""
        return self._seconds - self.spent


def retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Return the seconds that a server asks to wait; ``None`` when it says nothing usable.

    Reads ``retry-after-ms``, and ``retry-after`` as seconds or as an HTTP date. A date is taken against
    the server's own ``date`` header where there is one, so that a wrong local clock does no harm.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    milliseconds = _seconds(lower.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = lower.get("retry-after")
    seconds = _seconds(text)
    if seconds is not None:
        return seconds
    until = _date(text)
    if until is None:
        return None
    reference = _date(lower.get("date")) or now or datetime.now(UTC)
    return max(0.0, (until - reference).total_seconds())


def _seconds(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


@dataclass(slots=True)
class Gate:
    """What all calls to one endpoint share: the pause after a 429, the pace, and whether it is open.

    Parameters
    ----------
    requests_per_minute, tokens_per_minute : float or None
        The account's limits; ``None`` sets none. Requests are spaced, and tokens used push the next
        request back.
    sleep, jitter : callable
        Take seconds; given for tests.
    """

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[float], float] = full_jitter
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _paused_until: float = 0.0
    _next_start: float = 0.0
    _closed_until: float = 0.0
    _closed_because: str = ""
    _in_vain: int = 0

    def __post_init__(self) -> None:
        for limit in (self.requests_per_minute, self.tokens_per_minute):
            if limit is not None and not limit > 0:
                raise ValueError(f"a limit per minute must be above 0, or None; got {limit}")

    def enter(self, deadline: Deadline) -> float | None:
        """Wait until a request may be sent.

        Returns
        -------
        float or None
            ``None``: send now. Otherwise the wait in seconds that the deadline does not allow.

        Raises
        ------
        ModelUnavailableError
            The endpoint is closed.
        """
        while True:
            with self._lock:
                now = time.monotonic()
                if now < self._closed_until:
                    raise ModelUnavailableError(self._closed_because)
                pause = self._paused_until - now
                wait = pause if pause > 0 else self._slot(now, deadline.left)
            if wait <= 0:
                return None
            if wait > deadline.left:
                return wait
            if pause > 0:
                # Waits of their own length, or all paused calls would arrive in the same moment.
                self.sleep(min(wait + self.jitter(self.policy.spread), max(wait, deadline.left)))
            else:
                self.sleep(wait)
                return None

    def _slot(self, now: float, left: float) -> float:
        """Take the next start that the pace allows, if the deadline does; return the wait until then."""
        start = max(now, self._next_start)
        if start - now <= left and self.requests_per_minute:
            self._next_start = start + 60.0 / self.requests_per_minute
        return start - now

    def pause(self, seconds: float) -> None:
        """Let nobody send for so long."""
        with self._lock:
            self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    def answered(self, tokens: int) -> None:
        """Note that the server did its work, and what that used of the tokens per minute."""
        with self._lock:
            self._in_vain = 0
            if self.tokens_per_minute:
                self._next_start = (
                    max(self._next_start, time.monotonic()) + tokens * 60.0 / self.tokens_per_minute
                )

    def in_vain(self, reason: str) -> None:
        """Note a call that came to nothing because of the server; too many in a row close the endpoint."""
        with self._lock:
            self._in_vain += 1
            gone = self._in_vain >= self.policy.give_up_after
        if gone:
            self.close(f"{self.policy.give_up_after} calls in a row came to nothing; the last one: {reason}")

    def close(self, reason: str) -> ModelUnavailableError:
        """Send nothing more for a while; return the error that says why."""
        with self._lock:
            self._closed_until = time.monotonic() + self.policy.closed_for
            self._closed_because = reason
        return ModelUnavailableError(reason)
