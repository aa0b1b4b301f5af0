"""The server: endpoints for programs and pages for people, behind limits."""

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
from metarag.server.rerank_api import is_endpoint, rerank_router
from metarag.server.web.pages import page_router, problem_page
from metarag.server.web.site import Site
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
    site = Site.of(options) if options.pages else None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        workers.close()
        if site:
            site.jobs.close()

    # The usual pages of FastAPI load their scripts from other hosts; the description itself is enough.
    app = FastAPI(title="metarag", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.include_router(rerank_router(options, workers, metrics))
    if site:
        app.include_router(page_router(site))
    app.add_middleware(Limits, options=options, sessions=site.sessions if site else None)

    def told(request: Request, error: MetaragError) -> Response:
        reads_pages = "text/html" in request.headers.get("accept", "")
        if site and reads_pages and not is_endpoint(request.url.path):
            return problem_page(site, request, error)
        return error_answer(error)

    @app.exception_handler(MetaragError)
    async def refused(request: Request, error: MetaragError) -> Response:
        answer = told(request, error)
        if is_endpoint(request.url.path):
            metrics.count(request.url.path, answer.status_code)
        return answer

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, error: HTTPException) -> Response:
        what = f"{request.method} {request.url.path}: {error.detail}"
        return told(request, RequestError(error.status_code, what))

    return app
