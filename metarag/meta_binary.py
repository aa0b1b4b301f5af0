"""Odds ratios, risk ratios and risk differences from 2x2 tables: one effect a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_inputs import Flags, Vector, as_floats, read_only, refuse_where

BinaryMeasure = Literal["OR", "RR", "RD"]
DoubleZero = Literal["correct", "drop"]

BINARY_MEASURES = ("OR", "RR", "RD")


class Tables(NamedTuple):
    """Checked 2x2 tables: events and non-events of arm 1 and of arm 2, arrays of shape (k,)."""

    events_1: Vector
    others_1: Vector
    events_2: Vector
    others_2: Vector

    @property
    def has_zero(self) -> Flags:
        """Tables with a cell of zero."""
        zero: Flags = np.min(self, axis=0) == 0
        return zero

    @property
    def is_double_zero(self) -> Flags:
        """Tables with no event in either arm, or nothing but events: silent on ratios."""
        events, others = self.events_1 + self.events_2, self.others_1 + self.others_2
        silent: Flags = (events == 0) | (others == 0)
        return silent

    def corrected(self, amount: float) -> Tables:
        """Return the tables with ``amount`` added to all cells of those that have a zero."""
        added = np.where(self.has_zero, amount, 0.0)
        return Tables(*(cell + added for cell in self))

    def where(self, chosen: Flags) -> Tables:
        """Return the chosen tables."""
        return Tables(*(cell[chosen] for cell in self))


@dataclass(frozen=True, slots=True, eq=False)
class BinaryEffects:
    """Effects of 2x2 tables on the scale they are additive on.

    Attributes
    ----------
    measure : str
        ``OR``, ``RR`` (both as natural logarithms) or ``RD`` (a difference of proportions).
    effects, variances : array of shape (n,)
        Of the tables that are kept, in the order given.
    kept : int array of shape (n,)
        Indices of those tables.
    dropped : tuple of int
        Indices of tables left out because they say nothing of a ratio.
    corrected : tuple of int
        Indices of kept tables that had a zero cell.
    """

    measure: str
    effects: Vector
    variances: Vector
    kept: tuple[int, ...]
    dropped: tuple[int, ...]
    corrected: tuple[int, ...]


def checked_tables(
    events_1: ArrayLike, total_1: ArrayLike, events_2: ArrayLike, total_2: ArrayLike
) -> Tables:
    """Check counts and return them as cells.

    Parameters
    ----------
    events_1, total_1, events_2, total_2 : array of shape (k,)
        k >= 1. Arm 1 is the intervention. Fractions are taken: a shared control may be split.

    Raises
    ------
    ValueError
        Shapes differ or are empty; a count is not finite or negative; a total is not positive or
        below its events. The message names the index.
    """
    given = {"events_1": events_1, "total_1": total_1, "events_2": events_2, "total_2": total_2}
    counts = {name: as_floats(values, name) for name, values in given.items()}
    shapes = {values.shape for values in counts.values()}
    if len(shapes) > 1 or counts["events_1"].ndim != 1:
        listed = ", ".join(f"{name} {values.shape}" for name, values in counts.items())
        raise ValueError(f"counts must be 1-d and equal in length, got {listed}")
    if counts["events_1"].size == 0:
        raise ValueError("there is no table: events_1 is empty")
    for name, values in counts.items():
        refuse_where(~np.isfinite(values), values, f"{name} must be finite")
        refuse_where(values < 0, values, f"{name} must not be negative")
    for arm in ("1", "2"):
        events, total = counts[f"events_{arm}"], counts[f"total_{arm}"]
        refuse_where(total == 0, total, f"total_{arm} must be positive")
        refuse_where(events > total, events, f"events_{arm} must not exceed total_{arm}")
    return Tables(
        counts["events_1"],
        counts["total_1"] - counts["events_1"],
        counts["events_2"],
        counts["total_2"] - counts["events_2"],
    )


def check_measure(measure: str) -> None:
    """Refuse a measure that 2x2 tables are not turned into."""
    if measure not in BINARY_MEASURES:
        raise ValueError(f"measure must be one of {', '.join(BINARY_MEASURES)}, got {measure!r}")


def binary_effects(
    events_1: ArrayLike,
    total_1: ArrayLike,
    events_2: ArrayLike,
    total_2: ArrayLike,
    *,
    measure: BinaryMeasure = "OR",
    correction: float = 0.5,
    double_zero: DoubleZero = "correct",
) -> BinaryEffects:
    """Return effects and variances of 2x2 tables, arm 1 against arm 2.

    Parameters
    ----------
    events_1, total_1, events_2, total_2 : array of shape (k,)
        Events and participants of the intervention and of the control.
    measure : str
        ``OR``, ``RR`` or ``RD``.
    correction : float
        Added to all four cells of a table with a zero cell, and to no other table; > 0.
    double_zero : str
        What to do for ``OR`` and ``RR`` with tables without any event, or with events only, which
        carry no information on a ratio: ``correct`` treats them as any other zero, ``drop`` leaves
        them out and lists them. ``RD`` keeps them always.

    Raises
    ------
    ValueError
        A count is refused (see :func:`checked_tables`), or an option is not one of these.

    References
    ----------
    Gart & Zweifel (1967), Biometrika 54:181-187 (the half).
    Cochrane Handbook 10.4.4 (zero cells); Xu et al. (2020), BMJ Open 10:e036576 (double zeros).
    """
    check_measure(measure)
    if double_zero not in ("correct", "drop"):
        raise ValueError(f"double_zero must be correct or drop, got {double_zero!r}")
    if not (correction > 0 and np.isfinite(correction)):
        raise ValueError(f"correction must be positive and finite, got {correction!r}")
    tables = checked_tables(events_1, total_1, events_2, total_2)
    is_dropped = tables.is_double_zero & (double_zero == "drop") & (measure != "RD")
    chosen = tables.where(~is_dropped)
    effects, variances = effects_of_cells(chosen.corrected(correction), measure)
    return BinaryEffects(
        measure=measure,
        effects=read_only(effects),
        variances=read_only(variances),
        kept=tuple(np.flatnonzero(~is_dropped).tolist()),
        dropped=tuple(np.flatnonzero(is_dropped).tolist()),
        corrected=tuple(np.flatnonzero(~is_dropped & tables.has_zero).tolist()),
    )


def effects_of_cells(tables: Tables, measure: str) -> tuple[Vector, Vector]:
    """Return effects and variances of tables without a zero cell."""
    a, b, c, d = tables
    n1, n2 = a + b, c + d
    if measure == "OR":
        return np.log(a) + np.log(d) - np.log(b) - np.log(c), 1 / a + 1 / b + 1 / c + 1 / d
    if measure == "RR":
        return np.log(a / n1) - np.log(c / n2), b / (a * n1) + d / (c * n2)
    return a / n1 - c / n2, a * b / n1**3 + c * d / n2**3
