"""Reliability as META-RAG scores it: R = alpha Date + beta Pub + gamma Exp, on the paper's own table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from metarag.audit import Basis, Decision, StageReport, Verdict
from metarag.evidence_levels import load_hierarchies
from metarag.hierarchy import Hierarchies
from metarag.llm.base import ChatModel
from metarag.llm.judgements import read_checklist
from metarag.llm.schemas import PAPER_QUESTIONS
from metarag.model_judging import MAX_FAILED_SHARE, NO_MODEL, Inquiry, Panel, Round, texts_of
from metarag.option_models import Options
from metarag.paper_method import (
    DATE_TIERS,
    HIGHEST,
    LOWEST,
    OLDEST_SCORE,
    experiment_score,
    publication_date_score,
    reliability_score,
)
from metarag.paper_questions import PaperAnswers, answers_with, rule_answers
from metarag.stages.asking import AsksPanel
from metarag.types import CheckAnswer, Evidence, Question

NAME = "paper_reliability"
TABLE = "metarag-2025"
YesNo = Literal[CheckAnswer.YES, CheckAnswer.NO]
Score = Annotated[float, Field(ge=0, le=HIGHEST, allow_inf_nan=False)]
Tier = tuple[Annotated[int, Field(ge=0, le=200)], Score]


class PaperReliabilityOptions(Options):
    """Choices that the paper leaves open; all defaults are ours.

    Parameters
    ----------
    alpha, beta, gamma : float
        Weights of date, publication type and experiment, each >= 0 and not all 0; normalised over what is
        known, so that R keeps the scale of the paper's examples. The paper gives no values.
    date_tiers : tuple of (years, score)
        Ours: up to so many years of age an article scores so much, ascending. The paper speaks of tiers and
        prints two examples. Its text also speaks of an extra point on the base score; its formula is followed.
    oldest_date : float
        Ours: score of what is older than the last tier, 0 to 7.
    reference_year : int or None
        Year from which age counts. ``None`` is the newest article's: the paper sorts the retrieved
        articles by date. A fixed year makes the score of an article independent of the others.
    favourable : three times yes or no
        Ours: the answers to the three questions that speak for an article. The paper prints No, No, Yes as
        its example and does not say which is good.
    lowest_experiment, highest_experiment : float
        Ours: Exp with no favourable answer and with favourable ones only, 0 to 7; linear between, over the
        questions that were answered yes or no. The paper does not say how answers become a number.
    unquoted_no : bool
        Ours: whether a model's *no* counts without words of the article. That a text names no limit cannot be
        quoted; a *yes* always has to quote. The paper asks for no quotes.
    levels_file : Path or None
        Your own table under the name ``metarag-2025``. Several types of a record combine by their maximum, and
        levels 5 and 4 are told apart as that file says: both ours.
    max_failed_share : float
        Share of a model's calls that may fail before the run is said to be degraded, in [0, 1].
    """

    alpha: float = Field(default=0.2, ge=0, allow_inf_nan=False)
    beta: float = Field(default=0.6, ge=0, allow_inf_nan=False)
    gamma: float = Field(default=0.2, ge=0, allow_inf_nan=False)
    date_tiers: tuple[Tier, ...] = DATE_TIERS
    oldest_date: Score = OLDEST_SCORE
    reference_year: int | None = Field(default=None, ge=1800, le=2200)
    favourable: tuple[YesNo, YesNo, YesNo] = (CheckAnswer.NO, CheckAnswer.NO, CheckAnswer.YES)
    lowest_experiment: Score = LOWEST
    highest_experiment: Score = HIGHEST
    unquoted_no: bool = True
    levels_file: Path | None = None
    max_failed_share: float = Field(default=MAX_FAILED_SHARE, ge=0, le=1)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.alpha + self.beta + self.gamma == 0:
            raise ValueError("alpha, beta and gamma must not all be 0")
        limits = [years for years, _ in self.date_tiers]
        if limits != sorted(set(limits)):
            raise ValueError(f"the years of date_tiers must ascend, got {limits}")
        if self.lowest_experiment > self.highest_experiment:
            raise ValueError("lowest_experiment must not be above highest_experiment")
        return self


class PaperReliabilityStage(AsksPanel):
    """Scores R from 1 to 7 and passes R / 7 on as reliability; excludes nothing.

    Parameters
    ----------
    options : PaperReliabilityOptions or None
        Defaults when ``None``.
    hierarchies : Hierarchies or None
        Already loaded; then ``levels_file`` is not read.
    model : ChatModel or None
        Answers the paper's three questions, one call an article. Without one, where its call failed and where
        it is unsure, the rules' answers stand.
    """

    name = NAME
    options_type = PaperReliabilityOptions

    def __init__(
        self,
        options: PaperReliabilityOptions | None = None,
        *,
        hierarchies: Hierarchies | None = None,
        model: ChatModel | None = None,
    ) -> None:
        self.options = options or PaperReliabilityOptions()
        self.hierarchies = hierarchies or load_hierarchies(self.options.levels_file)
        self.hierarchy = self.hierarchies.get(TABLE)
        # With no weight on Exp no answer could count.
        self.panel = Panel(model, "paper_questions") if model and self.options.gamma else None

    @property
    def levels_digest(self) -> str:
        """Digest of the hierarchies, for the audit's signature."""
        return self.hierarchies.digest

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Score each article; nothing is excluded."""
        newest = max((item.article.year for item in evidence if item.article.year), default=None)
        reference = self.options.reference_year or newest
        inquiries = [Inquiry(item, texts_of(item.article)) for item in evidence]
        told = self.panel.ask(inquiries) if self.panel else NO_MODEL
        judged = [self._judge(item, reference, told) for item in evidence]
        limit = self.options.max_failed_share
        return StageReport(
            evidence=tuple(item for item, _ in judged),
            decisions=tuple(decision for _, decision in judged),
            warnings=told.warnings(NAME, max_failed_share=limit),
            model_use=told.use(max_failed_share=limit),
        )

    def _judge(self, item: Evidence, reference: int | None, told: Round) -> tuple[Evidence, Decision]:
        options = self.options
        answers = self._answers(item, told)
        grade = self.hierarchy.level_for_types(item.article.publication_types, printed_only=True)
        publication = float(grade.level) if grade else None
        date = self._date(item, reference)
        experiment = experiment_score(
            answers.favourable(options.favourable),
            lowest=options.lowest_experiment,
            highest=options.highest_experiment,
        )
        score = reliability_score(
            date, publication, experiment, alpha=options.alpha, beta=options.beta, gamma=options.gamma
        )
        if score is None:
            reason, verdict = "Neither publication types nor date are known.", Verdict.NOT_ASSESSED
        else:
            level = f"publication types at level {grade.level}" if grade else "publication types unknown"
            reason, verdict = f"R = {score:.2f} on the scale of 1 to 7 ({level}).", Verdict.INCLUDED
        decision = Decision(
            stage=NAME,
            key=item.key,
            verdict=verdict,
            criterion="paper_reliability.r",
            reason=reason,
            measurements={
                "date": date,
                "publication": publication,
                "experiment": experiment,
                "alpha": options.alpha,
                "beta": options.beta,
                "gamma": options.gamma,
                "reference_year": reference,
                "r": score,
                **answers.measurements,
                **told.shown(item.key),
            },
            basis=Basis.MODEL if answers.used else Basis.RULE,
            prompt=told.prompt if told.usable(item.key) else None,
        )
        if score is None:
            return item, decision
        return item.assessed(reliability=score / HIGHEST, level=grade.id if grade else None), decision

    def _date(self, item: Evidence, reference: int | None) -> float | None:
        if reference is None:
            return None
        tiers, oldest = self.options.date_tiers, self.options.oldest_date
        return publication_date_score(item.article.year, reference_year=reference, tiers=tiers, oldest=oldest)

    def _answers(self, item: Evidence, told: Round) -> PaperAnswers:
        rules = rule_answers(item.appraisal)
        reply = told.usable(item.key)
        if reply is None:
            return rules
        wordless: tuple[CheckAnswer, ...] = (CheckAnswer.NO,) if self.options.unquoted_no else ()
        return answers_with(rules, read_checklist(reply, item.article, PAPER_QUESTIONS, wordless=wordless))
