"""Let a model summarise each article for the question and rate how relevant it is."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from pydantic import Field

from metarag.audit import Basis, Decision, Measurement, StageReport, Verdict
from metarag.llm.base import ChatModel
from metarag.llm.prompting import article_reference
from metarag.llm.relevance_score import RelevanceRating, figures_not_in, read_relevance
from metarag.llm.schemas import HIGHEST_RELEVANCE
from metarag.model_judging import MAX_FAILED_SHARE, NO_MODEL, Inquiry, Panel, Round, texts_of
from metarag.option_models import Options
from metarag.prompts import Prompt
from metarag.relevance import QuestionTerms
from metarag.stages.asking import AsksPanel
from metarag.types import Evidence, Question

NAME = "model_relevance"


class ModelRelevanceOptions(Options):
    """How a model's rating is used.

    Parameters
    ----------
    cutoff : float
        Articles rated below it are excluded, in [0, 10]; 1 as PaperQA's (excludes what is rated 0), 0 excludes
        none.
    max_articles : int or None
        How many articles are asked about, the most relevant so far first; ``None`` is all. PaperQA asks about
        10. What was not asked about keeps its relevance, on another scale than a model's.
    max_failed_share : float
        Share of the calls that may fail before the run is said to be degraded, in [0, 1].
    """

    cutoff: float = Field(default=1.0, ge=0, le=HIGHEST_RELEVANCE, allow_inf_nan=False)
    max_articles: int | None = Field(default=None, ge=1)
    max_failed_share: float = Field(default=MAX_FAILED_SHARE, ge=0, le=1)


class ModelRelevanceStage(AsksPanel):
    """Replaces relevance by a model's rating from 0 to 10, divided by 10; one call an article.

    Without a model, where a call failed, and where a text tries to instruct a model, the relevance stands that
    the retriever or the ``relevance`` stage gave; where there is none, lexical coverage is measured.

    Parameters
    ----------
    options : ModelRelevanceOptions or None
        ``None`` takes the defaults.
    model : ChatModel or None
        Rates.
    prompt : Prompt or None
        ``None`` is the ``contextual_summary`` prompt that comes with metarag.

    References
    ----------
    Skarlinski MD, et al. Language agents achieve superhuman synthesis of scientific knowledge. arXiv
    2409.13740: reranking and contextual summarisation.
    """

    name = NAME
    options_type = ModelRelevanceOptions

    def __init__(
        self,
        options: ModelRelevanceOptions | None = None,
        *,
        model: ChatModel | None = None,
        prompt: Prompt | None = None,
    ) -> None:
        self.options = options or ModelRelevanceOptions()
        self.panel = Panel(model, prompt or "contextual_summary") if model else None

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Ask about the articles, set relevance, and exclude what lies below the cut-off."""
        terms = QuestionTerms.of(question)
        known = [item if item.relevance is not None else _measured(item, terms) for item in evidence]
        told, ratings = self._ask(question, known)
        judged = [self._judge(question, item, told, ratings.get(item.key)) for item in known]
        return StageReport(
            evidence=tuple(item for item, decision in judged if decision.verdict is not Verdict.EXCLUDED),
            decisions=tuple(decision for _, decision in judged),
            warnings=told.warnings(NAME, max_failed_share=self.options.max_failed_share),
            model_use=told.use(max_failed_share=self.options.max_failed_share),
        )

    def _ask(
        self, question: Question, evidence: Sequence[Evidence]
    ) -> tuple[Round, dict[str, RelevanceRating]]:
        """Return the replies and what could be read in them; a reply read around its faults has not failed."""
        if self.panel is None:
            return NO_MODEL, {}
        chosen = sorted(evidence, key=lambda item: (-(item.relevance or 0.0), item.retrieval_rank, item.key))
        told = self.panel.ask(
            [
                Inquiry(item, {"question": question.text, **texts_of(item.article)})
                for item in chosen[: self.options.max_articles]
                if item.article.title.strip() or item.article.abstract
            ]
        )
        articles = {item.key: item.article for item in evidence}
        ratings, replies = {}, dict(told.replies)
        for key, reply in told.replies.items():
            rating = read_relevance(reply, reference=article_reference(articles[key[0]].id))
            if rating is None:
                continue
            ratings[key[0]] = rating
            if reply.failed:
                replies[key] = reply.model_copy(update={"status": "coerced", "message": None})
        return Round(told.prompt, MappingProxyType(replies), told.suspicious), ratings

    def _judge(
        self, question: Question, item: Evidence, told: Round, rating: RelevanceRating | None
    ) -> tuple[Evidence, Decision]:
        if rating is None:
            return item, self._standing(item, told)
        excluded = rating.score < self.options.cutoff
        measurements: dict[str, Measurement] = {
            "relevance": rating.score / HIGHEST_RELEVANCE,
            "relevance_before": item.relevance,
            "model_score": rating.score,
            "cutoff": self.options.cutoff,
            "summary": rating.summary or None,
        }
        article = item.article
        foreign = figures_not_in(rating.summary, article.title, article.abstract or "", question.text)
        if foreign:
            measurements["summary_figures_not_in_article"] = ", ".join(foreign)
        if rating.lenient:
            measurements["reply_read_leniently"] = True
        return item.assessed(relevance=rating.score / HIGHEST_RELEVANCE), Decision(
            stage=NAME,
            key=item.key,
            verdict=Verdict.EXCLUDED if excluded else Verdict.INCLUDED,
            criterion=f"{NAME}.below_cutoff" if excluded else f"{NAME}.rating",
            reason=_reason(rating.score, self.options.cutoff, excluded=excluded),
            measurements=measurements,
            basis=Basis.MODEL,
            prompt=told.prompt,
        )

    def _standing(self, item: Evidence, told: Round) -> Decision:
        """Return the decision on an article that no model rated."""
        shown = told.shown(item.key)
        if shown:
            why = (
                "no model was asked: its text is suspicious"
                if item.key in told.suspicious
                else "the call failed"
            )
        elif self.panel is None:
            why = "there is no model"
        else:
            why = "it was not among the articles to ask about"
        assessed = item.relevance is not None
        return Decision(
            stage=NAME,
            key=item.key,
            verdict=Verdict.INCLUDED if assessed else Verdict.NOT_ASSESSED,
            criterion=f"{NAME}.standing" if assessed else f"{NAME}.no_terms",
            reason=f"Its relevance stands ({why})." if assessed else f"Nothing to compare, and {why}.",
            measurements={"relevance": item.relevance, "cutoff": self.options.cutoff, **shown},
        )


def _measured(item: Evidence, terms: QuestionTerms) -> Evidence:
    found = terms.relevance(item.article)
    return item if found is None else item.assessed(relevance=found.score)


def _reason(score: float, cutoff: float, *, excluded: bool) -> str:
    if excluded:
        return f"A model rates it {score:g} of {HIGHEST_RELEVANCE} for the question, below {cutoff:g}."
    return f"A model rates it {score:g} of {HIGHEST_RELEVANCE} for the question."
