"""Sends a request until it is answered: at the allowed pace, with growing waits, up to a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote_plus, urlencode

from metarag.errors import (
    ConfigurationError,
    NetworkDisabledError,
    PubMedTimeoutError,
)
from metarag.llm.retry import full_jitter
from metarag.retrieval.entrez_faults import Fault, Trouble, Utility, fault_of
from metarag.retrieval.entrez_http import Fields, HttpAnswer, HttpClient
from metarag.retrieval.entrez_limiter import Deadline, RateLimiter

MAX_ADDRESS: Final = 1000
"""Characters of parameters that still go into the address; servers answer 414 to long ones."""
_KEY_NOT_SHOWN: Final = b"[key]"
_SHORT_KEY: Final = 8
_TRIES_WITHOUT_A_NETWORK: Final = 2
"""Where nothing was ever reached: a network that is not there does not come within seconds."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient a call is. Times in seconds.

    Parameters
    ----------
    max_tries : int
        Requests a call may lose to passing failures, the first included; at least 1.
    deadline : float
        From the start of a call to its end, with all waits.
    base, cap : float
        The n-th wait is drawn from the upper half of [0, min(cap, base * 2**(n - 1))]; longer when PubMed
        asks for it.
    """

    max_tries: int = 5
    deadline: float = 120.0
    base: float = 0.5
    cap: float = 30.0

    def __post_init__(self) -> None:
        if self.max_tries < 1:
            raise ConfigurationError(f"max_tries must be 1 or more, got {self.max_tries}")
        if not 0 < self.deadline < float("inf"):
            raise ConfigurationError(f"deadline must be a number of seconds above 0, got {self.deadline}")

    def wait(self, attempt: int, jitter: Callable[[float], float]) -> float:
        """Return the wait after the ``attempt``-th failure (from 1)."""
        upper = min(self.cap, self.base * 2 ** min(attempt - 1, 30))
        return float(upper / 2 + jitter(upper / 2))


class Sender:
    """Adds who asks, keeps the pace, and tries again where that can help.

    What says who asks (key, address of the user) travels in the body of the request, never in an address,
    which logs, proxies and exceptions keep.

    Parameters
    ----------
    identity : mapping
        ``tool``, and ``email`` and ``api_key`` where they are known.
    offline : bool
        True refuses every request before a socket is opened.
    """

    def __init__(
        self,
        http: HttpClient,
        *,
        identity: Mapping[str, str],
        limiter: RateLimiter,
        policy: RetryPolicy,
        offline: bool = False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[float], float] = full_jitter,
    ) -> None:
        self.http = http
        self.limiter = limiter
        self.policy = policy
        self.offline = offline
        self._identity = dict(identity)
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._was_reached = False

    def __repr__(self) -> str:
        return f"Sender({self.http.base_url!r}, per_second={self.limiter.per_second}, offline={self.offline})"

    def send(self, utility: Utility, fields: Fields) -> bytes:
        """Return the body of a whole answer that is what was asked for.

        Raises
        ------
        NetworkDisabledError
            The network is switched off.
        PubMedUnavailableError
            There was no answer within the tries and the deadline, or an error instead.
        PubMedRejectedError
            PubMed refuses for good.
        PubMedRecordError
            The answer is something else, or larger than allowed.
        """
        if self.offline:
            raise NetworkDisabledError(
                f"the network is switched off, so PubMed ({self.http.host}) was not asked"
            )
        deadline = Deadline(self.policy.deadline, self._clock)
        tries = 0
        while True:
            tries += 1
            answer = self._once(utility, fields, deadline)
            self._was_reached |= not answer.unreachable
            fault = fault_of(answer, utility, host=self.http.host, max_bytes=self.http.max_bytes)
            if fault is None:
                return answer.body
            self._wait_after(fault, tries, deadline)

    def _once(self, utility: Utility, fields: Fields, deadline: Deadline) -> HttpAnswer:
        parameters = [*fields, *self._identity.items()]
        known = self._identity.keys() & {"email", "api_key"}
        names = {name for name, _ in fields}
        post = bool(known) or "id" in names or len(urlencode(parameters)) > MAX_ADDRESS
        with self.limiter.slot(deadline):
            left = deadline.left
            if left <= 0:
                raise PubMedTimeoutError(f"PubMed was not asked within {deadline.seconds:g} s")
            answer = self.http.exchange(utility.path, parameters, post=post, seconds=left)
        return self._scrubbed(answer)

    def _wait_after(self, fault: Fault, tries: int, deadline: Deadline) -> None:
        """Wait until the next try; raise where there is none."""
        lost = fault.trouble is Trouble.UNREACHABLE and not self._was_reached
        most = min(self.policy.max_tries, _TRIES_WITHOUT_A_NETWORK) if lost else self.policy.max_tries
        if not fault.is_transient or tries >= most:
            raise fault.error(tries)
        wait = max(fault.wait or 0.0, self.policy.wait(tries, self._jitter))
        if wait >= deadline.left:
            raise fault.error(tries)
        if fault.trouble is Trouble.RATE_LIMITED:
            # The limiter keeps all threads waiting, this one too.
            self.limiter.pause(wait)
        else:
            self._sleep(wait)

    def _scrubbed(self, answer: HttpAnswer) -> HttpAnswer:
        """Take the key out of an answer that repeats it, before anything is made of the answer."""
        key = self._identity.get("api_key", "")
        if len(key) < _SHORT_KEY:
            return answer
        body, problem = answer.body, answer.problem
        for form in (key, quote_plus(key)):
            body = body.replace(form.encode(), _KEY_NOT_SHOWN)
            problem = problem.replace(form, _KEY_NOT_SHOWN.decode())
        return replace(answer, body=body, problem=problem)


def identity_of(*, tool: str, email: str | None, api_key: str | None) -> dict[str, str]:
    """Return the parameters that say who asks.

    Raises
    ------
    ConfigurationError
        One of them cannot be sent. The message never holds the key.
    """
    if not tool or not _is_token(tool):
        raise ConfigurationError(f"tool must be a word without spaces, as NCBI asks for, got {tool!r}")
    identity = {"tool": tool}
    if email:
        address = email.strip()
        if not _is_token(address) or "@" not in address:
            raise ConfigurationError("email must be one address, such as name@example.org")
        identity["email"] = address
    key = (api_key or "").strip()
    if not _is_token(key):
        raise ConfigurationError(
            "the API key holds a space, a line break or a character outside ASCII; copy it again"
        )
    return identity | ({"api_key": key} if key else {})


def _is_token(characters: Iterable[str]) -> bool:
    return all(33 <= ord(c) <= 126 for c in characters)
