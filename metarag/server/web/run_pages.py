"""Pages of runs: the answer and its articles, the report, exports, changes, comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from metarag.audit import Override, Verdict
from metarag.errors import RequestError, RunFileError
from metarag.pico_question import question_pico
from metarag.report.comparison import compare
from metarag.report.formats import SUFFIXES, ExportOptions, export
from metarag.report.html import content_security_policy
from metarag.report.plain import shorten
from metarag.report.references import Piece, article_links
from metarag.report.view import report_view
from metarag.run_folder import find_run, stored_runs
from metarag.runs import RunRecord, load_run
from metarag.server.web.forms import FACETS, Form
from metarag.server.web.security import page_headers
from metarag.server.web.site import Site, go_to
from metarag.server.web.work import Changed
from metarag.types import Evidence

SHOWN_ARTICLES: Final = 200
"""Rows of a page; the report and the exports have all."""
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


@dataclass(frozen=True, slots=True)
class Line:
    """An article in the table of a run."""

    key: str
    place: str
    name: str
    href: str
    title: str
    reason: str


def run_router(site: Site) -> APIRouter:
    """Return the pages."""
    router = APIRouter(include_in_schema=False)

    @router.get("/runs")
    def runs(request: Request) -> Response:
        rows, problems = [], []
        for stored in list(stored_runs(site.options.folder))[:SHOWN_RUNS]:
            if stored.run is None:
                problems.append(f"{stored.path.name} cannot be read: {stored.problem}")
                continue
            audit = stored.run.ranking.audit
            counts = f"{len(stored.run.ranking.evidence)} kept, {len(stored.run.ranking.excluded)} left out"
            name = stored.path.stem
            rows.append(
                {"href": f"/runs/{name}", "name": name, "cells": [counts, shorten(audit.question.text, 120)]}
            )
        values = {"heading": "Runs", "columns": ("Run", "Articles", "Question"), "rows": rows}
        return site.page(request, "list.html.j2", {**values, "problems": problems, "compare": True})

    @router.get("/runs/{name}")
    def run(request: Request, name: str) -> Response:
        return site.page(request, "run.html.j2", _run_values(_load(site, name)))

    @router.get("/runs/{name}/report")
    def report(name: str) -> Response:
        headers = page_headers(f"{content_security_policy()}; frame-ancestors 'none'")
        return HTMLResponse(_export(site, name, "html"), headers=dict(headers))

    @router.get("/runs/{name}/files/{format_}")
    def file(name: str, format_: str) -> Response:
        content = _export(site, name, format_)
        headers = dict(page_headers("default-src 'none'; sandbox"))
        headers["content-disposition"] = f'attachment; filename="{_load(site, name).id}{SUFFIXES[format_]}"'
        return Response(content, media_type=_TYPES[format_], headers=headers)

    @router.post("/runs/{name}/change")
    async def change(request: Request, name: str) -> Response:
        form = await site.form(request)
        found = _load(site, name)
        site.pace.check(request.client.host if request.client else "")
        changed = _changed(found, name, form)
        title = f"Change of {found.id}: {shorten(found.ranking.audit.question.text, 160)}"
        return go_to(f"/questions/{site.jobs.submit(title, changed.model_dump(mode='json')).id}")

    @router.get("/compare")
    def comparison(request: Request, before: str, after: str) -> Response:
        old, new = _load(site, before), _load(site, after)
        found = compare(old, new)
        names = {
            i.key: i.article.label for r in (old, new) for i in (*r.ranking.evidence, *r.ranking.excluded)
        }
        values = {
            "before": old,
            "after": new,
            "overrides": [_override_words(each, names) for each in new.ranking.audit.overrides],
            "moves": [(names.get(m.key, m.key), m.words) for m in found.moves[:SHOWN_ARTICLES]],
            "same_answer": found.answer_before == found.answer_now,
            "answer_before": (found.answer_before or "None was asked for.").splitlines(),
            "answer_now": (found.answer_now or "None was asked for.").splitlines(),
        }
        return site.page(request, "compare.html.j2", values)

    return router


def _load(site: Site, name: str) -> RunRecord:
    """Read a run by its name; a path is none, so that no other file can be asked for."""
    if not all(c.isalnum() or c in "-_." for c in name) or name.startswith("."):
        raise RequestError(404, "that is no name of a run")
    path = site.options.folder / f"{name}.json"
    if not path.is_file():
        raise RequestError(404, f"there is no run {name[:60]} here; the list of runs shows those there are")
    return load_run(find_run(str(path), site.options.folder))


def _export(site: Site, name: str, format_: str) -> bytes:
    if format_ not in SUFFIXES:
        raise RequestError(404, f"there is no format {format_[:20]!r}; there are {', '.join(SUFFIXES)}")
    run = _load(site, name)
    options = ExportOptions()
    if format_ == "html" and run.parent is not None:
        try:
            options = ExportOptions(comparison=compare(_load(site, run.parent.id), run))
        except (RequestError, RunFileError):
            # The parent was removed; the report says what was changed all the same.
            options = ExportOptions()
    return export(run, format_, options)


def _run_values(run: RunRecord) -> dict[str, object]:
    ranking, audit = run.ranking, run.ranking.audit
    why = {d.key: d.reason for d in audit.decisions if d.verdict is Verdict.EXCLUDED}
    scores = {d.key: d for d in audit.decisions if d.stage not in ("score", "eligibility", "relevance")}
    kept = [
        _line(item, str(rank), scores[item.key].reason if item.key in scores else "")
        for rank, item in enumerate(ranking.top(SHOWN_ARTICLES), 1)
    ]
    out = [_line(item, "left out", why.get(item.key, "")) for item in ranking.excluded[:SHOWN_ARTICLES]]
    facets = question_pico(audit.question).used.as_pico()
    return {
        "run": run,
        "question": audit.question.text,
        "formats": [name for name in SUFFIXES if name != "png"],
        "answer": _linked_answer(run),
        "kept": kept,
        "out": out,
        "hidden": len(ranking.evidence) + len(ranking.excluded) - len(kept) - len(out),
        "facets": [(name, words, getattr(facets, name) or "") for name, words in FACETS.items()],
        "given": audit.question.pico is not None,
        "search": audit.query,
    }


def _linked_answer(run: RunRecord) -> list[list[Piece]]:
    """Return the sentences of the answer; each citation leads to its article in the report."""
    if run.answer is None:
        return []
    shown = report_view(run).answer
    report = f"/runs/{run.id}/report"
    return [
        [Piece(p.text, f"{report}{p.href}" if p.href.startswith("#") else p.href) for p in sentence.pieces]
        for sentence in (shown.sentences if shown else ())
    ]


def _line(item: Evidence, place: str, reason: str) -> Line:
    article = item.article
    link = next(iter(article_links(article)), Piece(article.label))
    return Line(item.key, place, link.text, link.href, shorten(article.title, 200), reason)


def _changed(run: RunRecord, name: str, form: Form) -> Changed:
    facets = {
        facet: text or None for facet, text in form.facets().items() if text != form.one(f"was_{facet}")
    }
    changed = Changed(
        run=name,
        author=form.one("author"),
        note=form.one("note"),
        include=form.all("include"),
        exclude=form.all("exclude"),
        pico=facets,
    )
    if not changed.author or not changed.note:
        raise RequestError(422, "say who you are and why: both stand in the report")
    if not (changed.include or changed.exclude or changed.pico):
        raise RequestError(422, f"nothing would change in {run.id}; mark an article or edit the question")
    return changed


def _override_words(each: Override, names: dict[str, str]) -> str:
    what = (
        f"{each.verdict.value} {names.get(each.key, each.key)}"
        if each.verdict
        else f"{each.key}: {each.change}"
    )
    return f"{each.timestamp:%Y-%m-%d %H:%M} UTC, {each.author}: {what} ({each.reason})"
