"""What the heterogeneity stage says of a pool, in sentences for a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from metarag.comparison_keys import INACTIVE
from metarag.heterogeneity_pool import PoolAnalysis, as_printed

BORDERLINE: Final = 1.959963984540054
"""Deleted residual from which a study that does not stand out is still not said to agree."""
MORE_THAN_CHANCE: Final = 0.10
"""P of Q below which studies spread more than by chance: the level of Cochrane Handbook 10.10.2."""
_NAMES: Final = {"all_cause_death": "death from any cause", "mace": "major cardiovascular events"}
"""Outcomes whose key is no word for a reader."""


def about(analysis: PoolAnalysis) -> str:
    """Return outcome and comparison of a pool: ``death from any cause (tablets against placebo ...)``."""
    key = analysis.pool.key
    return f"{_words(key.outcome_key)} ({_words(key.comparison_key)})"


def left_out_reason(analysis: PoolAnalysis) -> str:
    """Return why the guard let a study go."""
    stay = analysis.pool.k - len(analysis.guard.excluded)
    return (
        f"Its result on {about(analysis)} is unlike the {stay} that stay; every condition for leaving it out"
        " holds."
    )


def agreeing_reason(analysis: PoolAnalysis, index: int) -> str:
    """Return how far a study that does not stand out agrees with the others, and with how many."""
    on, others = about(analysis), analysis.pool.k - 1
    residual, flagged = analysis.rstudent[index], len(analysis.guard.flagged)
    apart = f"; {flagged} stand{'s' if flagged == 1 else ''} out" if flagged else ""
    if residual is not None and abs(residual) > BORDERLINE:
        return (
            f"Its result on {on} lies apart from {others} other studies, not far enough to stand out{apart}."
        )
    main = analysis.synthesis.results["dersimonian_laird"]
    p, i_squared = main["q_p_value"], main["i_squared"]
    if not flagged and isinstance(p, float) and p < MORE_THAN_CHANCE and isinstance(i_squared, float):
        return (
            f"Its result on {on} does not stand out, but the {others + 1} studies differ by more than chance"
            f" (I² {i_squared:.0%})."
        )
    if flagged:
        return f"Its result on {on} agrees with {others - flagged} of {others} other studies{apart}."
    return f"Its result on {on} agrees with {others} other studies."


def largest_apart_reason(analysis: PoolAnalysis) -> str:
    """Return that the largest study is the one that stands out, which puts no blame on anybody."""
    return (
        f"The largest of {analysis.pool.k} studies on {about(analysis)} stands out of the smaller ones; the"
        " numbers do not tell which are right."
    )


def warnings_of(analysis: PoolAnalysis) -> Iterable[str]:
    """Yield what a reader must not overlook in a pool."""
    if analysis.conflict.sentence:
        yield _conflict_warning(analysis)
    elif analysis.guard.largest_flagged:
        yield largest_apart_reason(analysis)
    for index in analysis.guard.excluded:
        if _opposes(analysis, index):
            yield _left_out_warning(analysis, index)


def _conflict_warning(analysis: PoolAnalysis) -> str:
    conflict = analysis.conflict
    sides = [_labels(analysis, side) for side in (conflict.lower, conflict.upper) if side]
    placed = {*conflict.lower, *conflict.upper}
    others = _labels(analysis, [i for i in range(analysis.pool.k) if i not in placed])
    named = " against ".join(sides) + (f"; on neither side: {others}" if others and sides else others)
    return f"Studies conflict on {about(analysis)}: {conflict.sentence} ({named})"


def _opposes(analysis: PoolAnalysis, index: int) -> bool:
    """Tell whether a study points, with its interval, to the other side of no effect than the pool without it."""
    study = analysis.synthesis.studies[index]
    without = analysis.synthesis.results.get("without_flagged_dersimonian_laird", {}).get("effect")
    if not isinstance(without, float):
        return False
    return (study.lower > 0 > without) or (study.upper < 0 < without)


def _left_out_warning(analysis: PoolAnalysis, index: int) -> str:
    study, scale = analysis.synthesis.studies[index], analysis.synthesis.scale
    effect, low, high = (as_printed(value, scale) for value in (study.effect, study.lower, study.upper))
    return (
        f"{study.label} ({analysis.synthesis.measure} {effect:.3g}, {low:.3g} to {high:.3g}) was left out as unlike"
        f" the other studies on {about(analysis)}, and points to the opposite side: read it before relying on"
        " the rest."
    )


def _labels(analysis: PoolAnalysis, indices: Iterable[int]) -> str:
    return "; ".join(analysis.synthesis.studies[index].label for index in indices)


def _words(key: str) -> str:
    treatment, bar, comparator = key.partition("|")
    parts = [_NAMES.get(part, _plain(part)) for part in treatment.split("+")]
    if not bar:
        return " or ".join(parts)
    named = " and ".join(parts)
    other = "placebo, no treatment or usual care" if comparator == INACTIVE else comparator.replace("_", " ")
    return f"{named} against {other}"


def _plain(part: str) -> str:
    """Return ``systolic blood pressure in mmhg`` for ``systolic_blood_pressure[mmhg]``."""
    return part.removeprefix("term:").replace("_", " ").replace("[", " in ").replace("]", "")
