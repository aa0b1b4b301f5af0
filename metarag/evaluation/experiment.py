"""What an experiment consists of: questions, systems, models, seeds, and the single answers they make."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import Field, JsonValue

from metarag.errors import ConfigurationError
from metarag.evaluation.items import Dataset, Item
from metarag.evaluation.signature import (
    DatasetSignature,
    EvaluationSignature,
    ModelSignature,
    code_digest,
    environment,
)
from metarag.evaluation.systems import System
from metarag.generation.multiple_choice_options import MultipleChoiceOptions
from metarag.llm.base import ChatModel
from metarag.prompts import load_prompt
from metarag.records import Frozen

CALLS_OF_THE_PAPER: Final = 137
"""About what META-RAG asks a model for one question: its prompts per article and claim, counted over 15 articles."""


class Plan(Frozen):
    """How an experiment is run.

    Parameters
    ----------
    seeds : tuple of int
        Of the runs, at least one; a question is answered once for each.
    pool_size : int
        Candidates retrieved for a question, at least 1. The paper retrieves 15.
    limit : int or None
        Only so many questions of each data set: from the beginning, and in turn from its subsets, so that the
        first 60 of three subjects are 20 of each.
    shard : tuple of int or None
        Only part ``i`` of ``n`` (from 1), by a hash of the question, so that the parts together are the whole.
    concurrency : int
        Questions at the same time, at least 1.
    max_error_share : float
        Share of failed answers above which the run stops, in (0, 1]; of 100 answers where there are fewer.
    choice : MultipleChoiceOptions
        How the model chooses; ``top_n`` and ``closed_book`` are the systems'. A question for which a system has
        nothing to show is asked without evidence, because one that is not asked would count as wrong.
    """

    seeds: tuple[int, ...] = Field(default=(0,), min_length=1)
    pool_size: int = Field(default=15, ge=1, le=500)
    limit: int | None = Field(default=None, ge=1)
    shard: tuple[int, int] | None = None
    concurrency: int = Field(default=4, ge=1, le=64)
    max_error_share: float = Field(default=0.02, gt=0, le=1)
    choice: MultipleChoiceOptions = MultipleChoiceOptions(without_evidence="closed_book")


@dataclass(frozen=True, slots=True)
class Task:
    """One answer to be had."""

    item: Item
    system: System
    model: ChatModel
    seed: int

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        """As :attr:`metarag.evaluation.results.ItemResult.key`."""
        return self.item.dataset, self.model.model, self.system.name, self.seed, self.item.id


class Experiment:
    """Questions, systems and models, and the answers that they make.

    Parameters
    ----------
    evidence : dict or None
        Where the articles come from, for the signature.
    judged : bool
        Whether each answering model also judges the articles, for the systems that rank.

    Raises
    ------
    ConfigurationError
        Two data sets, systems or models have one name, there is nothing to do, or the shard makes no sense.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        systems: Sequence[System],
        models: Sequence[ChatModel],
        plan: Plan | None = None,
        *,
        evidence: dict[str, JsonValue] | None = None,
        judged: bool = False,
    ) -> None:
        self.plan = plan or Plan()
        self.datasets = tuple(_chosen(dataset, self.plan) for dataset in datasets)
        self.systems, self.models, self.judged = tuple(systems), tuple(models), judged
        self.evidence = dict(evidence or {})
        for what, names in (
            ("data set", [d.name for d in self.datasets]),
            ("system", [s.name for s in self.systems]),
            ("model", [m.model for m in self.models]),
        ):
            if not names:
                raise ConfigurationError(f"an experiment needs at least one {what}")
            if len(set(names)) < len(names):
                raise ConfigurationError(f"two of the {what}s have one name: {', '.join(sorted(names))}")
        if not any(len(dataset) for dataset in self.datasets):
            raise ConfigurationError("no question is left to ask; look at --limit and --shard")

    def tasks(self) -> Iterator[Task]:
        """Yield every answer to be had, question by question, so that a pool is used while it is at hand."""
        for dataset in self.datasets:
            for item in dataset:
                for model in self.models:
                    for seed in self.plan.seeds:
                        for system in self.systems:
                            yield Task(item, system, model, seed)

    @property
    def signature(self) -> EvaluationSignature:
        """Everything that has to be the same for the numbers to come out the same."""
        selection = _selection(self.plan)
        choice = self.plan.choice
        used = {choice.prompt_id(closed_book=not system.shows_evidence) for system in self.systems}
        prompts = {f"{p.id}@{p.version}": p.digest for p in map(load_prompt, sorted(used))}
        settings = choice.model_dump(mode="json", exclude={"closed_book", "top_n", "seed", "prices"})
        return EvaluationSignature(
            datasets=tuple(DatasetSignature.of(d, selection=selection) for d in self.datasets),
            models=tuple(ModelSignature(name=m.model, endpoint=m.endpoint) for m in self.models),
            systems={
                system.name: {**system.described, "judged_by_model": self.judged, "choice": settings}
                for system in self.systems
            },
            prompts=prompts,
            evidence={
                "pool_size": self.plan.pool_size,
                "options_in_query": False,
                "sources_excluded": True,
                **self.evidence,
            },
            seeds=self.plan.seeds,
            code=code_digest(),
            environment=environment(),
        )


def _chosen(dataset: Dataset, plan: Plan) -> Dataset:
    items = _first(dataset.items, plan.limit)
    if plan.shard is not None:
        part, parts = plan.shard
        if not 1 <= part <= parts:
            raise ConfigurationError(f"shard {part}/{parts} is none; parts count from 1")
        items = tuple(item for item in items if _bucket(item.id, parts) == part - 1)
    return dataset.model_copy(update={"items": items})


def _first(items: Sequence[Item], limit: int | None) -> tuple[Item, ...]:
    """Return the first items, in turn from each subset, in the order of the file."""
    if limit is None or limit >= len(items):
        return tuple(items)
    met: Counter[str | None] = Counter()
    turns = []
    for place, item in enumerate(items):
        turns.append((met[item.subset], place))
        met[item.subset] += 1
    return tuple(items[place] for place in sorted(place for _, place in sorted(turns)[:limit]))


def _bucket(item_id: str, parts: int) -> int:
    return int(hashlib.sha256(item_id.encode()).hexdigest()[:8], 16) % parts


def _selection(plan: Plan) -> str:
    said = [] if plan.limit is None else [f"first {plan.limit}"]
    if plan.shard is not None:
        said.append(f"part {plan.shard[0]} of {plan.shard[1]}")
    return ", ".join(said) or "all"
