"""Language models: optional, replaceable, never trusted with more than closed answers."""

from __future__ import annotations

from metarag.llm.base import ChatModel, ChatReply, ChatRequest
from metarag.llm.connect import connect

__all__ = ["ChatModel", "ChatReply", "ChatRequest", "connect"]
