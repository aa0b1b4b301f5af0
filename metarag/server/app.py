"""The server: endpoints for programs, behind limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from metarag._version import __version__
from metarag.adapters.extras import needs
from metarag.errors import MetaragError, RequestError
from metarag.server.options import ServerOptions

with needs("web"):
    from fastapi import FastAPI, Request
    from fastapi.responses import Response
    from starlette.exceptions import HTTPException

from metarag.server.answers import error_answer
from metarag.server.limits import Limits
from metarag.server.metrics import Metrics
from metarag.server.rerank_api import rerank_router
from metarag.server.workers import Workers


def create_app(options: ServerOptions | None = None) -> FastAPI:
    """Make the ASGI application.

    Parameters
    ----------
    options : ServerOptions or None
        ``None`` takes the defaults.

    Raises
    ------
    ConfigurationError
        A setting is unknown or wrong.
    MissingExtraError
        FastAPI is not installed.
    """
    options = options or ServerOptions()
    workers, metrics = Workers(options.workers, options.max_waiting), Metrics()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        workers.close()

    # The usual pages of FastAPI load their scripts from other hosts; the description itself is enough.
    app = FastAPI(title="metarag", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.include_router(rerank_router(options, workers, metrics))
    app.add_middleware(Limits, options=options)

    @app.exception_handler(MetaragError)
    async def refused(request: Request, error: MetaragError) -> Response:
        answer = error_answer(error)
        metrics.count(request.url.path, answer.status_code)
        return answer

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, error: HTTPException) -> Response:
        return error_answer(
            RequestError(error.status_code, f"{request.method} {request.url.path}: {error.detail}")
        )

    return app
