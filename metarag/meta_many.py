"""Many analyses of equal size at once: simulations, bootstraps, whole corpora."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_inputs import Vector, as_floats, check_values, read_only
from metarag.meta_kernel import BLOCK, fit_stack, fit_without_each, share_beyond_chance
from metarag.meta_special import special


@dataclass(frozen=True, slots=True, eq=False)
class ManyPools:
    """DerSimonian-Laird of n analyses of k studies, k >= 2, and of each without each of its studies.

    Attributes
    ----------
    effect, standard_error, tau_squared, q, q_p_value, i_squared : array of shape (n,)
        As in :class:`PooledEffect`.
    k : int
        Studies in each analysis.
    """

    effect: Vector
    standard_error: Vector
    tau_squared: Vector
    q: Vector
    q_p_value: Vector
    i_squared: Vector
    k: int


@dataclass(frozen=True, slots=True, eq=False)
class ManyLeaveOneOut:
    """Entry [a, i] is analysis a without study i.

    Attributes
    ----------
    effect, standard_error, tau_squared, q, i_squared : array of shape (n, k)
        As in :class:`LeaveOneOut`.
    k : int
        Studies in each analysis before one is left out.
    """

    effect: Vector
    standard_error: Vector
    tau_squared: Vector
    q: Vector
    i_squared: Vector
    k: int


def dersimonian_laird_many(effects: ArrayLike, variances: ArrayLike) -> ManyPools:
    """Pool n analyses of k studies by DerSimonian-Laird.

    Parameters
    ----------
    effects, variances : array of shape (n, k)
        One analysis a row, k >= 2. Rows are not sorted, so that permuting the studies of an analysis
        may change the last digit.

    Raises
    ------
    ValueError
        Not two-dimensional, shapes that differ, k < 2, or a value that :func:`dersimonian_laird`
        would refuse; the message names row and column.
    """
    y, v = _checked_stack(effects, variances, smallest_k=2)
    fits = fit_stack(y, v)
    df = fits.k - 1
    return ManyPools(
        effect=read_only(fits.effect),
        standard_error=read_only(fits.standard_error),
        tau_squared=read_only(fits.tau_squared),
        q=read_only(fits.q),
        q_p_value=read_only(special.chdtrc(df, fits.q)),
        i_squared=read_only(share_beyond_chance(fits.q, df)),
        k=y.shape[1],
    )


def leave_one_out_many(effects: ArrayLike, variances: ArrayLike) -> ManyLeaveOneOut:
    """Pool n analyses of k studies without each study in turn.

    Parameters
    ----------
    effects, variances : array of shape (n, k)
        One analysis a row, k >= 3.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird_many`, or k < 3.
    """
    y, v = _checked_stack(effects, variances, smallest_k=3)
    n, k = y.shape
    results = np.empty((5, n, k))
    rows = max(1, BLOCK // (k * k))
    for start in range(0, n, rows):
        block = slice(start, start + rows)
        fits = fit_without_each(y[block], v[block])
        share = share_beyond_chance(fits.q, fits.k - 1)
        results[:, block] = fits.effect, fits.standard_error, fits.tau_squared, fits.q, share
    results.flags.writeable = False
    effect, standard_error, tau_squared, q, i_squared = results
    return ManyLeaveOneOut(effect, standard_error, tau_squared, q, i_squared, k)


def _checked_stack(effects: ArrayLike, variances: ArrayLike, *, smallest_k: int) -> tuple[Vector, Vector]:
    y, v = as_floats(effects, "effects"), as_floats(variances, "variances")
    if y.ndim != 2 or y.shape != v.shape:
        raise ValueError(f"effects and variances must be 2-d and equal in shape, got {y.shape} and {v.shape}")
    if y.shape[1] < smallest_k:
        raise ValueError(f"each analysis needs at least {smallest_k} studies, got {y.shape[1]}")
    check_values(y, v)
    return y, v
