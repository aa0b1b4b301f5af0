"""What stands around everything: a fault of ours ends in an answer, and the log gets its place, not its text."""

from __future__ import annotations

import logging
import traceback
from typing import Final

from starlette.requests import Request

from metarag.errors import RequestError
from metarag.server.limits import App, Message, Receive, Scope, Send, Tell

_LOG: Final = logging.getLogger(__name__)


class LastResort:
    """Answers 500 where nothing else has answered.

    uvicorn would log the message of the exception, which may hold what was asked; here it is left away.
    """

    def __init__(self, app: App, *, tell: Tell) -> None:
        self.app = app
        self.tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, noting)
        except Exception as error:  # noqa: BLE001 - whatever it is, its text must not reach the log
            log_place(error, f"{scope['method']} request")
            if not begun:
                told = f"it ended unexpectedly ({type(error).__name__}); the server's log has the place"
                await self.tell(Request(scope), RequestError(500, told))(scope, receive, send)


def log_place(error: BaseException, what: str) -> None:
    """Log where an error came from, without its message and without what it was handling."""
    place = "".join(traceback.format_tb(error.__traceback__))
    _LOG.error("%s ended with %s\n%s", what, type(error).__name__, place)
