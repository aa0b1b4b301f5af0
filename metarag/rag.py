"""Retriever, pipeline and generator in one call."""

from __future__ import annotations

from metarag.generation.base import Answer, Generator
from metarag.generation.extractive import ExtractiveGenerator
from metarag.pipeline import Pipeline
from metarag.presets import build_pipeline
from metarag.retrieval.base import Retriever
from metarag.types import Question

DEFAULT_LIMIT = 50
"""Articles retrieved for a question. The paper retrieves 15; a filter needs more to choose from."""


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
    ) -> None:
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit}")
        self.retriever = retriever
        self.pipeline = pipeline or build_pipeline()
        self.generator = generator or ExtractiveGenerator()
        self.limit = limit

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
        found = self.retriever.retrieve(asked, limit=self.limit)
        ranking = self.pipeline.rank(
            asked,
            found.articles,
            query=found.query,
            warnings=[f"could not be read: {f}" for f in found.failures],
        )
        return self.generator.generate(asked, ranking)
