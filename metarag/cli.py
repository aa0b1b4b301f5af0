"""The command line: `metarag ask`, `rank`, `search`, `fetch`, `explain`, `ablate`, `index`, `levels`.

Exit codes: 0 done; 1 something failed (the message says what to do); 2 the command was typed wrong;
3 done, but more of a language model's calls failed than the settings allow, and the rules stand for them;
130 interrupted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metarag._version import __version__
from metarag.cli_ablate import ablate_command
from metarag.cli_cache import cache_app
from metarag.cli_commands import Commands
from metarag.cli_eval import eval_app
from metarag.cli_explain import show_explanation
from metarag.cli_index import index_app
from metarag.cli_levels import levels
from metarag.cli_model import ENGLISH, AnswerBy, AnswerOption, LanguageOption, generator_from, model_from
from metarag.cli_output import err, out, show_answer, show_question_warnings, show_ranking, write_json
from metarag.cli_pubmed import (
    AskUrlOption,
    EmailOption,
    FromOption,
    OfflineOption,
    PubmedOptions,
    PubmedUrlOption,
    QueryOption,
    RecordCacheOption,
    Source,
    SourceOption,
    ToOption,
    show_search,
    two_addresses,
)
from metarag.cli_query import query_app
from metarag.cli_report import ReportOption, audit_app, write_report
from metarag.cli_runs import rerun_command, runs_app
from metarag.cli_search import fetch_command, search_command
from metarag.cli_serve import serve
from metarag.cli_sources import (
    BaseUrlOption,
    FileOption,
    IndexOption,
    JsonOption,
    MaxCallsOption,
    ModelCacheOption,
    ModelOption,
    QuestionArgument,
    SetOption,
    read_articles,
    retriever_from,
    settings_from,
)
from metarag.cli_stored import load_told
from metarag.errors import InputError, RunFileError
from metarag.generation.base import Answer
from metarag.pipeline import Ranking
from metarag.presets import build_pipeline
from metarag.rag import DEFAULT_LIMIT, MetaRag
from metarag.run_folder import RUNS, keep_run, newest_run
from metarag.runs import RunRecord
from metarag.types import Evidence, Question

DEGRADED = 3
"""What a run exits with in which more of a model's calls failed than the settings allow."""

app = Commands(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Rank medical evidence by how far it can be trusted for a question, and show why.",
)
app.add_typer(index_app, name="index")
app.add_typer(cache_app, name="cache")
app.add_typer(runs_app, name="runs")
app.add_typer(eval_app, name="eval")
app.add_typer(audit_app, name="audit")
app.command(name="rerun")(rerun_command)
app.add_typer(query_app, name="query")
app.command()(levels)
app.command(name="search")(search_command)
app.command(name="fetch")(fetch_command)
app.command()(serve)
app.command(name="ablate")(ablate_command)

TopOption = Annotated[int, typer.Option("--top", min=1, help="Articles shown.")]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="Run file to write; default metarag-runs/ID.json.")
]


@app.command()
def ask(
    question: QuestionArgument,
    source: SourceOption = Source.CORPUS,
    index: IndexOption = None,
    query: QueryOption = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Articles retrieved.")] = DEFAULT_LIMIT,
    top: TopOption = 10,
    as_json: JsonOption = False,
    out_path: OutOption = None,
    report: ReportOption = None,
    settings_file: FileOption = None,
    set_: SetOption = None,
    answer_by: AnswerOption = AnswerBy.EXTRACTIVE,
    language: LanguageOption = ENGLISH,
    model: ModelOption = None,
    base_url: AskUrlOption = None,
    model_cache: ModelCacheOption = None,
    max_calls: MaxCallsOption = None,
    pubmed_url: PubmedUrlOption = None,
    email: EmailOption = None,
    offline: OfflineOption = False,
    record_cache: RecordCacheOption = None,
    first_year: FromOption = None,
    last_year: ToOption = None,
) -> None:
    """Retrieve, rank and answer; writes the run with its audit trail."""
    settings = settings_from(settings_file, set_)
    model_url, address = two_addresses(source, model=model, base_url=base_url, pubmed_url=pubmed_url)
    pubmed = PubmedOptions(address, email, offline, record_cache, first_year, last_year)
    with (
        model_from(model, model_url, model_cache, max_calls) as connected,
        retriever_from(source, index, query=query, pubmed=pubmed, model=connected) as retriever,
    ):
        pipeline = build_pipeline(settings, model=connected)
        generator = generator_from(answer_by, connected, language)
        answer = MetaRag(retriever, pipeline=pipeline, generator=generator, limit=limit).ask(question)
    if source is not Source.CORPUS:
        show_search(answer.ranking.audit.query)
    _finish(answer, top=top, as_json=as_json, out_path=out_path, report=report)


@app.command()
def rank(
    question: QuestionArgument,
    inputs: Annotated[
        list[Path],
        typer.Option("--input", help="PubMed XML, MEDLINE, RIS or JSONL file; - reads stdin."),
    ],
    top: TopOption = 20,
    as_json: JsonOption = False,
    out_path: OutOption = None,
    report: ReportOption = None,
    settings_file: FileOption = None,
    set_: SetOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    model_cache: ModelCacheOption = None,
    max_calls: MaxCallsOption = None,
) -> None:
    """Rank the records of files for a question; writes the run with its audit trail."""
    settings = settings_from(settings_file, set_)
    with model_from(model, base_url, model_cache, max_calls) as connected:
        pipeline = build_pipeline(settings, model=connected)
        asked = Question.ask(question)
        articles, failures = read_articles(inputs, out_path=out_path)
        ranking = pipeline.rank(asked, articles, warnings=failures)
    _finish(ranking, top=top, as_json=as_json, out_path=out_path, report=report)


@app.command()
def explain(
    pmid: Annotated[str, typer.Argument(help="PMID, or the article's id (doi:..., text:...).")],
    run_file: Annotated[Path | None, typer.Option("--run", help="Run file; default: the newest.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Show every number and what it rests on.")] = False,
) -> None:
    """Why an article was kept or left out: a line a stage, and with --full all the numbers."""
    if not pmid.strip():
        raise InputError("name the article by its PMID or id; an empty name is none")
    ranking = load_told(run_file or newest_run()).ranking
    found = _find(ranking, pmid)
    if not found:
        raise InputError(
            f"{pmid} is not in this run: it was not among the {len(ranking.audit.identified)} records"
            " that were identified"
        )
    for item in found:
        show_explanation(out(), ranking, item, full=full)


@app.callback(invoke_without_command=True)
def version(
    show: Annotated[bool, typer.Option("--version", help="Show the version and stop.")] = False,
) -> None:
    """Rank medical evidence by how far it can be trusted for a question, and show why."""
    if show:
        out().print(f"metarag {__version__}")
        raise typer.Exit


def _finish(
    result: Ranking | Answer, *, top: int, as_json: bool, out_path: Path | None, report: Path | None
) -> None:
    run = RunRecord.of(result)
    path = out_path or RUNS / f"{run.id}.json"
    lost: RunFileError | None = None
    try:
        keep_run(run, path)
    except RunFileError as error:
        # The answer is shown all the same: it took its time, and a model's may have cost something.
        lost = error
    for warning in run.ranking.audit.query.warnings if run.ranking.audit.query else ():
        err().print(f"Warning: {warning}", style="yellow", soft_wrap=True)
    show_question_warnings(run.ranking)
    if as_json:
        write_json(run.model_dump_json(indent=1))
    else:
        console = out()
        if run.answer:
            show_answer(console, run.answer)
        show_ranking(console, run.ranking, top=top)
    if lost:
        raise lost
    known = next((item.article.pmid for item in run.ranking if item.article.pmid), "PMID")
    err().print(f"Audit trail: {path}   (metarag explain {known} --run {path})", style="dim", soft_wrap=True)
    if report is not None:
        write_report(run, report, run_file=path)
    degraded = [*run.ranking.audit.degraded, *(["answer"] if run.answer and run.answer.degraded else [])]
    if degraded:
        stages = ", ".join(degraded)
        err().print(f"metarag: degraded: too many of the model's calls failed ({stages})", soft_wrap=True)
        raise typer.Exit(DEGRADED)


def _find(ranking: Ranking, name: str) -> list[Evidence]:
    wanted = name.strip().casefold()
    names = {wanted, f"pmid:{wanted.removeprefix('pmid').strip(' :')}", f"doi:{wanted}"}
    return [
        item
        for item in (*ranking.evidence, *ranking.excluded)
        if item.key.casefold() in names or item.article.id.casefold() in names
    ]
