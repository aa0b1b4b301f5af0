"""Mean differences, raw and standardised, from means and standard deviations of two arms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metarag.meta_inputs import Vector, as_floats, read_only, refuse_where
from metarag.meta_special import special


@dataclass(frozen=True, slots=True, eq=False)
class ContinuousEffects:
    """Differences of means, arm 1 minus arm 2.

    Attributes
    ----------
    measure : str
        ``MD``, in the unit of the outcome, or ``SMD``, in standard deviations.
    effects, variances : array of shape (k,)
        In the order given.
    """

    measure: str
    effects: Vector
    variances: Vector


def mean_differences(
    mean_1: ArrayLike, sd_1: ArrayLike, n_1: ArrayLike, mean_2: ArrayLike, sd_2: ArrayLike, n_2: ArrayLike
) -> ContinuousEffects:
    """Return raw mean differences; the arms may differ in variance.

    Parameters
    ----------
    mean_1, sd_1, n_1, mean_2, sd_2, n_2 : array of shape (k,)
        Means, standard deviations (> 0; not standard errors) and participants (>= 2) of the
        intervention and of the control.

    Raises
    ------
    ValueError
        Shapes differ or are empty, a value is not finite, an SD is not positive or an arm has
        fewer than 2 participants. The message names the index.

    References
    ----------
    Cochrane Handbook 6.5.1.1 and 10.3.
    """
    m1, s1, n1, m2, s2, n2 = _checked_arms(mean_1, sd_1, n_1, mean_2, sd_2, n_2)
    return ContinuousEffects("MD", read_only(m1 - m2), read_only(s1**2 / n1 + s2**2 / n2))


def standardised_mean_differences(
    mean_1: ArrayLike, sd_1: ArrayLike, n_1: ArrayLike, mean_2: ArrayLike, sd_2: ArrayLike, n_2: ArrayLike
) -> ContinuousEffects:
    """Return Hedges' g: the mean difference in pooled standard deviations, with the exact correction.

    The variance is 1/n1 + 1/n2 + g^2 / (2 (n1 + n2)). Parameters and errors are those of
    :func:`mean_differences`.

    References
    ----------
    Hedges (1981), J Educ Stat 6:107-128 (exact J, by gamma functions).
    Hedges (1982), Psychol Bull 92:490-499 (large-sample variance).
    """
    m1, s1, n1, m2, s2, n2 = _checked_arms(mean_1, sd_1, n_1, mean_2, sd_2, n_2)
    pooled_sd = np.sqrt(((n1 - 1) * s1**2 + (n2 - 1) * s2**2) / (n1 + n2 - 2))
    g = small_sample_correction(n1 + n2 - 2) * (m1 - m2) / pooled_sd
    return ContinuousEffects("SMD", read_only(g), read_only(1 / n1 + 1 / n2 + g**2 / (2 * (n1 + n2))))


def small_sample_correction(df: ArrayLike) -> Vector:
    """Return Hedges' exact J = gamma(df/2) / (sqrt(df/2) gamma((df - 1)/2)), in (0, 1), for df >= 2.

    Raises
    ------
    ValueError
        A df is below 2; the message names the index.
    """
    m = as_floats(df, "df")
    refuse_where(~(m >= 2), m, "df must be at least 2")
    correction: Vector = np.exp(special.gammaln(m / 2) - special.gammaln((m - 1) / 2)) / np.sqrt(m / 2)
    return correction


def standard_deviations(standard_errors: ArrayLike, n: ArrayLike) -> Vector:
    """Return standard deviations from standard errors of a mean: SEM sqrt(n).

    Parameters
    ----------
    standard_errors, n : arrays of one shape
        Standard errors of the mean, > 0, and participants, >= 1.

    Raises
    ------
    ValueError
        Shapes differ or a value is outside its range; the message names the index.

    References
    ----------
    Cochrane Handbook 6.5.2.2.
    """
    sem, size = as_floats(standard_errors, "standard_errors"), as_floats(n, "n")
    if sem.shape != size.shape:
        raise ValueError(f"standard_errors and n must have one shape, got {sem.shape} and {size.shape}")
    refuse_where(~(np.isfinite(sem) & (sem > 0)), sem, "standard_errors must be positive and finite")
    refuse_where(~(np.isfinite(size) & (size >= 1)), size, "n must be at least 1 and finite")
    deviations: Vector = sem * np.sqrt(size)
    return deviations


def _checked_arms(*values: ArrayLike) -> tuple[Vector, ...]:
    names = ("mean_1", "sd_1", "n_1", "mean_2", "sd_2", "n_2")
    arrays = tuple(as_floats(value, name) for name, value in zip(names, values, strict=True))
    if len({array.shape for array in arrays}) > 1 or arrays[0].ndim != 1:
        listed = ", ".join(f"{name} {array.shape}" for name, array in zip(names, arrays, strict=True))
        raise ValueError(f"means, SDs and sizes must be 1-d and equal in length, got {listed}")
    if arrays[0].size == 0:
        raise ValueError("there is no study: mean_1 is empty")
    for name, array in zip(names, arrays, strict=True):
        refuse_where(~np.isfinite(array), array, f"{name} must be finite")
        if name.startswith("sd"):
            refuse_where(array <= 0, array, f"{name} must be positive")
        if name.startswith("n_"):
            refuse_where(array < 2, array, f"{name} must be at least 2 for a standard deviation")
    return arrays
