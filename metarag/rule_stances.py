"""Stances without a model: what an article found on the question's first outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metarag.audit import Basis
from metarag.results import ArticleResult, Result, article_result, asked_outcomes
from metarag.stances import YES, Claim, StanceFinding
from metarag.types import Evidence, Question


class RuleStanceJudge:
    """Reads the stance towards the yes/no form of a question; options of a question are left to a model.

    A benefit supports the claim that the treatment works. No difference and harm oppose it: the claim says
    that there is an effect. An article that says nothing of the outcome is irrelevant.
    """

    def judge(
        self, question: Question, claims: Sequence[Claim], evidence: Sequence[Evidence]
    ) -> Mapping[tuple[str, str], StanceFinding]:
        """Return the findings for the claim ``yes``; none for options, or where no outcome is known."""
        wanted = asked_outcomes(question)
        if not wanted or not any(claim.id == YES for claim in claims):
            return {}
        return {(YES, item.key): _stance(article_result(item, wanted[0])) for item in evidence}


def _stance(found: ArticleResult | None) -> StanceFinding:
    if found is None:
        return StanceFinding(
            stance="irrelevant", basis=Basis.RULE, reason="No result on the outcome is told."
        )
    return StanceFinding(
        stance="support" if found.result is Result.BENEFIT else "oppose",
        basis=Basis.RULE,
        reason=f"Its result is {found.result.value}, by {found.basis}.",
        span=found.span,
    )
