"""Pools of effects as a reader is shown them: figure, table, spread, who stands out, what conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from metarag.audit import Measurement, Synthesis, SynthesisStudy
from metarag.report.drawing import svg
from metarag.report.forest import forest_plot
from metarag.report.numbers import count, interval, p_value, percent, printed
from metarag.report.plain import shorten
from metarag.report.pools import MAIN, WITHOUT, Pooled, pooled, pools_of
from metarag.report.references import Piece, References
from metarag.report.words import (
    ESTIMATORS,
    MEASURES,
    TIERS,
    comparison_words,
    outcome_words,
    sentence_case,
)

_CONFLICTS = ("direction_conflict", "two_clusters")
_STANDING_NOTES = ("From abstracts only", "One study", "Nothing was left out")
"""How the notes begin that a pool has beside the sentence on its conflict."""
ENOUGH = 5
"""Studies from which a single one can be said to stand out; fewer show no spread to stand out from."""

_TELLING: Final = 3
"""Studies from which an interval by Hartung and Knapp is of use: with two it has one degree of freedom."""


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One study of a pool in the table under the figure."""

    name: str
    link: Piece
    effect: str
    interval: str
    weight: str
    participants: str
    printed: str
    note: str


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One pooled result in the table under the figure."""

    name: str
    effect: str
    interval: str


@dataclass(frozen=True, slots=True)
class SynthesisView:
    """One pool.

    Attributes
    ----------
    figure : str
        SVG, safe to be put into a page as it is; empty for a single study.
    pools : tuple of PoolRow
        With and without what stands out, by the main method.
    facts : tuple of (str, str)
        Spread of the effects, each with its name.
    estimators : tuple of PoolRow
        The same pool by other methods.
    conflict : str
        In a sentence; empty without one.
    """

    heading: str
    comparison: str
    measure: str
    figure: str
    studies: tuple[StudyRow, ...]
    pools: tuple[PoolRow, ...]
    facts: tuple[tuple[str, str], ...]
    estimators: tuple[PoolRow, ...]
    conflict: str
    notes: tuple[str, ...]


def synthesis_view(synthesis: Synthesis, references: References, *, ident: str) -> SynthesisView:
    """Return a pool as it is shown.

    Parameters
    ----------
    references : References
        Where the studies stand in the report.
    ident : str
        Prefix of ids inside the figure, unique in the page.
    """
    treatment, comparator = comparison_words(synthesis.comparison)
    is_pool = len(synthesis.studies) > 1
    conflict = conflict_sentence(synthesis)
    return SynthesisView(
        heading=f"{sentence_case(outcome_words(synthesis.outcome))}: {TIERS.get(synthesis.tier, synthesis.tier)}",
        comparison=f"{treatment} against {comparator}" if comparator else treatment,
        measure=MEASURES.get(synthesis.measure, synthesis.measure),
        figure=svg(forest_plot(synthesis), ident=ident) if is_pool else "",
        studies=tuple(_row(study, synthesis, references) for study in synthesis.studies),
        pools=tuple(
            PoolRow(p.name, printed(p.effect, synthesis.scale), interval(p.low, p.high, synthesis.scale))
            for p in pools_of(synthesis)
        ),
        facts=tuple(_facts(synthesis)) if is_pool else (),
        estimators=tuple(_estimators(synthesis)) if is_pool else (),
        conflict=conflict,
        notes=tuple(shorten(note, 400) for note in synthesis.notes if note != conflict),
    )


def conflict_sentence(synthesis: Synthesis) -> str:
    """Return how the studies of a pool conflict, as the audit says it; empty where they do not."""
    if synthesis.status not in _CONFLICTS:
        return ""
    said = (note for note in synthesis.notes if not note.startswith(_STANDING_NOTES))
    return next(said, "The studies of this pool conflict.")


def spread_sentence(synthesis: Synthesis) -> str:
    """Return the pooled result with its prediction interval and spread, and the one without what stands out."""
    main, *without = pools_of(synthesis) or (None,)
    if main is None:
        return ""
    scale, k = synthesis.scale, len(synthesis.studies)
    of = sentence_case(outcome_words(synthesis.outcome))
    if k < _TELLING:
        return (
            f"{of}: only two studies could be pooled ({TIERS.get(synthesis.tier, synthesis.tier)}). Together"
            f" {MEASURES.get(synthesis.measure, synthesis.measure)} {printed(main.effect, scale)}; from two"
            f" nobody can tell how far studies differ, so the interval is too wide to say anything."
        )
    said = (
        f"{of}: {count(k, 'study', 'studies')} pooled ({TIERS.get(synthesis.tier, synthesis.tier)}),"
        f" {MEASURES.get(synthesis.measure, synthesis.measure)} {_estimate(main, scale)},"
        f" I² {_i_squared(synthesis.results)}."
    )
    for pool in without:
        said += f" {pool.name}: {_estimate(pool, scale)}."
    prediction = synthesis.results.get("prediction", {})
    low, high = _number(prediction, "low"), _number(prediction, "high")
    if low is not None and high is not None:
        said += f" A new study may be expected anywhere from {interval(low, high, scale)}."
    if k < ENOUGH:
        said += f" With fewer than {ENOUGH} studies nobody can say which of them stands out."
    return said


def _estimate(pool: Pooled, scale: str) -> str:
    return f"{printed(pool.effect, scale)} ({interval(pool.low, pool.high, scale)})"


def _row(study: SynthesisStudy, synthesis: Synthesis, references: References) -> StudyRow:
    participants = study.measurements.get("participants")
    notes = []
    if "outlier" in study.flags:
        p_holm = study.measurements.get("rstudent_p_holm")
        alone = f"({p_value(_as_number(p_holm))} after Holm's correction)"
        notes.append(f"stands out {'once others are gone' if 'masked' in study.flags else alone}")
    if not study.included:
        notes.append("left out")
    return StudyRow(
        name=shorten(study.label, 80),
        link=references.to(study.key),
        effect=printed(study.effect, synthesis.scale),
        interval=interval(study.lower, study.upper, synthesis.scale),
        weight="" if study.weight is None or len(synthesis.studies) < 2 else percent(study.weight),
        participants=f"{participants:,}" if isinstance(participants, int) else "",
        printed=shorten(str(study.measurements.get("printed") or ""), 200),
        note=", ".join(notes),
    )


def _facts(synthesis: Synthesis) -> Iterator[tuple[str, str]]:
    results, scale = synthesis.results, synthesis.scale
    main = results.get(MAIN, {})
    yield "I² (share of the variation that is not chance)", _i_squared(results)
    spread = results.get("q_profile", {})
    tau_low, tau_high = _number(spread, "tau_squared_low"), _number(spread, "tau_squared_high")
    tau = printed(_number(main, "tau_squared"))
    yield "tau² (variance between studies)", f"{tau} ({interval(tau_low, tau_high)})"
    q, k = _number(main, "q"), len(synthesis.studies)
    if q is not None:
        yield "Q", f"{printed(q)} on {k - 1} df, {p_value(_number(main, 'q_p_value'))}"
    prediction = results.get("prediction", {})
    low, high = _number(prediction, "low"), _number(prediction, "high")
    yield (
        "95% prediction interval (where a new study may lie)",
        interval(low, high, scale) if low is not None else "needs three studies",
    )
    without = results.get("leave_one_out", {})
    low, high = _number(without, "effect_min"), _number(without, "effect_max")
    if low is not None:
        yield "Pooled effect when any one study is left out", interval(low, high, scale)
    egger = _number(results.get("egger", {}), "p_value")
    if egger is not None:
        yield "Small-study effects (Egger)", p_value(egger)


def _i_squared(results: Mapping[str, Mapping[str, Measurement]]) -> str:
    value = _number(results.get(MAIN, {}), "i_squared")
    low = _number(results.get("q_profile", {}), "i_squared_low")
    high = _number(results.get("q_profile", {}), "i_squared_high")
    known = low is not None and high is not None
    return percent(value) + (f" ({percent(low)} to {percent(high)})" if known else "")


def _estimators(synthesis: Synthesis) -> Iterator[PoolRow]:
    for prefix, suffix in (("", ""), (WITHOUT, ", without what stands out")):
        for key, name in ESTIMATORS.items():
            found = pooled(name + suffix, synthesis.results.get(f"{prefix}{key}"))
            if found:
                method = " (Hartung-Knapp interval, floored)" if found.adjusted else " (normal interval)"
                yield PoolRow(
                    found.name + method,
                    printed(found.effect, synthesis.scale),
                    interval(found.low, found.high, synthesis.scale),
                )


def _number(values: Mapping[str, Measurement], name: str) -> float | None:
    return _as_number(values.get(name))


def _as_number(value: Measurement) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
