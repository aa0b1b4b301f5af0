"""The articles of a run as a table for a spreadsheet, in which no cell is a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from metarag.audit import Decision, Verdict
from metarag.design_words import finding_words
from metarag.generation.citations import citation_of
from metarag.pico_question import FACETS
from metarag.report.articles import decisions_by_key
from metarag.report.plain import shorten
from metarag.report.references import article_links
from metarag.report.words import VERDICTS
from metarag.runs import RunRecord
from metarag.types import DesignFinding, Evidence, RetractionStatus

BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Tells Excel that the file is UTF-8; ``utf-8-sig`` reads it away."""
# Every sign at which a spreadsheet begins to compute; the full-width ones are taken for them in some locales.
_SIGNS: Final = "=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
# Where the list separator of the system is a semicolon, a cell may end at one.
_FORMULA: Final = re.compile(rf"(?:^|(?<=;))(?=[\s\"']*[{_SIGNS}])")
MOST_CHARACTERS: Final = 32_000
"""Of a cell: Excel takes 32,767, and puts what is beyond into cells of its own, which may be formulas."""
_SCORES: Final = ("score", "relevance", "reliability", "consistency", "applicability")
COLUMNS: Final = (
    "run", "rank", "verdict", "stage", "reason_code", "reason", "cited_in_answer", "override",
    "pmid", "doi", "pmcid", "title", "authors", "journal", "year", "design", "level", "retraction",
    *_SCORES, *FACETS, "link",
)  # fmt: skip


def render_csv(run: RunRecord, *, kept_only: bool = False) -> str:
    """Return one row an article, ranked before left out, with the decision that placed it and its reason.

    A text that a spreadsheet would compute gets an apostrophe before it; line breaks and control characters
    become spaces.

    Parameters
    ----------
    kept_only : bool
        Leave out the articles that a stage left out.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    decisions = decisions_by_key(run.ranking.audit.decisions)
    overrides = _overrides(run)
    kept = [(rank, item) for rank, item in enumerate(run.ranking, 1)]
    out = [] if kept_only else [(None, item) for item in run.ranking.excluded]
    for rank, item in (*kept, *out):
        row = _row(run, rank, item, decisions.get(item.key, ()), overrides.get(item.key, ""))
        writer.writerow([safe_cell(row.get(column, "")) for column in COLUMNS])
    return BYTE_ORDER_MARK + stream.getvalue()


def safe_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula, on one line and of a length that it takes."""
    return _FORMULA.sub("'", shorten(text, MOST_CHARACTERS - text.count(";") - 1))


def _row(
    run: RunRecord, rank: int | None, item: Evidence, decisions: Sequence[Decision], override: str
) -> Mapping[str, str]:
    article, found = item.article, item.appraisal
    placing = _placing(decisions)
    cited = citation_of(article) in (run.answer.citations if run.answer else ())
    return {
        "run": run.id,
        "rank": "" if rank is None else str(rank),
        "verdict": "included" if rank else VERDICTS[Verdict.EXCLUDED],
        "stage": placing.stage if placing else "",
        "reason_code": placing.criterion if placing else "",
        "reason": placing.reason if placing else "",
        "cited_in_answer": "yes" if cited else "no",
        "override": override,
        "pmid": article.pmid or "",
        "doi": article.doi or "",
        "pmcid": article.pmcid or "",
        "title": article.title,
        "authors": "; ".join(filter(None, (author.short_name for author in article.authors))),
        "journal": article.journal.title or article.journal.abbreviation or "",
        "year": str(article.year or ""),
        "design": finding_words(found.design if found else DesignFinding()),
        "level": item.level or "",
        "retraction": (found.retraction if found else RetractionStatus()).state.value,
        **dict(_numbers(item)),
        **dict(_facets(decisions)),
        "link": next((link.href for link in article_links(article) if link.href), ""),
    }


def _placing(decisions: Sequence[Decision]) -> Decision | None:
    """Return what left an article out, else the last decision but the score's."""
    out = [d for d in decisions if d.verdict is Verdict.EXCLUDED]
    return next(iter(out or [d for d in reversed(decisions) if d.stage != "score"]), None)


def _numbers(item: Evidence) -> Iterator[tuple[str, str]]:
    for name in _SCORES:
        value = getattr(item, name)
        yield name, "" if value is None else f"{value:.4f}"


def _facets(decisions: Sequence[Decision]) -> Iterator[tuple[str, str]]:
    measured = next((d.measurements for d in decisions if d.stage == "extrapolation"), {})
    for facet in FACETS:
        yield facet, str(measured.get(facet) or "")


def _overrides(run: RunRecord) -> dict[str, str]:
    return {
        each.key: f"{VERDICTS[each.verdict]} by {each.author}: {each.reason}"
        for each in run.ranking.audit.overrides
        if each.verdict
    }
