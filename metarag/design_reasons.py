"""What a source says of a design: signals, each with its evidence, and labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, Self

from metarag.types import DesignSignal, SignalSource, Span, StudyDesign


class Reasons(NamedTuple):
    """Signals for designs and finer labels, from one source or several.

    Attributes
    ----------
    signals : tuple of DesignSignal
        One for each reason, in the order of the source.
    labels : frozenset of str
        Facts that do not need a design of their own, e.g. ``cluster`` or ``about_trials``.
    """

    signals: tuple[DesignSignal, ...] = ()
    labels: frozenset[str] = frozenset()

    @classmethod
    def gather(cls, *parts: Reasons) -> Self:
        """Join what several sources say."""
        return cls(
            signals=tuple(signal for part in parts for signal in part.signals),
            labels=frozenset().union(*(part.labels for part in parts)),
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """What a publication type, a heading or a phrase says when it is there.

    Attributes
    ----------
    design : StudyDesign or None
        ``None`` when it only gives labels.
    weight : float
        In [0, 1]: how often an article with this sign alone has the design.
    labels : tuple of str
        Finer facts that come with it.
    """

    design: StudyDesign | None
    weight: float = 0.0
    labels: tuple[str, ...] = ()

    def trusted(self, trust: float) -> Claim:
        """Return the claim with its weight times ``trust`` (in [0, 1])."""
        return self if trust == 1.0 else replace(self, weight=self.weight * trust)

    def reasons(self, source: SignalSource, evidence: str, span: Span | None = None) -> Reasons:
        """Return the claim with its provenance."""
        if self.design is None:
            return Reasons(labels=frozenset(self.labels))
        signal = DesignSignal(
            design=self.design, source=source, evidence=evidence, weight=self.weight, span=span
        )
        return Reasons(signals=(signal,), labels=frozenset(self.labels))


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Fold a name for comparison: case and runs of white space do not matter."""
    return " ".join(name.split()).casefold()
