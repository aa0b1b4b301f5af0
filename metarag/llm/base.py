"""What metarag asks of a language model, and what it takes for an answer.

A model is anything with :class:`ChatModel`'s methods. A call that fails comes back as a reply whose
status says so (``failed:truncated`` ...), because one failed call must not lose the others. What makes
every further call pointless (a wrong key, an empty budget) is raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol, Self, runtime_checkable

from pydantic import Field, JsonValue, field_validator, model_validator

from metarag.errors import ModelResponseError, ModelUnavailableError
from metarag.llm.reply_schema import ReplySchema
from metarag.records import Frozen


class Failure(StrEnum):
    """Why a call has no usable answer."""

    TRUNCATED = "truncated"
    """Cut off by the token limit. Never completed by guesswork."""
    FILTERED = "filtered"
    """Withheld by the provider's content filter."""
    REFUSED = "refused"
    """The model declined."""
    EMPTY = "empty"
    """A well-formed answer with nothing in it."""
    MALFORMED = "malformed"
    """No JSON object could be read from the text."""
    SCHEMA = "schema"
    """An object, but not with the fields and closed answers that were asked for."""
    MISMATCHED = "mismatched"
    """The reply is about another article than the request."""
    BAD_BODY = "bad_body"
    """The server's answer is not a chat completion."""
    TIMEOUT = "timeout"
    """The call's deadline passed."""
    CONNECTION = "connection"
    """No connection, or it broke."""
    RATE_LIMITED = "rate_limited"
    """Told to wait longer than the deadline allows, or too often."""
    SERVER_ERROR = "server_error"
    """5xx and the like, after all retries."""
    TOO_LONG = "too_long"
    """The request does not fit the model's context."""
    REJECTED = "rejected"
    """The server does not accept the request."""
    STOPPED = "stopped"
    """Not sent, because the run had been stopped before."""
    QUOTA = "quota"
    """The account has no credit left. Stops the run."""
    AUTH = "auth"
    """401. Stops the run."""
    FORBIDDEN = "forbidden"
    """403. Stops the run."""
    NOT_FOUND = "not_found"
    """404: no such model or path. Stops the run."""
    NOT_AN_API = "not_an_api"
    """A web page or a redirect: the address is wrong. Stops the run."""


_NO_ANSWER = frozenset(
    {Failure.TIMEOUT, Failure.CONNECTION, Failure.RATE_LIMITED, Failure.SERVER_ERROR, Failure.STOPPED}
)


class Rung(StrEnum):
    """How the shape of the reply is asked for, from the firmest to the loosest."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"

    @property
    def looser(self) -> Rung:
        """The next looser rung; ``TEXT`` is the last."""
        return Rung.JSON_OBJECT if self is Rung.JSON_SCHEMA else Rung.TEXT


class ChatRequest(Frozen):
    """One question to a model: instructions, and one article at most.

    Parameters
    ----------
    system : str
        Instructions.
    user : str
        Data, delimited (see :mod:`metarag.llm.untrusted`).
    reply_schema : ReplySchema or None
        The closed shape of the reply; ``None`` asks for plain text.
    must_echo : dict of str to str
        Fields of the reply that have to come back as given, e.g. the article's reference. Another value
        is a reply to another request.
    max_tokens : int
        Of the reply.
    temperature : float
        In [0, 2]. Zero makes a model repeatable at best, never certainly.
    seed : int or None
        Sent plus ``sample``; ``None`` sends none.
    sample : int
        From 0. Requests that differ in nothing else are asked and cached apart.
    top_logprobs : int
        Of how many of the likeliest first tokens the log-probabilities are asked for; 0 asks for none. Above
        0 the first token is what counts: where the server gives it, being cut off behind it is no failure.
    prompt : str or None
        ``id@version#digest`` of the prompt behind it, for the audit.
    """

    system: str = ""
    user: str = Field(min_length=1)
    reply_schema: ReplySchema | None = None
    must_echo: dict[str, str] = Field(default_factory=dict)
    max_tokens: int = Field(default=1024, ge=1)
    temperature: float = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    seed: int | None = 0
    sample: int = Field(default=0, ge=0)
    top_logprobs: int = Field(default=0, ge=0, le=20)
    prompt: str | None = None


class ChatReply(Frozen):
    """What came back, or why nothing did.

    Attributes
    ----------
    status : str
        ``ok``; ``coerced`` when values were changed by a recorded rule; ``reasked`` when the second
        question was answered; ``failed:`` and a :class:`Failure`.
    text : str or None
        The answer as the model wrote it. Kept on failure where there is one, for the audit.
    parsed : dict or None
        The checked object. Always ``None`` on failure: there is no default answer.
    message : str or None
        Why it failed, for a person. Never holds a key.
    notes : tuple of str
        Coercions, extraction from prose, another model answering ...
    rung : Rung or None
        How the shape was asked for; ``None`` for plain text.
    model_asked, model_answered : str or None
    first_token : dict of str to float, or None
        The likeliest first tokens with their log-probabilities (natural, at most 0). ``None`` when they were
        not asked for, or the server does not give them.
    input_tokens, output_tokens : int or None
        Over all attempts of the call. ``None`` when any answer came without a count.
    attempts : int
        HTTP requests sent, failed ones too.
    latency : float
        Seconds from first request to reply, waiting included.
    cached : bool
        From the cache: nothing was sent this time, and the figures are those of the first time.
    """

    status: str
    text: str | None = None
    parsed: dict[str, JsonValue] | None = None
    message: str | None = None
    notes: tuple[str, ...] = ()
    rung: Rung | None = None
    model_asked: str | None = None
    model_answered: str | None = None
    finish_reason: str | None = None
    system_fingerprint: str | None = None
    first_token: dict[str, float] | None = None
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    attempts: int = Field(default=0, ge=0)
    latency: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    cached: bool = False

    @field_validator("status")
    @classmethod
    def _known(cls, value: str) -> str:
        known = {"ok", "coerced", "reasked"} | {f"failed:{f}" for f in Failure}
        if value not in known:
            raise ValueError(f"unknown status {value!r}")
        return value

    @model_validator(mode="after")
    def _failure_has_no_answer(self) -> Self:
        if self.failed and (self.parsed is not None or not self.message):
            raise ValueError("a failed reply has a message and no parsed answer")
        return self

    @property
    def failed(self) -> bool:
        """True when there is no answer to use."""
        return self.status.startswith("failed:")

    @property
    def failure(self) -> Failure | None:
        """Why it failed; ``None`` when it did not."""
        return Failure(self.status.removeprefix("failed:")) if self.failed else None

    def require(self) -> Self:
        """Return the reply itself when it can be used.

        Raises
        ------
        ModelUnavailableError
            The server gave no answer.
        ModelResponseError
            The answer cannot be used.
        """
        if self.failure is None:
            return self
        problem = ModelUnavailableError if self.failure in _NO_ANSWER else ModelResponseError
        raise problem(f"{self.failure}: {self.message}")


def failed_reply(failure: Failure, message: str) -> ChatReply:
    """Return a reply that says why there is no answer."""
    return ChatReply(status=f"failed:{failure}", message=message)


@runtime_checkable
class ChatModel(Protocol):
    """A language model, near or far, real or recorded."""

    @property
    def model(self) -> str:
        """The name it is asked for by."""

    @property
    def endpoint(self) -> str:
        """Host, port and path it is asked at; empty when no network is involved. Part of cache keys."""

    @property
    def concurrency(self) -> int:
        """Requests in flight at most."""

    def chat(self, request: ChatRequest) -> ChatReply:
        """Answer one request; a failed call is a reply with a ``failed:`` status.

        Raises
        ------
        ModelUnavailableError
            No further call can succeed: wrong key, no such model, no credit, server gone.
        ModelBudgetError
            The budget is used up.
        """

    def map_chat(self, requests: Sequence[ChatRequest], *, partial: bool = False) -> tuple[ChatReply, ...]:
        """Answer all requests, in their order, a few at a time; see :func:`metarag.llm.pool.map_replies`."""
