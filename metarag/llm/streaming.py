"""Replies piece by piece: the text so far as it comes, and the same checked reply at the end."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from metarag.llm.base import ChatModel, ChatReply, ChatRequest
from metarag.llm.pool import Caught
from metarag.llm.wire import HttpAnswer

OnText = Callable[[str], None]
"""Takes all of the text so far; the last call has the whole text."""
STREAM: dict[str, JsonValue] = {"stream": True, "stream_options": {"include_usage": True}}
_DATA = b"data:"
_END = b"[DONE]"


@runtime_checkable
class StreamsText(Protocol):
    """A model that can give its text as it comes."""

    def stream_chat(self, request: ChatRequest, on_text: OnText) -> ChatReply:
        """Answer as :meth:`~metarag.llm.base.ChatModel.chat` does; call ``on_text`` in between."""


def stream_chat(model: ChatModel, request: ChatRequest, on_text: OnText) -> ChatReply:
    """Return the model's reply; its text is given as it comes, or at once where the model cannot stream.

    After a broken connection the text starts again from the beginning. The last text given is that of the
    reply.

    Raises
    ------
    ModelError
        As :meth:`~metarag.llm.base.ChatModel.chat`.
    """
    reply = model.stream_chat(request, on_text) if isinstance(model, StreamsText) else model.chat(request)
    if reply.text and not reply.failed:
        on_text(reply.text)
    return reply


@dataclass(slots=True)
class EventStream:
    """Server-sent events of one completion, put together as they come.

    Attributes
    ----------
    text : str
        So far.
    """

    text: str = ""
    _rest: bytes = b""
    _body: dict[str, JsonValue] = field(default_factory=dict)
    _finish_reason: str | None = None
    _refusal: str = ""
    _broken: bool = False

    def feed(self, piece: bytes) -> bool:
        """Take some bytes; true when there is new text."""
        before = len(self.text)
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(_DATA) and line[len(_DATA) :].strip() != _END:
                self._event(line[len(_DATA) :])
        return len(self.text) > before

    def completion(self) -> bytes | None:
        """Return the completion as the server would have sent it whole; ``None``: these were no events."""
        if self._broken or not self._body:
            return None
        message: dict[str, JsonValue] = {"role": "assistant", "content": self.text or None}
        if self._refusal:
            message["refusal"] = self._refusal
        choice: JsonValue = {"index": 0, "message": message, "finish_reason": self._finish_reason}
        return json.dumps({**self._body, "choices": [choice]}).encode()

    def _event(self, data: bytes) -> None:
        try:
            event = json.loads(data)
        except ValueError:
            self._broken = True
            return
        if not isinstance(event, dict):
            return
        kept = {k: v for k, v in event.items() if k != "choices" and v is not None}
        self._body = {**self._body, **kept, "object": "chat.completion"}
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self.text += delta["content"] if isinstance(delta.get("content"), str) else ""
            self._refusal += delta["refusal"] if isinstance(delta.get("refusal"), str) else ""
        if isinstance(choice.get("finish_reason"), str):
            self._finish_reason = choice["finish_reason"]


def read_streaming(
    read: Callable[[Callable[[bytes], None]], HttpAnswer], seconds: float, on_text: OnText
) -> Caught[HttpAnswer] | None:
    """Read an answer in a thread of its own and give its text to ``on_text`` in the caller's.

    Parameters
    ----------
    read : callable
        Reads the answer and hands on each piece of its body.
    seconds : float
        For all of it; ``None`` is returned when they are over.
    """
    caught: Caught[HttpAnswer] = Caught()
    texts: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    events = EventStream()

    def take(piece: bytes) -> None:
        if events.feed(piece):
            texts.put(events.text)

    def run() -> None:
        with caught:
            caught.value = read(take)
        texts.put(None)

    ends = time.monotonic() + seconds
    threading.Thread(target=run, name="metarag-stream", daemon=True).start()
    while True:
        try:
            text = texts.get(timeout=max(0.0, ends - time.monotonic()))
        except queue.Empty:
            return None
        if text is None:
            break
        on_text(text)
    answer, whole = caught.value, events.completion()
    if answer is not None and answer.status == 200 and whole is not None:
        caught.value = HttpAnswer(answer.status, answer.headers, whole, began=answer.began)
    return caught
