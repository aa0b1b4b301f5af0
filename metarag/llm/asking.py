"""Asking a model that may be anybody's code: whatever it does wrong is a failed call, not a lost ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from metarag.errors import ModelError
from metarag.llm.base import ChatModel, ChatReply, ChatRequest, Failure, failed_reply
from metarag.llm.streaming import OnText, stream_chat

T = TypeVar("T")
_LONGEST = 200
"""Characters of what a foreign exception says."""


def ask(model: ChatModel, request: ChatRequest) -> ChatReply:
    """Return the model's reply; a failed one where it raises, or returns something else."""
    return _reply(_called(lambda: model.chat(request)))


def ask_streaming(model: ChatModel, request: ChatRequest, on_text: OnText) -> ChatReply:
    """Return the model's reply, whose text is given as it comes; a failed one as :func:`ask` does."""
    return _reply(_called(lambda: stream_chat(model, request, on_text)))


def ask_all(model: ChatModel, requests: Sequence[ChatRequest]) -> tuple[ChatReply, ...]:
    """Return a reply to each request, in their order; where there is none, a failed one says why."""
    replies = _called(lambda: tuple(model.map_chat(requests, partial=True)))
    if isinstance(replies, ChatReply):
        return (replies,) * len(requests)
    if len(replies) != len(requests):
        said = f"the model returned {len(replies):,} replies to {len(requests):,} requests"
        return (failed_reply(Failure.BAD_BODY, said),) * len(requests)
    return tuple(map(_reply, replies))


def _called(call: Callable[[], T]) -> T | ChatReply:
    try:
        return call()
    except ModelError as error:
        return failed_reply(Failure.STOPPED, str(error))
    except Exception as error:  # noqa: BLE001 - as a foreign stage, a model may be anybody's code
        # What it raises must not cost what the rules have found.
        said = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
        return failed_reply(Failure.STOPPED, f"the model's own code failed with {said}")


def _reply(given: object) -> ChatReply:
    if isinstance(given, ChatReply):
        return given
    said = f"the model returned a {type(given).__name__} instead of a ChatReply"
    return failed_reply(Failure.BAD_BODY, said)
