"""Accuracy with its interval, one line a cell: the figure of a report, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.evaluation.metrics import CellSummary
from metarag.evaluation.reports import Report
from metarag.report.drawing import Drawing, Label, Line, Shape, rectangle, svg

_ROW, _GAP, _HEAD, _FOOT = 24.0, 30.0, 12.0, 44.0
_LEFT, _PLOT, _RIGHT = 220.0, 360.0, 150.0
_LONGEST = 26
_TICKS = (0, 25, 50, 75, 100)


def accuracy_figure(report: Report) -> str:
    """Return the accuracy of each cell with its 95% interval, grouped by data set and model, as SVG."""
    return svg(draw_accuracy(report.cells), ident="accuracy", standalone=True)


def draw_accuracy(cells: Sequence[CellSummary]) -> Drawing:
    """Return the figure as shapes."""
    shapes: list[Shape] = []
    y, group = _HEAD, None
    for cell in cells:
        if (cell.dataset, cell.model) != group:
            group = (cell.dataset, cell.model)
            y += _GAP
            name = f"{_short(cell.dataset)}, {_short(cell.model)}, {cell.items} questions"
            shapes.append(Label(0, y - 8, name, bold=True))
        shapes += _row(cell, y + _ROW / 2)
        y += _ROW
    shapes = [*_axis(y), *shapes]
    told = "; ".join(
        f"{cell.dataset}, {cell.model}, {cell.system}: {_percent(cell.accuracy)}"
        f" ({_percent(cell.interval.low)} to {_percent(cell.interval.high)})"
        for cell in cells
    )
    return Drawing(
        width=_LEFT + _PLOT + _RIGHT,
        height=y + _FOOT,
        shapes=tuple(shapes),
        title="Accuracy over all questions with 95% intervals",
        description=told,
    )


def _row(cell: CellSummary, y: float) -> list[Shape]:
    low, middle, high = (_x(v) for v in (cell.interval.low, cell.accuracy, cell.interval.high))
    return [
        Label(12, y + 4, _short(cell.system)),
        Line(low, y, high, y),
        Line(low, y - 4, low, y + 4),
        Line(high, y - 4, high, y + 4),
        rectangle(middle - 4, y - 4, 8, 8, "study"),
        Label(
            _LEFT + _PLOT + 14,
            y + 4,
            f"{_percent(cell.accuracy)} [{_percent(cell.interval.low)}, {_percent(cell.interval.high)}]",
        ),
    ]


def _axis(y: float) -> list[Shape]:
    shapes: list[Shape] = [Line(_x(0), y + 6, _x(1), y + 6, "axis")]
    for tick in _TICKS:
        x = _x(tick / 100)
        shapes.append(Line(x, _HEAD + _GAP, x, y + 10, "null" if 0 < tick < 100 else "axis"))
        shapes.append(Label(x, y + 26, str(tick), anchor="middle", kind="soft"))
    shapes.append(Label(_x(0.5), y + 42, "accuracy over all questions, %", anchor="middle", kind="soft"))
    return shapes


def _x(share: float) -> float:
    return _LEFT + share * _PLOT


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
