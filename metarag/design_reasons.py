"""What a source says of a design: signals, each with its evidence, and labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple, Self

from metarag.types import DesignSignal, SignalSource, Span, StudyDesign
from metarag.unchecked import unchecked


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
        if not parts:
            return cls()
        signals, labels = zip(*parts, strict=True)
        return cls(tuple(chain.from_iterable(signals)), frozenset().union(*labels))


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
        signal = signal_of(self.design, source, evidence, self.weight, span)
        return Reasons(signals=(signal,), labels=frozenset(self.labels))


def signal_of(
    design: StudyDesign, source: SignalSource, evidence: str, weight: float, span: Span | None
) -> DesignSignal:
    """Return a signal without validating it: for the rules of this package, whose weights are in [0, 1]."""
    values = {"design": design, "source": source, "evidence": evidence, "weight": weight, "span": span}
    return unchecked(DesignSignal, values, _SIGNAL_FIELDS)


# Pydantic asks for a set that is not frozen; a copy of a signal has a copy of it.
_SIGNAL_FIELDS: Final = set(DesignSignal.model_fields)


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Fold a name for comparison: case and runs of white space do not matter."""
    return " ".join(name.split()).casefold()
