"""The pooled results of a synthesis, as a reader is shown them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from metarag.audit import Measurement, Synthesis
from metarag.report.numbers import count

MAIN: Final = "dersimonian_laird"
WITHOUT: Final = "without_flagged_"


@dataclass(frozen=True, slots=True)
class Pooled:
    """One pooled effect with its interval, on the analysis scale.

    Attributes
    ----------
    name : str
        What was pooled.
    low, high : float
        Hartung-Knapp interval (floored) where there is one, else the normal one.
    adjusted : bool
        True for Hartung-Knapp.
    without : bool
        True for the pool without the studies that stand out.
    """

    name: str
    effect: float
    low: float
    high: float
    adjusted: bool
    without: bool = False


def pools_of(synthesis: Synthesis) -> tuple[Pooled, ...]:
    """Return the pool of all studies and, where any stands out, the pool without those.

    Empty where fewer than two studies were pooled.
    """
    total = len(synthesis.studies)
    if total < 2:
        return ()
    flagged = sum("outlier" in study.flags for study in synthesis.studies)
    largest = any("largest" in study.flags for study in synthesis.studies)
    which = "" if not largest else ", the largest study" if flagged == 1 else ", the largest study among them"
    names = {
        MAIN: f"All {count(total, 'study', 'studies')}",
        f"{WITHOUT}{MAIN}": f"Without {flagged} that stand{'s' if flagged == 1 else ''} out{which}",
    }
    found = (pooled(name, synthesis.results.get(key), without=key != MAIN) for key, name in names.items())
    return tuple(pool for pool in found if pool)


def pooled(name: str, result: dict[str, Measurement] | None, *, without: bool = False) -> Pooled | None:
    """Return one result of an estimator; ``None`` where its numbers are missing."""
    if not result:
        return None
    adjusted = isinstance(result.get("hk_low"), float)
    prefix = "hk" if adjusted else "z"
    effect, low, high = result.get("effect"), result.get(f"{prefix}_low"), result.get(f"{prefix}_high")
    if not (isinstance(effect, float) and isinstance(low, float) and isinstance(high, float)):
        return None
    return Pooled(name=name, effect=effect, low=low, high=high, adjusted=adjusted, without=without)
