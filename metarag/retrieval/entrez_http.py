"""One HTTP exchange with the E-utilities: sent once, read whole, bounded in time and size."""

from __future__ import annotations

import os
import ssl
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode, urlsplit

import httpx

from metarag._version import __version__
from metarag.errors import ConfigurationError
from metarag.llm.pool import run_within
from metarag.per_process import PerProcess

NCBI_URL: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""Unpacked. 200 records have about 3 MB; a few with thousands of collaborators have 6 MB each."""
CONNECT_SECONDS: Final = 10.0
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS: Final = MappingProxyType({"http": 80, "https": 443})
_TAKEN_ENCODINGS: Final = frozenset({"", "identity", "gzip"})
"""Of bodies. Others were not asked for, and one inside another unpacks to a thousand times a thousand its size."""

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


@dataclass(slots=True)
class _Connections:
    """The connections of a process, and the lock of those who open and close them."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    client: httpx.Client | None = None


class HttpClient:
    """Sends requests to one base address. No redirect is followed, no other host is called.

    Connections are made when first needed, kept, and shared by all threads; a forked process makes its own.

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
        # One server has one limit, however its address is written.
        self.server = f"{(parts.hostname or '').rstrip('.')}:{parts.port or _PORTS[parts.scheme]}"
        self.is_local = (parts.hostname or "") in _LOOPBACK
        self.is_encrypted = parts.scheme == "https"
        self.is_secret = self.is_encrypted or self.is_local
        self.max_bytes = max_bytes
        self._timeout = timeout
        self._transport = transport
        self._connections = PerProcess(_Connections)

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
        """Close the connections; they are opened again when needed, also by a thread that is using them."""
        connections = self._connections.own
        with connections.lock:
            if connections.client is not None:
                connections.client.close()
                connections.client = None

    def _read(self, utility: str, fields: Fields, *, post: bool, ends: float) -> HttpAnswer:
        address, encoded = f"{self.base_url}/{utility}", urlencode(fields)
        client = self._connected()
        if post:
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            request = client.build_request("POST", address, content=encoded.encode(), headers=form)
        else:
            request = client.build_request("GET", f"{address}?{encoded}")
        response = self._sent(client, request)
        try:
            return self._answer(response, ends)
        finally:
            response.close()

    def _sent(self, client: httpx.Client, request: httpx.Request) -> httpx.Response:
        try:
            return client.send(request, stream=True)
        except RuntimeError:
            if not client.is_closed:
                raise
            # Another thread has closed the connections: the next try opens new ones.
            raise httpx.CloseError("the connections were closed while a request was made") from None

    def _answer(self, response: httpx.Response, ends: float) -> HttpAnswer:
        headers = dict(response.headers)
        if headers.get("content-encoding", "").strip().lower() not in _TAKEN_ENCODINGS:
            return HttpAnswer(problem="the answer is packed in a way that was not asked for")
        body = bytearray()
        for piece in _pieces(response, ends):
            body += piece
            if len(body) > self.max_bytes:
                return HttpAnswer(response.status_code, too_large=True)
        return HttpAnswer(response.status_code, headers, bytes(body))

    def _connected(self) -> httpx.Client:
        connections = self._connections.own
        with connections.lock:
            if connections.client is None:
                connections.client = self._connect()
            return connections.client

    def _connect(self) -> httpx.Client:
        try:
            client = httpx.Client(
                timeout=httpx.Timeout(self._timeout, connect=min(CONNECT_SECONDS, self._timeout)),
                follow_redirects=False,
                # A proxy of the environment would not find what runs on this machine.
                trust_env=not self.is_local,
                # Certificates are read for https only: that takes longer than an exchange with a local server.
                verify=True if self.is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
                headers={"User-Agent": f"metarag/{__version__}", "Accept-Encoding": "gzip"},
                transport=self._transport,
            )
        except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
            # The address of a proxy may hold a password, so that nothing of the error is repeated.
            raise httpx.ConnectError(_unusable_environment(error)) from None
        # A client that nobody closes must not leave connections open.
        weakref.finalize(self, _close_own, client, os.getpid())
        return client


def _close_own(client: httpx.Client, process: int) -> None:
    """Close connections, but in a forked process not those of the one that opened them."""
    if os.getpid() == process:
        client.close()


def _unusable_environment(error: Exception) -> str:
    """Return which of the environment's settings is to blame that no client can be made."""
    if isinstance(error, ImportError):
        return "the environment names a SOCKS proxy, which needs pip install 'httpx[socks]'"
    if isinstance(error, OSError):
        return "the certificates cannot be loaded; check SSL_CERT_FILE, SSL_CERT_DIR and SSLKEYLOGFILE"
    return "the proxy settings cannot be read; check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY"


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
    if any(sign in address for sign in "@?#"):
        raise ConfigurationError(
            "the address of the E-utilities must hold no password, query or fragment; give a key as api_key"
        )
    if not address.isascii() or not address.isprintable() or " " in address or not _names_a_host(address):
        raise ConfigurationError(f"the address of the E-utilities must look like {NCBI_URL}")
    return address


def _names_a_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        # What looks up the host, and what reads the address before, have rules of their own for it.
        httpx.URL(address).host.encode("idna")
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except (ValueError, httpx.InvalidURL):
        return False
