"""The three questions that META-RAG asks of each article: by rules, and by a model on top where there is one.

References
----------
arXiv 2510.24003, figure 3: are the conclusions limited ethnically or biologically, are the results specific to
the people of one region, are the conditions of such limits clearly stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from metarag.audit import Measurement
from metarag.llm.judgements import Checklist
from metarag.llm.schemas import PAPER_QUESTIONS
from metarag.types import Appraisal, CheckAnswer, ReportingCheck

_KNOWN = (CheckAnswer.YES, CheckAnswer.NO)


@dataclass(frozen=True, slots=True)
class PaperAnswers:
    """The three answers, in the paper's order, and what the audit shows of them.

    Attributes
    ----------
    used : int
        Answers that are a model's.
    """

    checks: tuple[ReportingCheck, ...]
    measurements: dict[str, Measurement] = field(default_factory=dict)
    used: int = 0

    def favourable(self, wanted: Sequence[CheckAnswer]) -> tuple[bool | None, ...]:
        """Return for each question whether its answer is the wanted one; ``None`` where it is no yes or no."""
        pairs = zip(self.checks, wanted, strict=True)
        return tuple(check.answer is good if check.answer in _KNOWN else None for check, good in pairs)


def rule_answers(appraisal: Appraisal | None) -> PaperAnswers:
    """Return what the rules read; ``not_reported`` for designs whose checklist does not hold the questions."""
    given = {check.item: check for check in appraisal.checks} if appraisal else {}
    silent = CheckAnswer.NOT_REPORTED
    checks = tuple(given.get(q.id) or ReportingCheck(item=q.id, answer=silent) for q in PAPER_QUESTIONS)
    return PaperAnswers(checks, {f"answer_{check.item}": check.answer.value for check in checks})


def answers_with(rules: PaperAnswers, model: Checklist) -> PaperAnswers:
    """Put a model's *yes* and *no* in the place of the rules' answers; what it is unsure of leaves them.

    Its unsupported answers are ``unclear`` already, so that they leave the rules' answers, too.
    """
    said = {check.item: check for check in model.checks if check.answer in _KNOWN}
    checks = tuple(said.get(check.item, check) for check in rules.checks)
    shown: dict[str, Measurement] = {f"answer_{check.item}": check.answer.value for check in checks}
    shown |= {
        "model_answers_used": len(said),
        "model_answers_changed": sum(
            new.answer is not old.answer for new, old in zip(checks, rules.checks, strict=True)
        ),
        "model_answers_unsupported": len(model.unsupported),
    }
    for old in rules.checks:
        if old.item in said:
            shown[f"model_{old.item}"] = _in_words(said[old.item], old)
    return PaperAnswers(checks, shown, used=len(said))


def _in_words(said: ReportingCheck, rule: ReportingCheck) -> str:
    words = f"“{' '.join(said.span.text.split())}”" if said.span else "no words of the article"
    return f"{said.answer.value}: {words} (rules: {rule.answer.value})"
