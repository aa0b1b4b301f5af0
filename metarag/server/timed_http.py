"""HTTP connections that do not wait for ever for the head of a request."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS: Final = 15.0
"""From the first byte of a request to the end of its head; ours, many times what any network needs."""


class TimedHTTP(H11Protocol):
    """Tells a client that sends its headers drop by drop that it took too long (408), and hangs up.

    uvicorn bounds the time between requests and the size of a head, not the time a head may take.
    """

    head_seconds = HEAD_SECONDS
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head, if one has begun and is not complete."""
        super().data_received(data)
        if self._between_requests() and not self.transport.is_closing():
            self._wait()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop()
        super().connection_lost(exc)

    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.head_seconds, self._refuse)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _refuse(self) -> None:
        self._late = None
        if not self._between_requests() or self.transport.is_closing():
            return
        message = f"the request's head was not complete after {self.head_seconds:g} seconds"
        body = json.dumps({"error": {"message": message, "type": "request_timeout"}}).encode()
        head = (
            "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
