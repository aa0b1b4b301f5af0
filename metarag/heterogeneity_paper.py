"""Algorithm 1 of META-RAG (arXiv 2510.24003) on a question's evidence, with all terms for the audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import Field

from metarag.audit import Basis, Decision, Measurement, Verdict
from metarag.option_models import Options
from metarag.paper_method import (
    HIGHEST,
    MAX_CONTRIBUTION,
    MIN_RELIABILITY,
    SIGMA,
    Stance,
    StanceHeterogeneity,
    algorithm_1,
    stance_heterogeneity,
)
from metarag.rule_stances import RuleStanceJudge
from metarag.stances import Claim, JudgedStances, StanceFinding, StanceJudge, claims_of
from metarag.types import Evidence, Question

_KEPT: Final = {
    "irrelevant": "It says nothing of claim {claim}.",
    "contribution": "It adds little to the disagreement on claim {claim}.",
    "reliability": "It disagrees on claim {claim}, but its reliability is high enough to stay.",
}


class PaperFilterOptions(Options):
    """Choices that the paper leaves open; all defaults are ours.

    Parameters
    ----------
    sigma : float
        Variance of every stance, > 0.
    max_contribution : float
        M: an article's share of tau-squared from which it has to be reliable.
    min_reliability : float
        R_c on the scale of 1 to 7.
    keep_irrelevant : bool
        Keep an article that is irrelevant to every claim. In the paper's formulas it would be NaN, which
        meets neither condition of Algorithm 1 and drops the article without a word.
    """

    sigma: float = Field(default=SIGMA, gt=0, allow_inf_nan=False)
    max_contribution: float = Field(default=MAX_CONTRIBUTION, allow_inf_nan=False)
    min_reliability: float = Field(default=MIN_RELIABILITY, ge=0, le=HIGHEST)
    keep_irrelevant: bool = True


@dataclass(frozen=True, slots=True)
class Filtered:
    """What Algorithm 1 says of each article, and of how the stances came about.

    Attributes
    ----------
    decisions : tuple of Decision
        One for each piece of evidence, in its order.
    judged : JudgedStances
        The stances with the warnings and the use of the model.
    """

    decisions: tuple[Decision, ...]
    judged: JudgedStances

    @property
    def excluded(self) -> frozenset[str]:
        """Keys of the articles that it drops."""
        return frozenset(d.key for d in self.decisions if d.verdict is Verdict.EXCLUDED)


def filter_by_stances(
    question: Question,
    evidence: Sequence[Evidence],
    *,
    stage: str,
    options: PaperFilterOptions | None = None,
    judge: StanceJudge | None = None,
) -> Filtered:
    """Decide on each article by its stances towards all claims: one claim is enough to keep it.

    Parameters
    ----------
    stage : str
        Name of the stage that decides; the first part of each criterion.
    judge : StanceJudge or None
        Gives the stances; ``None``: the rules.
    """
    options = options or PaperFilterOptions()
    claims = claims_of(question)
    given = (judge or RuleStanceJudge()).judge(question, claims, evidence)
    judged = given if isinstance(given, JudgedStances) else JudgedStances(given)
    spread = {
        c.id: stance_heterogeneity([_stance(judged, c, item) for item in evidence], sigma=options.sigma)
        for c in claims
    }
    kept = algorithm_1(
        {name: each.contributions for name, each in spread.items()},
        [_r(item) for item in evidence],
        max_contribution=options.max_contribution,
        min_reliability=options.min_reliability,
        keep_irrelevant=options.keep_irrelevant,
    )
    run = _Run(stage, options, claims, judged, spread)
    return Filtered(tuple(run.decision(item, i, kept[i]) for i, item in enumerate(evidence)), judged)


@dataclass(frozen=True, slots=True)
class _Run:
    stage: str
    options: PaperFilterOptions
    claims: Sequence[Claim]
    judged: JudgedStances
    spread: Mapping[str, StanceHeterogeneity]

    def decision(self, item: Evidence, index: int, kept: tuple[str, str] | None) -> Decision:
        stances = {c.id: self.judged[c.id, item.key] for c in self.claims if (c.id, item.key) in self.judged}
        verdict, criterion, reason = self._finding(kept, stances)
        by_model = any(s.basis is Basis.MODEL for s in stances.values())
        return Decision(
            stage=self.stage,
            key=item.key,
            verdict=verdict,
            criterion=f"{self.stage}.{criterion}",
            reason=reason,
            measurements=self._terms(item, index, stances) | self.judged.measurements.get(item.key, {}),
            basis=Basis.MODEL if by_model else Basis.RULE,
            prompt=next((s.prompt for s in stances.values() if s.prompt), None),
        )

    def _finding(
        self, kept: tuple[str, str] | None, stances: Mapping[str, StanceFinding]
    ) -> tuple[Verdict, str, str]:
        if not stances:
            return Verdict.NOT_ASSESSED, "no_stance", "Nothing says what it holds of the claims."
        if kept is None:
            return Verdict.EXCLUDED, "algorithm_1", self._dropped(stances)
        claim, why = kept
        return Verdict.INCLUDED, why, _KEPT[why].format(claim=claim)

    def _dropped(self, stances: Mapping[str, StanceFinding]) -> str:
        if all(s.stance == "irrelevant" for s in stances.values()):
            return "It says nothing of any claim, and by the settings such an article is not kept."
        return (
            f"It accounts for at least {self.options.max_contribution:.0%} of the disagreement on every"
            f" claim that it speaks of, and its R is not above {self.options.min_reliability:g}."
        )

    def _terms(
        self, item: Evidence, index: int, stances: Mapping[str, StanceFinding]
    ) -> dict[str, Measurement]:
        shown: dict[str, Measurement] = {
            "sigma": self.options.sigma,
            "max_contribution": self.options.max_contribution,
            "min_reliability": self.options.min_reliability,
            "r": _r(item),
        }
        for claim, each in self.spread.items():
            shown[f"stance_{claim}"] = stances[claim].stance if claim in stances else None
            shown[f"stance_reason_{claim}"] = stances[claim].reason if claim in stances else None
            shown[f"contribution_{claim}"] = each.contributions[index]
            shown[f"q_{claim}"] = each.q
            shown[f"tau_squared_{claim}"] = each.tau_squared
            shown[f"support_{claim}"] = each.support
            shown[f"votes_{claim}"] = each.k
        return shown


def _r(item: Evidence) -> float | None:
    """Return R on the paper's scale of 1 to 7; ``None`` where reliability was not assessed."""
    return None if item.reliability is None else item.reliability * HIGHEST


def _stance(judged: Mapping[tuple[str, str], StanceFinding], claim: Claim, item: Evidence) -> Stance:
    finding = judged.get((claim.id, item.key))
    return finding.stance if finding else "irrelevant"
