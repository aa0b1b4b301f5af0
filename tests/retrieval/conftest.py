from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from clocks import SkippingClock
from entrez_records import Entry, invented_entries
from entrez_server import EntrezServer

from metarag.retrieval.entrez import EntrezClient, RateLimiter


@pytest.fixture
def pubmed() -> Iterator[Callable[..., EntrezServer]]:
    """Start stand-ins for PubMed that stop after the test."""
    running: list[EntrezServer] = []

    def start(records: Sequence[Entry] | None = None) -> EntrezServer:
        server = EntrezServer(invented_entries() if records is None else records)
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def talk_to() -> Iterator[Callable[..., EntrezClient]]:
    """Make clients that do not wait; what they would have waited is in ``client.waits``."""
    clients: list[EntrezClient] = []

    def make(server: EntrezServer | str, **options: Any) -> EntrezClient:
        clock, pause = SkippingClock(), SkippingClock()
        options.setdefault("limiter", RateLimiter(1000, clock=pause, sleep=pause.sleep))
        options = {"clock": clock, "sleep": clock.sleep, **options}
        client = EntrezClient(server if isinstance(server, str) else server.url, **options)
        client.waits, client.pauses = clock.waits, pause.waits  # type: ignore[attr-defined]
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()
