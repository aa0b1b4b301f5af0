"""Judge how much of the question an article speaks of, where the retriever did not say."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from metarag.audit import Decision, StageReport, Verdict
from metarag.records import Frozen
from metarag.relevance import QuestionTerms
from metarag.types import Evidence, Question

NAME = "relevance"


class RelevanceOptions(Frozen):
    """How relevance is judged.

    Parameters
    ----------
    min_relevance : float
        Articles below it are excluded, in [0, 1]; 0 (default) excludes none.
    """

    min_relevance: float = Field(default=0.0, ge=0, le=1)


class RelevanceStage:
    """Keeps a retriever's relevance in [0, 1]; where there is none, measures lexical coverage.

    An engine's own score (BM25, cosine) is shown beside it but not used: it has no fixed scale, and a
    score here may not depend on the other candidates.
    """

    name = NAME
    options_type = RelevanceOptions

    def __init__(self, options: RelevanceOptions | None = None) -> None:
        self.options = options or RelevanceOptions()

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Fill in relevance and exclude what lies below the minimum, if there is one."""
        terms = QuestionTerms.of(question)
        judged = [self._judge(terms, item) for item in evidence]
        return StageReport(
            evidence=tuple(item for item, decision in judged if decision.verdict is not Verdict.EXCLUDED),
            decisions=tuple(decision for _, decision in judged),
        )

    def _judge(self, terms: QuestionTerms, item: Evidence) -> tuple[Evidence, Decision]:
        measured = None if item.relevance is not None else terms.relevance(item.article)
        value = item.relevance if measured is None else measured.score
        if value is None:
            return item, Decision(
                stage=NAME,
                key=item.key,
                verdict=Verdict.NOT_ASSESSED,
                criterion="relevance.no_terms",
                reason="The question or the record has no words to compare.",
            )
        if measured is None:
            reason, criterion = f"The retriever's relevance is {value:.2f}.", "relevance.retriever"
        else:
            found = (
                f"speaks of {', '.join(measured.found)}"
                if measured.found
                else "has none of the question's words"
            )
            missing = f"; not of {', '.join(measured.missing)}" if measured.found and measured.missing else ""
            reason, criterion = f"It {found}{missing}.", "relevance.lexical"
        excluded = value < self.options.min_relevance
        return item.assessed(relevance=value), Decision(
            stage=NAME,
            key=item.key,
            verdict=Verdict.EXCLUDED if excluded else Verdict.INCLUDED,
            criterion="relevance.below_minimum" if excluded else criterion,
            reason=reason,
            measurements={
                "relevance": value,
                "min_relevance": self.options.min_relevance,
                "retriever_score": item.retriever_score,
            },
        )
