"""Runs the application under uvicorn."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack

from metarag.adapters.extras import needs
from metarag.errors import ConfigurationError
from metarag.server.app import create_app
from metarag.server.options import ServerOptions

with needs("web"):
    import uvicorn

    from metarag.server.timed_http import TimedHTTP

_BACKLOG = 256
_MAX_CONNECTIONS = 1_000
"""At the same time; one more is answered 503 by uvicorn."""


def run_server(options: ServerOptions, *, host: str, port: int, tell: Callable[[str], object]) -> None:
    """Serve until interrupted.

    Parameters
    ----------
    host, port : str and int
        Where to listen; port 0 takes a free one.
    tell : callable
        Told the address, once.

    Raises
    ------
    ConfigurationError
        A setting is wrong, or nothing can listen there.
    MissingExtraError
        The extra ``web`` is not installed.
    """
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    tell(
        f"metarag serves http://{shown}:{listening.getsockname()[1]}/ (endpoints: /openapi.json); Ctrl-C ends it"
    )
    make_server(options).run(sockets=[listening])


def make_server(options: ServerOptions) -> uvicorn.Server:
    """Return a server that is not running yet.

    Raises
    ------
    ConfigurationError
        A setting is wrong.
    """

    class Timed(TimedHTTP):
        head_seconds = options.read_seconds

    config = uvicorn.Config(
        create_app(options),
        http=Timed,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
    )
    return uvicorn.Server(config)


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that takes connections from now on: whoever reads the address may use it at once."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as undo:
            listening = undo.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
            undo.pop_all()
    except OSError as error:
        raise ConfigurationError(
            f"nothing can listen on {host} port {port}: {error.strerror or error}; name another --port"
        ) from error
    return listening
