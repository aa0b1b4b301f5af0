"""A run as plain data for its page, so that the template holds no logic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from metarag.audit import Decision, Verdict
from metarag.design_words import finding_words
from metarag.person_stages import OVERRIDE_STAGE
from metarag.pico_question import ANY, question_pico
from metarag.report.answer_view import answer_view
from metarag.report.articles import decisions_by_key
from metarag.report.formats import SUFFIXES
from metarag.report.numbers import score
from metarag.report.places import Places, ReportOptions
from metarag.report.plain import shorten
from metarag.report.references import Piece, References, article_links
from metarag.runs import RunRecord
from metarag.server.web.forms import FACETS
from metarag.server.web.stored import address
from metarag.types import Evidence

SHOWN_ARTICLES: Final = 200
"""Rows of a page, of the ranked and of the left-out articles each; the exports have all."""
SAID_FIRST: Final = 2
"""Sentences of an answer that say it; those after them give results and words one by one."""
_QUIET: Final = ("score", "eligibility", "relevance", OVERRIDE_STAGE)
"""Stages whose reason says little of an article that stays."""


@dataclass(frozen=True, slots=True)
class Line:
    """An article in the table of a run."""

    key: str
    place: str
    name: str
    href: str
    title: str
    about: str
    reason: str


@dataclass(frozen=True, slots=True)
class LinkedAnswer:
    """The sentences of an answer: those that say it, and those that say what it rests on."""

    first: tuple[tuple[Piece, ...], ...]
    rest: tuple[tuple[Piece, ...], ...]


def run_values(run: RunRecord, name: str) -> dict[str, object]:
    """Return what the page of a run shows.

    Parameters
    ----------
    name : str
        Of its file, which addresses are made of.
    """
    ranking, audit = run.ranking, run.ranking.audit
    decisions = decisions_by_key(audit.decisions)
    kept = [
        _line(item, f"{rank:,}", decisions.get(item.key, ()))
        for rank, item in enumerate(ranking.top(SHOWN_ARTICLES), 1)
    ]
    out = [_line(item, "left out", decisions.get(item.key, ())) for item in ranking.excluded[:SHOWN_ARTICLES]]
    asked = question_pico(audit.question)
    facets = asked.used.as_pico()
    return {
        "run": run,
        "name": name,
        "here": address(name),
        "title": shorten(audit.question.text, 120),
        "question": shorten(audit.question.text, 1_000),
        "asked": audit.question.text,
        "formats": [each for each in SUFFIXES if each != "png"],
        "answer": _linked_answer(run, address(name, "report")),
        "kept": kept,
        "out": out,
        "counts": _counts(len(ranking), len(ranking.excluded), len(kept), len(out)),
        "is_cut": len(kept) < len(ranking) or len(out) < len(ranking.excluded),
        "facets": [
            (facet, words, getattr(facets, facet) or (ANY if facet in asked.given else ""))
            for facet, words in FACETS.items()
        ],
        "given": audit.question.pico is not None,
        "search": audit.query,
    }


def _counts(ranked: int, left_out: int, shown: int, shown_out: int) -> str:
    said = f"{ranked:,} kept"
    if shown < ranked:
        said += f" (here the best {shown:,})"
    said += f", {left_out:,} left out"
    if shown_out < left_out:
        said += f" (here {shown_out:,} of them)"
    if shown < ranked or shown_out < left_out:
        said += ". The files to save hold them all"
    return f"{said}."


def _linked_answer(run: RunRecord, report: str) -> LinkedAnswer:
    """Return the answer; each citation leads to its article in the report."""
    if run.answer is None:
        return LinkedAnswer((), ())
    places = Places.of(run.ranking, run.answer, ReportOptions())
    references = References((*run.ranking.evidence, *run.ranking.excluded), places.anchors)
    shown = answer_view(run.answer, run.ranking.audit.question.options, references)
    sentences = tuple(
        tuple(Piece(p.text, f"{report}{p.href}" if p.href.startswith("#") else p.href) for p in each.pieces)
        for each in shown.sentences
    )
    first = 0 if shown.short else SAID_FIRST
    return LinkedAnswer(sentences[:first], sentences[first:])


def _line(item: Evidence, place: str, decisions: Sequence[Decision]) -> Line:
    article = item.article
    link = next(iter(article_links(article)), Piece(article.label))
    design = finding_words(item.appraisal.design) if item.appraisal else "Design not known"
    scored = f", score {score(item.score)}" if item.score is not None else ""
    return Line(
        key=item.key,
        place=place,
        name=link.text,
        href=link.href,
        title=shorten(article.title, 200) or "No title",
        about=f"{design}{f', {article.year}' if article.year else ''}{scored}.",
        reason=shorten(_reason(decisions), 400),
    )


def _reason(decisions: Sequence[Decision]) -> str:
    """Return why an article is left out, else what was said of it, last first: how it fits the question."""
    out = [d.reason for d in decisions if d.verdict is Verdict.EXCLUDED]
    said = [d.reason for d in decisions if d.stage not in _QUIET and d.verdict is Verdict.INCLUDED]
    return (out or [" ".join(reversed(said))])[0]
