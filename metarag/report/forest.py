"""The forest plot of a pool: estimates, intervals, weights, both pools, prediction interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Final

from metarag.audit import Synthesis, SynthesisStudy
from metarag.report.axis import Axis, axis_for, tick_words
from metarag.report.drawing import Drawing, Label, Line, Polygon, Shape, rectangle
from metarag.report.numbers import count, interval, percent, printed
from metarag.report.plain import shorten
from metarag.report.pools import Pooled, pools_of
from metarag.report.words import MEASURES, comparison_words, outcome_words, sentence_case

WIDTH: Final = 760
_LEFT, _RIGHT, _NUMBERS, _WEIGHTS = 212.0, 500.0, 516.0, WIDTH - 6.0
_ROW, _HEAD, _FOOT = 24.0, 34.0, 66.0
_LABEL_WIDTH: Final = 27
"""Characters that fit into the first column."""
_BASELINE: Final = 4.5
"""From the middle of a row down to the baseline of its text."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One interval of the figure, with its words."""

    label: str
    middle: float
    effect: float | None
    low: float
    high: float
    words: str
    weight: str = ""


def forest_plot(synthesis: Synthesis) -> Drawing:
    """Return the figure of a pool; its numbers are those of the audit, on the ratio scale for ratios.

    A study that was left out, and the pool without what stands out, are hollow. An arrow says that an
    interval goes on beyond the axis.
    """
    pools = pools_of(synthesis)
    prediction = _prediction(synthesis)
    number = len(synthesis.studies) + len(pools) + (prediction is not None)
    bottom = _HEAD + number * _ROW + 6
    axis = _axis(synthesis, pools, prediction)
    shapes = [*_frame(synthesis, axis, bottom)]
    middle = _HEAD + _ROW / 2
    for study in synthesis.studies:
        shapes += _study(study, synthesis.scale, axis, middle)
        middle += _ROW
    for pool in pools:
        shapes += _diamond(pool, synthesis.scale, axis, middle)
        middle += _ROW
        if prediction and not pool.without:
            shapes += _prediction_row(prediction, synthesis.scale, axis, middle)
            middle += _ROW
    return Drawing(WIDTH, bottom + _FOOT, tuple(shapes), _title(synthesis), _description(synthesis, pools))


def _title(synthesis: Synthesis) -> str:
    treatment, comparator = comparison_words(synthesis.comparison)
    about = f"{sentence_case(outcome_words(synthesis.outcome))}, {treatment} against {comparator}"
    return f"Forest plot: {about}"


def _description(synthesis: Synthesis, pools: tuple[Pooled, ...]) -> str:
    measure = MEASURES.get(synthesis.measure, synthesis.measure)
    said = [f"{count(len(synthesis.studies), 'study', 'studies')}, {measure}."]
    said += [
        f"{pool.name}: {printed(pool.effect, synthesis.scale)}"
        f" ({interval(pool.low, pool.high, synthesis.scale)})."
        for pool in pools
    ]
    return " ".join([*said, "The table that follows holds the numbers."])


def _prediction(synthesis: Synthesis) -> tuple[float, float] | None:
    found = synthesis.results.get("prediction", {})
    low, high = found.get("low"), found.get("high")
    return (low, high) if isinstance(low, float) and isinstance(high, float) else None


def _axis(synthesis: Synthesis, pools: tuple[Pooled, ...], prediction: tuple[float, float] | None) -> Axis:
    ends = [end for study in synthesis.studies for end in (study.lower, study.upper)]
    ends += [end for pool in pools for end in (pool.low, pool.high)] + list(prediction or ())
    effects = [study.effect for study in synthesis.studies] + [pool.effect for pool in pools]
    return axis_for(effects, ends, is_log=synthesis.scale == "log", left=_LEFT, right=_RIGHT)


def _frame(synthesis: Synthesis, axis: Axis, bottom: float) -> Iterator[Shape]:
    is_log = synthesis.scale == "log"
    yield Label(0, 18, "Study", bold=True)
    yield Label(_NUMBERS, 18, f"{synthesis.measure} (95% interval)", bold=True)
    yield Label(_WEIGHTS, 18, "Weight", anchor="end", bold=True)
    yield Line(0, _HEAD - 8, WIDTH, _HEAD - 8, "axis")
    yield Line(axis.x(0), _HEAD - 4, axis.x(0), bottom, "null")
    yield Line(_LEFT, bottom, _RIGHT, bottom, "axis")
    for tick in axis.ticks:
        yield Line(axis.x(tick), bottom, axis.x(tick), bottom + 5, "axis")
        yield Label(axis.x(tick), bottom + 18, tick_words(tick, is_log=is_log), anchor="middle", kind="soft")
    treatment = shorten(comparison_words(synthesis.comparison)[0], 24) or "the treatment"
    middle = (_LEFT + _RIGHT) / 2
    less, more = f"\N{LEFTWARDS ARROW} less with {treatment}", f"more with {treatment} \N{RIGHTWARDS ARROW}"
    yield Label(middle - 10, bottom + 38, less, anchor="end", kind="soft")
    yield Label(middle + 10, bottom + 38, more, kind="soft")
    measure = sentence_case(MEASURES.get(synthesis.measure, synthesis.measure))
    scale = f"{measure}, log scale" if is_log else measure
    yield Label(middle, bottom + 58, scale, anchor="middle", kind="soft")


def _study(study: SynthesisStudy, scale: str, axis: Axis, middle: float) -> Iterator[Shape]:
    row = _Row(
        label=study_label(study),
        middle=middle,
        effect=study.effect,
        low=study.lower,
        high=study.upper,
        words=_numbers(study.effect, study.lower, study.upper, scale),
        weight="" if study.weight is None else percent(study.weight),
    )
    yield from _texts(row, bold=False)
    yield from _whisker(row, axis)
    half = 3 + 5 * sqrt(study.weight or 0.1)
    kind = "study" if study.included else "hollow"
    yield rectangle(axis.x(study.effect) - half, middle - half, 2 * half, 2 * half, kind)


def _diamond(pool: Pooled, scale: str, axis: Axis, middle: float) -> Iterator[Shape]:
    words = _numbers(pool.effect, pool.low, pool.high, scale)
    yield from _texts(_Row(pool.name, middle, pool.effect, pool.low, pool.high, words), bold=True)
    left, centre, right = axis.x(pool.low), axis.x(pool.effect), axis.x(pool.high)
    corners = ((left, middle), (centre, middle - 7), (right, middle), (centre, middle + 7))
    yield Polygon(corners, "hollow" if pool.without else "pool")
    yield from _arrows(pool.low, pool.high, axis, middle)


def _prediction_row(
    prediction: tuple[float, float], scale: str, axis: Axis, middle: float
) -> Iterator[Shape]:
    low, high = prediction
    row = _Row("Prediction interval", middle, None, low, high, f"({interval(low, high, scale)})")
    yield from _texts(row, bold=False)
    yield from _whisker(row, axis, caps=True)


def _texts(row: _Row, *, bold: bool) -> Iterator[Shape]:
    base = row.middle + _BASELINE
    yield Label(0, base, row.label, bold=bold)
    yield Label(_NUMBERS, base, row.words, bold=bold)
    if row.weight:
        yield Label(_WEIGHTS, base, row.weight, anchor="end")


def _whisker(row: _Row, axis: Axis, *, caps: bool = False) -> Iterator[Shape]:
    yield Line(axis.x(row.low), row.middle, axis.x(row.high), row.middle, "line")
    if caps:
        for end in (row.low, row.high):
            if axis.low <= end <= axis.high:
                yield Line(axis.x(end), row.middle - 4, axis.x(end), row.middle + 4, "line")
    yield from _arrows(row.low, row.high, axis, row.middle)


def _arrows(low: float, high: float, axis: Axis, middle: float) -> Iterator[Shape]:
    if low < axis.low:
        tip = axis.left
        yield Polygon(((tip - 7, middle), (tip + 1, middle - 4), (tip + 1, middle + 4)), "pool")
    if high > axis.high:
        tip = axis.right
        yield Polygon(((tip + 7, middle), (tip - 1, middle - 4), (tip - 1, middle + 4)), "pool")


def _numbers(effect: float, low: float, high: float, scale: str) -> str:
    return f"{printed(effect, scale)} ({interval(low, high, scale)})"


def study_label(study: SynthesisStudy) -> str:
    """Return a study's name as the figure shows it: short, the year kept, marked where it stands out."""
    mark = " \N{DAGGER}" if "outlier" in study.flags else ""
    name, _, year = study.label.rpartition(" ")
    if name and year.isdecimal():
        return f"{shorten(name, _LABEL_WIDTH - len(year) - 1 - len(mark))} {year}{mark}"
    return shorten(study.label, _LABEL_WIDTH - len(mark)) + mark
