"""What stands before every request: who asks, how large it is, and how long it may take to arrive."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from starlette.responses import RedirectResponse

from metarag.errors import RequestError
from metarag.server.answers import error_answer
from metarag.server.options import ServerOptions
from metarag.server.rerank_api import is_endpoint
from metarag.server.web.security import Sessions, check_host, cookie_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

ENTRANCE: Final = "/enter"
OPEN_PATHS: Final = frozenset({"/healthz"})
"""Answered without a token: a load balancer has none."""


class Limits:
    """Reads the whole body within its limits before the application sees the request.

    A client that sends its body drop by drop is told so (408) and holds nothing but its connection.
    """

    def __init__(self, app: App, options: ServerOptions, sessions: Sessions | None = None) -> None:
        self.app = app
        self.options = options
        self.sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            check_host(scope["headers"], only_loopback=self.options.only_loopback)
            if self._is_stranger_to_pages(scope):
                await RedirectResponse("/enter", status_code=303)(scope, receive, send)
                return
            self._check_token(scope)
            self._check_declared_size(scope)
            async with asyncio.timeout(self.options.read_seconds):
                body = await self._read(receive)
        except TimeoutError:
            message = f"the request was not complete after {self.options.read_seconds:g} seconds"
            await error_answer(RequestError(408, message), close=True)(scope, receive, send)
        except RequestError as error:
            await error_answer(error, close=error.status == 413)(scope, receive, send)
        except ConnectionError:
            return
        else:
            await self.app(scope, _replay(body, receive), send)

    def _is_stranger_to_pages(self, scope: Scope) -> bool:
        """Tell whether a person has to type the token before they see a page."""
        if self.sessions is None or is_endpoint(scope["path"]) or scope["path"] == ENTRANCE:
            return False
        return self.sessions.asks and not self.sessions.is_known(cookie_of(scope["headers"]))

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
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionResetError
            part = message.get("body", b"")
            size += len(part)
            if size > self.options.max_body_bytes:
                raise self._too_large()
            parts.append(part)
            if not message.get("more_body"):
                return b"".join(parts)

    def _too_large(self) -> RequestError:
        return RequestError(413, f"the body is larger than {self.options.max_body_bytes:,} bytes")


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
