"""What the arithmetic takes in: checked once, sorted, and put back in the caller's order at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Flags = NDArray[np.bool_]

LARGEST_MAGNITUDE = 1e60
"""Beyond it squares of squares leave the range of a double. No clinical scale comes near."""


@dataclass(frozen=True, slots=True, eq=False)
class Studies:
    """Study effects and variances in ascending order, so that no sum depends on the order given.

    Attributes
    ----------
    y, v : array of shape (k,)
        Effects and variances, sorted by effect, then variance.
    position : array of shape (k,)
        Where the caller's study ``i`` stands in ``y`` and ``v``.
    twin : array of shape (k,)
        Where the first study equal to the caller's study ``i`` stands.
    """

    y: Vector
    v: Vector
    position: Index
    twin: Index

    @property
    def k(self) -> int:
        """Number of studies."""
        return int(self.y.size)

    def as_given(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return results of each study (last axis) in the caller's order, read-only.

        Studies that are equal get the same result: rounding differs with the place, and which of two
        equal studies comes first is only the order given.
        """
        return read_only(values[..., self.twin])


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """Return ``values`` as an array that cannot be written to."""
    frozen = np.array(values)
    frozen.flags.writeable = False
    return frozen


def as_floats(values: ArrayLike, name: str) -> Vector:
    """Return ``values`` as doubles.

    Raises
    ------
    ValueError
        They are not numbers, or masked: a masked value would silently become a number.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} holds masked values; leave those studies out before pooling")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers in one flat sequence: {error}") from error


def refuse_where(wrong: Flags, values: Vector, message: str) -> None:
    """Raise a ValueError that names the first index where ``wrong`` holds, and its value."""
    if wrong.any():
        first = np.argwhere(wrong)[0]
        where = ", ".join(str(i) for i in first)
        raise ValueError(f"{message} (index {where}: {values[tuple(first)]})")


def check_values(effects: Vector, variances: Vector) -> None:
    """Refuse effects and variances that no pooling can use, whatever their shape.

    Raises
    ------
    ValueError
        A value is NaN, infinite or beyond 1e60, or a variance is not above 1e-60.
    """
    largest = LARGEST_MAGNITUDE
    refuse_where(~np.isfinite(effects), effects, "effects must be finite")
    refuse_where(np.abs(effects) > largest, effects, f"effects must lie within {largest:g} of zero")
    refuse_where(~np.isfinite(variances), variances, "variances must be finite")
    refuse_where(variances <= 0, variances, "variances must be positive")
    outside = (variances < 1 / largest) | (variances > largest)
    refuse_where(outside, variances, f"variances must lie between {1 / largest:g} and {largest:g}")


def checked_studies(effects: ArrayLike, variances: ArrayLike) -> Studies:
    """Check effects and variances of one analysis.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        k >= 1. Variances are sampling variances (squared standard errors), > 0.

    Raises
    ------
    ValueError
        Not one-dimensional, unequal in length, empty, or a value that check_values refuses; the
        message names the index.
    """
    y, v = as_floats(effects, "effects"), as_floats(variances, "variances")
    if y.ndim != 1 or y.shape != v.shape:
        raise ValueError(
            f"effects and variances must be 1-d and equal in length, got {y.shape} and {v.shape}"
        )
    if y.size == 0:
        raise ValueError("there is no study to pool: effects is empty")
    check_values(y, v)
    order = np.lexsort((v, y))
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    y, v = y[order], v[order]
    is_new = np.concatenate([[True], (y[1:] != y[:-1]) | (v[1:] != v[:-1])])
    first = np.maximum.accumulate(np.where(is_new, np.arange(y.size), 0))
    return Studies(y=y, v=v, position=position, twin=first[position])


def checked_level(level: float) -> float:
    """Return a coverage in (0, 1).

    Raises
    ------
    ValueError
        It is not; 95 is refused with a hint at 0.95.
    """
    if not 0 < level < 1:
        hint = f"; did you mean {level / 100:g}?" if 1 < level < 100 else ""
        raise ValueError(f"level must be between 0 and 1, got {level!r}{hint}")
    return float(level)
