"""`metarag search` and `metarag fetch`: PubMed from the command line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from metarag.cli_output import err, out, table, write_json
from metarag.cli_pubmed import (
    EmailOption,
    FromOption,
    OfflineOption,
    PubmedOptions,
    RecordCacheOption,
    ToOption,
    UrlOption,
    fetch_progress,
    pubmed_client,
    years,
)
from metarag.cli_sources import JsonOption
from metarag.errors import InputError, RetrievalError
from metarag.files import write_text_atomically

if TYPE_CHECKING:
    from metarag.retrieval.entrez import EntrezClient
    from metarag.retrieval.entrez_answers import SummaryResult
    from metarag.retrieval.entrez_fetch import FetchResult
    from metarag.retrieval.entrez_search import SearchProgress, SearchResult

_BETWEEN_IDS: Final = re.compile(r"[\s,;]+")
_LABEL: Final = re.compile(r"\bpmid:\s+", re.IGNORECASE)


def search_command(
    query: Annotated[str, typer.Argument(help="A query in PubMed's syntax.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=9_999, help="Hits shown.")] = 20,
    everything: Annotated[bool, typer.Option("--all", help="Every hit, as ids only.")] = False,
    state: Annotated[
        Path | None, typer.Option("--state", help="With --all: file from which a killed search goes on.")
    ] = None,
    sort: Annotated[str, typer.Option("--sort", help="relevance, date, author or journal.")] = "relevance",
    first_year: FromOption = None,
    last_year: ToOption = None,
    ids_only: Annotated[bool, typer.Option("--ids", help="Print PMIDs only, one a line.")] = False,
    as_json: JsonOption = False,
    base_url: UrlOption = None,
    email: EmailOption = None,
    offline: OfflineOption = False,
) -> None:
    """Search PubMed, and show what it made of the query."""
    from metarag.retrieval.entrez_answers import SummaryResult
    from metarag.retrieval.query import parse_query

    if state is not None and not everything:
        raise typer.BadParameter("--state needs --all")
    parsed = parse_query(query)
    options = PubmedOptions(base_url, email, offline, first_year=first_year, last_year=last_year)
    dates = years(options)
    with pubmed_client(options) as client:
        if everything:
            found = client.search_all(
                parsed.for_pubmed(), sort=sort, dates=dates, state_file=state, progress=_show_progress
            )
        else:
            found = client.search(parsed.for_pubmed(), limit=limit, sort=sort, dates=dates)
        bare = everything or ids_only or not found.ids
        _tell(found, parsed.warnings)
        summaries = SummaryResult() if bare else _summaries(client, found.ids)
    if as_json:
        shown = [summary.model_dump(mode="json") for summary in summaries.summaries]
        write_json(json.dumps(found.model_dump(mode="json") | {"summaries": shown}, indent=1))
    elif bare:
        _write_lines(found.ids)
    else:
        _show(found, summaries)


def _summaries(client: EntrezClient, ids: Sequence[str]) -> SummaryResult:
    """Return titles and dates; without them the hits are shown all the same."""
    from metarag.retrieval.entrez_answers import SummaryResult

    try:
        return client.esummary(ids)
    except RetrievalError as error:
        err().print(f"Warning: no titles, because {error}", style="yellow", soft_wrap=True)
        return SummaryResult()


def fetch_command(
    pmids: Annotated[list[str], typer.Argument(help="PMIDs or PubMed addresses; - reads them from stdin.")],
    out_path: Annotated[
        Path | None, typer.Option("--out", help="File to write, as JSONL; default: stdout.")
    ] = None,
    record_cache: RecordCacheOption = None,
    base_url: UrlOption = None,
    email: EmailOption = None,
    offline: OfflineOption = False,
) -> None:
    """Fetch records from PubMed, one JSON object a line, as `metarag rank --input` reads them."""
    from metarag.retrieval.record_cache import RecordCache
    from metarag.retrieval.record_store import RecordStore

    asked = [pmid for each in pmids for pmid in _ids_in(_from_stdin() if each == "-" else each)]
    cache = RecordCache(record_cache) if record_cache else None
    try:
        with pubmed_client(PubmedOptions(base_url, email, offline, record_cache)) as client:
            result = RecordStore(client, cache).fetch(asked, progress=fetch_progress())
    finally:
        if cache:
            cache.close()
    _finish_fetch(result, out_path)


def _finish_fetch(result: FetchResult, out_path: Path | None) -> None:
    for message in result.messages:
        err().print(f"Warning: {message}", style="yellow", soft_wrap=True)
    if not result.articles:
        raise InputError("no record was fetched; nothing was written")
    lines = [article.model_dump_json(exclude_defaults=True) for article in result.articles]
    if out_path is None:
        _write_lines(lines)
    else:
        write_text_atomically(out_path, "\n".join(lines) + "\n")
    err().print(f"{len(result.articles):,} records", style="dim")


def _write_lines(lines: Sequence[str]) -> None:
    if lines:
        write_json("\n".join(lines))


def _from_stdin() -> str:
    if sys.stdin is None:
        raise InputError("standard input is closed; name the PMIDs instead of -")
    # A list that was made on Windows may begin with a byte order mark.
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")


def _ids_in(text: str) -> list[str]:
    """Return the PMIDs of a text: one, or several with commas or white space between."""
    from metarag.retrieval.pmids import pmid_in

    if pmid_in(text):
        return [text]
    return [part for part in _BETWEEN_IDS.split(_LABEL.sub("", text)) if part]


def _tell(found: SearchResult, warnings: tuple[str, ...]) -> None:
    """Say on stderr what was searched, how much of it is here, and what PubMed changed."""
    console = err()
    console.print(
        f"{found.total:,} hits, {len(found.ids):,} here; sorted by {found.sort}"
        + (f"; {found.dates}" if found.dates else ""),
        style="dim",
        soft_wrap=True,
    )
    console.print(f"query: {found.query}", style="dim", soft_wrap=True)
    if found.query_translation:
        console.print(f"as PubMed ran it: {found.query_translation}", style="dim", soft_wrap=True)
    for message in (*warnings, *found.messages):
        console.print(f"Warning: {message}", style="yellow", soft_wrap=True)


def _show(found: SearchResult, summaries: SummaryResult) -> None:
    known = {summary.pmid: summary for summary in summaries.summaries}
    rows = []
    for rank, pmid in enumerate(found.ids, found.start + 1):
        summary = known.get(pmid)
        shown = (summary.date or "", summary.title) if summary else ("", "(no summary)")
        rows.append((str(rank), pmid, *shown))
    out().print(table(("rank", "PMID", "date", "title"), rows))


def _show_progress(step: SearchProgress) -> None:
    if step.slices or step.open_slices:
        err().print(f"PubMed: {step.found:,} of {step.total:,} ids found", style="dim")
