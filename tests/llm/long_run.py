"""A run that gets killed: prints the number of each article whose reply is safe in the cache."""

from __future__ import annotations

import signal
import sys

from metarag.llm.base import ChatReply, ChatRequest
from metarag.llm.cache import CachedModel, ReplyCache
from metarag.llm.openai import OpenAIModel


class LoudCache(ReplyCache):
    def put(self, key: str, reply: ChatReply, *, prompt: str | None = None) -> None:
        super().put(key, reply, prompt=prompt)
        sys.stdout.write(f"{reply.text}\n")
        sys.stdout.flush()


def main(url: str, path: str) -> None:
    # A shell that starts the tests in the background leaves Ctrl-C ignored for all its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    inner = OpenAIModel("test-model", base_url=url, concurrency=2)
    model = CachedModel(inner, LoudCache(path))
    model.map_chat([ChatRequest(user=str(i)) for i in range(100)])


if __name__ == "__main__":
    main(*sys.argv[1:])
