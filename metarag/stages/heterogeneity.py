"""Do the studies agree, and who does not? Disagreement is shown; it is left out only under a strict guard."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from metarag.audit import Basis, Decision, Measurement, StageReport, Synthesis, Verdict
from metarag.heterogeneity_guard import GuardOptions
from metarag.heterogeneity_paper import Filtered, PaperFilterOptions, filter_by_stances
from metarag.heterogeneity_pool import NOTHING_LEFT_OUT, PoolAnalysis, analyse, as_printed
from metarag.heterogeneity_reviews import shown_reviews
from metarag.heterogeneity_words import (
    about,
    agreeing_reason,
    largest_apart_reason,
    left_out_reason,
    warnings_of,
)
from metarag.option_models import Options
from metarag.pooling import Grouping, NotPooled, candidates_from, group_effects
from metarag.stages.asking import AsksJudge
from metarag.stances import StanceJudge
from metarag.types import Evidence, Question

NAME = "heterogeneity"
# Looked up once: Python 3.11 takes a tenth of a microsecond for a member of an enumeration.
_INCLUDED, _EXCLUDED, _NOT_ASSESSED = Verdict.INCLUDED, Verdict.EXCLUDED, Verdict.NOT_ASSESSED
_ON_TOPIC = 1 / 3
"""Relevance from which a conflict is worth a warning; ours, as for quoting."""


class Policy(StrEnum):
    """What the stage may do with a study that disagrees."""

    FLAG = "flag"
    """Nothing is left out."""
    GUARDED = "guarded"
    """A study that stands out is left out only if every condition of the guard holds."""
    PAPER = "paper"
    """Algorithm 1 of META-RAG on stances decides; effects are pooled and shown as by ``flag``."""


class HeterogeneityOptions(Options):
    """How disagreement is handled.

    Parameters
    ----------
    policy : Policy
        ``guarded`` (default), ``flag`` or ``paper``.
    guard : GuardOptions
        The conditions of the guard.
    paper : PaperFilterOptions
        What the paper leaves open; used by the policy ``paper`` only.
    """

    policy: Policy = Policy.GUARDED
    guard: GuardOptions = GuardOptions()
    paper: PaperFilterOptions = PaperFilterOptions()


class HeterogeneityStage(AsksJudge):
    """Pools effects that belong together, and judges each study against the others.

    Reviews are a tier apart from the studies they may contain: shown, never pooled with them. Effects
    without a known outcome, comparison or orientation are not pooled. I-squared alone excludes nothing.

    Parameters
    ----------
    options : HeterogeneityOptions or None
        ``None`` takes the defaults.
    judge : StanceJudge or None
        Gives the stances of the policy ``paper``; ``None``: the rules. No other policy asks it.
    """

    name = NAME
    options_type = HeterogeneityOptions

    def __init__(
        self, options: HeterogeneityOptions | None = None, *, judge: StanceJudge | None = None
    ) -> None:
        self.options = options or HeterogeneityOptions()
        self.judge = judge if self.options.policy is Policy.PAPER else None

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each article; the syntheses of the report hold all numbers."""
        policy = self.options.policy
        grouping = group_effects(candidates_from(evidence))
        labels = {e.key: _label(e) for e in evidence if e.appraisal and e.appraisal.effects}
        analyses = [
            analyse(pool, labels, self.options.guard, exclude=policy is Policy.GUARDED)
            for pool in grouping.pools
        ]
        places = _places(analyses)
        unpooled = _unpooled(grouping)
        judged = [_judge(e, places.get(e.key, ()), unpooled.get(e.key, ()), policy) for e in evidence]
        found = self._filtered(question, evidence) if policy is Policy.PAPER else None
        decisions = [decision for _, decision in judged]
        syntheses = [a.synthesis for a in analyses]
        if found:
            decisions = [_by_stance(*pair) for pair in zip(decisions, found.decisions, strict=True)]
            syntheses = [_without_dropped(synthesis, found.excluded) for synthesis in syntheses]
        out = {decision.key for decision in decisions if decision.verdict is _EXCLUDED}
        return StageReport(
            evidence=tuple(item for item, _ in judged if item.key not in out),
            decisions=tuple(decisions),
            syntheses=(*syntheses, *shown_reviews(grouping, labels)),
            warnings=(
                *_warnings(analyses, evidence),
                *(found.judged.warnings if found else ()),
            ),
            model_use=found.judged.model_use if found else None,
        )

    def _filtered(self, question: Question, evidence: Sequence[Evidence]) -> Filtered:
        return filter_by_stances(question, evidence, stage=NAME, options=self.options.paper, judge=self.judge)


def _label(item: Evidence) -> str:
    author = item.article.authors[0].short_name if item.article.authors else item.article.label
    year = item.article.year
    return f"{author} {year}" if year else author


def _places(analyses: Sequence[PoolAnalysis]) -> dict[str, list[tuple[PoolAnalysis, int]]]:
    places: dict[str, list[tuple[PoolAnalysis, int]]] = {}
    for analysis in analyses:
        for index, candidate in enumerate(analysis.pool.candidates):
            places.setdefault(candidate.key, []).append((analysis, index))
    return places


def _unpooled(grouping: Grouping) -> dict[str, list[NotPooled]]:
    found: dict[str, list[NotPooled]] = {}
    for item in grouping.not_pooled:
        found.setdefault(item.candidate.key, []).append(item)
    return found


def _judge(
    item: Evidence,
    places: Sequence[tuple[PoolAnalysis, int]],
    unpooled: Sequence[NotPooled],
    policy: Policy,
) -> tuple[Evidence, Decision]:
    if not places:
        return item, _not_assessed(item, unpooled)
    # An article in several pools is judged by the one where it fares worst, then by the largest.
    analysis, index = min(places, key=_severity)
    known = [value for a, i in places if (value := a.consistency[i]) is not None]
    consistency = min(known, default=None)
    verdict, criterion, reason = _finding(analysis, index, policy)
    decision = Decision(
        stage=NAME,
        key=item.key,
        verdict=verdict,
        criterion=criterion,
        reason=reason,
        basis=Basis.STATISTIC,
        measurements=_measurements(analysis, index, consistency),
    )
    return item.assessed(consistency=consistency), decision


def _severity(place: tuple[PoolAnalysis, int]) -> tuple[bool, bool, bool, float, int, str]:
    analysis, index = place
    consistency = analysis.consistency[index]
    return (
        index not in analysis.guard.excluded,
        index not in analysis.guard.flagged,
        analysis.conflict.status == "none",
        1.0 if consistency is None else consistency,
        -analysis.pool.k,
        str(analysis.pool.key),
    )


def _finding(analysis: PoolAnalysis, index: int, policy: Policy) -> tuple[Verdict, str, str]:
    on, k = about(analysis), analysis.pool.k
    all_stay = "" if policy is Policy.PAPER else " All stay."
    if index in analysis.guard.excluded:
        return _EXCLUDED, "heterogeneity.influence", left_out_reason(analysis)
    if index in analysis.guard.flagged:
        reason = f"Its result on {on} stands out of {k} studies{_why_it_stays(analysis, policy)}."
        return _INCLUDED, "heterogeneity.outlier", reason
    if analysis.conflict.sentence:
        reason = f"Studies conflict on {on}: {analysis.conflict.sentence}"
        return _INCLUDED, f"heterogeneity.{analysis.conflict.status}", f"{reason}{all_stay}"
    if k == 1:
        return _NOT_ASSESSED, "heterogeneity.single_study", f"It is the only poolable result on {on}."
    if analysis.guard.largest_flagged:
        return _INCLUDED, "heterogeneity.largest_apart", f"{largest_apart_reason(analysis)}{all_stay}"
    if analysis.consistency[index] is None:
        reason = f"{k} poolable results on {on} are too few to say who disagrees."
        return _NOT_ASSESSED, "heterogeneity.few_studies", reason
    return _INCLUDED, "heterogeneity.consistent", agreeing_reason(analysis, index)


def _why_it_stays(analysis: PoolAnalysis, policy: Policy) -> str:
    if policy is Policy.PAPER:
        return ""
    return f"; it stays: {analysis.guard.failed[0]}" if analysis.guard.failed else "; it stays by policy"


def _by_stance(by_effect: Decision, by_stance: Decision) -> Decision:
    """Return the decision of Algorithm 1 with what the effects say beside its terms."""
    found: dict[str, Measurement] = {"on_effects": by_effect.criterion, "on_effects_reason": by_effect.reason}
    measurements = by_stance.measurements | by_effect.measurements | found
    return by_stance.model_copy(update={"measurements": measurements})


def _without_dropped(synthesis: Synthesis, dropped: Collection[str]) -> Synthesis:
    """Mark the studies that Algorithm 1 drops; the pool keeps them, and says so."""
    out = [study for study in synthesis.studies if study.key in dropped]
    notes = tuple(note for note in synthesis.notes if not note.startswith(NOTHING_LEFT_OUT))
    if out:
        names = "; ".join(study.label for study in out)
        notes += (f"Left out of the ranking by Algorithm 1, not of this pool: {names}.",)
    studies = tuple(
        study.model_copy(update={"included": False}) if study in out else study for study in synthesis.studies
    )
    return synthesis.model_copy(update={"studies": studies, "notes": notes})


def _measurements(analysis: PoolAnalysis, index: int, consistency: float | None) -> dict[str, Measurement]:
    pool = analysis.synthesis.results["dersimonian_laird"]
    scale = analysis.synthesis.scale
    effect = analysis.synthesis.studies[index].effect
    return {
        "consistency": consistency,
        "pool": analysis.synthesis.id,
        "studies": analysis.pool.k,
        "effect": as_printed(effect, scale),
        "pooled_effect": as_printed(float(pool["effect"]), scale),  # type: ignore[arg-type]
        "i_squared": pool["i_squared"],
        "tau_squared": pool["tau_squared"],
        "rstudent": analysis.rstudent[index],
        "rstudent_p_holm": analysis.p_holm[index],
        "cooks_distance": analysis.cooks_distance[index],
        "status": analysis.synthesis.status,
    }


def _not_assessed(item: Evidence, unpooled: Sequence[NotPooled]) -> Decision:
    if not unpooled:
        criterion, reason = "heterogeneity.no_effect", "Its text prints no effect that could be compared."
    else:
        reasons = sorted({(n.criterion, n.reason) for n in unpooled})
        criterion = "heterogeneity.not_pooled"
        what = "Its effect is not" if len(unpooled) == 1 else f"None of its {len(unpooled)} effects is"
        reason = f"{what} pooled: {' '.join(reason for _, reason in reasons[:3])}"
    measurements: dict[str, Measurement] = {"consistency": None, "effects": len(unpooled)}
    return Decision.on(item, NAME, _NOT_ASSESSED, criterion, reason, measurements)


def _warnings(analyses: Sequence[PoolAnalysis], evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Warn where any study of the pool speaks of the question: all else is in the syntheses only."""
    off_topic = {e.key for e in evidence if e.relevance is not None and e.relevance < _ON_TOPIC}
    return tuple(
        warning
        for analysis in analyses
        if any(candidate.key not in off_topic for candidate in analysis.pool.candidates)
        for warning in warnings_of(analysis)
    )
