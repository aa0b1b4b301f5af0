"""Runs an experiment: one line a finished answer, so that nothing is done twice and nothing is lost."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from metarag.errors import ModelUnavailableError
from metarag.evaluation.counting import CountingModel
from metarag.evaluation.experiment import Experiment, Task
from metarag.evaluation.folder import EvaluationFolder
from metarag.evaluation.pools import Pools
from metarag.evaluation.progress import Pace, RunProgress
from metarag.evaluation.results import ItemResult, Outcome, write_results
from metarag.evaluation.signature import EvaluationSignature
from metarag.evaluation.systems import evidence_for
from metarag.generation.multiple_choice import MultipleChoiceGenerator
from metarag.generation.multiple_choice_options import MultipleChoiceOptions
from metarag.llm.base import Failure
from metarag.retrieval.base import Retriever
from metarag.types import Question

__all__ = ["DryRun", "RunProgress", "Runner"]

MIN_ANSWERS: Final = 100
"""Failures are held against at least so many answers, so that one early failure ends nothing; ours."""

OnProgress = Callable[[RunProgress], None]


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a run would do.

    Attributes
    ----------
    questions : int
        Different questions of the data sets.
    answers, done : int
        To be had, and there already.
    answering_calls : int
        One for each answer that is missing; retries not counted.
    judging_calls : int
        Upper bound of calls that judge articles: two an article, system and question at most, where a model
        judges; those that depend on the article alone are sent once and then come from the cache.
    """

    questions: int
    answers: int
    done: int
    answering_calls: int
    judging_calls: int

    @property
    def calls_per_question(self) -> float:
        """At most, on average over all questions, for all systems, models and seeds together."""
        return (self.answering_calls + self.judging_calls) / self.questions


class Runner:
    """Runs an experiment in a folder.

    Parameters
    ----------
    folder : Path
        Holds the signature, the pools of evidence and the results; made when the run starts. A run that was
        stopped goes on where it was; a folder of another experiment is refused.
    retriever : Retriever or None
        Needed where a system shows evidence and the pools do not hold it yet.
    retry_errors : bool
        Answer again what failed the last time; otherwise a failed call stays a result.

    Raises
    ------
    ConfigurationError
        The folder belongs to an experiment with another fingerprint; the message says what differs.
    InputError
        A file of the folder cannot be read.
    """

    def __init__(
        self,
        experiment: Experiment,
        folder: Path,
        *,
        retriever: Retriever | None = None,
        retry_errors: bool = False,
    ) -> None:
        self.experiment = experiment
        self.folder = EvaluationFolder(folder, experiment.signature)
        self.pools = Pools(self.folder.pools, retriever, limit=experiment.plan.pool_size)
        self._retry_errors = retry_errors
        self._done = self.folder.stored()
        self._lock = threading.Lock()

    @property
    def signature(self) -> EvaluationSignature:
        """Of the experiment, with the names of the models that have answered."""
        return self.folder.signature

    def dry_run(self) -> DryRun:
        """Count what a run would do; nothing is sent and nothing is written."""
        tasks = list(self.experiment.tasks())
        missing = self._missing()
        ranked = sum(task.system.ranks for task in missing)
        per_question = 2 * self.experiment.plan.pool_size if self.experiment.judged else 0
        return DryRun(
            questions=sum(len(dataset) for dataset in self.experiment.datasets),
            answers=len(tasks),
            done=len(tasks) - len(missing),
            answering_calls=len(missing),
            judging_calls=ranked * per_question,
        )

    def run(self, on_progress: OnProgress | None = None) -> tuple[ItemResult, ...]:
        """Answer what is missing and return all results.

        An interruption (Ctrl-C) loses only the answers that are being waited for.

        Raises
        ------
        ModelUnavailableError
            Too many calls failed, or no further call can succeed; what was answered stands, and the same
            command goes on from there.
        RetrievalError
            Evidence could not be retrieved.
        ConfigurationError
            Another process works in the folder.
        """
        with self.folder.claimed():
            self.folder.cut_off_unfinished()
            missing = self._missing()
            if self._retry_errors:
                kept = {k: r for k, r in self._done.items() if r.outcome is not Outcome.ERROR}
                if len(kept) < len(self._done):
                    write_results(self.folder.results, kept.values())
                self._done = kept
            _Workers(self, missing, on_progress).run()
        return tuple(self._done[task.key] for task in self.experiment.tasks())

    def keep(self, result: ItemResult) -> None:
        """Write a result and count it as done."""
        self.folder.append(result)
        self._done[result.key] = result

    def answer(self, task: Task) -> ItemResult:
        """Answer one question with one system.

        Raises
        ------
        ModelUnavailableError
            No further call can succeed either.
        """
        plan, item, system = self.experiment.plan, task.item, task.system
        model, judge = CountingModel(task.model), CountingModel(task.model)
        began = time.monotonic()
        ranking = evidence_for(
            system,
            Question.ask(item.question),
            self.pools.of(item) if system.shows_evidence else (),
            seed=task.seed,
            item=item.id,
            judge=judge if self.experiment.judged else None,
        )
        options = plan.choice.model_copy(
            update={"closed_book": not system.shows_evidence, "top_n": system.top_n, "seed": task.seed}
        )
        choice = MultipleChoiceGenerator(model, options).choose(item.as_question(), ranking)
        if choice.failure == Failure.STOPPED:
            # A wrong key, no such model, an empty budget: this is no result, and the next would be none either.
            raise ModelUnavailableError(f"stopped at question {item.id} of {item.dataset}: {choice.reason}")
        with self._lock:
            self.folder.note_answered(task.model.model, model.answered | judge.answered)
        result = ItemResult.of(
            item, choice, system=system.name, model=task.model.model, seed=task.seed, calls=judge.sent
        )
        return _with_judging(result, judge, plan.choice).model_copy(
            update={"seconds": round(time.monotonic() - began, 3)}
        )

    def _missing(self) -> list[Task]:
        again = (Outcome.ERROR,) if self._retry_errors else ()
        found = []
        for task in self.experiment.tasks():
            stored = self._done.get(task.key)
            if stored is None or stored.outcome in again:
                found.append(task)
        return found


class _Workers:
    """Threads that answer what is missing, until it is done, one of them fails, or the user has enough."""

    def __init__(self, runner: Runner, missing: list[Task], on_progress: OnProgress | None) -> None:
        self.runner = runner
        self.on_progress = on_progress
        self._count = max(1, min(runner.experiment.plan.concurrency, len(missing)))
        total = sum(1 for _ in runner.experiment.tasks())
        self._pace = Pace(done=total - len(missing), total=total)
        self._waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in missing:
            self._waiting.put(task)
        self._failures: list[BaseException] = []
        self._ended = False
        self._lock = threading.Lock()

    def run(self) -> None:
        threads = [
            threading.Thread(target=self._work, name="metarag-eval", daemon=True) for _ in range(self._count)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                # Joined in short turns, so that Ctrl-C is not kept waiting for a silent server.
                while thread.is_alive():
                    thread.join(0.2)
        finally:
            with self._lock:
                # What still comes in after an interruption is written by nobody: the caller has gone on.
                self._ended = True
        if self._failures:
            raise self._failures[0]

    def _work(self) -> None:
        while not self._failures and not self._ended:
            try:
                task = self._waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._keep(self.runner.answer(task))
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                self._failures.append(error)

    def _keep(self, result: ItemResult) -> None:
        with self._lock:
            if self._ended:
                return
            self.runner.keep(result)
            told = self._pace.count(result)
            if self.on_progress:
                self.on_progress(told)
        share = self.runner.experiment.plan.max_error_share
        if told.errors > share * max(self._pace.fresh, MIN_ANSWERS):
            raise ModelUnavailableError(
                f"{told.errors} of {self._pace.fresh} answers failed, more than {share:.0%} of {MIN_ANSWERS} or"
                f" more, the last with {result.failure or result.method}; look at the model's server, then run"
                " the same command with --retry-errors"
            )


def _with_judging(result: ItemResult, judge: CountingModel, choice: MultipleChoiceOptions) -> ItemResult:
    """Add the tokens that judging the articles took, and what they cost."""
    if not judge.sent:
        return result
    inputs = _plus(result.input_tokens, judge.input_tokens)
    outputs = _plus(result.output_tokens, judge.output_tokens)
    cost = None
    if choice.prices is not None and inputs is not None and outputs is not None:
        per = choice.prices
        cost = (inputs * per.input_per_million + outputs * per.output_per_million) / 1_000_000
    return result.model_copy(update={"input_tokens": inputs, "output_tokens": outputs, "cost": cost})


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
