"""How far an experiment is, and what the rest of it will take."""

from __future__ import annotations

import time
from dataclasses import dataclass

from metarag.evaluation.results import ItemResult, Outcome


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far an experiment is.

    Attributes
    ----------
    done, total : int
        Answers, those of an earlier start of the run among them.
    errors, calls : int
        Failed answers and requests of this start.
    seconds_left : float
        By the pace so far.
    cost, cost_left : float or None
        So far, and what the rest will cost at this rate; ``None`` is unknown.
    """

    done: int
    total: int
    errors: int
    calls: int
    seconds: float
    seconds_left: float
    cost: float | None
    cost_left: float | None


class Pace:
    """Counts what this start of the run did, for the time and cost that are left."""

    def __init__(self, *, done: int, total: int) -> None:
        self.done, self.total = done, total
        self.fresh = self.errors = self.calls = 0
        self.cost: float | None = 0.0
        self._began = time.monotonic()

    def count(self, result: ItemResult) -> RunProgress:
        """Add a result and return how far the run is."""
        self.done += 1
        self.fresh += 1
        self.errors += result.outcome is Outcome.ERROR
        self.calls += result.calls
        self.cost = None if self.cost is None or result.cost is None else self.cost + result.cost
        seconds, left = time.monotonic() - self._began, self.total - self.done
        return RunProgress(
            done=self.done,
            total=self.total,
            errors=self.errors,
            calls=self.calls,
            seconds=seconds,
            seconds_left=seconds / self.fresh * left,
            cost=self.cost,
            cost_left=None if self.cost is None else self.cost / self.fresh * left,
        )
