"""DerSimonian-Laird over the last axis of any stack of analyses: the one place where it is computed.

A study that is not ``present`` has weight zero, so that one formula serves single pools, leave-one-out,
pairs, subsets and batches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metarag.meta_inputs import Flags, Index, Vector

PRECISION_LIMIT = 1e-6
"""Subtracting a study's terms from the sums loses log10(1/limit) digits; beyond it the study is refitted."""

BLOCK = 1 << 17
"""Numbers held at once by the (deletions x k) steps: 1 MB, which stays in a core's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """DerSimonian-Laird fits of a stack of analyses; every array has the stack's shape.

    ``tau_squared`` is 0 and ``q`` is 0 where a fit holds one study: the caller says "not assessed".
    """

    effect: Vector
    standard_error: Vector
    tau_squared: Vector
    q: Vector
    k: Index


def middle(y: Vector) -> Vector:
    """Return the upper median along the last axis, kept as an axis of one.

    Sums are taken around it, then around the mean: a large common offset cannot drown the differences,
    identical effects differ by exactly zero, and one wild study does not take the others' digits.
    """
    at = y.shape[-1] // 2
    upper: Vector = np.partition(y, at, axis=-1)[..., at : at + 1]
    return upper


def weight_of_others(w: Vector) -> Vector:
    """Return, for each study, the summed weight of all others over the last axis, without cancellation."""
    top = np.expand_dims(w.argmax(-1), -1)
    others = w.copy()
    np.put_along_axis(others, top, 0.0, -1)
    rest: Vector = w.sum(-1, keepdims=True) - w
    np.put_along_axis(rest, top, others.sum(-1, keepdims=True), -1)
    return rest


def weight_scale(w: Vector, total: Vector) -> Vector:
    """Return sum(w) - sum(w^2) / sum(w) over the last axis without cancellation.

    The textbook form loses all digits when one study holds nearly all weight. With m the largest
    weight and R the sum of the others it is (2 m R + R^2 - sum of the others' squares) / sum(w).
    """
    top = np.expand_dims(w.argmax(-1), -1)
    largest = np.take_along_axis(w, top, -1)[..., 0]
    others = w.copy()
    np.put_along_axis(others, top, 0.0, -1)
    rest = others.sum(-1)
    scale: Vector = (2 * largest * rest + (rest * rest - (others * others).sum(-1))) / total
    return scale


def moment_tau_squared(q: Vector, scale: Vector, k: Index) -> Vector:
    """Return the method-of-moments tau-squared, floored at 0: agreement is not negative variance."""
    estimable = k > 1
    excess = np.where(estimable, q - (k - 1), 0.0)
    tau_squared: Vector = np.maximum(0.0, excess / np.where(estimable, scale, 1.0))
    return tau_squared


def share_beyond_chance(q: Vector, df: Index) -> Vector:
    """Return I-squared, (Q - df) / Q floored at 0, in [0, 1].

    References
    ----------
    Higgins & Thompson (2002), Stat Med 21:1539-1558.
    """
    is_more = q > df
    share: Vector = np.where(is_more, 1 - df / np.where(is_more, q, 1.0), 0.0)
    return share


def fit_stack(y: Vector, v: Vector, present: Flags | None = None) -> Fits:
    """Fit DerSimonian-Laird along the last axis.

    Parameters
    ----------
    y, v : arrays that broadcast to (..., k)
        Effects and variances.
    present : bool array that broadcasts to (..., k), optional
        Which studies take part; at least one a fit.

    References
    ----------
    DerSimonian & Laird (1986), Control Clin Trials 7:177-188.
    """
    anchor = middle(y)
    y = y - anchor
    w = 1 / v if present is None else np.where(present, 1 / v, 0.0)
    # An array, not an int, so that a stack of () has the same types as any other.
    k = np.asarray(np.count_nonzero(w, axis=-1))
    total = w.sum(-1)
    residual = y - ((w * y).sum(-1) / total)[..., None]
    q = np.where(k > 1, (w * residual * residual).sum(-1), 0.0)
    tau_squared = moment_tau_squared(q, weight_scale(w, total), k)
    random = 1 / (v + tau_squared[..., None])
    if present is not None:
        random = np.where(present, random, 0.0)
    total = random.sum(-1)
    effect = (random * y).sum(-1) / total + anchor[..., 0]
    return Fits(effect=effect, standard_error=total**-0.5, tau_squared=tau_squared, q=q, k=k)


def fit_without_each(y: Vector, v: Vector) -> Fits:
    """Fit each analysis without each of its studies, all at once.

    Each study's terms are subtracted from the sums over all studies (exact, by the deletion formula
    of weighted least squares); where that would lose precision the fit is made anew.

    Parameters
    ----------
    y, v : array of shape (n, k)
        n analyses of k >= 2 studies.

    Returns
    -------
    Fits
        Arrays of shape (n, k): entry [a, i] is analysis a without study i.
    """
    n, k = y.shape
    anchor = middle(y)
    y = y - anchor
    q, tau_squared, doubtful = _deletion_moments(y, v)
    for row, column in _blocks(np.argwhere(doubtful), k):
        present = np.arange(k) != column[:, None]
        again = fit_stack(y[row], v[row], present)
        q[row, column], tau_squared[row, column] = again.q, again.tau_squared
    effect, standard_error = np.empty((n, k)), np.empty((n, k))
    everything = np.stack(np.divmod(np.arange(n * k), k), axis=1)
    for row, column in _blocks(everything, k):
        random = 1 / (v[row] + tau_squared[row, column][:, None])
        random[np.arange(row.size), column] = 0.0
        total = random.sum(-1)
        effect[row, column] = np.einsum("ij,ij->i", random, y[row]) / total
        standard_error[row, column] = total**-0.5
    return Fits(effect + anchor, standard_error, tau_squared, q, np.full((n, k), k - 1))


def _deletion_moments(y: Vector, v: Vector) -> tuple[Vector, Vector, Flags]:
    k = y.shape[-1]
    w = 1 / v
    total = w.sum(-1, keepdims=True)
    total_left = weight_of_others(w)
    residual = y - (w * y).sum(-1, keepdims=True) / total
    terms = w * residual * residual
    q_all = terms.sum(-1, keepdims=True)
    q = q_all - terms * (total / total_left)
    scale = total_left - weight_of_others(w * w) / total_left
    # Lost: one of the studies left holds nearly all their weight, or the study left out held nearly all
    # weight or made nearly all of Q (small factors that multiply each other's rounding error). So a
    # study with more than 1 - limit of the weight has every deletion of its analysis refitted.
    lost = scale <= 2 * PRECISION_LIMIT * total_left
    lost |= q * (total_left / total) < PRECISION_LIMIT * q_all
    left = np.full(q.shape, k - 1)
    tau_squared = moment_tau_squared(q, np.where(lost, 1.0, scale), left)
    return q, tau_squared, lost


def _blocks(cells: Index, k: int) -> list[tuple[Index, Index]]:
    """Split (row, column) cells so that a block of cells x k numbers stays small."""
    size = max(1, BLOCK // k)
    return [(cells[i : i + size, 0], cells[i : i + size, 1]) for i in range(0, len(cells), size)]
