"""Who may see the pages, and what a browser may do with them."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from metarag.errors import RequestError

SESSION: Final = "metarag_session"
_SESSION_BYTES: Final = 16


class Sessions:
    """Sessions in signed cookies; nothing is kept on the server, and a restart ends them all.

    Parameters
    ----------
    token : str or None
        What a person has to type once; ``None`` asks nobody.
    """

    def __init__(self, token: str | None) -> None:
        self._token = token
        self._secret = secrets.token_bytes(32)

    @property
    def asks(self) -> bool:
        """True when a token is needed."""
        return self._token is not None

    def new(self, token: str | None = None) -> str:
        """Return a new session's cookie, known where the right token was typed."""
        name = secrets.token_hex(_SESSION_BYTES)
        known = self._token is None or (token is not None and _same(token, self._token))
        kind = "known" if known else "guest"
        return f"{name}.{kind}.{self._sign(name, kind)}"

    def is_known(self, cookie: str | None) -> bool:
        """Tell whether a cookie is one of ours, of somebody who typed the token (where there is one)."""
        return self._kind(cookie) == "known"

    def is_ours(self, cookie: str | None) -> bool:
        """Tell whether a cookie is one of ours at all."""
        return self._kind(cookie) is not None

    def form_token(self, cookie: str) -> str:
        """Return what every form of this session carries, so that no other page can send it."""
        return self._sign(cookie, "form")

    def check_form(self, cookie: str | None, given: str) -> None:
        """Refuse a form that does not come from a page of this session.

        Raises
        ------
        RequestError
            403.
        """
        if cookie is None or not self.is_ours(cookie) or not _same(given, self.form_token(cookie)):
            raise RequestError(403, "this form is too old or came from another page; open the page again")

    def _kind(self, cookie: str | None) -> str | None:
        parts = (cookie or "").split(".")
        if len(parts) != 3 or not _same(parts[2], self._sign(parts[0], parts[1])):
            return None
        return parts[1]

    def _sign(self, *parts: str) -> str:
        return hmac.new(self._secret, "\0".join(parts).encode(), hashlib.sha256).hexdigest()


class Pace:
    """At most so many of something by one address in a minute.

    Parameters
    ----------
    per_minute : int
        At least 1.
    """

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._seen: dict[str, deque[float]] = defaultdict(deque)

    def check(self, address: str, *, now: float | None = None) -> None:
        """Count one.

        Raises
        ------
        RequestError
            429: it is one too many.
        """
        moment = time.monotonic() if now is None else now
        seen = self._seen[address]
        while seen and seen[0] <= moment - 60:
            seen.popleft()
        if len(seen) >= self.per_minute:
            raise RequestError(429, f"more than {self.per_minute} in a minute; wait a moment")
        seen.append(moment)
        if len(self._seen) > 10_000:
            self._seen = defaultdict(
                deque, {a: s for a, s in self._seen.items() if s and s[-1] > moment - 60}
            )


def session_name(scope: Mapping[str, Any]) -> str:
    """Return the name of the session's cookie: browsers send cookies of one port to all ports of a machine."""
    server = scope.get("server")
    return f"{SESSION}_{server[1]}" if server and server[1] else SESSION


def cookie_of(scope: Mapping[str, Any]) -> str | None:
    """Return the session's cookie of a request; the first of two, the one of the longest path."""
    wanted = session_name(scope)
    for name, value in scope["headers"]:
        if name == b"cookie":
            for part in value.decode("latin-1").split(";"):
                key, _, content = part.strip().partition("=")
                if key == wanted:
                    return str(content)
    return None


def check_host(headers: Iterable[tuple[bytes, bytes]], *, only_loopback: bool) -> None:
    """Refuse a name that is not this machine's: another page could have its own name lead here.

    Raises
    ------
    RequestError
        421: the Host header names another machine.
    """
    if not only_loopback:
        return
    host = _header(headers, b"host")
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    if not is_loopback(name.strip("[]").casefold()):
        raise RequestError(
            421, "this server answers to 127.0.0.1 and localhost only; open it under one of these"
        )


def check_origin(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse what a browser sends here on behalf of another site: the person before it did not ask for it.

    Raises
    ------
    RequestError
        403.
    """
    if _header(headers, b"sec-fetch-site") == "cross-site":
        raise RequestError(
            403, "a page of another site sent this; programs and this server's own pages may ask"
        )


def is_loopback(host: str) -> bool:
    """Tell whether an address or name is this machine's own, and cannot be anything else's.

    An address in figures always is what it says; of names, only ``localhost``.
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _header(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in headers if name == wanted), "")


def _same(given: str, wanted: str) -> bool:
    """Compare in a time that tells nothing; text that is not ASCII is another one, not an error."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def page_headers(policy: str) -> Mapping[str, str]:
    """Return the headers of every page.

    Parameters
    ----------
    policy : str
        The content security policy.
    """
    return {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "cache-control": "no-store",
    }
