"""Heterogeneity as META-RAG filters it: DerSimonian-Laird on stances, and Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from metarag.audit import Basis, Decision, Measurement, StageReport, Verdict
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
from metarag.records import Frozen
from metarag.stages.base import Prompted
from metarag.stances import Claim, JudgedStances, StanceFinding, StanceJudge, claims_of
from metarag.types import Evidence, Question

NAME = "paper_heterogeneity"


class PaperHeterogeneityOptions(Frozen):
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

    sigma: float = Field(default=SIGMA, gt=0)
    max_contribution: float = MAX_CONTRIBUTION
    min_reliability: float = Field(default=MIN_RELIABILITY, ge=0, le=HIGHEST)
    keep_irrelevant: bool = True


class PaperHeterogeneityStage:
    """Drops articles whose dissent is rare and whose reliability is low, as the paper does.

    Parameters
    ----------
    options : PaperHeterogeneityOptions or None
        ``None`` takes the defaults.
    judge : StanceJudge or None
        Gives the stances. Without one nothing can be assessed, and everything stays.
    """

    name = NAME
    options_type = PaperHeterogeneityOptions

    def __init__(
        self, options: PaperHeterogeneityOptions | None = None, *, judge: StanceJudge | None = None
    ) -> None:
        self.options = options or PaperHeterogeneityOptions()
        self.judge = judge

    @property
    def model_asked(self) -> str | None:
        """The name of the judge's model; ``None`` for a judge without one."""
        return self.judge.model_asked if isinstance(self.judge, Prompted) else None

    @property
    def prompts(self) -> Mapping[str, str]:
        """The prompts of the judge."""
        return self.judge.prompts if isinstance(self.judge, Prompted) else {}

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each article by its stances towards all claims: one claim is enough to keep it."""
        claims = claims_of(question)
        given = self.judge.judge(question, claims, evidence) if self.judge else {}
        found = given if isinstance(given, JudgedStances) else JudgedStances(given)
        spread = {
            c.id: stance_heterogeneity(
                [_stance(found, c, item) for item in evidence], sigma=self.options.sigma
            )
            for c in claims
        }
        kept = algorithm_1(
            {name: each.contributions for name, each in spread.items()},
            [None if item.reliability is None else item.reliability * HIGHEST for item in evidence],
            max_contribution=self.options.max_contribution,
            min_reliability=self.options.min_reliability,
            keep_irrelevant=self.options.keep_irrelevant,
        )
        decisions = tuple(
            self._decide(item, i, kept[i], claims, found, spread) for i, item in enumerate(evidence)
        )
        out = {d.key for d in decisions if d.verdict is Verdict.EXCLUDED}
        return StageReport(
            evidence=tuple(item for item in evidence if item.key not in out),
            decisions=decisions,
            warnings=found.warnings,
            model_use=found.model_use,
        )

    def _decide(
        self,
        item: Evidence,
        index: int,
        kept: tuple[str, str] | None,
        claims: Sequence[Claim],
        found: JudgedStances,
        spread: Mapping[str, StanceHeterogeneity],
    ) -> Decision:
        stances = {c.id: found[c.id, item.key] for c in claims if (c.id, item.key) in found}
        measurements = self._measurements(item, index, stances, spread)
        measurements |= found.measurements.get(item.key, {})
        prompt = next((s.prompt for s in stances.values() if s.prompt), None)
        basis = next((s.basis for s in stances.values()), Basis.RULE)
        verdict, criterion, reason = self._finding(kept, stances)
        return Decision(
            stage=NAME,
            key=item.key,
            verdict=verdict,
            criterion=criterion,
            reason=reason,
            measurements=measurements,
            basis=basis,
            prompt=prompt,
        )

    def _finding(
        self, kept: tuple[str, str] | None, stances: Mapping[str, StanceFinding]
    ) -> tuple[Verdict, str, str]:
        if not stances:
            return Verdict.NOT_ASSESSED, f"{NAME}.no_stance", "Nothing says what it holds of the claims."
        if kept is None:
            reason = (
                f"It accounts for at least {self.options.max_contribution:.0%} of the disagreement on every"
                f" claim, and its R is not above {self.options.min_reliability:g}."
            )
            return Verdict.EXCLUDED, f"{NAME}.algorithm_1", reason
        claim, why = kept
        words = {
            "irrelevant": f"It says nothing of claim {claim}.",
            "contribution": f"It adds little to the disagreement on claim {claim}.",
            "reliability": f"It disagrees on claim {claim}, but its reliability is high enough to stay.",
        }
        return Verdict.INCLUDED, f"{NAME}.{why}", words[why]

    def _measurements(
        self,
        item: Evidence,
        index: int,
        stances: Mapping[str, StanceFinding],
        spread: Mapping[str, StanceHeterogeneity],
    ) -> dict[str, Measurement]:
        shown: dict[str, Measurement] = {
            "sigma": self.options.sigma,
            "max_contribution": self.options.max_contribution,
            "min_reliability": self.options.min_reliability,
            "r": None if item.reliability is None else item.reliability * HIGHEST,
        }
        for claim, each in spread.items():
            shown[f"stance_{claim}"] = stances[claim].stance if claim in stances else None
            shown[f"contribution_{claim}"] = each.contributions[index]
            shown[f"tau_squared_{claim}"] = each.tau_squared
            shown[f"votes_{claim}"] = each.k
        return shown


def _stance(found: Mapping[tuple[str, str], StanceFinding], claim: Claim, item: Evidence) -> Stance:
    finding = found.get((claim.id, item.key))
    return finding.stance if finding else "irrelevant"
