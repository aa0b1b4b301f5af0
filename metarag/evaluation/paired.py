"""Two systems on the same questions: exact McNemar, a cluster bootstrap of the difference, Holm over a family."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metarag.evaluation.intervals import Interval
from metarag.evaluation.results import ItemResult

RESAMPLES = 10_000
"""The Monte Carlo error of a 95% bound is then some 2% of its distance."""
_CELLS = 2_000_000
_EXACT = 2_000
"""Discordant pairs up to which binomial coefficients are added as integers; beyond, on the log scale."""


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """A system against a baseline, item by item.

    Attributes
    ----------
    items, clusters, seeds : int
        Common questions, different questions among them, and common runs.
    difference : float
        Accuracy of the system minus the baseline's, over the common answers.
    interval : Interval or None
        Percentile bootstrap, resampling clusters; ``None`` for a single cluster.
    gained, lost : tuple of str
        Items that only the system, and only the baseline, gets right; ``seed:item`` with several seeds.
    p_value : float or None
        Exact McNemar, two-sided; ``None`` with several seeds, whose pairs are not independent. It takes items
        as independent too: where clusters are fewer than items, the interval is the better guide.
    only_in_one : int
        Answers that only one of the two has; they are left out, and should not be there.
    """

    items: int
    clusters: int
    seeds: int
    difference: float
    interval: Interval | None
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    p_value: float | None
    only_in_one: int

    @property
    def discordant(self) -> tuple[int, int]:
        """How many items only the system, and only the baseline, gets right."""
        return len(self.gained), len(self.lost)


def compare(
    system: Iterable[ItemResult],
    baseline: Iterable[ItemResult],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> PairedComparison | None:
    """Compare two cells on their common items and seeds; ``None`` when they have none in common.

    Parameters
    ----------
    seed : int
        Of the bootstrap.

    Raises
    ------
    ValueError
        A cell has an answer twice, or the two do not agree on what is right.
    """
    one, other = _by_pair(system), _by_pair(baseline)
    common = sorted(one.keys() & other.keys())
    if not common:
        return None
    if any(one[key].gold != other[key].gold for key in common):
        raise ValueError("the two cells do not agree on the right answers; they are of different data")
    seeds = {key[1] for key in common}
    names = {key: key[2] if len(seeds) == 1 else f"{key[1]}:{key[2]}" for key in common}
    gained = tuple(names[k] for k in common if one[k].is_correct and not other[k].is_correct)
    lost = tuple(names[k] for k in common if other[k].is_correct and not one[k].is_correct)
    differences = [int(one[key].is_correct) - int(other[key].is_correct) for key in common]
    clusters = [one[key].cluster for key in common]
    return PairedComparison(
        items=len({key[2] for key in common}),
        clusters=len(set(clusters)),
        seeds=len(seeds),
        difference=sum(differences) / len(differences),
        interval=cluster_bootstrap(
            differences, clusters, rng=np.random.default_rng(seed), resamples=resamples, level=level
        ),
        gained=gained,
        lost=lost,
        p_value=mcnemar(len(gained), len(lost)) if len(seeds) == 1 else None,
        only_in_one=len(one.keys() ^ other.keys()),
    )


def mcnemar(gained: int, lost: int) -> float:
    """Return the exact two-sided p-value of McNemar's test: the binomial test of the discordant pairs.

    References
    ----------
    McNemar Q. Note on the sampling error of the difference between correlated proportions or percentages.
    Psychometrika 1947;12:153-7.
    """
    if gained < 0 or lost < 0:
        raise ValueError(f"counts cannot be negative, got {gained} and {lost}")
    n, fewer = gained + lost, min(gained, lost)
    if n <= _EXACT:
        tail = float(sum(math.comb(n, i) for i in range(fewer + 1)) / 2**n)
    else:
        logs = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(fewer + 1)]
        tail = math.fsum(math.exp(value - n * math.log(2)) for value in logs)
    return min(1.0, 2 * tail)


def cluster_bootstrap(
    differences: Sequence[float],
    clusters: Sequence[str],
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval | None:
    """Return a percentile interval of the mean difference, drawing whole clusters with replacement.

    Copies of a question are drawn together, so that they do not count as independent. ``None`` for a single
    cluster: there is nothing to resample.

    Parameters
    ----------
    differences : sequence of float
        One a pair.
    clusters : sequence of str
        The cluster of each pair; the same length.

    References
    ----------
    Efron B, Tibshirani RJ. An introduction to the bootstrap. Chapman & Hall, 1993: 8.5. Miller E. Adding error
    bars to evals. arXiv 2411.00640, on clusters.
    """
    names = sorted(set(clusters))
    if len(names) < 2:
        return None
    place = {name: i for i, name in enumerate(names)}
    sums, sizes = np.zeros(len(names)), np.zeros(len(names))
    for difference, cluster in zip(differences, clusters, strict=True):
        sums[place[cluster]] += difference
        sizes[place[cluster]] += 1
    means: list[npt.NDArray[np.float64]] = []
    step = max(1, _CELLS // len(names))
    for start in range(0, resamples, step):
        drawn = rng.integers(0, len(names), size=(min(step, resamples - start), len(names)))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return p-values adjusted by Holm's step-down method; what is ``None`` stays so and does not count.

    References
    ----------
    Holm S. A simple sequentially rejective multiple test procedure. Scand J Stat 1979;6:65-70.
    """
    order = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, i) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        adjusted[i] = highest
    return tuple(adjusted)


def _by_pair(results: Iterable[ItemResult]) -> dict[tuple[str, int, str], ItemResult]:
    found: dict[tuple[str, int, str], ItemResult] = {}
    for result in results:
        key = (result.dataset, result.seed, result.item)
        if key in found:
            raise ValueError(f"{result.system} answers item {result.item} twice with seed {result.seed}")
        found[key] = result
    return found
