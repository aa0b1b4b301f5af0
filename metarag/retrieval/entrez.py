"""A client of NCBI's E-utilities for PubMed that loses nothing and hides nothing.

>>> client = EntrezClient(email="name@example.org")  # doctest: +SKIP
>>> client.search("colchicine[ti] AND gout[mh]").ids  # doctest: +SKIP
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from metarag.errors import ConfigurationError
from metarag.retrieval.corpus_schema import utc_now
from metarag.retrieval.entrez_answers import History, LinkKind
from metarag.retrieval.entrez_dates import DateLimits
from metarag.retrieval.entrez_fetch import BATCH, BatchedFetch, FetchResult
from metarag.retrieval.entrez_http import MAX_ANSWER_BYTES, NCBI_URL, HttpClient
from metarag.retrieval.entrez_limiter import (
    PER_SECOND,
    PER_SECOND_WITH_KEY,
    RateLimiter,
    shared_limiter,
)
from metarag.retrieval.entrez_search import (
    MAX_REACHABLE,
    SearchProgress,
    SearchResult,
    Sort,
    search_once,
)
from metarag.retrieval.entrez_send import RetryPolicy, Sender, identity_of
from metarag.retrieval.entrez_slices import SlicedSearch
from metarag.retrieval.entrez_utilities import Utilities, checked_query

if TYPE_CHECKING:
    import httpx

    from metarag.records import Article
    from metarag.retrieval.pmids import Id

__all__ = [
    "DateLimits",
    "EntrezClient",
    "FetchResult",
    "History",
    "LinkKind",
    "RateLimiter",
    "SearchResult",
    "Sort",
]


class EntrezClient(Utilities):
    """Searches PubMed and fetches its records. Close it, or use it in a ``with`` block; threads may share it.

    Parameters
    ----------
    base_url : str
        Where the E-utilities are; no other host is called, and redirects are not followed.
    tool : str
        Name of the program that asks, without spaces.
    email : str or None
        Of who is answerable for that program; NCBI writes there before it blocks an address.
    api_key : str or None
        Allows 10 requests a second instead of 3. Never read from the environment, never in an address, a
        message, a log, a ``repr`` or a cache.
    timeout : float
        Seconds for connecting (10 at most), and for the server to say anything at all.
    max_tries : int
        Requests a call may lose to passing failures.
    transport : httpx.BaseTransport or None
        Instead of the network.
    clock, sleep : callable
        Seconds that do not jump, and a wait; given for tests.
    deadline : float
        Seconds from the start to the end of a call, with all waits and tries. A search beyond 9,999 hits and
        a fetch of more than a batch are several calls.
    limiter : RateLimiter or None
        ``None`` takes the one that all clients of this process share for the host and key.
    offline : bool
        True opens no socket: every request raises :class:`~metarag.errors.NetworkDisabledError`.
    max_bytes : int
        Longest answer, unpacked.
    now : callable
        The time in UTC that results show.

    Raises
    ------
    ConfigurationError
        A setting is unusable, or the key would travel unencrypted.
    """

    def __init__(
        self,
        base_url: str = NCBI_URL,
        *,
        tool: str = "metarag",
        email: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        max_tries: int = 5,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        deadline: float = 120.0,
        limiter: RateLimiter | None = None,
        offline: bool = False,
        max_bytes: int = MAX_ANSWER_BYTES,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        if not 0 < timeout < float("inf"):
            raise ConfigurationError(f"timeout must be a number of seconds above 0, got {timeout}")
        identity = identity_of(tool=tool, email=email, api_key=api_key)
        http = HttpClient(base_url, timeout=timeout, max_bytes=max_bytes, transport=transport)
        if "api_key" in identity and not http.is_secret:
            raise ConfigurationError(f"the API key would travel unencrypted to {http.host}; use https")
        if limiter is None and (clock is not time.monotonic or sleep is not time.sleep):
            per_second = PER_SECOND_WITH_KEY if "api_key" in identity else PER_SECOND
            limiter = RateLimiter(per_second, clock=clock, sleep=sleep)
        sender = Sender(
            http,
            identity=identity,
            limiter=limiter or shared_limiter(http.server, identity.get("api_key")),
            policy=RetryPolicy(max_tries=max_tries, deadline=deadline),
            offline=offline,
            clock=clock,
            sleep=sleep,
        )
        super().__init__(sender)
        self._now = now

    def __repr__(self) -> str:
        return f"EntrezClient({self.base_url!r}, offline={self.offline})"

    @property
    def base_url(self) -> str:
        """Where the E-utilities are."""
        return self._sender.http.base_url

    @property
    def offline(self) -> bool:
        """True when the network is switched off."""
        return self._sender.offline

    def close(self) -> None:
        """Close the connections; they are opened again when needed."""
        self._sender.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def search(
        self,
        query: str,
        *,
        limit: int = 20,
        start: int = 0,
        sort: Sort | str = Sort.RELEVANCE,
        dates: DateLimits | None = None,
    ) -> SearchResult:
        """Return the hits ``start`` to ``start + limit``, of which PubMed gives out the first 9,999.

        Raises
        ------
        ConfigurationError
            The query is empty, the sort is unknown, or ``start`` is beyond 9,998.
        RetrievalError
            PubMed did not answer, or refused.
        """
        if limit < 1 or not 0 <= start < MAX_REACHABLE:
            raise ConfigurationError(
                f"a search needs limit of 1 or more and start of 0 to {MAX_REACHABLE - 1:,}, got {limit} and {start}"
            )
        return search_once(
            self._page,
            checked_query(query),
            start=start,
            limit=limit,
            sort=Sort.of(sort),
            dates=dates,
            now=self._now,
        )

    def search_all(
        self,
        query: str,
        *,
        sort: Sort | str = Sort.RELEVANCE,
        dates: DateLimits | None = None,
        state_file: Path | str | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> SearchResult:
        """Return every hit once, however many there are, and say if one is missing.

        Parameters
        ----------
        state_file : Path, str or None
            Where to keep what was found so far. If the search is killed, the next one with the same file goes
            on there; the file is deleted when all is found.
        progress : callable or None
            Told after each part.

        Raises
        ------
        ConfigurationError
            The query is empty or the sort unknown.
        InputError
            The state file cannot be used, or is that of another search.
        RetrievalError
            PubMed did not answer, or refused.
        """
        return SlicedSearch(
            self._page,
            checked_query(query),
            source=self.base_url,
            sort=Sort.of(sort),
            dates=dates,
            now=self._now,
            state_file=Path(state_file) if state_file is not None else None,
            progress=progress,
        ).run()

    def fetch(
        self,
        ids: Iterable[Id] | Id,
        *,
        batch: int = BATCH,
        progress: Callable[[int, int], None] | None = None,
        arrived: Callable[[Sequence[Article]], None] | None = None,
    ) -> FetchResult:
        """Return the records of PMIDs in their order, and the reason for each that has none.

        Parameters
        ----------
        progress : callable or None
            Told after each batch how many ids are done, and of how many.
        arrived : callable or None
            Given the articles of each answer as they come.

        Raises
        ------
        ConfigurationError
            ``batch`` is smaller than 1.
        RetrievalError
            Nothing could be fetched at all.
        """
        return BatchedFetch(self.efetch, batch=batch, progress=progress, arrived=arrived).run(ids)
