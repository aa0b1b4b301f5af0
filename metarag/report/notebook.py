"""A ranking in a notebook: the best articles with their reasons, and what was left out."""

from __future__ import annotations

from typing import Final

from metarag.generation.base import AnswerBody
from metarag.pipeline import Ranking
from metarag.report.answer_view import answer_view
from metarag.report.articles import article_view, decisions_by_key
from metarag.report.flow import flow_of
from metarag.report.html import environment
from metarag.report.plain import shorten
from metarag.report.references import References

SHOWN: Final = 10
"""Articles shown; the rest is counted."""


def repr_html(ranking: Ranking, answer: AnswerBody | None = None) -> str:
    """Return a piece of HTML for a notebook's cell, without style and script; everything is escaped.

    Parameters
    ----------
    answer : AnswerBody or None
        Shown before the articles.
    """
    decisions = decisions_by_key(ranking.audit.decisions)
    references = References((*ranking.evidence, *ranking.excluded), {})
    return (
        environment()
        .get_template("notebook.html.j2")
        .render(
            question=shorten(ranking.audit.question.text, 400),
            answer=answer_view(answer, ranking.audit.question.options, references) if answer else None,
            articles=[
                article_view(item, f"{rank:,}", "", decisions.get(item.key, []))
                for rank, item in enumerate(ranking.top(SHOWN), 1)
            ],
            flow=flow_of(ranking),
            more=max(0, len(ranking) - SHOWN),
        )
    )
