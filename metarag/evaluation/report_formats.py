"""A report as Markdown, CSV, LaTeX and JSON. The same results give the same bytes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import asdict

from metarag.evaluation.experiment import CALLS_OF_THE_PAPER
from metarag.evaluation.report_rows import flat_rows, seed_line, tables
from metarag.evaluation.reports import Report
from metarag.report.export_csv import safe_cell
from metarag.report.plain import plain

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "–": "--", "−": "$-$",
}  # fmt: skip
# Underscores inside a word and brackets without a target are text as they are.
_MARKUP = re.compile(r"[\\`*<>|]|(?<!\w)_|_(?!\w)|(?<=\])[(\[]")
_NOTE = (
    "Accuracy is over all answers: unreadable, refused and failed ones are wrong. Intervals of accuracies are"
    " Wilson's; those of differences are a paired bootstrap of question clusters. McNemar's test is exact and"
    " two-sided; Holm adjusts over all rows of the table. A difference below what is resolvable (80% power, at"
    f" this number of items and this discordance) cannot be claimed. The paper's method takes about"
    f" {CALLS_OF_THE_PAPER} calls a question."
)
_PUBLIC = (
    "Published questions and their answers are likely to be in a model's training data; a closed book shows how"
    " much of a number needs no evidence."
)
_SHOWN = (
    "Likeness is the mean cosine of the articles shown and the question with its right option, by the named"
    " measure. It is a proxy: an article can be like the claim and wrong."
)


def _notes(report: Report) -> list[str]:
    return [_NOTE, _PUBLIC, *([_SHOWN] if report.shown else [])]


def markdown(report: Report) -> str:
    """Return the report as Markdown: warnings, tables, what to know of them, signature."""
    parts = ["# Evaluation\n"]
    if report.warnings:
        parts.append("".join(f"- **Warning:** {_cell_text(warning)}\n" for warning in report.warnings))
    spread = [line for cell in report.cells if (line := seed_line(cell))]
    for number, (head, rows) in enumerate(tables(report)):
        parts.append(_markdown_table(head, rows))
        if number == 0 and spread:
            parts.append("Between runs (seeds):\n\n" + "".join(f"- {_cell_text(line)}\n" for line in spread))
    parts += [f"{note}\n" for note in _notes(report)]
    parts.append(f"Signature: `{plain(report.signature.line).replace('`', '')}`\n")
    return "\n".join(parts)


def latex(report: Report) -> str:
    """Return the tables for a paper, as ``tabular`` environments with escaped text."""
    parts = [f"% {plain(warning)}\n" for warning in report.warnings]
    parts += [_latex_table(head, rows) for head, rows in tables(report)]
    parts.append("".join(f"% {plain(line)}\n" for line in (*_notes(report), report.signature.line)))
    return "\n".join(parts)


def csv_text(report: Report) -> str:
    """Return one row a cell with raw numbers, for a spreadsheet in which no cell is a formula.

    Shares are in [0, 1]. Columns of the comparison with the baseline are empty where there is none.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    rows = flat_rows(report)
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
        "calibrations": [asdict(each) for each in report.calibrations],
        "shown": asdict(report.shown) if report.shown else None,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


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
