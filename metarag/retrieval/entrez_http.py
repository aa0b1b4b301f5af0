"""One HTTP exchange with the E-utilities: sent once, read whole, bounded in time and size."""

from __future__ import annotations

import ssl
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode, urlsplit

import httpx

from metarag._version import __version__
from metarag.errors import ConfigurationError
from metarag.llm.pool import run_within

NCBI_URL: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""Unpacked. 200 records have about 3 MB; a few with thousands of collaborators have 6 MB each."""
CONNECT_SECONDS: Final = 10.0
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

Fields = Sequence[tuple[str, str]]
"""Parameters of a request; a name may be repeated."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One exchange, whatever became of it.

    Attributes
    ----------
    status : int or None
        ``None`` when no whole answer came; ``problem`` says why.
    timed_out : bool
        True when the time given to the exchange ran out.
    unreachable : bool
        True when there was no connection to begin with.
    too_large : bool
        True when the body was longer than allowed; it was not read to its end.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    problem: str = ""
    timed_out: bool = False
    unreachable: bool = False
    too_large: bool = False


class HttpClient:
    """Sends requests to one base address. No redirect is followed, no other host is called.

    Connections are made when first needed, kept, and shared by all threads.

    Parameters
    ----------
    base_url : str
        Up to and without the name of the utility.
    timeout : float
        Seconds for connecting (10 at most), and between any two bytes.
    max_bytes : int
        Longest body, unpacked.
    transport : httpx.BaseTransport or None
        Instead of the network.

    Raises
    ------
    ConfigurationError
        The address is unusable.
    """

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float,
        max_bytes: int = MAX_ANSWER_BYTES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url = checked_url(base_url)
        parts = urlsplit(self.base_url)
        self.host = parts.netloc
        self.is_local = (parts.hostname or "") in _LOOPBACK
        self.is_secret = parts.scheme == "https" or self.is_local
        self.max_bytes = max_bytes
        self._timeout = timeout
        self._transport = transport
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def exchange(self, utility: str, fields: Fields, *, post: bool, seconds: float) -> HttpAnswer:
        """Send once and read the answer, in ``seconds`` at most."""
        ends = time.monotonic() + seconds
        caught = run_within(lambda: self._read(utility, fields, post=post, ends=ends), seconds)
        if caught is None:
            return HttpAnswer(problem=f"nothing whole came within {seconds:.3g} s", timed_out=True)
        if isinstance(caught.error, httpx.HTTPError | httpx.StreamError | OSError):
            return _no_answer(caught.error)
        if caught.error is not None:
            raise caught.error
        return caught.value or HttpAnswer()

    def close(self) -> None:
        """Close the connections; they are opened again when needed."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _read(self, utility: str, fields: Fields, *, post: bool, ends: float) -> HttpAnswer:
        address, encoded = f"{self.base_url}/{utility}", urlencode(fields)
        if post:
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            stream = self._connected().stream("POST", address, content=encoded.encode(), headers=form)
        else:
            stream = self._connected().stream("GET", f"{address}?{encoded}")
        with stream as response:
            body = bytearray()
            for piece in _pieces(response, ends):
                body += piece
                if len(body) > self.max_bytes:
                    return HttpAnswer(response.status_code, too_large=True)
            return HttpAnswer(response.status_code, dict(response.headers), bytes(body))

    def _connected(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    timeout=httpx.Timeout(self._timeout, connect=min(CONNECT_SECONDS, self._timeout)),
                    follow_redirects=False,
                    # A proxy of the environment would not find what runs on this machine.
                    trust_env=not self.is_local,
                    # Certificates are read for https only: that takes longer than an exchange with a local server.
                    verify=True
                    if self.base_url.startswith("https:")
                    else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
                    headers={"User-Agent": f"metarag/{__version__}", "Accept-Encoding": "gzip"},
                    transport=self._transport,
                )
                # A client that nobody closes must not leave connections open.
                weakref.finalize(self, self._client.close)
            return self._client


def _pieces(response: httpx.Response, ends: float) -> Iterator[bytes]:
    """Yield the unpacked body; a read timeout alone would start again with each byte."""
    for piece in response.iter_bytes():
        if time.monotonic() > ends:
            raise httpx.ReadTimeout("the answer was still coming when the time was up")
        yield piece


def _no_answer(error: Exception) -> HttpAnswer:
    """Return what a broken exchange stands for; the request, which may hold a key, is left behind."""
    detail = " ".join(str(error).split())[:200] or type(error).__name__
    return HttpAnswer(
        problem=detail,
        timed_out=isinstance(error, httpx.TimeoutException),
        unreachable=isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError),
    )


def checked_url(base_url: str) -> str:
    """Return the address without a slash at its end.

    Raises
    ------
    ConfigurationError
        It is no http(s) address, or holds a password, a query or a fragment.
    """
    address = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or not address.isascii() or not address.isprintable() or " " in address:
        raise ConfigurationError(f"the address of the E-utilities must look like {NCBI_URL}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            "the address of the E-utilities must hold no password, query or fragment; give a key as api_key"
        )
    return address
