"""Systems that differ in nothing but the number of articles: the best of them is no measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metarag.evaluation.metrics import CellSummary
from metarag.evaluation.signature import EvaluationSignature


@dataclass(frozen=True, slots=True)
class BestOf:
    """The best of several cells that differ in the number of articles, picked with the results at hand.

    Attributes
    ----------
    cells : tuple of CellSummary
        By the number of articles, ascending.
    best : CellSummary
        The most accurate; of equal ones that with the fewest articles.
    mean : float
        Of their accuracies: what a number that was fixed beforehand can be expected to give.
    """

    cells: tuple[CellSummary, ...]
    best: CellSummary
    mean: float


def best_of(cells: Sequence[CellSummary], signature: EvaluationSignature) -> tuple[BestOf, ...]:
    """Return the best of each group of cells that differ in nothing but the number of articles shown.

    The paper's tables report such bests of one to four articles, picked on the questions that they are reported
    for. With noise alone the best of four is above their mean.

    References
    ----------
    Sun M, et al. META-RAG. arXiv 2510.24003, tables 1 to 3: D1 to D4 and "Best".
    """
    groups: dict[tuple[str, str, str], list[CellSummary]] = {}
    for cell in cells:
        settings = signature.systems.get(cell.system)
        if settings is None or settings.get("order") == "none" or "top_n" not in settings:
            continue
        others = {name: value for name, value in settings.items() if name != "top_n"}
        groups.setdefault((cell.dataset, cell.model, json.dumps(others, sort_keys=True)), []).append(cell)
    found = []
    for group in groups.values():
        if len(group) < 2:
            continue
        ordered = sorted(group, key=lambda cell: articles_of(cell.system, signature) or 0)
        best = max(ordered, key=lambda cell: cell.accuracy)
        mean = sum(cell.accuracy for cell in ordered) / len(ordered)
        found.append(BestOf(tuple(ordered), best, mean))
    return tuple(found)


def chosen_afterwards(cells: Sequence[CellSummary], signature: EvaluationSignature) -> Iterator[str]:
    """Yield a warning for each such group."""
    for group in best_of(cells, signature):
        names = ", ".join(cell.system for cell in group.cells)
        yield (
            f"{group.best.dataset} / {group.best.model}: {names} differ in nothing but the number of articles."
            f" The best of them ({group.best.system}, {group.best.accuracy:.1%}) is picked on these very"
            f" questions and is no measurement of the system; their mean is {group.mean:.1%}"
        )


def articles_of(system: str, signature: EvaluationSignature) -> int | None:
    """Return how many articles a system shows at most; ``None`` where the signature does not say."""
    number = signature.systems.get(system, {}).get("top_n")
    return number if isinstance(number, int) else None
