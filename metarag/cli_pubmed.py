"""What the command line needs to ask PubMed: options, the client, and what to do without a network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from metarag.cli_output import err
from metarag.errors import ConfigurationError, NetworkDisabledError, PubMedUnavailableError, RetrievalError

if TYPE_CHECKING:
    from metarag.audit import QueryRecord
    from metarag.llm.base import ChatModel
    from metarag.retrieval.base import Retriever
    from metarag.retrieval.entrez import EntrezClient
    from metarag.retrieval.entrez_dates import DateLimits

KEY_VARIABLE: Final = "METARAG_NCBI_API_KEY"
"""Environment variable with the key for whatever address is set."""
NCBI_KEY_VARIABLE: Final = "NCBI_API_KEY"
"""Sent to NCBI's own address only, so that it cannot reach another server by accident."""
NCBI_DOMAIN: Final = "ncbi.nlm.nih.gov"
WITHOUT_PUBMED: Final = (
    "without a network `metarag ask QUESTION` searches the demo corpus, and with --index FILE a local index"
)


class Source(StrEnum):
    """Where articles are retrieved from."""

    CORPUS = "corpus"
    PUBMED = "pubmed"
    BOTH = "both"


EmailOption = Annotated[
    str | None, typer.Option("--email", help="Your address, which NCBI asks for; sent to PubMed only.")
]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Open no connection to PubMed.")]
UrlOption = Annotated[
    str | None, typer.Option("--base-url", help="Another address of the E-utilities; default: NCBI's.")
]
RecordCacheOption = Annotated[
    Path | None, typer.Option("--record-cache", help="File that keeps PubMed's records.")
]
FromOption = Annotated[
    int | None, typer.Option("--from", min=1000, max=3000, help="First year of publication.")
]
ToOption = Annotated[int | None, typer.Option("--to", min=1000, max=3000, help="Last year of publication.")]


SourceOption = Annotated[
    Source, typer.Option("--source", help="Where to search: corpus (the demo or --index), pubmed or both.")
]
QueryOption = Annotated[
    str | None, typer.Option("--query", help="Search by this query as it stands, not by the question.")
]
AskUrlOption = Annotated[
    str | None,
    typer.Option("--base-url", help="Server of --model, up to and with /v1; without one: PubMed's."),
]
PubmedUrlOption = Annotated[
    str | None,
    typer.Option("--pubmed-url", help="Address of the E-utilities, where --base-url is the model's."),
]


@dataclass(frozen=True, slots=True)
class PubmedOptions:
    """The options of a command that asks PubMed."""

    base_url: str | None = None
    email: str | None = None
    offline: bool = False
    record_cache: Path | None = None
    first_year: int | None = None
    last_year: int | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """The options that were typed and mean nothing without PubMed."""
        values = {
            "--email": self.email,
            "--record-cache": self.record_cache,
            "--from": self.first_year,
            "--to": self.last_year,
        }
        return tuple(name for name, value in values.items() if value is not None)


@contextmanager
def pubmed_client(options: PubmedOptions) -> Iterator[EntrezClient]:
    """Connect to PubMed for a block of code; what fails for want of a network ends in one line of advice.

    Raises
    ------
    ConfigurationError
        An address or the key of the environment is unusable.
    RetrievalError
        PubMed cannot be reached.
    """
    from metarag.retrieval.entrez import EntrezClient
    from metarag.retrieval.entrez_http import NCBI_URL

    # An empty address is a mistake, such as a variable that is not set; NCBI was not meant by it.
    url = NCBI_URL if options.base_url is None else options.base_url
    client = EntrezClient(url, email=options.email, api_key=key_for(url, os.environ), offline=options.offline)
    try:
        with client:
            yield client
    except (NetworkDisabledError, PubMedUnavailableError) as error:
        raise RetrievalError(f"{error}; {WITHOUT_PUBMED}") from error


def key_for(url: str, environment: Mapping[str, str]) -> str | None:
    """Return the key of the environment that may be sent to an address."""
    try:
        host = urlsplit(url.strip()).hostname or ""
    except ValueError:
        return None
    is_ncbi = host == NCBI_DOMAIN or host.endswith(f".{NCBI_DOMAIN}")
    return environment.get(KEY_VARIABLE) or (environment.get(NCBI_KEY_VARIABLE) if is_ncbi else None) or None


def two_addresses(
    source: Source, *, model: str | None, base_url: str | None, pubmed_url: str | None
) -> tuple[str | None, str | None]:
    """Return the address of the model and that of PubMed; ``--base-url`` is for the only one that is asked.

    Raises
    ------
    typer.BadParameter
        It is not clear which is meant.
    """
    if source is Source.CORPUS:
        if pubmed_url is not None:
            raise typer.BadParameter("--pubmed-url needs --source pubmed or both")
        return base_url, None
    if base_url is None or pubmed_url is not None:
        return base_url, pubmed_url
    if model is not None:
        raise typer.BadParameter(
            "--base-url could be the model's or PubMed's address; give PubMed's as --pubmed-url as well"
        )
    return None, base_url


@contextmanager
def pubmed_retriever(
    options: PubmedOptions, query: str | None, model: ChatModel | None
) -> Iterator[Retriever]:
    """Connect a retriever to PubMed for a block of code.

    Raises
    ------
    QueryError
        The query cannot be read.
    RetrievalError
        PubMed cannot be reached.
    """
    from metarag.retrieval.expansion import expand
    from metarag.retrieval.pubmed import PubmedRetriever
    from metarag.retrieval.record_cache import RecordCache

    cache = RecordCache(options.record_cache) if options.record_cache else None
    dates = years(options)
    try:
        with pubmed_client(options) as client:
            yield PubmedRetriever(
                client,
                query=query,
                expander=lambda question: expand(question, model=model),
                cache=cache,
                dates=dates,
                progress=fetch_progress(),
            )
    finally:
        if cache:
            cache.close()


def years(options: PubmedOptions) -> DateLimits | None:
    """Return the limits on the year of publication; ``None`` when there are none.

    Raises
    ------
    ConfigurationError
        The first year is later than the last.
    """
    from metarag.retrieval.entrez_dates import DateLimits

    first, last = options.first_year, options.last_year
    if first is None and last is None:
        return None
    if first is not None and last is not None and first > last:
        raise ConfigurationError(f"--from {first} is later than --to {last}")
    return DateLimits.years(first, last)


def show_search(record: QueryRecord | None) -> None:
    """Say on stderr which queries were run, so that one can be changed and run again with ``--query``."""
    if record is None:
        return
    for part in record.parts or (record,):
        for step in (*part.earlier, part):
            hits = "" if step.total is None else f", {step.total:,} hits"
            note = f" ({step.note})" if step.note else ""
            err().print(f"{step.source}{hits}: {step.query}{note}", style="dim", soft_wrap=True)
    err().print("Another query is run with --query; no query is made of the question then.", style="dim")


def fetch_progress() -> Callable[[int, int], None]:
    """Return what tells on stderr how far a fetch is, when it has more than one batch."""
    console = err()

    def show(done: int, total: int) -> None:
        if done < total or console.is_terminal:
            end = "\r" if console.is_terminal and done < total else "\n"
            console.print(f"PubMed: {done:,} of {total:,} records fetched", style="dim", end=end)

    return show
