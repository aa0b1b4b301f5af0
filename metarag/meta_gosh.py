"""Pools of many subsets of the studies: shows clusters that no single study's removal shows."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from metarag.meta_inputs import Flags, Vector, checked_studies, read_only
from metarag.meta_kernel import BLOCK, fit_stack, share_beyond_chance
from metarag.meta_results import Gosh

LARGEST_K_TO_ENUMERATE = 15
"""2^15 subsets take a few milliseconds and 32,768 points are what a plot can show."""

SMALLEST_SUBSET = 2
"""A subset of one study has no heterogeneity."""


def gosh(
    effects: ArrayLike, variances: ArrayLike, *, subsets: int = 10_000, rng: Generator | None = None
) -> Gosh:
    """Fit DerSimonian-Laird to all subsets of two or more studies, or to a random sample of them.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        As for :func:`dersimonian_laird`. To k = 15 all subsets are fitted; above, a sample is.
    subsets : int
        Size of the sample, >= 1; not used to k = 15.
    rng : numpy.random.Generator
        Needed above k = 15. Each study joins a subset with probability 1/2, so that all subsets are
        equally likely; one may be drawn twice.

    Returns
    -------
    Gosh
        The rows of an enumeration follow the sorted effects: permuting the studies permutes columns
        of ``members`` only.

    Raises
    ------
    ValueError
        As :func:`dersimonian_laird`; k > 15 without ``rng``; or ``subsets`` below 1.

    References
    ----------
    Olkin, Dahabreh & Trikalinos (2012), Res Synth Methods 3:214-223.
    """
    studies = checked_studies(effects, variances)
    if subsets < 1:
        raise ValueError(f"subsets must be at least 1, got {subsets}")
    is_exhaustive = studies.k <= LARGEST_K_TO_ENUMERATE
    if is_exhaustive:
        members = _all_subsets(studies.k)
    elif rng is None:
        raise ValueError(
            f"{studies.k} studies have too many subsets to try all (the limit is {LARGEST_K_TO_ENUMERATE} "
            "studies): pass rng=numpy.random.default_rng(seed) to draw a sample"
        )
    else:
        members = _sample_subsets(studies.k, subsets, rng)
    effect, standard_error, tau_squared, q = _fit_subsets(studies.y, studies.v, members)
    size = np.count_nonzero(members, axis=1)
    return Gosh(
        members=read_only(members[:, studies.position]),
        size=read_only(size),
        effect=read_only(effect),
        standard_error=read_only(standard_error),
        tau_squared=read_only(tau_squared),
        q=read_only(q),
        i_squared=read_only(share_beyond_chance(q, size - 1)),
        is_exhaustive=is_exhaustive,
        k=studies.k,
    )


def gosh_medians(subsets: Gosh, values: Vector) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Return the medians of ``values`` over the subsets with, and over those without, each study.

    Parameters
    ----------
    subsets : Gosh
        Result of :func:`gosh`.
    values : array of shape (n,)
        One of its arrays, e.g. ``subsets.i_squared``.

    Returns
    -------
    tuple
        Two tuples of k floats; ``None`` where no subset is of that kind.
    """

    def medians(chosen: Flags) -> tuple[float | None, ...]:
        columns = (values[column] for column in chosen.T)
        return tuple(float(np.median(column)) if column.size else None for column in columns)

    return medians(subsets.members), medians(~subsets.members)


def _all_subsets(k: int) -> Flags:
    members = (np.arange(2**k)[:, None] >> np.arange(k)) & 1 == 1
    large_enough: Flags = members[members.sum(1) >= SMALLEST_SUBSET]
    return large_enough


def _sample_subsets(k: int, subsets: int, rng: Generator) -> Flags:
    members = rng.random((subsets, k)) < 0.5
    # Too small a subset (one draw in 3,800 at k = 16) is drawn again: the others stay equally likely.
    while (small := members.sum(1) < SMALLEST_SUBSET).any():
        members[small] = rng.random((int(small.sum()), k)) < 0.5
    return members


def _fit_subsets(y: Vector, v: Vector, members: Flags) -> tuple[Vector, Vector, Vector, Vector]:
    n, rows = len(members), max(1, BLOCK // y.size)
    effect, standard_error, tau_squared, q = np.empty((4, n))
    for start in range(0, n, rows):
        block = slice(start, start + rows)
        fits = fit_stack(y, v, members[block])
        effect[block], standard_error[block] = fits.effect, fits.standard_error
        tau_squared[block], q[block] = fits.tau_squared, fits.q
    return effect, standard_error, tau_squared, q
