from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest


class Running:
    """A real server on the loopback, in a thread."""

    def __init__(self, options: Any) -> None:
        from metarag.server.running import make_server

        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = self.socket.getsockname()[:2]
        self.url = f"http://127.0.0.1:{self.address[1]}"
        self.server = make_server(options)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)
        self.thread.start()
        deadline = time.monotonic() + 20
        while not self.server.started and time.monotonic() < deadline:
            time.sleep(0.01)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)

    def raw(self, *parts: bytes, pause: float = 0.0, timeout: float = 10.0) -> bytes:
        """Send bytes one part after another and return all that comes back until the server hangs up."""
        with socket.create_connection(self.address, timeout=timeout) as connection:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
            received = b""
            while block := connection.recv(65_536):
                received += block
        return received


@pytest.fixture
def serve() -> Iterator[Callable[..., Running]]:
    """Start servers with given options; they stop after the test."""
    pytest.importorskip("fastapi", reason="the extra 'web' is not installed")
    from metarag.server.options import ServerOptions

    running: list[Running] = []

    def start(**options: Any) -> Running:
        server = Running(ServerOptions(**options))
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="session")
def usual() -> Iterator[Running]:
    """One server with the usual options, for tests that leave nothing behind in it."""
    pytest.importorskip("fastapi", reason="the extra 'web' is not installed")
    from metarag.server.options import ServerOptions

    server = Running(ServerOptions())
    yield server
    server.stop()
