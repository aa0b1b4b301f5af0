"""A figure as plain shapes, so that the SVG of the report and a PNG are the same picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Final, Literal

from metarag.report.plain import plain

Anchor = Literal["start", "middle", "end"]
FONT_SIZE: Final = 13
MARGIN: Final = 12.0
"""White around a figure in a file of its own, in pixels."""
FONT: Final = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Paint:
    """How a kind of shape looks where the page's own style sheet does not say it."""

    fill: str = "none"
    stroke: str = "none"
    width: float = 1.0
    dash: tuple[float, ...] = ()


PAINTS: Final[Mapping[str, Paint]] = MappingProxyType(
    {
        "ink": Paint(fill="#1b1f24"),
        "soft": Paint(fill="#57606a"),
        "axis": Paint(stroke="#57606a"),
        "null": Paint(stroke="#57606a", dash=(4, 3)),
        "line": Paint(stroke="#1b1f24", width=1.4),
        "study": Paint(fill="#1f5f99", stroke="#1f5f99"),
        "hollow": Paint(fill="#ffffff", stroke="#1f5f99", width=1.4),
        "pool": Paint(fill="#1b1f24", stroke="#1b1f24"),
        "box": Paint(fill="#ffffff", stroke="#57606a", width=1.2),
    }
)
"""Kind of shape to its look; the style sheet has a class of the same name for each."""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str = "line"


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed shape."""

    points: tuple[tuple[float, float], ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Label:
    """One line of text; ``x`` is its start, middle or end, ``y`` its baseline. Untrusted."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    bold: bool = False
    kind: str = "ink"


Shape = Line | Polygon | Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a canvas; sizes in CSS pixels, the origin in the upper left corner.

    Attributes
    ----------
    title, description : str
        What a screen reader says of it.
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str
    description: str


def rectangle(x: float, y: float, width: float, height: float, kind: str) -> Polygon:
    """Return a rectangle."""
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Polygon(corners, kind)


def svg(drawing: Drawing, *, ident: str, standalone: bool = False) -> str:
    """Return the drawing as SVG.

    Parameters
    ----------
    ident : str
        Prefix of the ids of title and description: unique in a page.
    standalone : bool
        True for a file of its own: it then carries its looks, which inside a page the style sheet gives.
    """
    named = (
        f'<title id="{ident}-t">{_safe(drawing.title)}</title>'
        f'<desc id="{ident}-d">{_safe(drawing.description)}</desc>'
    )
    margin = MARGIN if standalone else 0.0
    width, height = _n(drawing.width + 2 * margin), _n(drawing.height + 2 * margin)
    corner = _n(0.0 - margin)
    head = (
        f'<svg class="figure" viewBox="{corner} {corner} {width} {height}" role="img"'
        f' aria-labelledby="{ident}-t {ident}-d"'
    )
    if standalone:
        sizes = f'width="{width}" height="{height}"'
        font = f'font-family="{FONT}" font-size="{FONT_SIZE}"'
        head += f' xmlns="http://www.w3.org/2000/svg" {sizes} {font}'
        named += f'<rect x="{corner}" y="{corner}" {sizes} fill="#ffffff"/>'
    return f"{head}>{named}{''.join(_elements(drawing, standalone))}</svg>"


def _elements(drawing: Drawing, standalone: bool) -> Iterator[str]:
    for shape in drawing.shapes:
        look = _look(shape.kind) if standalone else _class(shape.kind)
        if isinstance(shape, Line):
            ends = f'x1="{_n(shape.x1)}" y1="{_n(shape.y1)}" x2="{_n(shape.x2)}" y2="{_n(shape.y2)}"'
            yield f"<line {ends}{look}/>"
        elif isinstance(shape, Polygon):
            points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
            yield f'<polygon points="{points}"{look}/>'
        else:
            anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
            weight = ' font-weight="bold"' if shape.bold else ""
            place = f'x="{_n(shape.x)}" y="{_n(shape.y)}"'
            yield f"<text {place}{anchor}{weight}{look}>{_safe(shape.text)}</text>"


def _class(kind: str) -> str:
    """Return the class of a shape; text and lines without one are what most of them are."""
    return "" if kind in ("ink", "line") else f' class="{kind}"'


def _look(kind: str) -> str:
    paint = PAINTS[kind]
    dash = f' stroke-dasharray="{" ".join(map(_n, paint.dash))}"' if paint.dash else ""
    stroke = f' stroke="{paint.stroke}" stroke-width="{_n(paint.width)}"' if paint.stroke != "none" else ""
    return f' fill="{paint.fill}"{stroke}{dash}'


def _safe(text: str) -> str:
    return escape(plain(text))


def _n(value: float) -> str:
    return f"{value + 0.0:.1f}".removesuffix(".0")
