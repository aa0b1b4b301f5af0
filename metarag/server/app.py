"""The server: endpoints for programs and pages for people, behind limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from metarag._version import __version__
from metarag.adapters.extras import needs
from metarag.errors import MetaragError, RequestError
from metarag.server.options import ServerOptions

with needs("web"):
    from fastapi import FastAPI, Request
    from fastapi.responses import Response
    from starlette.exceptions import HTTPException

from metarag.report.plain import shorten
from metarag.server.answers import error_answer
from metarag.server.last_resort import LastResort
from metarag.server.limits import Limits, Tell
from metarag.server.metrics import Metrics
from metarag.server.rerank_api import is_endpoint, rerank_router
from metarag.server.web.pages import page_router, problem_page
from metarag.server.web.site import Site
from metarag.server.workers import Workers

_SHOWN_PATH: Final = 80
"""Characters of an address that nothing is at."""


def create_app(options: ServerOptions | None = None) -> FastAPI:
    """Make the ASGI application.

    Parameters
    ----------
    options : ServerOptions or None
        ``None`` takes the defaults.

    Raises
    ------
    ConfigurationError
        A setting is unknown or wrong, or the folder of runs cannot be one.
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
    tell = _teller(site)
    app.add_middleware(Limits, options=options, tell=tell, sessions=site.sessions if site else None)
    app.add_middleware(LastResort, tell=tell)
    _handle_errors(app, tell, metrics)
    return app


def _teller(site: Site | None) -> Tell:
    """Return what makes the answer of an error: a page for who reads pages, JSON for everybody else."""

    def tell(request: Request, error: MetaragError) -> Response:
        reads_pages = "text/html" in request.headers.get("accept", "")
        if site and reads_pages and not is_endpoint(request.url.path):
            return problem_page(site, request, error)
        return error_answer(error)

    return tell


def _handle_errors(app: FastAPI, tell: Tell, metrics: Metrics) -> None:
    @app.exception_handler(MetaragError)
    async def refused(request: Request, error: MetaragError) -> Response:
        answer = tell(request, error)
        if is_endpoint(request.url.path):
            metrics.count(request.url.path, answer.status_code)
        return answer

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, error: HTTPException) -> Response:
        answer = tell(request, RequestError(error.status_code, _words(request, error)))
        answer.headers.update(error.headers or {})
        return answer


def _words(request: Request, error: HTTPException) -> str:
    where = shorten(request.url.path, _SHOWN_PATH)
    if error.status_code == 404:
        return f"there is nothing at {where}"
    if error.status_code == 405:
        return f"{where} does not take {request.method}"
    return f"{request.method} {where}: {error.detail}"
