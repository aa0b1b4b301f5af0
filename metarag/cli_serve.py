"""`metarag serve`: the endpoints and the pages, for this machine unless told otherwise."""

from __future__ import annotations

import ipaddress
import os
from typing import Annotated

import typer
from pydantic import SecretStr

from metarag.cli_output import err
from metarag.cli_sources import FileOption, SetOption, settings_from
from metarag.errors import ConfigurationError

TOKEN = "METARAG_SERVER_TOKEN"  # noqa: S105  # the name of a variable, not its value
"""Environment variable that holds the token."""

HostOption = Annotated[
    str, typer.Option("--host", help="Address to listen on; any but this machine's own needs a token.")
]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65_535, help="Port; 0 takes a free one.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=1, max=64, help="Requests that are ranked at the same time.")
]


def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    workers: WorkersOption = 2,
    settings: FileOption = None,
    set_: SetOption = None,
) -> None:
    """Serve /rerank and /v1/appraise to other programs; needs the extra `web`."""
    chosen = settings_from(settings, set_)
    token = os.environ.get(TOKEN, "").strip()
    if not token and not is_loopback(host):
        raise ConfigurationError(
            f"other machines can reach {host}, and nothing would ask them for a token; set {TOKEN}, or leave"
            " --host out"
        )
    from metarag.server.options import ServerOptions
    from metarag.server.running import run_server

    options = ServerOptions(
        settings=chosen.model_dump(mode="json", exclude_defaults=True),
        token=SecretStr(token) if token else None,
        workers=workers,
    )
    run_server(options, host=host, port=port, tell=err().print)


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
