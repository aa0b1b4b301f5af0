"""`metarag eval`: experiments with multiple-choice questions, and the measure of ranking itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from metarag.cli_output import err, out
from metarag.cli_sources import BaseUrlOption, IndexOption, open_corpus
from metarag.files import write_text_atomically
from metarag.retrieval.corpus import CorpusRetriever

if TYPE_CHECKING:
    from pydantic import JsonValue

    from metarag.evaluation.items import Dataset
    from metarag.evaluation.reports import Report
    from metarag.evaluation.runner import DryRun, RunProgress
    from metarag.llm.base import ChatModel
    from metarag.retrieval.base import Retriever

eval_app = typer.Typer(no_args_is_help=True, help="Experiments with multiple-choice questions.")

FolderArgument = Annotated[Path, typer.Argument(help="Folder of the experiment.")]
BaselineOption = Annotated[
    str, typer.Option("--baseline", help="The system that the others are compared with.")
]
INVENTED = "invented"
_LISTED_PROBLEMS = 5


@eval_app.command("run")
def run_command(
    folder: FolderArgument,
    data: Annotated[
        list[str],
        typer.Option("--data", help="File of questions, FORMAT:FILE, or `invented`; repeatable."),
    ],
    model: Annotated[str, typer.Option("--model", help="Model that answers; its key: METARAG_API_KEY.")],
    base_url: BaseUrlOption = None,
    systems: Annotated[
        str, typer.Option("--systems", help="Names with commas, e.g. closed_book,plain,recommended,paper@2.")
    ] = "closed_book,plain,recommended",
    index: IndexOption = None,
    top_n: Annotated[int, typer.Option("--top-n", min=1, max=50, help="Articles shown.")] = 4,
    pool: Annotated[int, typer.Option("--pool", min=1, max=500, help="Candidates retrieved.")] = 15,
    seeds: Annotated[str, typer.Option("--seeds", help="Seeds of the runs, with commas.")] = "0",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="First questions of each file.")] = None,
    shard: Annotated[str | None, typer.Option("--shard", help="Part i of n as i/n.")] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=64, help="Questions at the same time.")
    ] = 4,
    judge: Annotated[bool, typer.Option("--judge", help="Let the model judge the articles too.")] = False,
    direct: Annotated[
        bool, typer.Option("--direct", help="Ask for the letter alone, not for an argument first.")
    ] = False,
    by: Annotated[
        str,
        typer.Option("--by", help="text, or logprobs: the first token's, which are confidences too."),
    ] = "text",
    abstain: Annotated[
        bool, typer.Option("--abstain", help="Do not ask where a system has no article to show.")
    ] = False,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Of a reply; default: the prompt's limit.")
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", min=1, help="Seconds for a call, its retries included.")
    ] = 120.0,
    prices: Annotated[
        str | None, typer.Option("--prices", help="Per million tokens, as input,output.")
    ] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Answer again what failed the last time.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count the calls; nothing is sent.")
    ] = False,
) -> None:
    """Answer the questions with every system; goes on where it was stopped."""
    from metarag.evaluation.experiment import Experiment, Plan
    from metarag.evaluation.runner import Runner
    from metarag.evaluation.systems import named_systems
    from metarag.generation.multiple_choice_options import MultipleChoiceOptions
    from metarag.llm.budget import Prices

    chosen = named_systems([name.strip() for name in systems.split(",") if name.strip()], top_n=top_n)
    datasets = [_dataset(text) for text in data]
    paid = _numbers(prices, "--prices", 2) if prices else None
    if by not in ("text", "logprobs"):
        raise typer.BadParameter(f"--by {by!r}: choose from text, logprobs")
    choice = MultipleChoiceOptions(
        style="direct" if direct or by == "logprobs" else "reasoned",
        by="logprobs" if by == "logprobs" else "text",
        without_evidence="abstain" if abstain else "closed_book",
        max_tokens=max_tokens,
        prices=Prices(input_per_million=paid[0], output_per_million=paid[1]) if paid else None,
    )
    part = _shard(shard) if shard else None
    plan = Plan(
        seeds=tuple(int(n) for n in _numbers(seeds, "--seeds", None)),
        pool_size=pool,
        limit=limit,
        shard=part,
        concurrency=concurrency,
        choice=choice,
    )
    with ExitStack() as stack:
        # The cache of replies lies in the folder: a run that is killed between reply and line asks nothing twice.
        folder.mkdir(parents=True, exist_ok=True)
        connected = stack.enter_context(
            _model(model, base_url, folder / "replies.sqlite", concurrency=concurrency, timeout=timeout)
        )
        retriever, evidence = stack.enter_context(_evidence(index, any(s.shows_evidence for s in chosen)))
        experiment = Experiment(datasets, chosen, [connected], plan, evidence=evidence, judged=judge)
        runner = Runner(experiment, folder, retriever=retriever, retry_errors=retry_errors)
        if dry_run:
            _show_dry_run(runner.dry_run(), judged=judge)
            return
        results = runner.run(_Shown().tell)
    out().print(Text(f"{len(results)} answers are in {folder}; metarag eval report {folder}"))


@eval_app.command("report")
def report_command(
    folder: FolderArgument,
    baseline: BaselineOption = "closed_book",
    format_: Annotated[
        str, typer.Option("--format", help="markdown, csv, latex, json or svg (accuracy with intervals).")
    ] = "markdown",
    out_path: Annotated[Path | None, typer.Option("--out", help="File to write; default: print it.")] = None,
) -> None:
    """Show accuracy with intervals, outcomes and paired comparisons, with what they were measured on."""
    from metarag.evaluation.report_figure import accuracy_figure
    from metarag.evaluation.report_formats import csv_text, json_text, latex, markdown

    writers = {
        "markdown": markdown,
        "csv": csv_text,
        "latex": latex,
        "json": json_text,
        "svg": accuracy_figure,
    }
    if format_ not in writers:
        raise typer.BadParameter(f"--format {format_!r}: choose from {', '.join(writers)}")
    text = writers[format_](_report(folder, baseline))
    if out_path is None:
        sys.stdout.write(text)
        return
    write_text_atomically(out_path, text)
    err().print(f"Report: {out_path}", style="dim", soft_wrap=True)


@eval_app.command("compare")
def compare_command(folder: FolderArgument, baseline: BaselineOption = "plain") -> None:
    """Show each system against the baseline on the same questions: gained, lost, exact McNemar, Holm."""
    found = _report(folder, baseline)
    console = out()
    if not found.comparisons:
        console.print(Text(f"There is nothing to compare with {baseline}."))
    for each in found.comparisons:
        paired, interval = each.paired, each.paired.interval
        gained, lost = paired.discordant
        around = f" ({interval.low:+.1%} to {interval.high:+.1%})" if interval else ""
        line = (
            f"{each.dataset} / {each.model} / {each.system} against {baseline}: {paired.difference:+.1%}{around},"
            f" {gained} gained, {lost} lost of {paired.items}, p {_p(paired.p_value)}, Holm {_p(each.p_holm)}"
        )
        console.print(Text(line), soft_wrap=True)
    for warning in found.warnings:
        err().print(f"Warning: {warning}", style="yellow", soft_wrap=True)


@eval_app.command("export")
def export_command(
    folder: FolderArgument,
    out_path: Annotated[Path, typer.Option("--out", help="JSONL file to write.")],
    data: Annotated[list[str], typer.Option("--data", help="The same files of questions as in `eval run`.")],
) -> None:
    """Write every answer with its question, as lm-eval's --log_samples does, so that others can score them."""
    from metarag.evaluation.results import read_results
    from metarag.evaluation.runner import RESULTS, read_signature
    from metarag.evaluation.samples import sample_lines

    read_signature(folder / "signature.json")
    results = read_results(folder / RESULTS).results
    lines = sample_lines(results, [_dataset(text) for text in data])
    write_text_atomically(out_path, "".join(lines))
    err().print(f"{len(lines)} answers: {out_path}", style="dim", soft_wrap=True)


def _report(folder: Path, baseline: str) -> Report:
    from metarag.evaluation.reports import build_report
    from metarag.evaluation.results import read_results
    from metarag.evaluation.runner import RESULTS, SIGNATURE, read_signature

    signature = read_signature(folder / SIGNATURE)
    results = read_results(folder / RESULTS).results
    known = {result.system for result in results}
    return build_report(results, signature=signature, baseline=baseline if baseline in known else None)


def _dataset(text: str) -> Dataset:
    from metarag.evaluation.datasets import invented_questions, read_dataset

    if text == INVENTED:
        return invented_questions()
    format_, colon, path = text.partition(":")
    formats = ("medqa", "mmlu", "medmcqa", "pubmedqa", "mirage", "jsonl")
    named = bool(colon) and format_ in formats
    found = read_dataset(Path(path if named else text), format_ if named else None)  # type: ignore[arg-type]
    for problem in found.problems[:_LISTED_PROBLEMS]:
        line = f"line {problem.line}" if problem.line else problem.item or "?"
        err().print(f"{found.name}, {line}: {problem.message}", style="yellow", soft_wrap=True)
    more = len(found.problems) - _LISTED_PROBLEMS
    if more > 0:
        counts = ", ".join(f"{n} {kind}" for kind, n in found.counts.items())
        err().print(f"{found.name}: {more} more notes of this kind ({counts})", style="yellow")
    return found


@contextmanager
def _model(
    name: str, base_url: str | None, cache: Path, *, concurrency: int, timeout: float
) -> Iterator[ChatModel]:
    """Connect the model; its rounds of calls are not shown one by one, because hundreds go on at once."""
    from metarag.llm.cache import ReplyCache
    from metarag.llm.connect import connect
    from metarag.llm.openai import OPENAI_URL
    from metarag.llm.retry import RetryPolicy

    with ReplyCache(cache) as replies:
        yield connect(
            name,
            base_url=base_url or OPENAI_URL,
            concurrency=concurrency,
            cache=replies,
            policy=RetryPolicy(deadline=timeout),
        )


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


def _numbers(text: str, option: str, count: int | None) -> list[float]:
    parts = [part.strip() for part in text.split(",")]
    try:
        found = [float(part) for part in parts]
    except ValueError as error:
        raise typer.BadParameter(f"{option} {text!r}: numbers with commas are needed") from error
    if count is not None and len(found) != count:
        raise typer.BadParameter(f"{option} {text!r}: {count} numbers are needed")
    return found


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
    missing = found.answers - found.done
    if missing:
        each = (found.answering_calls + found.judging_calls) / missing
        note = f"At most {each:.1f} calls an answer; the paper's method takes about {CALLS_OF_THE_PAPER} a question."
        console.print(Text(note), soft_wrap=True)
    if not judged:
        console.print(Text("Articles are judged by rule; --judge lets the model judge them too."))


def _p(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}" if value >= 0.001 else "<0.001"


class _Shown:
    """Tells progress on stderr: in place on a terminal, now and then in a log."""

    every = 20

    def __init__(self) -> None:
        self._console = err()

    def tell(self, found: RunProgress) -> None:
        """Show how far the run is."""
        last = found.done == found.total
        if not (self._console.is_terminal or last or found.done % self.every == 0):
            return
        left = "" if found.seconds_left is None or last else f", about {found.seconds_left / 60:.1f} min left"
        cost = "" if found.cost is None or found.cost == 0 else f", cost {found.cost:.2f}"
        if cost and found.cost_left and not last:
            cost += f" and {found.cost_left:.2f} to come"
        line = f"{found.done}/{found.total} answers, {found.errors} failed, {found.calls} calls{left}{cost}"
        end = "\r" if self._console.is_terminal and not last else "\n"
        self._console.print(f"{line}   ", end=end, style="dim", soft_wrap=True)
