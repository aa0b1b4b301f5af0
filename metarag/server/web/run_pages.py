"""Pages of runs: the answer and its articles, the report, exports, changes, comparisons."""

from __future__ import annotations

from itertools import islice
from typing import Final
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from metarag.errors import RequestError
from metarag.report.comparison import compare
from metarag.report.formats import SUFFIXES, ExportOptions, export
from metarag.report.html import content_security_policy
from metarag.report.numbers import count
from metarag.report.plain import shorten
from metarag.run_folder import StoredRun
from metarag.runs import RunRecord
from metarag.server.web.changes import changed_by, override_words
from metarag.server.web.run_view import SHOWN_ARTICLES, run_values
from metarag.server.web.security import page_headers
from metarag.server.web.site import Site, go_to
from metarag.server.web.stored import address

SHOWN_RUNS: Final = 200
_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "ris": "application/x-research-info-systems",
    "bibtex": "application/x-bibtex",
    "svg": "image/svg+xml",
    "png": "image/png",
    "fhir": "application/fhir+json",
}


def run_router(site: Site) -> APIRouter:
    """Return the pages."""
    router = APIRouter(include_in_schema=False)

    # What reads a whole run is no coroutine: it runs in a thread, and the other pages go on meanwhile.
    @router.get("/runs")
    def runs(request: Request) -> Response:
        return site.page(request, "runs.html.j2", _list_values(site))

    @router.get("/runs/{name}")
    def run(request: Request, name: str) -> Response:
        found = site.runs.load(name)
        parent = found.parent.id if found.parent and site.runs.has(found.parent.id) else ""
        return site.page(request, "run.html.j2", {**run_values(found, name), "parent": parent})

    @router.get("/runs/{name}/report")
    def report(name: str) -> Response:
        headers = page_headers(f"{content_security_policy()}; frame-ancestors 'none'")
        return HTMLResponse(_export(site, name, "html"), headers=dict(headers))

    @router.get("/runs/{name}/files/{format_}")
    def file(name: str, format_: str) -> Response:
        content = _export(site, name, format_)
        headers = dict(page_headers("default-src 'none'; sandbox"))
        as_name = quote(f"{name}{SUFFIXES[format_]}", safe="")
        headers["content-disposition"] = f"attachment; filename*=UTF-8''{as_name}"
        return Response(content, media_type=_TYPES[format_], headers=headers)

    @router.post("/runs/{name}/change")
    async def change(request: Request, name: str) -> Response:
        form = await site.form(request)
        question = site.runs.head(name).question
        changed = changed_by(form, name)
        site.check_pace(request)
        title = f"Change of {name}: {shorten(question, 160)}"
        return go_to(f"/questions/{site.jobs.submit(title, changed.model_dump(mode='json')).id}")

    @router.get("/runs/{name}/change")
    async def not_changed(name: str) -> Response:
        return go_to(address(name))

    @router.get("/compare")
    def comparison(request: Request, before: str = "", after: str = "") -> Response:
        if not before or not after:
            raise RequestError(422, "name two runs to compare; the list of runs has a form for it")
        values = _comparison_values(site.runs.load(before), site.runs.load(after))
        links = {"before": (before, address(before)), "after": (after, address(after))}
        return site.page(request, "compare.html.j2", {**values, **links})

    return router


def _list_values(site: Site) -> dict[str, object]:
    stored = list(site.runs.newest())
    rows = [_row(each) for each in islice((s for s in stored if s.run), SHOWN_RUNS)]
    return {
        "rows": rows,
        "hidden": sum(each.run is not None for each in stored) - len(rows),
        "problems": [each.problem for each in stored if each.problem][:SHOWN_RUNS],
    }


def _row(stored: StoredRun) -> dict[str, str]:
    head, name = stored.run, stored.path.stem
    if head is None:
        raise ValueError("a file that cannot be read is no row")
    return {
        "href": address(name),
        "name": name,
        "question": shorten(head.question, 160),
        "made": f"{head.created_at:%Y-%m-%d %H:%M} UTC",
        "kept": f"{head.kept:,}",
        "left_out": f"{head.left_out:,}",
        "parent": head.parent or "",
    }


def _export(site: Site, name: str, format_: str) -> bytes:
    if format_ not in SUFFIXES:
        raise RequestError(
            404, f"there is no format {shorten(format_, 20)!r}; there are {', '.join(SUFFIXES)}"
        )
    run = site.runs.load(name)
    parent = site.runs.parent(run) if format_ == "html" and run.parent else None
    options = ExportOptions(comparison=compare(parent, run)) if parent else ExportOptions()
    return export(run, format_, options)


def _comparison_values(old: RunRecord, new: RunRecord) -> dict[str, object]:
    found = compare(old, new)
    names = {i.key: i.article.label for r in (old, new) for i in (*r.ranking.evidence, *r.ranking.excluded)}
    return {
        "overrides": [override_words(each, names) for each in new.ranking.audit.overrides],
        "moves": [(names.get(m.key, m.key), m.words) for m in found.moves[:SHOWN_ARTICLES]],
        "hidden": max(0, len(found.moves) - SHOWN_ARTICLES),
        "shifted": found.shifted_words,
        "same_answer": found.answer_before == found.answer_now,
        **_answers(found.answer_before, found.answer_now),
    }


def _answers(before: str | None, now: str | None) -> dict[str, object]:
    """Return the lines that only one of two answers has, because the others hide what changed."""
    old, new = ((text or "No answer was asked for.").splitlines() for text in (before, now))
    same = sum(line in old for line in new)
    return {
        "only_before": [line for line in old if line not in new],
        "only_now": [line for line in new if line not in old],
        "same_lines": f"{count(same, 'sentence')} of the two are the same." if same else "",
    }
