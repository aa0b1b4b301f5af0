"""From results of single questions to a report: cells, paired comparisons, and what a reader has to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metarag.errors import InputError
from metarag.evaluation.best_of import articles_of, chosen_afterwards
from metarag.evaluation.calibration import Calibration, calibration
from metarag.evaluation.evidence_report import EvidenceReport
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
class CellCalibration:
    """How far the confidences of one cell can be believed."""

    dataset: str
    model: str
    system: str
    found: Calibration


@dataclass(frozen=True, slots=True)
class Report:
    """All cells of an experiment.

    Attributes
    ----------
    warnings : tuple of str
        Missing items, failed calls, copies of questions, a choice made afterwards: above the numbers, not below.
    calibrations : tuple of CellCalibration
        Of the cells whose answers have confidences.
    shown : EvidenceReport or None
        What the models were given to read; ``None`` where it was not looked at.
    """

    signature: EvaluationSignature
    cells: tuple[CellSummary, ...]
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...]
    baseline: str | None = None
    calibrations: tuple[CellCalibration, ...] = ()
    shown: EvidenceReport | None = None


def build_report(
    results: Sequence[ItemResult],
    *,
    signature: EvaluationSignature,
    baseline: str | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    shown: EvidenceReport | None = None,
) -> Report:
    """Summarise all cells, and compare each system with the baseline on the same items.

    Cells stand in the order of the signature's data sets, models and systems, so that the order of the results
    makes no difference.

    Parameters
    ----------
    baseline : str or None
        A system, or the name of several that differ in the number of articles: each system is then compared with
        the one that shows as many. ``None`` compares nothing.
    shown : EvidenceReport or None
        What was found of the articles that were shown (:func:`metarag.evaluation.evidence_report.look_at`).
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
    against = _against(baseline, sorted({system for _, _, system in cells}), signature) if baseline else {}
    ordered = {cell: cells[cell] for cell in sorted(cells, key=lambda cell: _place(cell, signature))}
    summaries = tuple(summarise(found) for found in ordered.values())
    comparisons = _comparisons(ordered, against, seed=seed, resamples=resamples)
    return Report(
        signature=signature,
        cells=summaries,
        comparisons=comparisons,
        warnings=(*_warnings(summaries, comparisons, signature), *chosen_afterwards(summaries, signature)),
        baseline=baseline,
        calibrations=tuple(
            CellCalibration(*cell, found) for cell, of in ordered.items() if (found := calibration(of))
        ),
        shown=shown,
    )


def _against(baseline: str, systems: Sequence[str], signature: EvaluationSignature) -> dict[str, str]:
    """Return what each system is compared with; one of several baselines by the number of articles."""
    if baseline in systems:
        return {system: baseline for system in systems if system != baseline}
    by_number = {articles_of(s, signature): s for s in systems if s.partition("@")[0] == baseline}
    if not by_number:
        raise InputError(f"no results of the baseline {baseline!r}; there are {', '.join(systems)}")
    only = next(iter(by_number.values())) if len(by_number) == 1 else None
    found = {system: by_number.get(articles_of(system, signature), only) for system in systems}
    return {s: other for s, other in found.items() if other is not None and s not in by_number.values()}


def _comparisons(
    cells: Mapping[tuple[str, str, str], Sequence[ItemResult]],
    against: Mapping[str, str],
    *,
    seed: int,
    resamples: int,
) -> tuple[Comparison, ...]:
    pairs = []
    for (dataset, model, system), results in cells.items():
        base = cells.get((dataset, model, against.get(system, "")))
        paired = compare(results, base, seed=seed, resamples=resamples) if base else None
        if paired is not None:
            pairs.append(((dataset, model, system), paired))
    adjusted = holm([paired.p_value for _, paired in pairs])
    return tuple(
        Comparison(*cell, baseline=against[cell[2]], paired=paired, p_holm=p)
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
    expected: Counter[str] = Counter()
    for dataset in signature.datasets:
        expected[dataset.name] += dataset.items
    for cell in cells:
        name, answers = f"{cell.dataset} / {cell.model} / {cell.system}", sum(cell.outcomes.values())
        wanted = (expected[cell.dataset] or cell.items) * cell.seeds
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
