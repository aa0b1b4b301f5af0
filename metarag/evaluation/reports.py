"""From results of single questions to a report: cells, paired comparisons, and what a reader has to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metarag.errors import InputError
from metarag.evaluation.metrics import CellSummary, by_cell, summarise
from metarag.evaluation.paired import RESAMPLES, PairedComparison, compare, holm
from metarag.evaluation.results import ItemResult, Outcome
from metarag.evaluation.signature import EvaluationSignature

MAX_ERROR_RATE = 0.02
"""Share of failed calls above which a cell is no measurement of its system. Ours."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One system against the baseline, on one data set with one model.

    Attributes
    ----------
    p_holm : float or None
        Adjusted over all comparisons of the report; ``None`` where there is no p-value.
    """

    dataset: str
    model: str
    system: str
    baseline: str
    paired: PairedComparison
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """All cells of an experiment.

    Attributes
    ----------
    warnings : tuple of str
        Missing items, failed calls, copies of questions: above the numbers, not below.
    """

    signature: EvaluationSignature
    cells: tuple[CellSummary, ...]
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...]
    baseline: str | None = None


def build_report(
    results: Sequence[ItemResult],
    *,
    signature: EvaluationSignature,
    baseline: str | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Report:
    """Summarise all cells, and compare each system with the baseline on the same items.

    Cells stand in the order of the signature's data sets, models and systems, so that the order of the results
    makes no difference.

    Parameters
    ----------
    baseline : str or None
        A system; ``None`` compares nothing.
    seed : int
        Of the bootstrap.

    Raises
    ------
    InputError
        There are no results, or none of the baseline.
    """
    if not results:
        raise InputError("there are no results to report")
    cells = by_cell(results)
    if baseline is not None and all(system != baseline for _, _, system in cells):
        systems = sorted({system for _, _, system in cells})
        raise InputError(f"no results of the baseline {baseline!r}; there are {', '.join(systems)}")
    ordered = {cell: cells[cell] for cell in sorted(cells, key=lambda cell: _place(cell, signature))}
    summaries = tuple(summarise(found) for found in ordered.values())
    comparisons: tuple[Comparison, ...] = ()
    if baseline is not None:
        comparisons = _comparisons(ordered, baseline, seed=seed, resamples=resamples)
    return Report(
        signature=signature,
        cells=summaries,
        comparisons=comparisons,
        warnings=tuple(_warnings(summaries, comparisons, signature)),
        baseline=baseline,
    )


def _comparisons(
    cells: Mapping[tuple[str, str, str], Sequence[ItemResult]], baseline: str, *, seed: int, resamples: int
) -> tuple[Comparison, ...]:
    pairs = []
    for (dataset, model, system), results in cells.items():
        against = cells.get((dataset, model, baseline))
        if system == baseline or against is None:
            continue
        paired = compare(results, against, seed=seed, resamples=resamples)
        if paired is not None:
            pairs.append(((dataset, model, system), paired))
    adjusted = holm([paired.p_value for _, paired in pairs])
    return tuple(
        Comparison(*cell, baseline=baseline, paired=paired, p_holm=p)
        for (cell, paired), p in zip(pairs, adjusted, strict=True)
    )


def _place(
    cell: tuple[str, str, str], signature: EvaluationSignature
) -> tuple[tuple[int, str], tuple[int, str], tuple[int, str]]:
    known = (
        [dataset.name for dataset in signature.datasets],
        [model.name for model in signature.models],
        list(signature.systems),
    )
    first, second, third = (
        (names.index(name) if name in names else len(names), name)
        for name, names in zip(cell, known, strict=True)
    )
    return first, second, third


def _warnings(
    cells: Sequence[CellSummary], comparisons: Sequence[Comparison], signature: EvaluationSignature
) -> list[str]:
    said = []
    expected = {dataset.name: dataset.items for dataset in signature.datasets}
    for cell in cells:
        name, answers = f"{cell.dataset} / {cell.model} / {cell.system}", sum(cell.outcomes.values())
        wanted = expected.get(cell.dataset, cell.items) * cell.seeds
        if answers != wanted:
            said.append(f"{name}: {answers} of {wanted} answers are there; the cell is not finished")
        failed = cell.outcomes[Outcome.ERROR]
        if failed > MAX_ERROR_RATE * answers:
            said.append(
                f"{name}: {failed} of {answers} calls failed, more than {MAX_ERROR_RATE:.0%}; they count as wrong,"
                " and the accuracy says little of the system"
            )
    copies = {(cell.dataset, cell.items - cell.clusters) for cell in cells if cell.clusters < cell.items}
    said += [f"{dataset}: {n} questions are copies of others" for dataset, n in sorted(copies)]
    said += [
        f"{c.dataset} / {c.model} / {c.system}: compared with {c.baseline} on {c.paired.items} common items;"
        f" {c.paired.only_in_one} answers are in one of the two only"
        for c in comparisons
        if c.paired.only_in_one
    ]
    return said
