"""Do the studies agree, and who does not? Disagreement is shown; it is left out only under a strict guard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from metarag.audit import Basis, Decision, Measurement, StageReport, Synthesis, SynthesisStudy, Verdict
from metarag.heterogeneity_guard import GuardOptions
from metarag.heterogeneity_pool import PoolAnalysis, analyse, as_printed
from metarag.pooling import Grouping, NotPooled, candidates_from, group_effects
from metarag.records import Frozen
from metarag.types import Evidence, Question

NAME = "heterogeneity"
# Looked up once: Python 3.11 takes a tenth of a microsecond for a member of an enumeration.
_INCLUDED, _EXCLUDED, _NOT_ASSESSED = Verdict.INCLUDED, Verdict.EXCLUDED, Verdict.NOT_ASSESSED
_Z = 1.959963984540054
_ON_TOPIC = 1 / 3
"""Relevance from which a conflict is worth a warning; ours, as for quoting."""


class Policy(StrEnum):
    """What the stage may do with a study that disagrees."""

    FLAG = "flag"
    """Nothing is left out."""
    GUARDED = "guarded"
    """A study that stands out is left out only if every condition of the guard holds."""


class HeterogeneityOptions(Frozen):
    """How disagreement is handled.

    Parameters
    ----------
    policy : Policy
        ``guarded`` (default) or ``flag``.
    guard : GuardOptions
        The conditions of the guard.
    """

    policy: Policy = Policy.GUARDED
    guard: GuardOptions = GuardOptions()


class HeterogeneityStage:
    """Pools effects that belong together, and judges each study against the others.

    Reviews are a tier apart from the studies they may contain: shown, never pooled with them. Effects
    without a known outcome, comparison or orientation are not pooled. I-squared alone excludes nothing.
    """

    name = NAME
    options_type = HeterogeneityOptions

    def __init__(self, options: HeterogeneityOptions | None = None) -> None:
        self.options = options or HeterogeneityOptions()

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each article; the syntheses of the report hold all numbers."""
        grouping = group_effects(candidates_from(evidence))
        labels = {e.key: _label(e) for e in evidence if e.appraisal and e.appraisal.effects}
        analyses = [
            analyse(pool, labels, self.options.guard, exclude=self.options.policy is Policy.GUARDED)
            for pool in grouping.pools
        ]
        places = _places(analyses)
        unpooled = _unpooled(grouping)
        passed_on, decisions = [], []
        for item in evidence:
            judged, decision = _judge(item, places.get(item.key, ()), unpooled.get(item.key, ()))
            decisions.append(decision)
            if decision.verdict is not _EXCLUDED:
                passed_on.append(judged)
        syntheses = tuple(a.synthesis for a in analyses) + _reviews(grouping, labels)
        return StageReport(
            evidence=tuple(passed_on),
            decisions=tuple(decisions),
            syntheses=syntheses,
            warnings=_warnings([a for a in analyses if a.conflict.sentence], evidence),
        )


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
    item: Evidence, places: Sequence[tuple[PoolAnalysis, int]], unpooled: Sequence[NotPooled]
) -> tuple[Evidence, Decision]:
    if not places:
        return item, _not_assessed(item, unpooled)
    # An article in several pools is judged by the one where it fares worst, then by the largest.
    analysis, index = min(places, key=_severity)
    known = [value for a, i in places if (value := a.consistency[i]) is not None]
    consistency = min(known, default=None)
    verdict, criterion, reason = _finding(analysis, index)
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


def _finding(analysis: PoolAnalysis, index: int) -> tuple[Verdict, str, str]:
    pool, k = analysis.pool, analysis.pool.k
    about = f"on {_words(pool.key.outcome_key)} ({_words(pool.key.comparison_key)})"
    if index in analysis.guard.excluded:
        reason = f"Its result {about} is unlike the other {k - 1}; every condition for leaving it out holds."
        return _EXCLUDED, "heterogeneity.influence", reason
    if index in analysis.guard.flagged:
        why = f"; it stays: {analysis.guard.failed[0]}" if analysis.guard.failed else "; it stays by policy"
        return (
            _INCLUDED,
            "heterogeneity.outlier",
            f"Its result {about} stands out of {k} studies{why}.",
        )
    if analysis.conflict.sentence:
        return (
            _INCLUDED,
            f"heterogeneity.{analysis.conflict.status}",
            (f"Studies conflict {about}: {analysis.conflict.sentence} All stay."),
        )
    if k == 1:
        return _NOT_ASSESSED, "heterogeneity.single_study", f"It is the only poolable result {about}."
    if analysis.consistency[index] is None:
        return (
            _NOT_ASSESSED,
            "heterogeneity.few_studies",
            (f"{k} poolable results {about} are too few to say who disagrees."),
        )
    return (
        _INCLUDED,
        "heterogeneity.consistent",
        f"Its result {about} agrees with {k - 1} other studies.",
    )


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
        reason = (
            f"None of its {len(unpooled)} effects is pooled: {' '.join(reason for _, reason in reasons[:3])}"
        )
    measurements: dict[str, Measurement] = {"consistency": None, "effects": len(unpooled)}
    return Decision.on(item, NAME, _NOT_ASSESSED, criterion, reason, measurements)


def _reviews(grouping: Grouping, labels: Mapping[str, str]) -> tuple[Synthesis, ...]:
    """Show the pooled effects of reviews, each by itself, beside the studies they may contain."""
    shown = []
    for item in grouping.not_pooled:
        effect = item.candidate.effect
        if item.criterion != "pooling.review" or effect.effect is None or effect.standard_error is None:
            continue
        half = _Z * effect.standard_error
        study = SynthesisStudy(
            key=item.candidate.key,
            label=labels.get(item.candidate.key, item.candidate.key),
            effect=effect.effect,
            standard_error=effect.standard_error,
            lower=effect.effect - half,
            upper=effect.effect + half,
            measurements={"printed": effect.span.text[:200]},
        )
        shown.append(
            Synthesis(
                id=f"review | {item.candidate.key} | {effect.span.where}:{effect.span.start}",
                measure=item.candidate.measure,
                scale=effect.scale,
                outcome=effect.outcome_key or "",
                comparison=effect.comparison_key or "",
                tier="review",
                studies=(study,),
                status="shown",
                notes=("A review's own pooled result; not pooled with the studies it may contain.",),
            )
        )
    return tuple(shown)


def _warnings(conflicts: Sequence[PoolAnalysis], evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Warn where any study of the pool speaks of the question: other conflicts are in the syntheses only."""
    off_topic = {e.key for e in evidence if e.relevance is not None and e.relevance < _ON_TOPIC}
    return tuple(
        _conflict_warning(analysis)
        for analysis in conflicts
        if any(candidate.key not in off_topic for candidate in analysis.pool.candidates)
    )


def _conflict_warning(analysis: PoolAnalysis) -> str:
    key = analysis.pool.key
    about = f"{_words(key.outcome_key)} ({_words(key.comparison_key)})"
    studies = "; ".join(study.label for study in analysis.synthesis.studies)
    return f"Studies conflict on {about}: {analysis.conflict.sentence} ({studies})"


def _words(key: str) -> str:
    named = "+".join(part.removeprefix("term:") for part in key.split("+"))
    return named.replace("|", " against ").replace("_", " ")
