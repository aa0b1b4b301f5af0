"""`metarag eval run`: answer the questions of an experiment; the other commands of `eval` are beside it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from metarag import cli_eval_options as o
from metarag.cli_commands import Commands
from metarag.cli_eval_data import DataOption, read_data
from metarag.cli_eval_ranking import ranking_command
from metarag.cli_eval_report import compare_command, export_command, report_command
from metarag.cli_output import err, out
from metarag.cli_sources import BaseUrlOption, IndexOption, open_corpus
from metarag.retrieval.corpus import CorpusRetriever

if TYPE_CHECKING:
    from pydantic import JsonValue

    from metarag.evaluation.experiment import Plan
    from metarag.evaluation.items import Dataset
    from metarag.evaluation.progress import RunProgress
    from metarag.evaluation.runner import DryRun
    from metarag.evaluation.systems import System
    from metarag.generation.multiple_choice_options import MultipleChoiceOptions
    from metarag.llm.base import ChatModel
    from metarag.llm.cache import ReplyCache
    from metarag.retrieval.base import Retriever

eval_app = Commands(no_args_is_help=True, help="Experiments with questions, and the measure of ranking.")
eval_app.command("report")(report_command)
eval_app.command("compare")(compare_command)
eval_app.command("export")(export_command)
eval_app.command("ranking")(ranking_command)


@eval_app.command("run")
def run_command(
    folder: o.FolderArgument,
    data: DataOption,
    model: o.ModelsOption = None,
    base_url: BaseUrlOption = None,
    systems: o.SystemsOption = "closed_book,plain,recommended",
    index: IndexOption = None,
    top_n: o.TopNOption = 4,
    pool: o.PoolOption = 15,
    seeds: o.SeedsOption = "0",
    limit: o.LimitOption = None,
    shard: o.ShardOption = None,
    concurrency: o.ConcurrencyOption = 4,
    judge: o.JudgeOption = False,
    direct: o.DirectOption = False,
    by: o.ByOption = "text",
    abstain: o.AbstainOption = False,
    max_tokens: o.MaxTokensOption = None,
    temperature: o.TemperatureOption = 0.0,
    timeout: o.TimeoutOption = 120.0,
    prices: o.PricesOption = None,
    max_error_rate: o.MaxErrorRateOption = 0.02,
    retry_errors: o.RetryErrorsOption = False,
    dry_run: o.DryRunOption = False,
) -> None:
    """Answer the questions with every system; goes on where it was stopped."""
    from metarag.evaluation.experiment import Plan
    from metarag.evaluation.systems import named_systems

    if not model and (judge or base_url is not None):
        raise typer.BadParameter(f"{'--judge' if judge else '--base-url'} needs --model NAME")
    chosen = named_systems([name.strip() for name in systems.split(",") if name.strip()], top_n=top_n)
    plan = Plan(
        seeds=_seeds(seeds),
        pool_size=pool,
        limit=limit,
        shard=_shard(shard) if shard else None,
        concurrency=concurrency,
        max_error_share=max_error_rate,
        choice=_choice(direct, by, abstain, max_tokens, temperature, prices),
    )
    asked = _Asked(folder, model or [], base_url, index, timeout, judge, retry_errors, dry_run)
    _run(read_data(data), chosen, plan, asked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a run needs beside its plan."""

    folder: Path
    models: list[str]
    base_url: str | None
    index: Path | None
    timeout: float
    judge: bool
    retry_errors: bool
    dry_run: bool


def _run(datasets: Sequence[Dataset], systems: Sequence[System], plan: Plan, asked: _Asked) -> None:
    from metarag.evaluation.experiment import Experiment
    from metarag.evaluation.runner import Runner

    folder = asked.folder
    with ExitStack() as stack:
        cache = None if asked.dry_run else stack.enter_context(_cache(folder))
        models = stack.enter_context(
            _models(asked.models, asked.base_url, cache, concurrency=plan.concurrency, timeout=asked.timeout)
        )
        shows = any(system.shows_evidence for system in systems)
        retriever, evidence = stack.enter_context(_evidence(asked.index, shows))
        experiment = Experiment(datasets, systems, models, plan, evidence=evidence, judged=asked.judge)
        runner = Runner(experiment, folder, retriever=retriever, retry_errors=asked.retry_errors)
        if asked.dry_run:
            _show_dry_run(runner.dry_run(), judged=asked.judge)
            return
        try:
            results = runner.run(_Shown().tell)
        except KeyboardInterrupt:
            told = f"Stopped. What was answered is in {folder}; the same command goes on."
            err().print(told, soft_wrap=True)
            raise
    out().print(Text(f"{len(results)} answers are in {folder}; metarag eval report {folder}"), soft_wrap=True)


def _choice(
    direct: bool, by: str, abstain: bool, max_tokens: int | None, temperature: float, prices: str | None
) -> MultipleChoiceOptions:
    from metarag.generation.multiple_choice_options import MultipleChoiceOptions
    from metarag.llm.budget import Prices

    if by not in ("text", "logprobs"):
        raise typer.BadParameter(f"--by {by!r}: choose from text, logprobs")
    paid = _prices(prices) if prices else None
    return MultipleChoiceOptions(
        style="direct" if direct or by == "logprobs" else "reasoned",
        by="logprobs" if by == "logprobs" else "text",
        without_evidence="abstain" if abstain else "closed_book",
        max_tokens=max_tokens,
        temperature=temperature,
        prices=Prices(input_per_million=paid[0], output_per_million=paid[1]) if paid else None,
    )


@contextmanager
def _cache(folder: Path) -> Iterator[ReplyCache]:
    """Open the cache of replies in the folder: a run that is killed between reply and line asks nothing twice."""
    from metarag.llm.cache import ReplyCache

    folder.mkdir(parents=True, exist_ok=True)
    with ReplyCache(folder / "replies.sqlite") as replies:
        yield replies


@contextmanager
def _models(
    names: list[str], base_url: str | None, cache: ReplyCache | None, *, concurrency: int, timeout: float
) -> Iterator[list[ChatModel]]:
    """Connect the models; their rounds of calls are not shown one by one, because hundreds go on at once."""
    from metarag.evaluation.word_reader import WordReader
    from metarag.llm.cache import CachedModel
    from metarag.llm.openai import OPENAI_URL, OpenAIModel
    from metarag.llm.retry import Gate, RetryPolicy

    if not names:
        told = "Without --model, words are counted: this tries the machinery, and measures no model."
        err().print(told, soft_wrap=True)
        yield [WordReader()]
        return
    gate = Gate(policy=RetryPolicy(deadline=timeout))
    with ExitStack() as stack:
        models: list[ChatModel] = []
        for name in names:
            url = OPENAI_URL if base_url is None else base_url
            live = OpenAIModel(name, base_url=url, concurrency=concurrency, gate=gate)
            stack.callback(live.close)
            models.append(live if cache is None else CachedModel(live, cache))
        yield models


@contextmanager
def _evidence(index: Path | None, needed: bool) -> Iterator[tuple[Retriever | None, dict[str, JsonValue]]]:
    if not needed:
        yield None, {}
        return
    with open_corpus(index) as corpus:
        info = corpus.info()
        about: dict[str, JsonValue] = {
            "index": index.name if index else "demo corpus",
            "records": len(corpus),
            "sources": ", ".join(sorted(f"{s.name}#{(s.digest or '')[:12]}" for s in info.sources)),
        }
        yield CorpusRetriever(corpus), about


def _seeds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise typer.BadParameter(f"--seeds {text!r}: whole numbers with commas are needed") from error


def _prices(text: str) -> tuple[float, float]:
    try:
        of_input, of_output = (float(part) for part in text.split(","))
    except ValueError as error:
        raise typer.BadParameter(f"--prices {text!r}: two numbers with a comma are needed") from error
    return of_input, of_output


def _shard(text: str) -> tuple[int, int]:
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal()):
        raise typer.BadParameter(f"--shard {text!r}: part i of n is written i/n, e.g. 1/4")
    return int(part), int(parts)


def _show_dry_run(found: DryRun, *, judged: bool) -> None:
    from metarag.evaluation.experiment import CALLS_OF_THE_PAPER

    console = out()
    console.print(Text(f"{found.answers} answers, {found.done} of them there already."))
    console.print(
        Text(f"{found.answering_calls} calls to answer; {found.judging_calls} at most to judge articles.")
    )
    note = (
        f"At most {found.calls_per_question:.1f} calls a question, all systems together; the paper's method takes"
        f" about {CALLS_OF_THE_PAPER} for one."
    )
    console.print(Text(note), soft_wrap=True)
    if not judged:
        console.print(Text("Articles are judged by rule; --judge lets the model judge them too."))


class _Shown:
    """Tells progress on stderr: in place on a terminal, now and then in a log."""

    every = 30.0
    """Seconds between two lines of a log."""

    def __init__(self) -> None:
        self._console = err()
        self._told = float("-inf")

    def tell(self, found: RunProgress) -> None:
        """Show how far the run is."""
        last, now = found.done == found.total, time.monotonic()
        if not (self._console.is_terminal or last or now - self._told >= self.every):
            return
        self._told = now
        left = "" if last else f", about {_duration(found.seconds_left)} left"
        cost = "" if not found.cost else f", cost {found.cost:.2f}"
        if cost and found.cost_left and not last:
            cost += f" and {found.cost_left:.2f} to come"
        line = f"{found.done}/{found.total} answers, {found.errors} failed, {found.calls} calls{left}{cost}"
        end = "\r" if self._console.is_terminal and not last else "\n"
        self._console.print(f"{line}   ", end=end, style="dim", soft_wrap=True)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
