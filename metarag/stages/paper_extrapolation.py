"""Extrapolation as META-RAG scores it: T from population, intervention and outcome; nothing is excluded."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from metarag.audit import Decision, StageReport, Verdict
from metarag.option_models import Options
from metarag.paper_method import applicability_score
from metarag.pico_article import article_pico
from metarag.pico_findings import Fit
from metarag.pico_match import Comparison
from metarag.pico_question import question_pico
from metarag.pico_vocabulary import vocabulary
from metarag.types import Evidence, Question

NAME = "paper_extrapolation"
FACETS = ("population", "intervention", "outcome")
"""The paper has no comparator."""


class PaperExtrapolationOptions(Options):
    """Choices that the paper leaves open; all defaults are ours.

    Parameters
    ----------
    match, partial, mismatch : float
        What a facet is worth, in [0, 1]. A facet that is unknown is left out of T.
    """

    match: float = Field(default=1.0, ge=0, le=1)
    partial: float = Field(default=0.5, ge=0, le=1)
    mismatch: float = Field(default=0.0, ge=0, le=1)


class PaperExtrapolationStage:
    """Scores T, the mean of the facets that are known, and passes it on as applicability."""

    name = NAME
    options_type = PaperExtrapolationOptions

    def __init__(self, options: PaperExtrapolationOptions | None = None) -> None:
        self.options = options or PaperExtrapolationOptions()

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Score each article; nothing is excluded."""
        comparison = Comparison(question_pico(question, vocabulary_used=vocabulary()), vocabulary())
        judged = [self._judge(comparison, item) for item in evidence]
        return StageReport(
            evidence=tuple(item for item, _ in judged), decisions=tuple(decision for _, decision in judged)
        )

    def _judge(self, comparison: Comparison, item: Evidence) -> tuple[Evidence, Decision]:
        stored = item.appraisal.pico if item.appraisal else None
        read = stored or article_pico(item.article, vocabulary_used=vocabulary())
        findings = {f.aspect: f for f in comparison.findings(read, lambda: item.stems) if f.aspect in FACETS}
        values = {
            facet: None if found.fit is Fit.UNKNOWN else float(getattr(self.options, found.fit.value))
            for facet, found in findings.items()
        }
        total = applicability_score(*(values.get(facet) for facet in FACETS))
        decision = Decision(
            stage=NAME,
            key=item.key,
            verdict=Verdict.NOT_ASSESSED if total is None else Verdict.INCLUDED,
            criterion="paper_extrapolation.t",
            reason="No facet could be compared."
            if total is None
            else f"T = {total:.2f}: " + "; ".join(f"{name} {f.shown}" for name, f in findings.items()) + ".",
            measurements={"t": total, **{f"t_{facet}": values.get(facet) for facet in FACETS}},
        )
        return (item if total is None else item.assessed(applicability=total)), decision
