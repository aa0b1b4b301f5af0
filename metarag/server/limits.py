"""What stands before every request: who asks, how large it is, and how long it may take to arrive."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from metarag.errors import MetaragError, RequestError
from metarag.server.options import ServerOptions
from metarag.server.rerank_api import is_endpoint
from metarag.server.web.security import Sessions, check_host, check_origin, cookie_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Tell = Callable[[Request, MetaragError], Response]
"""Makes the answer of an error: a page for people, JSON for programs."""

ENTRANCE: Final = "/enter"
OPEN_PATHS: Final = frozenset({"/healthz"})
"""Answered without a token: a load balancer has none."""
_ENDS_CONNECTION: Final = frozenset({408, 413, 503})
"""After these nobody reads what the client is still sending."""


class Limits:
    """Reads the whole body within its limits before the application sees the request.

    A client that sends its body drop by drop is told so (408) and holds nothing but its connection.
    """

    def __init__(
        self, app: App, options: ServerOptions, *, tell: Tell, sessions: Sessions | None = None
    ) -> None:
        self.app = app
        self.options = options
        self.tell = tell
        self.sessions = sessions
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = await self._admitted(scope, receive, send)
        if body is None:
            return
        try:
            await self.app(_as_get(scope), _replay(body, receive), send)
        finally:
            self._held -= len(body)

    async def _admitted(self, scope: Scope, receive: Receive, send: Send) -> bytes | None:
        """Return the body of a request that may go on; any other is answered here."""
        try:
            self._check_head(scope)
            if self._is_stranger_to_pages(scope):
                await RedirectResponse(ENTRANCE, status_code=303)(scope, receive, send)
                return None
            async with asyncio.timeout(self.options.read_seconds):
                return await self._read(receive)
        except TimeoutError:
            late = f"the request was not complete after {self.options.read_seconds:g} seconds"
            await self._refuse(RequestError(408, late), scope, receive, send)
        except RequestError as error:
            await self._refuse(error, scope, receive, send)
        except ConnectionError:
            return None  # nobody is there to be answered
        return None

    def _check_head(self, scope: Scope) -> None:
        check_host(scope["headers"], only_loopback=self.options.only_loopback)
        if scope["method"] == "POST" and is_endpoint(scope["path"]):
            check_origin(scope["headers"])
        self._check_token(scope)
        self._check_declared_size(scope)

    async def _refuse(self, error: RequestError, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self.tell(Request(scope), error)
        if error.status in _ENDS_CONNECTION:
            answer.headers["connection"] = "close"
        await answer(scope, receive, send)

    def _is_stranger_to_pages(self, scope: Scope) -> bool:
        """Tell whether a person has to type the token before they see a page."""
        if self.sessions is None or is_endpoint(scope["path"]) or scope["path"] == ENTRANCE:
            return False
        return self.sessions.asks and not self.sessions.is_known(cookie_of(scope))

    def _check_token(self, scope: Scope) -> None:
        is_page = self.sessions is not None and not is_endpoint(scope["path"])
        if self.options.token is None or is_page or scope["path"] in OPEN_PATHS:
            return
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        wanted = f"Bearer {self.options.token.get_secret_value()}".encode()
        if not hmac.compare_digest(given, wanted):
            raise RequestError(401, "a token is needed: send the header 'Authorization: Bearer ...'")

    def _check_declared_size(self, scope: Scope) -> None:
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if declared.isdigit() and int(declared[:20]) > self.options.max_body_bytes:
            raise self._too_large()

    async def _read(self, receive: Receive) -> bytes:
        """Return the whole body, which is counted as held from now on."""
        parts: list[bytes] = []
        size = 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionResetError
                part = message.get("body", b"")
                size += len(part)
                self._held += len(part)
                if size > self.options.max_body_bytes:
                    raise self._too_large()
                if self._held > self.options.max_held_bytes:
                    raise RequestError(503, "the server holds as much as it can; try again in a moment")
                parts.append(part)
                if not message.get("more_body"):
                    return b"".join(parts)
        except BaseException:
            self._held -= size
            raise

    def _too_large(self) -> RequestError:
        return RequestError(413, f"the body is larger than {self.options.max_body_bytes:,} bytes")


def _as_get(scope: Scope) -> Scope:
    """Return a HEAD as the GET that it asks about; the server sends the head of the answer only."""
    return {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
