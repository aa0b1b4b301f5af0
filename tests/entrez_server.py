"""A stand-in for PubMed: real HTTP on the loopback, with faults as they are told.

A fault is taken by the next request for its utility; without one, the model answers.
"""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from entrez_model import Answer, Model, Parameters
from entrez_records import Entry, entries

Behaviour = Callable[["Handler"], None]
LONGEST_ADDRESS = 2_000
LIMITED = b'{"error":"API rate limit exceeded","api-key":"203.0.113.9","count":"4","limit":"3"}'


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    utility: str
    in_address: Parameters
    in_body: Parameters
    headers: dict[str, str]
    at: float = field(default_factory=time.monotonic)

    @property
    def parameters(self) -> Parameters:
        return {**self.in_address, **self.in_body}

    def get(self, name: str) -> str | None:
        return self.parameters.get(name, [None])[0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: EntrezServer

    def do_GET(self) -> None:
        self._take("")

    def do_POST(self) -> None:
        self._take(self.rfile.read(int(self.headers.get("content-length", 0))).decode())

    def _take(self, body: str) -> None:
        parts = urlsplit(self.path)
        seen = Seen(
            method=self.command,
            path=self.path,
            utility=parts.path.rpartition("/")[2],
            in_address=parse_qs(parts.query, keep_blank_values=True),
            in_body=parse_qs(body, keep_blank_values=True),
            headers={k.lower(): v for k, v in self.headers.items()},
        )
        fault = self.server.take(seen)
        try:
            if fault is not None:
                fault(self)
            elif len(self.path) > LONGEST_ADDRESS:
                self.send(Answer(b"<html>Too long</html>", 414, "text/html"))
            else:
                self.send(self.server.model.answer(seen.utility, seen.parameters))
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test output clean."""

    def send(self, answer: Answer, headers: dict[str, str] | None = None, *, cut: int | None = None) -> None:
        body = answer.body
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.type)
        if "gzip" in self.headers.get("accept-encoding", "") and len(body) > 2_000 and cut is None:
            body = gzip.compress(body, 1)
            self.send_header("Content-Encoding", "gzip")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:cut])
        if cut is not None:
            self.close_connection = True


class EntrezServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, records: Sequence[Entry] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.model = Model(entries() if records is None else records)
        self.seen: list[Seen] = []
        self.closing = threading.Event()
        self._faults: list[tuple[str, Behaviour]] = []
        self._lock = threading.Lock()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/entrez/eutils"

    def fail(self, utility: str, *behaviours: Behaviour) -> None:
        """Let the next requests for ``utility`` (such as ``efetch``) meet these faults, one each."""
        with self._lock:
            self._faults += [(f"{utility}.fcgi", behaviour) for behaviour in behaviours]

    def take(self, seen: Seen) -> Behaviour | None:
        with self._lock:
            self.seen.append(seen)
            for index, (utility, behaviour) in enumerate(self._faults):
                if utility == seen.utility:
                    del self._faults[index]
                    return behaviour
        return None

    def requests(self, utility: str) -> list[Seen]:
        with self._lock:
            return [seen for seen in self.seen if seen.utility == f"{utility}.fcgi"]

    def stop(self) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Broken connections are what these tests are about."""


def answers(
    body: bytes | str, status: int = 200, *, type: str = "text/xml", headers: dict[str, str] | None = None
) -> Behaviour:
    """Answer with this body."""
    data = body.encode() if isinstance(body, str) else body
    return lambda handler: handler.send(Answer(data, status, type), headers)


def limits(wait: str | None = "2", status: int = 429) -> Behaviour:
    """Refuse as PubMed does when it is asked too often."""
    headers = {"X-RateLimit-Limit": "3", **({"Retry-After": wait} if wait else {})}
    return answers(LIMITED, status, type="application/json", headers=headers)


def sends(data: bytes) -> Behaviour:
    """Send these bytes instead of an answer, and close the connection."""

    def behave(handler: Handler) -> None:
        handler.close_connection = True
        handler.wfile.write(data)

    return behave


def cuts(body: bytes, at: int) -> Behaviour:
    """Break off the body after ``at`` bytes, with the whole length declared."""
    return lambda handler: handler.send(Answer(body), cut=at)


def cuts_chunks(body: bytes, at: int) -> Behaviour:
    """Break off a chunked body between two chunks."""

    def behave(handler: Handler) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Type", "text/xml")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(f"{at:x}\r\n".encode() + body[:at] + b"\r\n")

    return behave


def hangs(handler: Handler) -> None:
    """Accept the request and never answer."""
    handler.close_connection = True
    handler.server.closing.wait(30)


def drips(handler: Handler) -> None:
    """Answer one byte at a time: never late by a read timeout, never done."""
    handler.close_connection = True
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def hangs_up(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True
    handler.connection.close()
