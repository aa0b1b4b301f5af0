"""A report as Markdown, CSV, LaTeX and JSON. The same results give the same bytes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import asdict

from metarag.evaluation.intervals import Interval
from metarag.evaluation.metrics import CellSummary
from metarag.evaluation.reports import Comparison, Report
from metarag.evaluation.results import Outcome
from metarag.report.export_csv import safe_cell
from metarag.report.plain import plain

_CELL_HEAD = (
    "data", "model", "system", "items", "runs", "accuracy % [95% CI]", "of answered %", "unreadable", "refused",
    "errors", "articles", "calls per question", "tokens in / out", "cost", "seconds",
)  # fmt: skip
_COMPARISON_HEAD = (
    "data", "model", "system", "against", "items", "difference, points [95% CI]", "only this right / only that right",
    "p (McNemar)", "p (Holm)",
)  # fmt: skip
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "–": "--", "−": "$-$",
}  # fmt: skip
# Underscores inside a word and brackets without a target are text as they are.
_MARKUP = re.compile(r"[\\`*<>|]|(?<!\w)_|_(?!\w)|(?<=\])[(\[]")
_NOTES = (
    "Accuracy is over all answers: unreadable, refused and failed ones are wrong. Intervals of accuracies are"
    " Wilson's; those of differences are a paired bootstrap of question clusters. McNemar's test is exact and"
    " two-sided; Holm adjusts over all rows of the table."
)


def markdown(report: Report) -> str:
    """Return the report as Markdown: warnings, cells, comparisons, signature."""
    parts = ["# Evaluation\n"]
    if report.warnings:
        parts.append("".join(f"- **Warning:** {_cell_text(warning)}\n" for warning in report.warnings))
    parts.append(_markdown_table(_CELL_HEAD, [_cell_row(cell) for cell in report.cells]))
    spread = [line for cell in report.cells if (line := _spread(cell))]
    if spread:
        parts.append("Between runs (seeds):\n\n" + "".join(f"- {_cell_text(line)}\n" for line in spread))
    if report.comparisons:
        rows = [_comparison_row(comparison) for comparison in report.comparisons]
        parts.append(_markdown_table(_COMPARISON_HEAD, rows))
    parts.append(f"{_NOTES}\n")
    parts.append(f"Signature: `{plain(report.signature.line).replace('`', '')}`\n")
    return "\n".join(parts)


def latex(report: Report) -> str:
    """Return the tables for a paper, as ``tabular`` environments with escaped text."""
    parts = [f"% {plain(warning)}\n" for warning in report.warnings]
    parts.append(_latex_table(_CELL_HEAD, [_cell_row(cell) for cell in report.cells]))
    if report.comparisons:
        rows = [_comparison_row(comparison) for comparison in report.comparisons]
        parts.append(_latex_table(_COMPARISON_HEAD, rows))
    parts.append(f"% {_NOTES}\n% {plain(report.signature.line)}\n")
    return "\n".join(parts)


def csv_text(report: Report) -> str:
    """Return one row a cell with raw numbers, for a spreadsheet in which no cell is a formula.

    Shares are in [0, 1]. Columns of the comparison with the baseline are empty where there is none.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    compared = {(c.dataset, c.model, c.system): c for c in report.comparisons}
    rows = [
        {
            **_flat(cell, compared.get((cell.dataset, cell.model, cell.system))),
            "fingerprint": report.signature.fingerprint,
        }
        for cell in report.cells
    ]
    writer.writerow(rows[0])
    for row in rows:
        # Only text can be a formula; an apostrophe before a negative number would make it text.
        writer.writerow([safe_cell(value) if isinstance(value, str) else value for value in row.values()])
    return stream.getvalue()


def json_text(report: Report) -> str:
    """Return all of the report as JSON, with the whole signature."""
    whole = {
        "fingerprint": report.signature.fingerprint,
        "signature": report.signature.model_dump(mode="json"),
        "baseline": report.baseline,
        "warnings": list(report.warnings),
        "cells": [asdict(cell) for cell in report.cells],
        "comparisons": [asdict(comparison) for comparison in report.comparisons],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


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


def _spread(cell: CellSummary) -> str | None:
    deviation = cell.spread.standard_deviation
    if deviation is None:
        return None
    runs = ", ".join(f"{seed}: {_percent(value)}" for seed, value in cell.spread.accuracies.items())
    return f"{cell.dataset} / {cell.model} / {cell.system}: {runs}; standard deviation {_percent(deviation)}"


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *[[_cell_text(value) for value in row] for row in rows]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell_text(value: str) -> str:
    """Return text that cannot end a cell of a table, and holds no markup or HTML of its own."""
    return _MARKUP.sub(r"\\\g<0>", plain(value))


def _latex_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [" & ".join(_latex_text(value) for value in row) + r" \\" for row in (head, *rows)]
    body = "\n".join([lines[0], r"\hline", *lines[1:]])
    return f"\\begin{{tabular}}{{{'l' * len(head)}}}\n{body}\n\\end{{tabular}}\n"


def _latex_text(value: str) -> str:
    return "".join(_LATEX.get(c, c) for c in plain(value))


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
