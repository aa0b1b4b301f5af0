"""A person's word in a pipeline: what they leave out goes first, what they keep passes every stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metarag.audit import Basis, Decision, StageReport, Verdict
from metarag.stages.base import Stage
from metarag.types import Evidence, Question

OVERRIDE_STAGE = "override"


class PersonStage:
    """Leaves out what a person excludes, before any other stage sees it.

    First, because what is not believed must not pull a pool of effects either.

    Parameters
    ----------
    reasons : mapping of str to str
        Evidence key to who leaves it out and why, in one sentence.
    """

    name = OVERRIDE_STAGE

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self.reasons = dict(reasons)

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each record; the question plays no part."""
        return StageReport(
            evidence=tuple(item for item in evidence if item.key not in self.reasons),
            decisions=tuple(self._decide(item.key) for item in evidence),
        )

    def _decide(self, key: str) -> Decision:
        reason = self.reasons.get(key)
        return Decision(
            stage=OVERRIDE_STAGE,
            key=key,
            verdict=Verdict.INCLUDED if reason is None else Verdict.EXCLUDED,
            criterion="override.none" if reason is None else "override.excluded",
            reason="Nobody left it out." if reason is None else reason,
            basis=Basis.PERSON,
        )


class Lenient:
    """A stage that may not exclude what a person keeps; its judgement stays in the record.

    Parameters
    ----------
    stage : Stage
        Assesses as ever.
    reasons : mapping of str to str
        Evidence key to who keeps it and why, in one sentence.
    """

    def __init__(self, stage: Stage, reasons: Mapping[str, str]) -> None:
        self.stage = stage
        self.reasons = dict(reasons)
        # The pipeline's signature asks a stage for these; a stage that has none keeps none.
        for name in ("levels_digest", "model_asked", "prompts"):
            if hasattr(stage, name):
                setattr(self, name, getattr(stage, name))

    @property
    def name(self) -> str:
        """The name of the stage itself."""
        return self.stage.name

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Return the stage's report with the kept evidence passed on."""
        report = self.stage.assess(question, evidence)
        kept = {d.key for d in report.decisions if d.verdict is Verdict.EXCLUDED and d.key in self.reasons}
        if not kept:
            return report
        passed = {item.key: item for item in report.evidence}
        return report.model_copy(
            update={
                "evidence": tuple(
                    passed.get(item.key, item) for item in evidence if item.key in passed or item.key in kept
                ),
                "decisions": tuple(self._keep(d) if d.key in kept else d for d in report.decisions),
            }
        )

    def _keep(self, decision: Decision) -> Decision:
        overruled = {"overruled_criterion": decision.criterion, "overruled_reason": decision.reason}
        return decision.model_copy(
            update={
                "verdict": Verdict.INCLUDED,
                "criterion": "override.included",
                "reason": f"{self.reasons[decision.key]} By rule it would be left out: {decision.reason}",
                "measurements": decision.measurements | overruled,
                "basis": Basis.PERSON,
            }
        )
