"""All pages together, with the way in and the way out of errors."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from metarag.errors import MetaragError, RequestError
from metarag.server.web.ask_pages import ask_router
from metarag.server.web.run_pages import run_router
from metarag.server.web.site import Site, go_to

_HEADINGS = {
    403: "That form cannot be taken",
    404: "There is no such page",
    405: "There is no such page",
    408: "That took too long",
    413: "That is too long",
    421: "This server has another name",
    429: "Too fast",
    500: "That is a fault of this server",
    503: "The server is busy",
}


def page_router(site: Site) -> APIRouter:
    """Return every page."""
    router = APIRouter(include_in_schema=False)
    router.include_router(ask_router(site))
    router.include_router(run_router(site))

    @router.get("/enter")
    async def enter(request: Request) -> Response:
        return site.page(request, "enter.html.j2", {"problem": ""})

    @router.post("/enter")
    async def typed(request: Request) -> Response:
        form = await site.form(request)
        site.check_pace(request)
        session = site.sessions.new(form.one("token"))
        if not site.sessions.is_known(session):
            return site.page(request, "enter.html.j2", {"problem": "That is not the token."}, status=403)
        answer = go_to("/")
        site.keep_session(request, answer, session)
        return answer

    return router


def problem_page(site: Site, request: Request, error: MetaragError) -> Response:
    """Return a page that says what went wrong and where to go from here."""
    status = error.status if isinstance(error, RequestError) else 422
    heading = _HEADINGS.get(status, "That did not work")
    values = {"heading": heading, "problem": str(error), "has_form": request.method == "POST"}
    return site.page(request, "problem.html.j2", values, status=status)
