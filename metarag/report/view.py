"""A run as plain data for the page, so that the templates hold no logic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

from metarag.agreement import agreements
from metarag.generation.weighing import weigh
from metarag.report.agreement_view import (
    AgreementView,
    PoolsView,
    agreement_view,
    flagged_reasons,
    pools_view,
    sort_pools,
)
from metarag.report.answer_view import AnswerView, answer_view, uses_by_key
from metarag.report.articles import ArticleLine, ArticleView, article_line, article_view, decisions_by_key
from metarag.report.comparison import Comparison
from metarag.report.flow import Flow, flow_of
from metarag.report.notes import Note, notes
from metarag.report.places import Place, Places, ReportOptions
from metarag.report.question_view import QuestionView, SearchView, question_view, search_view
from metarag.report.references import Piece, References
from metarag.report.run_view import OverridesView, RunView, overrides_view, run_view
from metarag.report.score_terms import formula
from metarag.report.summary import Summary, summary
from metarag.results import asked_outcomes
from metarag.runs import RunRecord


@dataclass(frozen=True, slots=True)
class ArticlesView:
    """Ranked, or left-out, articles: some in detail, some in a line, the rest counted."""

    detailed: tuple[ArticleView, ...]
    listed: tuple[ArticleLine, ...]
    hidden: int

    @property
    def total(self) -> int:
        """All of them."""
        return len(self.detailed) + len(self.listed) + self.hidden


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything that the page shows, in its order."""

    run_id: str
    created: str
    notes: tuple[Note, ...]
    summary: Summary
    question: QuestionView
    search: SearchView | None
    flow: Flow
    ranked: ArticlesView
    left_out: ArticlesView
    score_formula: str
    agreements: tuple[AgreementView, ...]
    pools: PoolsView
    flagged: tuple[tuple[Piece, str], ...]
    answer: AnswerView | None
    overrides: OverridesView | None
    run: RunView


def report_view(
    run: RunRecord,
    *,
    comparison: Comparison | None = None,
    options: ReportOptions | None = None,
    digest: str | None = None,
) -> ReportView:
    """Return the data of the report of a run; see :func:`metarag.report.html.render_html`."""
    ranking, audit, answer = run.ranking, run.ranking.audit, run.answer
    shown = Places.of(ranking, answer, options or ReportOptions())
    references = References((*ranking.evidence, *ranking.excluded), shown.anchors)
    found = agreements(audit.question, ranking)
    weighings = [weigh(each, references.items) for each in found]
    flow = flow_of(ranking)
    outcomes = [outcome.key for outcome in asked_outcomes(audit.question)]
    asked_pools = sort_pools(ranking, outcomes)[0]
    uses = uses_by_key(answer, found, audit, references)
    decisions = decisions_by_key(audit.decisions)
    cited = answer.citations if answer else ()

    def views(places: Sequence[Place]) -> tuple[ArticleView, ...]:
        return tuple(
            article_view(
                references.items[place.key],
                place.words,
                place.anchor,
                decisions.get(place.key, []),
                uses=uses.get(place.key, ()),
                citations=cited,
            )
            for place in places
        )

    def lines(places: Sequence[Place]) -> tuple[ArticleLine, ...]:
        return tuple(
            article_line(references.items[p.key], p.words, p.anchor, decisions.get(p.key, ())) for p in places
        )

    return ReportView(
        run_id=run.id,
        created=f"{run.created_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        notes=notes(ranking, answer, found, asked_pools, references),
        summary=summary(ranking, answer, flow, weighings, asked_pools, references),
        question=question_view(audit),
        search=search_view(audit.query),
        flow=flow,
        ranked=ArticlesView(views(shown.ranked[0]), lines(shown.ranked[1]), shown.hidden_ranked),
        left_out=ArticlesView(views(shown.left_out[0]), lines(shown.left_out[1]), shown.hidden_left_out),
        score_formula=formula(audit.decisions),
        agreements=tuple(agreement_view(each, references) for each in found),
        pools=pools_view(ranking, outcomes, references),
        flagged=flagged_reasons(audit, references),
        answer=answer_view(answer, audit.question.options, references) if answer else None,
        overrides=overrides_view(audit, comparison, references),
        run=run_view(run, digest=digest),
    )
