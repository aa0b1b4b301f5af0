"""Reliability as META-RAG scores it: R = alpha Date + beta Pub + gamma Exp, on the paper's own table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from metarag.audit import Decision, Measurement, StageReport, Verdict
from metarag.evidence_levels import load_hierarchies
from metarag.hierarchy import Hierarchies
from metarag.paper_method import HIGHEST, experiment_score, publication_date_score, reliability_score
from metarag.records import Frozen
from metarag.types import Appraisal, CheckAnswer, Evidence, Question

NAME = "paper_reliability"
TABLE = "metarag-2025"
_QUESTIONS = (
    ("population_limited", CheckAnswer.NO),
    ("region_limited", CheckAnswer.NO),
    ("limits_explained", CheckAnswer.YES),
)
"""The three questions that Figure 3 prints, with the answer that we read as favourable."""


class PaperReliabilityOptions(Frozen):
    """Choices that the paper leaves open; all defaults are ours.

    Parameters
    ----------
    alpha, beta, gamma : float
        Weights of date, publication type and experiment, each >= 0; normalised over what is known, so
        that R keeps the scale of the paper's examples. The paper gives no values.
    reference_year : int or None
        Year from which age counts. ``None`` is the newest article's: the paper sorts the retrieved
        articles by date. A fixed year makes the score of an article independent of the others.
    levels_file : Path or None
        Your own table under the name ``metarag-2025``.
    """

    alpha: float = Field(default=0.2, ge=0)
    beta: float = Field(default=0.6, ge=0)
    gamma: float = Field(default=0.2, ge=0)
    reference_year: int | None = Field(default=None, ge=1800, le=2200)
    levels_file: Path | None = None


class PaperReliabilityStage:
    """Scores R from 1 to 7 and passes R / 7 on as reliability. Types combine by their maximum (ours)."""

    name = NAME
    options_type = PaperReliabilityOptions

    def __init__(
        self, options: PaperReliabilityOptions | None = None, *, hierarchies: Hierarchies | None = None
    ) -> None:
        self.options = options or PaperReliabilityOptions()
        self.hierarchies = hierarchies or load_hierarchies(self.options.levels_file)
        self.hierarchy = self.hierarchies.get(TABLE)

    @property
    def levels_digest(self) -> str:
        """Digest of the hierarchies, for the audit's signature."""
        return self.hierarchies.digest

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Score each article; nothing is excluded."""
        newest = max((item.article.year for item in evidence if item.article.year), default=None)
        reference = self.options.reference_year or newest
        judged = [self._judge(item, reference) for item in evidence]
        return StageReport(
            evidence=tuple(item for item, _ in judged), decisions=tuple(decision for _, decision in judged)
        )

    def _judge(self, item: Evidence, reference: int | None) -> tuple[Evidence, Decision]:
        grade = self.hierarchy.level_for_types(item.article.publication_types, printed_only=True)
        publication = float(grade.level) if grade else None
        date = publication_date_score(item.article.year, reference_year=reference) if reference else None
        experiment = experiment_score(_answers(item.appraisal))
        options = self.options
        score = reliability_score(
            date, publication, experiment, alpha=options.alpha, beta=options.beta, gamma=options.gamma
        )
        measurements: dict[str, Measurement] = {
            "date": date,
            "publication": publication,
            "experiment": experiment,
            "alpha": options.alpha,
            "beta": options.beta,
            "gamma": options.gamma,
            "reference_year": reference,
            "r": score,
        }
        if score is None:
            reason, verdict = "Neither publication types nor date are known.", Verdict.NOT_ASSESSED
        else:
            level = (
                f" (publication types at level {grade.level})" if grade else " (publication types unknown)"
            )
            reason, verdict = f"R = {score:.2f} on the scale of 1 to 7{level}.", Verdict.INCLUDED
        decision = Decision(
            stage=NAME,
            key=item.key,
            verdict=verdict,
            criterion="paper_reliability.r",
            reason=reason,
            measurements=measurements,
        )
        if score is None:
            return item, decision
        return item.assessed(reliability=score / HIGHEST, level=grade.id if grade else None), decision


def _answers(appraisal: Appraisal | None) -> tuple[bool | None, ...]:
    given = {check.item: check.answer for check in appraisal.checks} if appraisal else {}
    known = (CheckAnswer.YES, CheckAnswer.NO)
    return tuple(given[item] is good if given.get(item) in known else None for item, good in _QUESTIONS)
