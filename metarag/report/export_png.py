"""A figure as PNG, drawn by matplotlib from the same shapes as the SVG."""

from __future__ import annotations

import io
import warnings
from typing import Any

from metarag.errors import MissingExtraError
from metarag.report.drawing import FONT_SIZE, MARGIN, PAINTS, Drawing, Label, Line, Shape
from metarag.report.figures import figure
from metarag.report.plain import plain
from metarag.runs import RunRecord

_POINTS_A_PIXEL = 72 / 96


def render_png(run: RunRecord, name: str | None = None, *, dpi: int = 200) -> bytes:
    """Return a figure of a run as PNG; see :func:`metarag.report.figures.figure` for the names.

    Parameters
    ----------
    dpi : int
        Dots an inch, in [50, 600]; 96 draws one dot a CSS pixel.

    Raises
    ------
    InputError
        The run has no figure of that name.
    MissingExtraError
        matplotlib is not installed.
    """
    return png(figure(run, name), dpi=min(max(dpi, 50), 600))


def png(drawing: Drawing, *, dpi: int) -> bytes:
    """Return a drawing as PNG."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a figure as PNG", "figures") from error
    # Not pyplot: it keeps every figure in a global list and is not safe in threads.
    size = ((drawing.width + 2 * MARGIN) / 96, (drawing.height + 2 * MARGIN) / 96)
    page = Figure(figsize=size, dpi=dpi, facecolor="white")
    FigureCanvasAgg(page)
    axes = page.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-MARGIN, drawing.width + MARGIN)
    axes.set_ylim(drawing.height + MARGIN, -MARGIN)
    for place, shape in enumerate(drawing.shapes):
        _draw(axes, shape, place)
    stream = io.BytesIO()
    with warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box; a warning for each helps nobody.
        warnings.filterwarnings("ignore", message="Glyph ", category=UserWarning)
        page.savefig(stream, format="png", metadata={"Title": plain(drawing.title), "Software": None})
    return stream.getvalue()


def _draw(axes: Any, shape: Shape, place: int) -> None:  # Any: matplotlib is optional
    """Draw a shape over those before it, as SVG does; matplotlib would draw lines over areas."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon as Patch

    paint = PAINTS[shape.kind]
    width = paint.width * _POINTS_A_PIXEL
    if isinstance(shape, Label):
        _write(axes, shape, place)
    elif isinstance(shape, Line):
        ends = ((shape.x1, shape.x2), (shape.y1, shape.y2))
        style: Any = (0, paint.dash) if paint.dash else "-"
        axes.add_line(Line2D(*ends, color=paint.stroke, linewidth=width, linestyle=style, zorder=place))
    else:
        patch = Patch(shape.points, facecolor=paint.fill, edgecolor=paint.stroke, linewidth=width)
        patch.set_zorder(place)
        axes.add_patch(patch)


def _write(axes: Any, label: Label, place: int) -> None:
    axes.text(
        label.x,
        label.y,
        plain(label.text),
        color=PAINTS[label.kind].fill,
        fontsize=FONT_SIZE * _POINTS_A_PIXEL,
        ha={"start": "left", "middle": "center", "end": "right"}[label.anchor],
        va="baseline",
        weight="bold" if label.bold else "normal",
        zorder=place,
        parse_math=False,  # a "$" in a name is a dollar, not the beginning of a formula
    )
