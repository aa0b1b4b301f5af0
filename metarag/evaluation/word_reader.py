"""Answers by counting words, so that an experiment can be tried, and tested, without a language model."""

from __future__ import annotations

import math
import re

from metarag.llm.base import ChatReply, ChatRequest
from metarag.llm.pool import MapsChat
from metarag.relevance import stem, words
from metarag.retrieval.free_text import FUNCTION_WORDS

_BLOCK = re.compile(r"<data-(\w+)-([0-9a-f]+)>\n(.*?)\n</data-\1-\2>", re.DOTALL)
_OPTION = re.compile(r"^(\w{1,3})\. (.*)$")
_NOTHING = "I cannot tell."


class WordReader(MapsChat):
    """Chooses the option whose words stand in the articles that are shown; knows nothing by itself.

    What an option adds to the question is looked up: the share of its word stems that an article holds, the
    first article counting fully, the second half, the third a third. Without articles, or where two options are
    equal, it says that it cannot tell. It is a floor for what evidence gives, and no model of a reader.
    """

    model = "word-reader-1"
    endpoint = ""
    concurrency = 1

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the letter of an option, or that it cannot tell."""
        letter = _best(request.user)
        return ChatReply(
            status="ok",
            text=f"Answer: {letter}" if letter else _NOTHING,
            model_asked=self.model,
            model_answered=self.model,
            attempts=1,
            input_tokens=0,
            output_tokens=0,
        )


def _best(message: str) -> str | None:
    blocks = [(label, text) for label, _, text in _BLOCK.findall(message)]
    asked = {root for label, text in blocks if label == "question" for root in _stems(text)}
    listed = "\n".join(text for label, text in blocks if label == "options")
    articles = [frozenset(_stems(text)) for label, text in blocks if label == "article"]
    scores: dict[str, float] = {}
    for line in listed.split("\n"):
        option = _OPTION.match(line)
        if option:
            own = set(_stems(option[2])) - asked
            shares = (len(own & said) / max(1, len(own)) / rank for rank, said in enumerate(articles, 1))
            scores[option[1]] = math.fsum(shares)
    highest = max(scores.values(), default=0.0)
    best = [letter for letter, score in scores.items() if score == highest > 0]
    return best[0] if len(best) == 1 else None


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text) if word not in FUNCTION_WORDS]
