"""Pages to ask: the question, what was understood, the search, and the waiting."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import ValidationError

from metarag.errors import RequestError
from metarag.pico_question import question_pico
from metarag.rag import DEFAULT_LIMIT
from metarag.report.numbers import count
from metarag.report.plain import shorten
from metarag.retrieval.demo import demo_questions
from metarag.retrieval.expansion import expand
from metarag.retrieval.query import parse_query
from metarag.server.web.forms import FACETS, Form
from metarag.server.web.jobs import Job, State
from metarag.server.web.site import Site, go_to
from metarag.server.web.stored import address
from metarag.server.web.work import Wanted, Where
from metarag.types import Question

REFRESH_SECONDS: Final = 2
SHOWN_QUESTIONS: Final = 100
_STEPS: Final = (
    ("retrieve", "Searching for articles"),
    ("rank", "Judging and ranking them"),
    ("answer", "Putting the answer together"),
)
_HEADINGS: Final = {
    State.WAITING: "Waiting",
    State.RUNNING: "Working on it",
    State.DONE: "Done",
    State.FAILED: "That could not be done",
    State.CANCELLED: "Stopped",
}


def ask_router(site: Site) -> APIRouter:
    """Return the pages."""
    router = APIRouter(include_in_schema=False)
    _add_forms(router, site)
    _add_questions(router, site)
    return router


def _add_forms(router: APIRouter, site: Site) -> None:
    """Add the pages on which a question is asked and planned."""

    @router.get("/")
    async def start(request: Request, again: str = "") -> Response:
        asked = _asked_before(site.jobs.get(again)) if again else None
        values = {
            "question": asked.question if asked else "",
            "where": asked.where.value if asked else site.worker.places[0].value,
            "examples": [each.text for each in demo_questions()],
        }
        return site.page(request, "ask.html.j2", values)

    @router.post("/plan")
    async def plan(request: Request) -> Response:
        form = await site.form(request)
        return site.page(request, "plan.html.j2", await run_in_threadpool(_plan, form))

    @router.post("/start")
    async def submit(request: Request) -> Response:
        wanted = await run_in_threadpool(_wanted, await site.form(request))
        site.check_pace(request)
        job = site.jobs.submit(shorten(wanted.question, 200), wanted.model_dump(mode="json"))
        return go_to(f"/questions/{job.id}")

    @router.get("/plan")
    @router.get("/start")
    async def no_form() -> Response:
        return go_to("/")  # a bookmark, or a browser that opens its tabs again


def _add_questions(router: APIRouter, site: Site) -> None:
    """Add the list of what was asked, and what becomes of each."""

    @router.get("/questions")
    async def questions(request: Request) -> Response:
        jobs = site.jobs.newest(SHOWN_QUESTIONS)
        rows = [(f"/questions/{job.id}", job.title, _HEADINGS[job.state]) for job in jobs]
        return site.page(request, "questions.html.j2", {"rows": rows})

    @router.get("/questions/{job_id}")
    async def question(request: Request, job_id: str) -> Response:
        job = site.jobs.get(job_id)
        if job.state is State.DONE and job.run:
            return go_to(address(job.run.removesuffix(".json")))
        values = {
            "job": job,
            "heading": _HEADINGS[job.state],
            "position": _before(site.jobs.position(job) if job.state is State.WAITING else 0),
            "steps": _marked(job),
            "again": _asked_before(job) is not None,
        }
        refresh = None if job.state.is_over else REFRESH_SECONDS
        return site.page(request, "job.html.j2", values, refresh=refresh)

    @router.get("/questions/{job_id}/cancel")
    async def not_cancelled(job_id: str) -> Response:
        return go_to(f"/questions/{quote(job_id, safe='')}")

    @router.post("/questions/{job_id}/cancel")
    async def cancel(request: Request, job_id: str) -> Response:
        await site.form(request)
        site.jobs.cancel(job_id)
        return go_to(f"/questions/{job_id}")


def _plan(form: Form) -> dict[str, object]:
    asked, where = Question.ask(form.one("question")), _where(form)
    found = question_pico(asked).used.as_pico()
    made = expand(asked) if where is not Where.DEMO else None
    query = made.steps[0].query if made and where is Where.PUBMED else ""
    return {
        "question": asked.text,
        "where": where.value,
        "facets": [(name, words, getattr(found, name) or "") for name, words in FACETS.items()],
        "query": query,
        "wider": made.steps[1:] if made and query else (),
        "warnings": made.warnings if made else (),
    }


def _wanted(form: Form) -> Wanted:
    """Read what is to be done; a query or facet that nobody touched is left to the search and the rules."""
    asked, where = Question.ask(form.one("question")), _where(form)
    query = form.one("query")
    if query and query == form.one("planned"):
        query = ""
    if query:
        parse_query(query)
    parsed = question_pico(asked).used.as_pico()
    facets = {n: v for n, v in form.facets().items() if v and v != (getattr(parsed, n) or "")}
    return Wanted(
        question=asked.text,
        where=where,
        query=query or None,
        pico=facets,
        limit=_limit(form),
        preset=form.one("preset", "recommended"),
    )


def _where(form: Form) -> Where:
    try:
        return Where(form.one("where", Where.DEMO.value))
    except ValueError as error:
        raise RequestError(422, f"there is no source {shorten(form.one('where'), 40)!r}") from error


def _limit(form: Form) -> int:
    given = form.one("limit", str(DEFAULT_LIMIT))
    if not given.isdecimal() or len(given) > 3 or not 1 <= int(given) <= 500:
        raise RequestError(422, f"the number of articles is {shorten(given, 20)!r}; it must be from 1 to 500")
    return int(given)


def _asked_before(job: Job) -> Wanted | None:
    """Return what a job asked; ``None`` for the change of a run, and for what another version asked otherwise."""
    try:
        return Wanted.model_validate(job.asked)
    except ValidationError:
        return None


def _before(position: int) -> str:
    return "" if position == 0 else "One question is" if position == 1 else f"{position} questions are"


def _marked(job: Job) -> list[tuple[str, str, str]]:
    """Return words and mark of each step, and what the last one that is done brought."""
    names = [name for name, _ in _STEPS]
    reached = names.index(job.step) if job.step in names else -1
    marks = ["done" if i < reached else "now" if i == reached else "later" for i in range(len(names))]
    found = [f": {count(job.articles, 'article')}" if i == reached - 1 else "" for i in range(len(names))]
    return [(words, mark, brought) for (_, words), mark, brought in zip(_STEPS, marks, found, strict=True)]
