"""The command line's language model: what connects it, and what is shown while it is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import ValidationError
from rich.progress import Progress

from metarag.cli_output import err
from metarag.config import describe
from metarag.generation.base import Generator
from metarag.llm.base import ChatModel, ChatReply, ChatRequest
from metarag.llm.budget import Budget
from metarag.llm.cache import ReplyCache
from metarag.llm.connect import connect
from metarag.llm.openai import OPENAI_URL
from metarag.llm.pool import WrapsModel, map_replies
from metarag.report.numbers import count
from metarag.report.plain import shorten

ENGLISH: Final = "English"
_MOST_REASONS: Final = 3
_LONGEST_REASON: Final = 200
"""Characters; a server may send a page of its own."""


class AnswerBy(StrEnum):
    """Who writes an answer."""

    EXTRACTIVE = "extractive"
    MODEL = "model"


AnswerOption = Annotated[
    AnswerBy, typer.Option("--answer", help="Who writes the answer: rules, or the model of --model.")
]


LanguageOption = Annotated[
    str, typer.Option("--language", help="Language of the answer that a model writes, in words.")
]


class ProgressModel(WrapsModel):
    """Shows on stderr how far a round of calls is, and in one line how it went."""

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the inner model's reply."""
        return self.inner.chat(request)

    def map_chat(self, requests: Sequence[ChatRequest], *, partial: bool = False) -> tuple[ChatReply, ...]:
        """Return the inner model's replies, in the order of the requests."""
        console = err()
        what = (requests[0].prompt or "").partition("@")[0] if requests else ""
        # A bar in a log file is noise; the line at the end says it all.
        with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task(f"{self.model}: {what}", total=len(requests))

            def chat(request: ChatRequest) -> ChatReply:
                reply = self.inner.chat(request)
                progress.advance(task)
                return reply

            replies = map_replies(chat, requests, workers=self.concurrency, partial=partial)
        cached, failed = sum(r.cached for r in replies), sum(r.failed for r in replies)
        said = f"{self.model}, {what}: {count(len(replies), 'answer')} asked for, {cached:,} from the cache"
        console.print(f"{said}, {failed:,} failed.", style="dim", soft_wrap=True)
        for line in _failures(replies):
            console.print(line, soft_wrap=True)
        return replies


def _failures(replies: Sequence[ChatReply]) -> list[str]:
    """Return why answers failed, the commonest reasons first, each with how often."""
    reasons = Counter(
        f"{r.failure}{f': {shorten(r.message, _LONGEST_REASON)}' if r.message else ''}"
        for r in replies
        if r.failed
    )
    return [f"{number:,} x {reason}" for reason, number in reasons.most_common(_MOST_REASONS)]


@contextmanager
def model_from(
    name: str | None, base_url: str | None, cache: Path | None, max_calls: int | None
) -> Iterator[ChatModel | None]:
    """Connect the model of the options, and close its cache afterwards; ``None`` without ``--model``.

    Raises
    ------
    typer.BadParameter
        An option of the model is given without a model.
    ConfigurationError
        The name, the address or the key of the environment is unusable.
    """
    if name is None:
        options = {"--base-url": base_url, "--model-cache": cache, "--max-calls": max_calls}
        lonely = [option for option, value in options.items() if value is not None]
        if lonely:
            raise typer.BadParameter(f"{lonely[0]} needs --model NAME")
        yield None
        return
    replies = ReplyCache(cache) if cache else None
    try:
        yield ProgressModel(
            connect(
                name,
                # An empty address is a mistake, such as a variable that is not set; OpenAI was not meant by it.
                base_url=OPENAI_URL if base_url is None else base_url,
                cache=replies,
                budget=Budget(max_calls=max_calls),
            )
        )
    finally:
        if replies:
            replies.close()


def generator_from(by: AnswerBy, model: ChatModel | None, language: str = ENGLISH) -> Generator | None:
    """Return what writes the answer; ``None`` is the default, which needs no model.

    Raises
    ------
    typer.BadParameter
        The model is to write, and there is none; or the rules, which know no other language, are to.
    """
    if by is AnswerBy.EXTRACTIVE:
        if language != ENGLISH:
            raise typer.BadParameter("--language needs --answer model: the rules write English")
        return None
    if model is None:
        raise typer.BadParameter("--answer model needs --model NAME")
    from metarag.generation.grounded import GroundedGenerator
    from metarag.generation.grounded_options import GroundedOptions

    try:
        return GroundedGenerator(model, GroundedOptions(language=language))
    except ValidationError as error:
        raise typer.BadParameter(f"--language takes the name of a language: {describe(error)}") from error
