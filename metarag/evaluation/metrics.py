"""Accuracy over all items, with its interval, and all that was not answered."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metarag.evaluation.intervals import Interval, detectable_difference, wilson
from metarag.evaluation.results import ItemResult, Outcome

__all__ = [
    "CellSummary",
    "Interval",
    "SeedSpread",
    "by_cell",
    "detectable_difference",
    "seed_spread",
    "summarise",
    "wilson",
]


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """How far runs that differ in nothing but their seed differ in accuracy.

    Attributes
    ----------
    accuracies : dict of int to float
        By seed, ascending.
    standard_deviation : float or None
        Between runs (n - 1 in the denominator); ``None`` for a single run. It says nothing of the sampling of
        items, which the interval is for.
    """

    accuracies: dict[int, float]
    mean: float
    standard_deviation: float | None


@dataclass(frozen=True, slots=True)
class CellSummary:
    """One cell of an experiment.

    Attributes
    ----------
    items, clusters, seeds : int
        Questions, different questions, and runs of each.
    accuracy : float
        Correct of all answers, in [0, 1]: what was unreadable, refused or failed is wrong.
    interval : Interval
        Wilson's, for the sampling of items; several runs count their items once.
    accuracy_answered : float or None
        Correct of what was answered; ``None`` when nothing was. No headline: a system that answers only
        what is easy looks good in it.
    outcomes : dict of Outcome to int
        All five, over all runs.
    evidence : float
        Articles shown, on average.
    calls : int
        Requests sent, over all runs.
    input_tokens, output_tokens : int or None
        ``None`` when a part is unknown.
    cost : float or None
        ``None`` when a part is unknown.
    """

    dataset: str
    model: str
    system: str
    items: int
    clusters: int
    seeds: int
    accuracy: float
    interval: Interval
    accuracy_answered: float | None
    interval_answered: Interval | None
    outcomes: dict[Outcome, int]
    spread: SeedSpread
    evidence: float
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    seconds: float


def by_cell(results: Iterable[ItemResult]) -> dict[tuple[str, str, str], tuple[ItemResult, ...]]:
    """Return the results of each data set, model and system; within a cell by seed and item.

    Cells come in the order of their first result, results in one that does not depend on the order given.
    """
    cells: dict[tuple[str, str, str], list[ItemResult]] = {}
    for result in results:
        cells.setdefault(result.cell, []).append(result)
    return {cell: tuple(sorted(found, key=lambda r: (r.seed, r.item))) for cell, found in cells.items()}


def summarise(results: Sequence[ItemResult], *, level: float = 0.95) -> CellSummary:
    """Return the numbers of one cell.

    Raises
    ------
    ValueError
        There are no results, they are of several cells, or a result occurs twice.
    """
    cells = {result.cell for result in results}
    if len(cells) != 1:
        raise ValueError(f"expected the results of one cell, got those of {len(cells)}")
    if len({result.key for result in results}) < len(results):
        raise ValueError("a result occurs twice; it would count twice")
    outcomes = dict.fromkeys(Outcome, 0) | Counter(result.outcome for result in results)
    total, correct = len(results), outcomes[Outcome.CORRECT]
    answered = correct + outcomes[Outcome.WRONG]
    items = len({result.item for result in results})
    ((dataset, model, system),) = cells
    return CellSummary(
        dataset=dataset,
        model=model,
        system=system,
        items=items,
        clusters=len({result.cluster for result in results}),
        seeds=len({result.seed for result in results}),
        accuracy=correct / total,
        interval=wilson(correct / total * items, items, level=level),
        accuracy_answered=correct / answered if answered else None,
        interval_answered=wilson(correct, answered, level=level) if answered else None,
        outcomes=outcomes,
        spread=seed_spread(results),
        evidence=sum(len(result.evidence) for result in results) / total,
        calls=sum(result.calls for result in results),
        input_tokens=_sum_of_known([result.input_tokens for result in results]),
        output_tokens=_sum_of_known([result.output_tokens for result in results]),
        cost=_sum_of_costs([result.cost for result in results]),
        seconds=sum(result.seconds for result in results),
    )


def seed_spread(results: Sequence[ItemResult]) -> SeedSpread:
    """Return the accuracy of each seed, and their mean and standard deviation.

    Raises
    ------
    ValueError
        There are no results.
    """
    if not results:
        raise ValueError("there are no results")
    runs: dict[int, list[bool]] = {}
    for result in results:
        runs.setdefault(result.seed, []).append(result.is_correct)
    accuracies = {seed: sum(runs[seed]) / len(runs[seed]) for seed in sorted(runs)}
    values = list(accuracies.values())
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return SeedSpread(accuracies, statistics.fmean(values), deviation)


def _sum_of_known(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _sum_of_costs(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
