"""An evaluation that gets killed: prints a line for each answer that is safe."""

from __future__ import annotations

import sys
from pathlib import Path

from metarag.evaluation.datasets import invented_questions
from metarag.evaluation.experiment import Experiment, Plan
from metarag.evaluation.runner import Runner
from metarag.evaluation.systems import named_systems
from metarag.llm.cache import CachedModel, ReplyCache
from metarag.llm.openai import OpenAIModel
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import open_demo_corpus


def main(url: str, folder: str) -> None:
    with open_demo_corpus() as corpus, ReplyCache(Path(folder) / "replies.sqlite") as replies:
        model = CachedModel(OpenAIModel("test-model", base_url=url), replies)
        experiment = Experiment(
            [invented_questions()],
            named_systems(["closed_book", "plain"]),
            [model],
            Plan(concurrency=1, limit=6),
        )
        runner = Runner(experiment, Path(folder), retriever=CorpusRetriever(corpus))

        def tell(progress: object) -> None:
            sys.stdout.write("answered\n")
            sys.stdout.flush()

        runner.run(tell)


if __name__ == "__main__":
    main(*sys.argv[1:])
