from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llm.fake_server import SCHEMA, Behaviour, FakeServer, Seen

from metarag.llm.base import ChatRequest
from metarag.llm.openai import OpenAIModel
from metarag.llm.retry import Gate, RetryPolicy


@pytest.fixture
def serve() -> Iterator[Callable[..., FakeServer]]:
    """Start servers that stop after the test."""
    running: list[FakeServer] = []

    def start(*script: Behaviour, by_request: Callable[[Seen], Behaviour] | None = None) -> FakeServer:
        server = FakeServer(by_request or script)
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture(autouse=True)
def no_certificates(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The loopback needs none, and loading them takes longer than most of these tests."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path_factory.getbasetemp()))


@pytest.fixture
def talk_to(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., OpenAIModel]]:
    """Make models for a server; waits are short, and real."""
    for variable in ("OPENAI_API_KEY", "METARAG_API_KEY", "OPENAI_BASE_URL", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    models: list[OpenAIModel] = []

    def make(
        server: FakeServer | str, *, policy: dict[str, Any] | None = None, **options: Any
    ) -> OpenAIModel:
        patience = {"deadline": 5.0, "base": 0.02, "spread": 0.05, **(policy or {})}
        options.setdefault("gate", Gate(policy=RetryPolicy(**patience)))
        url = server if isinstance(server, str) else server.url
        model = OpenAIModel("test-model", base_url=url, **options)
        models.append(model)
        return model

    yield make
    for model in models:
        model.close()


@pytest.fixture
def ask() -> Callable[..., ChatRequest]:
    """Make a request for one article."""

    def make(user: str = "Article 1", **fields: Any) -> ChatRequest:
        fields.setdefault("reply_schema", SCHEMA)
        if fields["reply_schema"] is not None:
            fields.setdefault("must_echo", {"article_ref": "pmid:1"})
        return ChatRequest(system="Judge.", user=user, **fields)

    return make
