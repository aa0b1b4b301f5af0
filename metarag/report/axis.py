"""The axis of a forest plot: where a value stands, and which ticks a reader expects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, exp, floor, log, log10
from typing import Final

_MOST_TICKS: Final = 7
_BEYOND_LOG: Final = log(8)
"""How far an interval may stretch the axis beyond the outermost estimate, on the log scale: 8-fold."""
_PAD: Final = 0.04


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps the analysis scale to pixels.

    Attributes
    ----------
    low, high : float
        Ends, on the analysis scale (natural log for ratios).
    left, right : float
        The same in pixels.
    ticks : tuple of float
        On the analysis scale, ascending; no effect (0) is among them.
    """

    low: float
    high: float
    left: float
    right: float
    ticks: tuple[float, ...]

    def x(self, value: float) -> float:
        """Return the place of a value; what lies beyond an end is put on it."""
        inside = min(max(value, self.low), self.high)
        return self.left + (inside - self.low) / (self.high - self.low) * (self.right - self.left)


def axis_for(
    estimates: Iterable[float],
    ends: Iterable[float],
    *,
    is_log: bool,
    left: float,
    right: float,
) -> Axis:
    """Return an axis that shows all estimates and no effect, and interval ends as far as that stays readable.

    Parameters
    ----------
    estimates, ends : iterable of float
        Point estimates, and the ends of all intervals, on the analysis scale.
    is_log : bool
        True for ratios: ticks then stand at 0.1, 0.2, 0.5, 1, 2, 5, 10 ...
    left, right : float
        Pixels.
    """
    points = [0.0, *estimates]
    reach = [*points, *ends]
    spread = max(points) - min(points)
    room = _BEYOND_LOG if is_log else 2 * spread or max(map(abs, reach)) or 1.0
    low = max(min(reach), min(points) - room)
    high = min(max(reach), max(points) + room)
    pad = _PAD * (high - low) or 1.0
    low, high = low - pad, high + pad
    ticks = _log_ticks(low, high) if is_log else _linear_ticks(low, high)
    return Axis(low, high, left, right, ticks)


def _log_ticks(low: float, high: float) -> tuple[float, ...]:
    decades = range(floor(low / log(10)), ceil(high / log(10)) + 1)
    for steps in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        values = [step * 10.0**decade for decade in decades for step in steps]
        shown = [log(value) for value in values if low <= log(value) <= high]
        if len(shown) <= _MOST_TICKS:
            return tuple(_with_null(shown))
    every = ceil(len(decades) / _MOST_TICKS)
    kept = [decade * log(10) for decade in decades if decade % every == 0]
    return tuple(_with_null([tick for tick in kept if low <= tick <= high]))


def _linear_ticks(low: float, high: float) -> tuple[float, ...]:
    rough = (high - low) / (_MOST_TICKS - 1)
    size = 10.0 ** floor(log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    first, last = ceil(low / step), floor(high / step)
    return tuple(_with_null([number * step for number in range(first, last + 1)]))


def _with_null(ticks: list[float]) -> list[float]:
    return sorted({*(tick for tick in ticks if abs(tick) > 1e-9), 0.0})


def tick_words(value: float, *, is_log: bool) -> str:
    """Return the short form of a tick: ``0.5``, ``1``, ``20``."""
    shown = exp(value) if is_log else value
    return f"{shown:,.3g}".replace("-", "\N{MINUS SIGN}")
