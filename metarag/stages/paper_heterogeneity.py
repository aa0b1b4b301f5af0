"""Heterogeneity as META-RAG filters it: DerSimonian-Laird on stances, and Algorithm 1."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.audit import StageReport
from metarag.heterogeneity_paper import PaperFilterOptions, filter_by_stances
from metarag.stages.asking import AsksJudge
from metarag.stances import StanceJudge
from metarag.types import Evidence, Question

NAME = "paper_heterogeneity"


class PaperHeterogeneityStage(AsksJudge):
    """Drops articles whose dissent is rare and whose reliability is low, as the paper does.

    The policy ``paper`` of the stage `heterogeneity` drops the same ones, and shows the pools of effects too.

    Parameters
    ----------
    options : PaperFilterOptions or None
        ``None`` takes the defaults.
    judge : StanceJudge or None
        Gives the stances; ``None``: the rules.
    """

    name = NAME
    options_type = PaperFilterOptions

    def __init__(
        self, options: PaperFilterOptions | None = None, *, judge: StanceJudge | None = None
    ) -> None:
        self.options = options or PaperFilterOptions()
        self.judge = judge

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each article by its stances towards all claims: one claim is enough to keep it."""
        found = filter_by_stances(question, evidence, stage=NAME, options=self.options, judge=self.judge)
        return StageReport(
            evidence=tuple(item for item in evidence if item.key not in found.excluded),
            decisions=found.decisions,
            warnings=found.judged.warnings,
            model_use=found.judged.model_use,
        )
