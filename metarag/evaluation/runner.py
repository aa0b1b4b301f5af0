"""Runs an experiment: one line a finished answer, so that nothing is done twice and nothing is lost."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from metarag.errors import ConfigurationError, InputError, ModelUnavailableError
from metarag.evaluation.counting import CountingModel
from metarag.evaluation.experiment import Experiment, Task
from metarag.evaluation.pools import Pools
from metarag.evaluation.results import ItemResult, Outcome, read_results, write_results
from metarag.evaluation.signature import EvaluationSignature
from metarag.evaluation.systems import evidence_for
from metarag.files import write_text_atomically
from metarag.generation.multiple_choice import MultipleChoiceGenerator
from metarag.generation.multiple_choice_options import MultipleChoiceOptions
from metarag.llm.base import Failure
from metarag.retrieval.base import Retriever
from metarag.types import Question

SIGNATURE: Final = "signature.json"
RESULTS: Final = "results.jsonl"
POOLS: Final = "pools.jsonl"
MIN_ANSWERS: Final = 20
"""Before a share of errors says anything; ours."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far an experiment is.

    Attributes
    ----------
    done, total : int
        Answers, those of an earlier start of the run among them.
    seconds_left : float or None
        By the pace so far; ``None`` before there is one.
    cost, cost_left : float or None
        So far, and what the rest will cost at this rate; ``None`` is unknown.
    """

    done: int
    total: int
    errors: int
    calls: int
    seconds: float
    seconds_left: float | None
    cost: float | None
    cost_left: float | None


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a run would do.

    Attributes
    ----------
    answers, done : int
        To be had, and there already.
    answering_calls : int
        One for each answer that is missing; retries not counted.
    judging_calls : int
        Upper bound of calls that judge articles: two an article, system and question at most, where a model
        judges; those that depend on the article alone are sent once and then come from the cache.
    """

    answers: int
    done: int
    answering_calls: int
    judging_calls: int


class Runner:
    """Runs an experiment in a folder.

    Parameters
    ----------
    folder : Path
        Holds the signature, the pools of evidence and the results; made if it is not there. A run that was
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
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.signature = self._claimed()
        self.pools = Pools(folder / POOLS, retriever, limit=experiment.plan.pool_size)
        self._done = _stored_results(folder / RESULTS)
        if retry_errors:
            self._done = {k: r for k, r in self._done.items() if r.outcome is not Outcome.ERROR}
            write_results(folder / RESULTS, self._done.values())
        self._lock = threading.Lock()
        self._answered: dict[str, set[str]] = {}

    def dry_run(self) -> DryRun:
        """Count what a run would do; nothing is sent."""
        tasks = list(self.experiment.tasks())
        missing = [task for task in tasks if task.key not in self._done]
        ranked = sum(task.system.ranks for task in missing)
        per_question = 2 * self.experiment.plan.pool_size if self.experiment.judged else 0
        return DryRun(
            answers=len(tasks),
            done=len(tasks) - len(missing),
            answering_calls=len(missing),
            judging_calls=ranked * per_question,
        )

    def run(self, on_progress: Callable[[RunProgress], None] | None = None) -> tuple[ItemResult, ...]:
        """Answer what is missing and return all results.

        Raises
        ------
        ModelUnavailableError
            Too many calls failed, or no further call can succeed; what was answered stands, and the same
            command goes on from there.
        RetrievalError
            Evidence could not be retrieved.
        """
        tasks = [task for task in self.experiment.tasks() if task.key not in self._done]
        pace = _Pace(done=len(self._done), total=len(self._done) + len(tasks))
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        failures: list[BaseException] = []

        def work() -> None:
            while not failures:
                try:
                    task = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    self._one(task, pace, on_progress)
                except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                    failures.append(error)

        threads = [
            threading.Thread(target=work, name="metarag-eval", daemon=True)
            for _ in range(min(self.experiment.plan.concurrency, max(1, len(tasks))))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            # Joined in short turns, so that Ctrl-C is not kept waiting for a silent server.
            while thread.is_alive():
                thread.join(0.2)
        if failures:
            raise failures[0]
        self._note_who_answered()
        return tuple(self._done[task.key] for task in self.experiment.tasks())

    def _one(self, task: Task, pace: _Pace, on_progress: Callable[[RunProgress], None] | None) -> None:
        result = self._answer(task)
        with self._lock:
            self._append(result)
            self._done[result.key] = result
            told = pace.count(result)
            if on_progress:
                on_progress(told)
        share = self.experiment.plan.max_error_share
        if pace.fresh >= MIN_ANSWERS and pace.errors > share * pace.fresh:
            raise ModelUnavailableError(
                f"{pace.errors} of {pace.fresh} answers failed, more than {share:.0%}, the last with"
                f" {result.failure or result.method}; look at the model's server, then run the same command again"
            )

    def _answer(self, task: Task) -> ItemResult:
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
            self._answered.setdefault(task.model.model, set()).update(model.answered, judge.answered)
        result = ItemResult.of(
            item, choice, system=system.name, model=task.model.model, seed=task.seed, calls=judge.sent
        )
        return _with_judging(result, judge, plan.choice).model_copy(
            update={"seconds": round(time.monotonic() - began, 3)}
        )

    def _append(self, result: ItemResult) -> None:
        with (self.folder / RESULTS).open("a", encoding="utf-8", newline="\n") as lines:
            lines.write(result.to_line())
            lines.flush()
            os.fsync(lines.fileno())

    def _claimed(self) -> EvaluationSignature:
        """Take the folder for this experiment, or refuse it."""
        path, mine = self.folder / SIGNATURE, self.experiment.signature
        if not path.exists():
            write_text_atomically(path, mine.model_dump_json(indent=1) + "\n")
            return mine
        stored = read_signature(path)
        if stored.fingerprint != mine.fingerprint:
            differs = "; ".join(mine.differences(stored)[:5])
            raise ConfigurationError(
                f"{self.folder} holds another experiment ({differs}); name another folder"
            )
        return stored

    def _note_who_answered(self) -> None:
        known = {name: set(found) for name, found in self.signature.answered_by.items()}
        for name, found in self._answered.items():
            known.setdefault(name, set()).update(found)
        answered = {name: tuple(sorted(found)) for name, found in sorted(known.items())}
        self.signature = self.signature.model_copy(update={"answered_by": answered})
        write_text_atomically(self.folder / SIGNATURE, self.signature.model_dump_json(indent=1) + "\n")


def read_signature(path: Path) -> EvaluationSignature:
    """Read the signature of a run.

    Raises
    ------
    InputError
        The file is missing or is no signature.
    """
    try:
        return EvaluationSignature.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path.parent} is no folder of an evaluation: {error.strerror or error}") from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no signature of an evaluation") from error


class _Pace:
    """Counts what this start of the run did, for the time and cost that are left."""

    def __init__(self, *, done: int, total: int) -> None:
        self.done, self.total = done, total
        self.fresh = self.errors = self.calls = 0
        self.cost: float | None = 0.0
        self._began = time.monotonic()

    def count(self, result: ItemResult) -> RunProgress:
        """Add a result and return how far the run is."""
        self.done += 1
        self.fresh += 1
        self.errors += result.outcome is Outcome.ERROR
        self.calls += result.calls
        self.cost = None if self.cost is None or result.cost is None else self.cost + result.cost
        seconds, left = time.monotonic() - self._began, self.total - self.done
        return RunProgress(
            done=self.done,
            total=self.total,
            errors=self.errors,
            calls=self.calls,
            seconds=seconds,
            seconds_left=seconds / self.fresh * left,
            cost=self.cost,
            cost_left=None if self.cost is None else self.cost / self.fresh * left,
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


def _stored_results(path: Path) -> dict[tuple[str, str, str, int, str], ItemResult]:
    """Read what is there; a line that was being written when the run was killed goes, so that others can follow."""
    if not path.exists():
        return {}
    found = read_results(path)
    if found.is_cut_off:
        content = path.read_bytes()
        with path.open("r+b") as file:
            file.truncate(content.rfind(b"\n") + 1)
    return {result.key: result for result in found.results}
