"""Counts what is asked of a model in one piece of work, also where many go on at once."""

from __future__ import annotations

import threading

from metarag.llm.base import ChatModel, ChatReply, ChatRequest
from metarag.llm.pool import WrapsModel


class CountingModel(WrapsModel):
    """The same model, counted apart: one around the shared one for each question.

    Attributes
    ----------
    sent : int
        Requests that went out for it; what came from the cache is none.
    """

    def __init__(self, inner: ChatModel) -> None:
        super().__init__(inner)
        self._lock = threading.Lock()
        self.sent = 0
        self.input_tokens: int | None = 0
        self.output_tokens: int | None = 0
        self.answered: set[str] = set()

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the inner model's reply."""
        reply = self.inner.chat(request)
        with self._lock:
            if reply.model_answered:
                self.answered.add(reply.model_answered)
            if not reply.cached:
                self.sent += reply.attempts
                self.input_tokens = _plus(self.input_tokens, reply.input_tokens)
                self.output_tokens = _plus(self.output_tokens, reply.output_tokens)
        return reply


def _plus(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
