"""A real HTTP server on the loopback that answers as it is told, also badly.

Each request takes the next behaviour of the script; the last one is repeated.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from metarag.llm.reply_schema import ReplySchema, one_of, strict_object, text_up_to

SCHEMA = ReplySchema(
    name="verdict",
    json_schema=strict_object({"article_ref": text_up_to(64), "answer": one_of("yes", "no", "not_reported")}),
)
GOOD = '{"article_ref": "pmid:1", "answer": "yes"}'

Behaviour = Callable[["Handler"], None]


@dataclass
class Seen:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float = field(default_factory=time.monotonic)

    @property
    def user(self) -> str:
        return self.body["messages"][-1]["content"]

    @property
    def system(self) -> str:
        first = self.body["messages"][0]
        return first["content"] if first["role"] == "system" else ""

    @property
    def rung(self) -> str:
        return self.body.get("response_format", {}).get("type", "text")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: FakeServer

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length))
        behaviour = self.server.take(Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        try:
            behaviour(self)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test output clean."""

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class FakeServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, script: Sequence[Behaviour] | Callable[[Seen], Behaviour]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.seen: list[Seen] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def take(self, seen: Seen) -> Behaviour:
        with self._lock:
            index = len(self.seen)
            self.seen.append(seen)
        if callable(self.script):
            return self.script(seen)
        return self.script[min(index, len(self.script) - 1)]

    def stop(self) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Broken connections are what these tests are about."""


def completion(content: str | None = "{}", **fields: Any) -> dict[str, Any]:
    """Return a completion; ``message``, ``finish_reason``, ``usage``, ``model`` and others replace parts."""
    message = {"role": "assistant", "content": content, **fields.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": fields.pop("finish_reason", "stop")}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test-model",
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        **fields,
    }


def says(content: str | None = "{}", *, after: float = 0.0, **fields: Any) -> Behaviour:
    """Answer 200 with this content."""
    body = json.dumps(completion(content, **fields)).encode()

    def behave(handler: Handler) -> None:
        handler.server.closing.wait(after)
        handler.send(200, body)

    return behave


def fails(
    status: int, message: str = "no", *, headers: dict[str, str] | None = None, **error: Any
) -> Behaviour:
    """Answer with an error in OpenAI's form."""
    body = json.dumps({"error": {"message": message, **error}}).encode()
    return lambda handler: handler.send(status, body, headers)


def sends(body: bytes, *, status: int = 200, headers: dict[str, str] | None = None) -> Behaviour:
    """Answer with these bytes."""
    return lambda handler: handler.send(status, body, headers)


def is_silent(handler: Handler) -> None:
    """Accept the request and never answer."""
    handler.close_connection = True
    handler.server.closing.wait(30)


def drips(handler: Handler) -> None:
    """Answer one byte at a time: never late by a read timeout, never done."""
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    _drip(handler, b" ")


def drips_headers(handler: Handler) -> None:
    """Send a status line and then one header byte at a time."""
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    _drip(handler, b"a")


def drips_error(handler: Handler) -> None:
    """Answer 500 with a body that never ends."""
    handler.close_connection = True
    handler.send_response(500)
    handler.end_headers()
    _drip(handler, b" ")


def _drip(handler: Handler, piece: bytes) -> None:
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(piece)
        handler.wfile.flush()


def cuts(handler: Handler) -> None:
    """Break the connection in the middle of the body."""
    handler.close_connection = True
    body = json.dumps(completion("{}")).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(body) + 100))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
