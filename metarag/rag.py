"""Retriever, pipeline and generator in one call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from metarag.generation.base import Answer, Generator
from metarag.generation.extractive import ExtractiveGenerator
from metarag.pipeline import Pipeline
from metarag.presets import build_pipeline
from metarag.retrieval.base import Retriever
from metarag.types import Question

DEFAULT_LIMIT = 50
"""Articles retrieved for a question. The paper retrieves 15; a filter needs more to choose from."""


class Step(StrEnum):
    """What :meth:`MetaRag.ask` does, in order."""

    RETRIEVE = "retrieve"
    RANK = "rank"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Progress:
    """A step has begun, or is done.

    Attributes
    ----------
    articles : int
        Known at this point: 0 before the retrieval is done, then retrieved, then included.
    """

    step: Step
    done: bool
    articles: int


OnProgress = Callable[[Progress], None]


class MetaRag:
    """Ask a question: retrieve, rank, answer; the ranking and its audit come with the answer.

    Parameters
    ----------
    retriever : Retriever
        E.g. ``CorpusRetriever(Corpus.open("my.sqlite"))``.
    pipeline : Pipeline or None
        ``None`` is the `recommended` preset.
    generator : Generator or None
        ``None`` quotes the best articles, without any model.
    limit : int
        Articles to retrieve, at least 1.
    on_progress : callable or None
        Told when each step begins and when it is done, in the thread that asks; what it raises ends the
        asking, which is the way to cancel it.

    Raises
    ------
    ValueError
        ``limit`` is smaller than 1.
    """

    def __init__(
        self,
        retriever: Retriever,
        *,
        pipeline: Pipeline | None = None,
        generator: Generator | None = None,
        limit: int = DEFAULT_LIMIT,
        on_progress: OnProgress | None = None,
    ) -> None:
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit}")
        self.retriever = retriever
        self.pipeline = pipeline or build_pipeline()
        self.generator = generator or ExtractiveGenerator()
        self.limit = limit
        self.on_progress = on_progress

    def ask(self, question: Question | str) -> Answer:
        """Return an answer with citations, or one that says why there is none.

        Raises
        ------
        QuestionError
            The question is empty or too long.
        RetrievalError
            The articles could not be retrieved; nothing was answered.
        """
        asked = Question.ask(question)
        self._tell(Step.RETRIEVE, articles=0)
        found = self.retriever.retrieve(asked, limit=self.limit)
        self._tell(Step.RETRIEVE, articles=len(found.articles), done=True)
        self._tell(Step.RANK, articles=len(found.articles))
        ranking = self.pipeline.rank(
            asked,
            found.articles,
            query=found.query,
            warnings=[f"could not be read: {f}" for f in found.failures],
        )
        self._tell(Step.RANK, articles=len(ranking), done=True)
        self._tell(Step.ANSWER, articles=len(ranking))
        answer = self.generator.generate(asked, ranking)
        self._tell(Step.ANSWER, articles=len(ranking), done=True)
        return answer

    async def aask(self, question: Question | str) -> Answer:
        """Do the same in a thread, so that an event loop goes on; bound to no loop.

        Raises
        ------
        QuestionError
            The question is empty or too long.
        RetrievalError
            The articles could not be retrieved; nothing was answered.
        """
        return await asyncio.to_thread(self.ask, question)

    def _tell(self, step: Step, *, articles: int, done: bool = False) -> None:
        if self.on_progress:
            self.on_progress(Progress(step, done, articles))
