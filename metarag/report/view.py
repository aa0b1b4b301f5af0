"""A run as plain data for the page, so that the templates hold no logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC

from metarag.agreement import Agreement, agreements
from metarag.audit import Decision
from metarag.generation.weighing import weigh
from metarag.report.agreement_view import (
    AgreementView,
    PoolsView,
    agreement_view,
    pools_view,
    sort_pools,
    standing_out,
)
from metarag.report.answer_view import AnswerView, answer_view, uses_by_key
from metarag.report.articles import ArticleLine, ArticleView, article_line, article_view, decisions_by_key
from metarag.report.comparison import Comparison
from metarag.report.flow import Flow, flow_of
from metarag.report.marked_sentences import Use
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


@dataclass(frozen=True, slots=True)
class _Material:
    """What several parts of the page are made from, made once."""

    run: RunRecord
    places: Places
    references: References
    decisions: Mapping[str, list[Decision]]
    found: tuple[Agreement, ...]
    uses: Mapping[str, list[Use]]

    @classmethod
    def of(cls, run: RunRecord, options: ReportOptions) -> _Material:
        ranking, audit = run.ranking, run.ranking.audit
        places = Places.of(ranking, run.answer, options)
        references = References((*ranking.evidence, *ranking.excluded), places.anchors)
        found = agreements(audit.question, ranking)
        uses = uses_by_key(run.answer, found, audit, references)
        return cls(run, places, references, decisions_by_key(audit.decisions), found, uses)

    def articles(self, shown: tuple[list[Place], list[Place]], hidden: int) -> ArticlesView:
        """Return the rows of the ranked, or of the left-out, articles."""
        detailed, listed = shown
        return ArticlesView(tuple(map(self._view, detailed)), tuple(map(self._line, listed)), hidden)

    def _view(self, place: Place) -> ArticleView:
        return article_view(
            self.references.items[place.key],
            place.words,
            place.anchor,
            self.decisions.get(place.key, []),
            uses=self.uses.get(place.key, ()),
            citations=self.run.answer.citations if self.run.answer else (),
        )

    def _line(self, place: Place) -> ArticleLine:
        item = self.references.items[place.key]
        return article_line(item, place.words, place.anchor, self.decisions.get(place.key, ()))


def report_view(
    run: RunRecord,
    *,
    comparison: Comparison | None = None,
    options: ReportOptions | None = None,
    digest: str | None = None,
) -> ReportView:
    """Return the data of the report of a run; see :func:`metarag.report.html.render_html`."""
    ranking, audit, answer = run.ranking, run.ranking.audit, run.answer
    made = _Material.of(run, options or ReportOptions())
    references, places = made.references, made.places
    weighings = [weigh(each, references.items) for each in made.found]
    outcomes = [outcome.key for outcome in asked_outcomes(audit.question)]
    pools = sort_pools(ranking, outcomes)[0]
    flow = flow_of(ranking)
    return ReportView(
        run_id=run.id,
        created=f"{run.created_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        notes=notes(ranking, answer, made.found, pools, references),
        summary=summary(ranking, answer, flow, weighings, pools, references),
        question=question_view(audit),
        search=search_view(audit.query),
        flow=flow,
        ranked=made.articles(places.ranked, places.hidden_ranked),
        left_out=made.articles(places.left_out, places.hidden_left_out),
        score_formula=formula(audit.decisions),
        agreements=tuple(agreement_view(each, references) for each in made.found),
        pools=pools_view(ranking, outcomes, references),
        flagged=tuple((link, reason) for _, link, reason in standing_out(audit, references)),
        answer=answer_view(answer, audit.question.options, references) if answer else None,
        overrides=overrides_view(run, comparison, references),
        run=run_view(run, digest=digest),
    )
