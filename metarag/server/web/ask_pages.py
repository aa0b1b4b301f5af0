"""Pages to ask: the question, what was understood, the search, and the waiting."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from metarag.errors import RequestError
from metarag.pico_question import question_pico
from metarag.rag import DEFAULT_LIMIT
from metarag.report.plain import shorten
from metarag.retrieval.demo import demo_questions
from metarag.retrieval.expansion import expand
from metarag.retrieval.query import parse_query
from metarag.server.web.forms import FACETS, Form
from metarag.server.web.jobs import Job, State
from metarag.server.web.site import Site, go_to
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
    State.FAILED: "It could not be answered",
    State.CANCELLED: "Stopped",
}


def ask_router(site: Site) -> APIRouter:
    """Return the pages."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def start(request: Request, again: str = "") -> Response:
        asked = Wanted.model_validate(site.jobs.get(again).asked) if again else None
        values = {
            "question": asked.question if asked else "",
            "where": asked.where.value if asked else site.worker.places[0].value,
            "examples": [each.text for each in demo_questions()],
        }
        return site.page(request, "ask.html.j2", values)

    @router.post("/plan")
    async def plan(request: Request) -> Response:
        form = await site.form(request)
        return site.page(request, "plan.html.j2", _plan(form))

    @router.post("/start")
    async def submit(request: Request) -> Response:
        wanted = _wanted(await site.form(request))
        site.pace.check(request.client.host if request.client else "")
        job = site.jobs.submit(shorten(wanted.question, 200), wanted.model_dump(mode="json"))
        return go_to(f"/questions/{job.id}")

    @router.get("/questions")
    async def questions(request: Request) -> Response:
        rows = [
            {"href": f"/questions/{job.id}", "name": job.title, "cells": [_HEADINGS[job.state]]}
            for job in site.jobs.newest(SHOWN_QUESTIONS)
        ]
        values = {"heading": "Questions asked", "columns": ("Question", "State"), "rows": rows}
        return site.page(request, "list.html.j2", {**values, "problems": (), "compare": False})

    @router.get("/questions/{job_id}")
    async def question(request: Request, job_id: str) -> Response:
        job = site.jobs.get(job_id)
        if job.state is State.DONE and job.run:
            return go_to(f"/runs/{job.run.removesuffix('.json')}")
        values = {
            "job": job,
            "heading": _HEADINGS[job.state],
            "position": _before(site.jobs.position(job) if job.state is State.WAITING else 0),
            "steps": _marked(job),
            "again": "run" not in job.asked,
        }
        refresh = None if job.state.is_over else REFRESH_SECONDS
        return site.page(request, "job.html.j2", values, refresh=refresh)

    @router.post("/questions/{job_id}/cancel")
    async def cancel(request: Request, job_id: str) -> Response:
        await site.form(request)
        site.jobs.cancel(job_id)
        return go_to(f"/questions/{job_id}")

    return router


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
        raise RequestError(422, f"there is no source {form.one('where')[:40]!r}") from error


def _limit(form: Form) -> int:
    given = form.one("limit", str(DEFAULT_LIMIT))
    if not given.isdecimal() or not 1 <= int(given[:6]) <= 500:
        raise RequestError(422, f"the number of articles is {given[:20]!r}; it must be from 1 to 500")
    return int(given)


def _before(position: int) -> str:
    return "" if position == 0 else "One question is" if position == 1 else f"{position} questions are"


def _marked(job: Job) -> list[tuple[str, str, str]]:
    names = [name for name, _ in _STEPS]
    reached = names.index(job.step) if job.step in names else -1
    marks = ["done" if i < reached else "now" if i == reached else "later" for i in range(len(names))]
    return [(name, words, mark) for (name, words), mark in zip(_STEPS, marks, strict=True)]
