"""Any server that speaks the chat completions protocol, through the openai SDK."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import JsonValue

from metarag.errors import ConfigurationError
from metarag.llm.base import ChatReply, ChatRequest, Failure
from metarag.llm.budget import Budget
from metarag.llm.call import Call, Server
from metarag.llm.pool import MapsChat, run_within
from metarag.llm.retry import Gate
from metarag.llm.streaming import STREAM, OnText, read_streaming
from metarag.llm.wire import HttpAnswer

if TYPE_CHECKING:
    import openai
    from openai._models import FinalRequestOptions

OPENAI_URL = "https://api.openai.com/v1"
_OPENAI_HOST = urlsplit(OPENAI_URL).netloc
KEY_VARIABLE = "METARAG_API_KEY"
"""Environment variable with the key of whatever endpoint is set."""
MAX_BODY = 8_000_000
"""Bytes. A long reply has some 50,000; what is larger is not an answer."""
_CONNECT_SECONDS = 10.0


class OpenAIModel(MapsChat):
    """A model behind an OpenAI-compatible endpoint. No other host is ever called.

    Parameters
    ----------
    model : str
        Its name at the endpoint.
    base_url : str
        Up to and with ``/v1``. Redirects are not followed.
    api_key : str or None
        ``None`` looks up ``METARAG_API_KEY`` now, and for OpenAI's own host also ``OPENAI_API_KEY``
        (which is never sent anywhere else). A local server needs none.
    concurrency : int
        Requests in flight at most, also when many threads call :meth:`chat`.
    gate : Gate or None
        Pace, pauses and patience; share one between models at the same endpoint.
    budget : Budget or None
        Limits and counts; share one between models.

    Raises
    ------
    ConfigurationError
        A setting is unusable. The message never holds the key.

    Notes
    -----
    The SDK's client is synchronous and shared by all threads, so it works inside a running event loop
    and across several of them.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: str | None = None,
        concurrency: int = 4,
        gate: Gate | None = None,
        budget: Budget | None = None,
    ) -> None:
        if not model.strip():
            raise ConfigurationError("the model's name is empty; give the name the endpoint knows it by")
        if concurrency < 1:
            raise ConfigurationError(f"concurrency must be at least 1, got {concurrency}")
        url = _checked_url(base_url)
        host = urlsplit(url).netloc
        self._key = _checked_key(api_key or _key_from_environment(host))
        if self._key is None and host == _OPENAI_HOST:
            raise ConfigurationError(
                f"OpenAI needs a key and there is none: set {KEY_VARIABLE}, or name the address of your own"
                " server (base_url, --base-url)"
            )
        self._endpoint = host + urlsplit(url).path.rstrip("/")
        self._concurrency = concurrency
        self._slots = threading.BoundedSemaphore(concurrency)
        self._client = _sdk_client(url, self._key)
        self.budget = budget or Budget()
        self._server = Server(
            model=model.strip(),
            host=host,
            exchange=self._exchange,
            gate=gate or Gate(),
            budget=self.budget,
        )

    def __repr__(self) -> str:
        return f"OpenAIModel({self.model!r}, endpoint={self.endpoint!r})"

    @property
    def model(self) -> str:
        """The name it is asked for by."""
        return self._server.model

    @property
    def endpoint(self) -> str:
        """Host, port and path."""
        return self._endpoint

    @property
    def concurrency(self) -> int:
        """Requests in flight at most."""
        return self._concurrency

    def chat(self, request: ChatRequest) -> ChatReply:
        """Answer one request; see :class:`~metarag.llm.base.ChatModel`."""
        with self._slots:
            return Call(self._server, request).run()

    def stream_chat(self, request: ChatRequest, on_text: OnText) -> ChatReply:
        """Answer one request; ``on_text`` gets all of the text so far, in the caller's thread.

        A server that does not stream is asked again without.
        """

        def exchange(body: dict[str, JsonValue], seconds: float) -> HttpAnswer:
            return self._exchange({**body, **STREAM}, seconds, on_text)

        with self._slots:
            reply = Call(replace(self._server, exchange=exchange), request).run()
        return self.chat(request) if reply.failure is Failure.REJECTED else reply

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _exchange(
        self, body: dict[str, JsonValue], seconds: float, on_text: OnText | None = None
    ) -> HttpAnswer:
        """Send once and read the answer, in ``seconds`` at most."""
        reader = _Reader(self._client, self._key, body, seconds)
        if on_text is None:
            caught = run_within(reader.read, seconds)
        else:
            caught = read_streaming(reader.read, seconds, lambda text: on_text(self._without_key(text)))
        if caught is None:
            return HttpAnswer(
                problem=f"nothing complete within {seconds:.1f} s", timed_out=True, began=reader.began
            )
        return self._scrubbed(caught.value or _answer_of(caught.error, began=reader.began))

    def _scrubbed(self, answer: HttpAnswer) -> HttpAnswer:
        """Take the key out of an answer that repeats it, before anything is made of the answer."""
        if not self._key_is_real:
            return answer
        return replace(
            answer,
            body=answer.body.replace((self._key or "").encode(), b"[key]"),
            problem=self._without_key(answer.problem),
        )

    def _without_key(self, text: str) -> str:
        return text.replace(self._key or "", "[key]") if self._key_is_real else text

    @property
    def _key_is_real(self) -> bool:
        """False for a placeholder of a few characters, which would take ordinary words out of replies."""
        return self._key is not None and len(self._key) >= 8


class _Reader:
    """One exchange, read piece by piece, so that a slow drip and a huge body can be cut off."""

    def __init__(
        self, client: openai.OpenAI, key: str | None, body: dict[str, JsonValue], seconds: float
    ) -> None:
        self._client = client
        self._key = key
        self._body = body
        self._ends = time.monotonic() + seconds
        self._seconds = max(0.05, seconds)
        self.began = False

    def read(self, on_piece: Callable[[bytes], None] | None = None) -> HttpAnswer:
        """Return the whole answer of a 200; other statuses and broken connections raise."""
        import openai

        # Any: the SDK types its parameters per model; the body is checked by the server.
        parameters: dict[str, Any] = dict(self._body)
        with self._client.chat.completions.with_streaming_response.create(
            **parameters,
            # Explicit, so that no OPENAI_CUSTOM_HEADERS of the environment puts another key in its place.
            extra_headers={"Authorization": f"Bearer {self._key}" if self._key else openai.omit},
            timeout=openai.Timeout(self._seconds, connect=min(_CONNECT_SECONDS, self._seconds)),
        ) as response:
            self.began = True
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if on_piece is not None:
                    on_piece(piece)
                if time.monotonic() > self._ends:
                    return HttpAnswer(
                        problem=f"still sending after {self._seconds:.1f} s", timed_out=True, began=True
                    )
                if len(body) > MAX_BODY:
                    break
            return HttpAnswer(response.status_code, dict(response.headers), bytes(body))


def _answer_of(error: BaseException | None, *, began: bool) -> HttpAnswer:
    """Return what an exception of the SDK stands for.

    Two majors of the SDK on two transports let different exceptions escape, so everything that an
    exchange raised is an answer that did not come; only a status makes it another.
    """
    import openai

    if isinstance(error, openai.APIStatusError):
        response = error.response
        return HttpAnswer(error.status_code, dict(response.headers), response.content[:MAX_BODY])
    timed_out = isinstance(error, openai.APITimeoutError) or (
        error is not None and "Timeout" in type(error).__name__
    )
    cause = (error.__cause__ or error) if error is not None else None
    detail = str(cause) if cause is not None and str(cause) else type(cause).__name__
    return HttpAnswer(problem=" ".join(detail.split())[:200], timed_out=timed_out, began=began)


def _sdk_client(base_url: str, key: str | None) -> openai.OpenAI:
    """Return a client without retries and redirects of its own."""
    import openai

    class NoRedirects(openai.OpenAI):
        """A redirect would take the question and the article to a host that nobody chose."""

        def _prepare_options(self, options: FinalRequestOptions) -> FinalRequestOptions:
            prepared = super()._prepare_options(options)
            prepared.follow_redirects = False
            return prepared

    client = NoRedirects(api_key=key or "no key needed", base_url=base_url, max_retries=0)
    if base_url != OPENAI_URL:
        # The SDK takes these from the environment; they say who the user is at OpenAI.
        client.organization = None
        client.project = None
    return client


def _checked_url(base_url: str) -> str:
    """Return the address without a trailing slash.

    Raises
    ------
    ConfigurationError
        It is not an http(s) address, or holds a password or a query.
    """
    try:
        parts = urlsplit(base_url.strip())
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond 65535, half an IPv6 address
        is_address = False
    if not is_address:
        raise ConfigurationError("base_url must look like http://localhost:8080/v1 or https://host/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError("base_url must hold no password, query or fragment; give the key as api_key")
    return base_url.strip().rstrip("/")


def _key_from_environment(host: str) -> str | None:
    key = os.environ.get(KEY_VARIABLE)
    if not key and host == _OPENAI_HOST:
        key = os.environ.get("OPENAI_API_KEY")
    return key or None


def _checked_key(key: str | None) -> str | None:
    """Return the key without surrounding white space (a line break from a file is the usual one).

    Raises
    ------
    ConfigurationError
        It cannot be sent in a header. Sent all the same, it would show up in the transport's error.
    """
    key = (key or "").strip()
    if not all(33 <= ord(c) <= 126 for c in key):
        raise ConfigurationError(
            "the API key holds a space, a line break or a character outside ASCII; copy it again"
        )
    return key or None
