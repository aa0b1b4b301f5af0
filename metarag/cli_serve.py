"""`metarag serve`: the pages and the endpoints, for this machine unless told otherwise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr

from metarag.cli_output import err
from metarag.cli_pubmed import EmailOption, key_for
from metarag.cli_sources import FileOption, SetOption, settings_from
from metarag.errors import ConfigurationError
from metarag.retrieval.corpus import Corpus
from metarag.run_folder import RUNS
from metarag.server.web.security import is_loopback

TOKEN = "METARAG_SERVER_TOKEN"  # noqa: S105  # the name of a variable, not its value
"""Environment variable that holds the token."""

HostOption = Annotated[
    str, typer.Option("--host", help="Address to listen on; any but this machine's own needs a token.")
]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65_535, help="Port; 0 takes a free one.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=1, max=64, help="Requests that are ranked at the same time.")
]
PubmedUrlOption = Annotated[
    str | None, typer.Option("--pubmed-url", help="Another address of the E-utilities; default: NCBI's.")
]


def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    workers: WorkersOption = 2,
    index: Annotated[
        Path | None, typer.Option("--index", help="Local index that the pages can search.")
    ] = None,
    pubmed: Annotated[
        bool, typer.Option("--pubmed/--no-pubmed", help="Whether the pages can search PubMed.")
    ] = True,
    pubmed_url: PubmedUrlOption = None,
    email: EmailOption = None,
    folder: Annotated[Path, typer.Option("--folder", help="Where the pages keep their runs.")] = RUNS,
    pages: Annotated[
        bool, typer.Option("--pages/--no-pages", help="Pages for people, besides the endpoints.")
    ] = True,
    settings: FileOption = None,
    set_: SetOption = None,
) -> None:
    """Serve pages to ask and audit, and /rerank for other programs; needs the extra `web`."""
    chosen = settings_from(settings, set_)
    token = os.environ.get(TOKEN, "").strip()
    if not token and not is_loopback(host):
        raise ConfigurationError(
            f"other machines can reach {host}, and nothing would ask them for a token; set {TOKEN}, or leave"
            " --host out"
        )
    if index is not None:
        Corpus.open(index).close()  # a wrong name should be told now, not to the first who asks
    from metarag.retrieval.entrez_http import NCBI_URL
    from metarag.server.options import ServerOptions
    from metarag.server.running import run_server

    key = key_for(NCBI_URL if pubmed_url is None else pubmed_url, os.environ)
    options = ServerOptions(
        settings=chosen.model_dump(mode="json", exclude_defaults=True),
        token=SecretStr(token) if token else None,
        workers=workers,
        only_loopback=is_loopback(host),
        pages=pages,
        folder=folder,
        index=index,
        pubmed=pubmed,
        pubmed_url=pubmed_url,
        email=email,
        pubmed_key=SecretStr(key) if key else None,
    )
    run_server(options, host=host, port=port, tell=err().print)
