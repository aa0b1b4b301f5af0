"""The rows of a report's tables, as text for reading and as raw numbers."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.evaluation.evidence_report import EvidenceReport
from metarag.evaluation.intervals import Interval, detectable_difference
from metarag.evaluation.metrics import CellSummary
from metarag.evaluation.reports import CellCalibration, Comparison, Report
from metarag.evaluation.results import Outcome

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Head and rows."""
_CELL_HEAD = (
    "data", "model", "system", "items", "runs", "accuracy % [95% CI]", "of answered %", "unreadable", "refused",
    "errors", "articles", "calls per question", "tokens in / out", "cost", "seconds",
)  # fmt: skip
_COMPARISON_HEAD = (
    "data", "model", "system", "against", "items", "difference, points [95% CI]", "only this right / only that right",
    "resolvable, points", "p (McNemar)", "p (Holm)",
)  # fmt: skip
_CALIBRATION_HEAD = (
    "data", "model", "system", "answers with a confidence", "without", "Brier", "calibration error",
    "risk over coverage", "confidence -> accuracy, by bin",
)  # fmt: skip


def tables(report: Report) -> list[Table]:
    """Return the tables of a report: cells, comparisons, confidences, evidence; those that hold something."""
    found: list[Table] = [
        (_CELL_HEAD, [_cell_row(cell) for cell in report.cells]),
        (_COMPARISON_HEAD, [_comparison_row(comparison) for comparison in report.comparisons]),
        (_CALIBRATION_HEAD, [_calibration_row(each) for each in report.calibrations]),
    ]
    if report.shown:
        found += _evidence_tables(report.shown, [(c.dataset, c.model, c.system) for c in report.cells])
    return [table for table in found if table[1]]


def flat_rows(report: Report) -> list[dict[str, str | float | None]]:
    """Return one row of raw numbers a cell; shares are in [0, 1], what is unknown is ``None``."""
    compared = {(c.dataset, c.model, c.system): c for c in report.comparisons}
    calibrated = {(c.dataset, c.model, c.system): c for c in report.calibrations}
    shown = {(c.dataset, c.model, c.system): c for c in report.shown.cells} if report.shown else {}
    rows = []
    for cell in report.cells:
        key = (cell.dataset, cell.model, cell.system)
        confidence = calibrated[key].found if key in calibrated else None
        rows.append(
            {
                **_flat(cell, compared.get(key)),
                "brier": confidence.brier if confidence else None,
                "calibration_error": confidence.expected_error if confidence else None,
                "evidence_similarity": shown[key].similarity if key in shown else None,
                "embedder": report.shown.embedder if report.shown else None,
                "fingerprint": report.signature.fingerprint,
            }
        )
    return rows


def seed_line(cell: CellSummary) -> str | None:
    """Return the accuracy of each run and their spread; ``None`` for a single run."""
    deviation = cell.spread.standard_deviation
    if deviation is None:
        return None
    runs = ", ".join(f"{seed}: {_percent(value)}" for seed, value in cell.spread.accuracies.items())
    return f"{cell.dataset} / {cell.model} / {cell.system}: {runs}; standard deviation {_percent(deviation)}"


def _cell_row(cell: CellSummary) -> tuple[str, ...]:
    answers = sum(cell.outcomes.values())
    tokens = f"{_number(cell.input_tokens)} / {_number(cell.output_tokens)}"
    items = str(cell.items) if cell.clusters == cell.items else f"{cell.items} ({cell.clusters} different)"
    return (
        cell.dataset,
        cell.model,
        cell.system,
        items,
        str(cell.seeds),
        f"{_percent(cell.accuracy)} {_interval(cell.interval)}",
        "–" if cell.accuracy_answered is None else _percent(cell.accuracy_answered),
        str(cell.outcomes[Outcome.UNREADABLE]),
        str(cell.outcomes[Outcome.REFUSED]),
        str(cell.outcomes[Outcome.ERROR]),
        f"{cell.evidence:.1f}",
        f"{cell.calls / answers:.1f}",
        tokens,
        "unknown" if cell.cost is None else f"{cell.cost:.4f}",
        f"{cell.seconds:.0f}",
    )


def _comparison_row(comparison: Comparison) -> tuple[str, ...]:
    paired = comparison.paired
    gained, lost = paired.discordant
    interval = f" {_interval(paired.interval)}" if paired.interval else ""
    return (
        comparison.dataset,
        comparison.model,
        comparison.system,
        comparison.baseline,
        str(paired.items),
        f"{_signed(paired.difference)}{interval}",
        f"{gained} / {lost}",
        _resolvable(comparison),
        _p(paired.p_value),
        _p(comparison.p_holm),
    )


def _flat(cell: CellSummary, comparison: Comparison | None) -> dict[str, str | float | None]:
    paired = comparison.paired if comparison else None
    gained, lost = paired.discordant if paired else (None, None)
    between = paired.interval if paired else None
    answered = cell.interval_answered
    return {
        "dataset": cell.dataset,
        "model": cell.model,
        "system": cell.system,
        "items": cell.items,
        "clusters": cell.clusters,
        "seeds": cell.seeds,
        "accuracy": cell.accuracy,
        "accuracy_low": cell.interval.low,
        "accuracy_high": cell.interval.high,
        "accuracy_answered": cell.accuracy_answered,
        "accuracy_answered_low": answered.low if answered else None,
        "accuracy_answered_high": answered.high if answered else None,
        **{outcome.value: cell.outcomes[outcome] for outcome in Outcome},
        "seed_standard_deviation": cell.spread.standard_deviation,
        "articles": cell.evidence,
        "calls": cell.calls,
        "input_tokens": cell.input_tokens,
        "output_tokens": cell.output_tokens,
        "cost": cell.cost,
        "seconds": cell.seconds,
        "baseline": comparison.baseline if comparison else None,
        "difference": paired.difference if paired else None,
        "difference_low": between.low if between else None,
        "difference_high": between.high if between else None,
        "gained": gained,
        "lost": lost,
        "p_mcnemar": paired.p_value if paired else None,
        "p_holm": comparison.p_holm if comparison else None,
    }


def _calibration_row(each: CellCalibration) -> tuple[str, ...]:
    found = each.found
    bins = "; ".join(f"{_percent(b.confidence)} -> {_percent(b.accuracy)} ({b.n})" for b in found.bins)
    return (
        each.dataset,
        each.model,
        each.system,
        str(found.n),
        str(found.without),
        f"{found.brier:.3f}",
        f"{found.expected_error:.3f}",
        f"{found.area:.3f}",
        bins,
    )


def _evidence_tables(shown: EvidenceReport, order: Sequence[tuple[str, str, str]]) -> list[Table]:
    by_cell = {(each.dataset, each.model, each.system): each for each in shown.cells}
    head = ("data", "model", "system", "likeness to the gold claim", "by", "answers with articles", "without")
    rows = [
        (
            each.dataset,
            each.model,
            each.system,
            "–" if each.similarity is None else f"{each.similarity:.3f}",
            shown.embedder,
            str(each.questions),
            str(each.without),
        )
        for key in order
        if (each := by_cell.get(key)) and each.questions
    ]
    leaks = [
        (each.dataset, str(each.questions), str(each.sources_removed), str(len(each.overlapping)))
        for each in shown.leakage
        if each.questions
    ]
    leak_head = (
        "data", "questions with candidates", "own source found and taken out", "13 words of it in a candidate",
    )  # fmt: skip
    return [(head, rows), (leak_head, leaks)]


def _resolvable(comparison: Comparison) -> str:
    """Return the smallest difference that so many items and such a discordance let one see."""
    paired = comparison.paired
    discordant = sum(paired.discordant)
    if not discordant or paired.seeds > 1:
        return "–"
    return _percent(detectable_difference(paired.items, discordant / paired.items))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def _interval(interval: Interval) -> str:
    low, high = (f"{100 * bound:.1f}".replace("-", "−") for bound in (interval.low, interval.high))
    return f"[{low}, {high}]"


def _number(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
