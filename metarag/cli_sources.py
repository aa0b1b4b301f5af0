"""Where the command line gets its settings and its articles from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from metarag.cli_output import err
from metarag.cli_pubmed import PubmedOptions, Source, pubmed_retriever
from metarag.config import Settings
from metarag.errors import ConfigurationError, InputError
from metarag.llm.base import ChatModel
from metarag.records import Article
from metarag.report.numbers import count
from metarag.report.plain import plain, shorten
from metarag.retrieval.base import Deletion, ReadFailure, Retriever
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import open_demo_corpus
from metarag.retrieval.hybrid import HybridRetriever
from metarag.retrieval.local_index import LocalIndex, open_index
from metarag.retrieval.records_file import ACCEPTED_FORMATS, read_records
from metarag.written_yaml import parse_yaml

SHOWN_FAILURES = 5
SHOWN_VALUE = 60
"""Characters of a value that a message shows."""
STANDARD_INPUT = Path("-")

QuestionArgument = Annotated[str, typer.Argument(help="The clinical question, in words.")]
IndexOption = Annotated[Path | None, typer.Option("--index", help="Local index; default: demo corpus.")]
FileOption = Annotated[Path | None, typer.Option("--settings", help="Settings file (.toml, .yaml or .json).")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="One setting as name=value; repeatable.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", help="Language model that adds to the rules; its key: METARAG_API_KEY."),
]
BaseUrlOption = Annotated[
    str | None, typer.Option("--base-url", help="Its server, up to and with /v1; default: OpenAI's.")
]
ModelCacheOption = Annotated[
    Path | None,
    typer.Option("--model-cache", help="File that keeps its replies, so that a second run asks none."),
]
MaxCallsOption = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Requests sent to it at most, retries too.")
]


def settings_from(path: Path | None, pairs: list[str] | None) -> Settings:
    """Return the settings of a file, with those of --set on top."""
    base = Settings.from_file(path) if path else Settings()
    if not pairs:
        return base
    values = base.model_dump()
    for name, value in _once(pairs, "--set"):
        _set(values, name, value, option="--set")
    return Settings.from_mapping(values, where="--set")


def pairs_of(pairs: list[str], option: str) -> dict[str, Any]:
    """Return what ``name=value`` pairs set; a dot in a name goes inside.

    Raises
    ------
    ConfigurationError
        One is no such pair, its value cannot be read, or it sets what one before it has set.
    """
    values: dict[str, Any] = {}
    for name, value in _once(pairs, option):
        _set(values, name, value, option=option)
    return values


def _once(pairs: list[str], option: str) -> Iterator[tuple[str, object]]:
    """Yield names and values; the second of two for one name would make the first unheard."""
    values: dict[str, Any] = {}
    for pair in pairs:
        name, value = _pair(pair, option)
        if _is_set(values, name):
            raise ConfigurationError(
                f"{option} {name} is given twice, and only one could count; give it once, or what belongs together"
                f" in one value: {option} '{name.split('.')[0]}={{NAME: VALUE, ...}}'"
            )
        _set(values, name, value, option=option)
        yield name, value


def _is_set(values: object, name: str) -> bool:
    for part in name.split("."):
        if not isinstance(values, dict) or part not in values:
            return False
        values = values[part]
    return True


def _pair(text: str, option: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ConfigurationError(
            f"{option} takes name=value, got {shorten(text, SHOWN_VALUE)!r}; e.g. {option} hierarchy=ocebm-2011"
        )
    try:
        return name.strip(), parse_yaml(value)
    except ValueError as error:
        raise ConfigurationError(
            f"{option} {name}: {shorten(value, SHOWN_VALUE)!r} cannot be read: {error}"
        ) from error


def _set(values: dict[str, Any], name: str, value: object, *, option: str) -> None:
    """Set ``weights.relevance`` inside ``weights``, and a name without a dot as it stands."""
    *around, last = name.split(".")
    for part in around:
        inner = values.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigurationError(f"{option} {name}: {part!r} holds no names; it is set as {part}=VALUE")
        values = inner
    values[last] = value


def open_corpus(index: Path | None) -> LocalIndex:
    """Open the index, or the demo corpus with a word that it is the demo corpus."""
    if index is not None:
        return open_index(index)
    err().print("Searching the demo corpus (eight questions); --index FILE searches your own.", style="dim")
    return open_demo_corpus()


@contextmanager
def retriever_from(
    source: Source,
    index: Path | None,
    *,
    query: str | None,
    pubmed: PubmedOptions,
    model: ChatModel | None = None,
) -> Iterator[Retriever]:
    """Open where articles are to be retrieved from, for a block of code; a model makes PubMed's first query.

    Raises
    ------
    typer.BadParameter
        An option does not go with the source.
    QueryError
        The query cannot be read.
    RetrievalError
        The index cannot be opened, or PubMed cannot be reached.
    """
    if source is Source.CORPUS and pubmed.given:
        raise typer.BadParameter(f"{pubmed.given[0]} needs --source pubmed or both")
    if source is Source.PUBMED and index is not None:
        raise typer.BadParameter("--index needs --source corpus or both")
    if source is Source.CORPUS:
        with open_corpus(index) as corpus:
            yield CorpusRetriever(corpus, query=query)
    elif source is Source.PUBMED:
        with pubmed_retriever(pubmed, query, model) as retriever:
            yield retriever
    else:
        with open_corpus(index) as corpus, pubmed_retriever(pubmed, query, model) as retriever:
            yield HybridRetriever({"local index": CorpusRetriever(corpus, query=query), "PubMed": retriever})


def articles_of(paths: list[Path], failures: list[str]) -> Iterator[Article]:
    """Yield the articles of files; what cannot be read, or is withdrawn, is told in ``failures``."""
    for path in paths:
        deleted: set[str] = set()
        name = plain(path.name)
        source: Path | BinaryIO = path
        if path == STANDARD_INPUT:
            name, source = "standard input", _standard_input()
        for record in read_records(source):
            if isinstance(record, ReadFailure):
                failures.append(f"{name}, {record}")
            elif isinstance(record, Deletion):
                deleted.add(record.pmid)
            else:
                yield record
        if deleted:
            failures.append(f"{name} withdraws {len(deleted)} PMIDs: {', '.join(sorted(deleted)[:10])}")


def read_articles(paths: list[Path], *, out_path: Path | None = None) -> tuple[list[Article], list[str]]:
    """Return the articles of files and what could not be read, which is also told on stderr.

    Raises
    ------
    InputError
        Nothing could be read, or the run would be written over one of the files.
    """
    for path in paths:
        if out_path and out_path.exists() and path.exists() and path.samefile(out_path):
            raise InputError(f"--out {out_path} is also an --input; name another file for the run")
    failures: list[str] = []
    articles = list(articles_of(paths, failures))
    if not articles:
        names = ", ".join(map(str, paths))
        shown = "".join(f"\n{failure}" for failure in failures[:SHOWN_FAILURES])
        more = len(failures) - SHOWN_FAILURES
        rest = f"\nand {more} more" if more > 0 else ""
        raise InputError(
            f"no record could be read from {names}; nothing to rank, no run was written."
            f" Give {ACCEPTED_FORMATS}{shown}{rest}"
        )
    report_failures(failures, read=len(articles))
    return articles, failures


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("standard input is closed; name a file instead of -")
    return sys.stdin.buffer


def report_failures(failures: list[str], *, read: int) -> None:
    """Say on stderr how many records were read and what could not be."""
    console = err()
    console.print(f"{count(read, 'record')} read.", style="dim")
    for failure in failures[:SHOWN_FAILURES]:
        console.print(f"Warning: {failure}", style="yellow", soft_wrap=True)
    if len(failures) > SHOWN_FAILURES:
        console.print(f"and {len(failures) - SHOWN_FAILURES} more; the run file lists all", style="yellow")
