"""When a study may be left out for disagreeing: never, unless every one of these conditions holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from metarag.meta_analysis import (
    Influence,
    direction_conflict,
    influence,
    pair_deletion,
    two_cluster_split,
)
from metarag.meta_inputs import Index, Vector
from metarag.option_models import Options

MIN_STUDIES = 5
"""Studies in a pool before a flag can change anything: fewer do not show a spread to stand out from."""


class GuardOptions(Options):
    """The conditions of the guard; each has to hold for all that would be left out together.

    Parameters
    ----------
    alpha : float
        Level of the deleted residual after Holm's correction over the studies, in (0, 1).
    min_remaining : int
        Studies that must stay, >= 5.
    max_share : float
        Largest share of studies, of weight and of participants that may go, in [0, 0.5).

    References
    ----------
    Viechtbauer & Cheung (2010), Res Synth Methods 1:112-125 (deleted residuals);
    Patsopoulos et al. (2008), Int J Epidemiol 37:1148-1157 (removal is a sensitivity analysis).
    """

    alpha: float = Field(default=0.05, gt=0, lt=1)
    min_remaining: int = Field(default=MIN_STUDIES, ge=MIN_STUDIES)
    max_share: float = Field(default=0.2, ge=0, lt=0.5)


@dataclass(frozen=True, slots=True)
class PoolConflict:
    """Whether the studies of a pool disagree in kind, and in which sentence to say so.

    Attributes
    ----------
    status : str
        ``direction_conflict``, ``two_clusters`` or ``none``.
    lower, upper : tuple of int
        Indices of the studies on either side.
    sentence : str or None
        For a person; ``None`` without a conflict.
    """

    status: str
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    sentence: str | None


@dataclass(frozen=True, slots=True)
class GuardResult:
    """Which studies stand out, and which of them may be left out.

    Attributes
    ----------
    flagged : tuple of int
        Studies whose deleted residual is significant, or that are half of a pair that is.
    excluded : tuple of int
        Those that every condition allows to leave out; empty when one fails.
    failed : tuple of str
        The conditions that did not hold, as sentences; empty when nothing was flagged.
    masked : tuple of int
        Those of ``flagged`` that stand out only once others are gone.
    largest : int or None
        The study with most participants; ``None`` when nothing was flagged.
    """

    flagged: tuple[int, ...]
    excluded: tuple[int, ...]
    failed: tuple[str, ...]
    masked: tuple[int, ...] = ()
    largest: int | None = None

    @property
    def largest_flagged(self) -> bool:
        """The largest study stands out: nobody can tell whether it errs or the smaller ones do."""
        return self.largest in self.flagged


def find_conflict(effects: Vector, variances: Vector) -> PoolConflict:
    """Return the conflict of a pool: effects on both sides of the null, or two clusters."""
    if effects.size < 2:
        return PoolConflict("none", (), (), None)
    direction = direction_conflict(effects, variances)
    if direction and direction.is_opposed:
        sentence = (
            f"{_studies(direction.below)} and {_studies(direction.above)} point to opposite sides,"
            " each with an interval that excludes no effect."
        )
        return PoolConflict("direction_conflict", direction.below, direction.above, sentence)
    split = two_cluster_split(effects, variances)
    if split and split.is_split:
        sentence = (
            f"The studies fall into two groups ({len(split.lower)} and {len(split.upper)}) that explain"
            f" {split.share:.0%} of the variation between them."
        )
        return PoolConflict("two_clusters", split.lower, split.upper, sentence)
    if direction and direction.is_conflict:
        sentence = (
            "The pooled interval excludes no effect, but the true effects spread over both sides of it."
        )
        return PoolConflict("direction_conflict", *_sides(effects), sentence)
    return PoolConflict("none", (), (), None)


def guard(
    effects: Vector,
    variances: Vector,
    participants: Sequence[int | None],
    options: GuardOptions | None = None,
    *,
    measured: Influence | None = None,
) -> GuardResult:
    """Return which studies stand out and whether they may be left out.

    Parameters
    ----------
    effects, variances : array of shape (k,)
        On an additive scale; variances > 0.
    participants : sequence of int or None
        Of each study. Where any is not known, precision (1 / variance) stands in for all.
    options : GuardOptions or None
        The conditions.
    measured : Influence or None
        Of these studies, where it is known already.
    """
    options = options or GuardOptions()
    if effects.size < MIN_STUDIES:
        return GuardResult((), (), ())
    found = measured or influence(effects, variances)
    if found.rstudent_p_holm is None or found.hat is None:
        return GuardResult((), (), ())
    single = set(np.flatnonzero(found.rstudent_p_holm < options.alpha).tolist())
    masked = _masked(effects, variances, single, options.alpha)
    flagged = tuple(sorted(single | masked))
    if not flagged:
        return GuardResult((), (), ())
    size, measure = _sizes(variances, participants)
    failed = _failed_conditions(effects, variances, sorted(single), found.hat, size, measure, options)
    if masked:
        failed.append(
            "others stand out once it is gone, so that no single study is to blame"
            if single
            else "two studies stand out only together"
        )
    return GuardResult(
        flagged,
        () if failed else tuple(sorted(single)),
        tuple(failed),
        masked=tuple(sorted(masked)),
        largest=int(np.argmax(size)),
    )


def _failed_conditions(
    effects: Vector,
    variances: Vector,
    out: list[int],
    weight: Vector,
    size: Vector,
    measure: str,
    options: GuardOptions,
) -> list[str]:
    k = effects.size
    keep = np.setdiff1d(np.arange(k), out)
    failed = []
    if int(np.argmax(size)) in out:
        failed.append(f"the study with most of {measure} would go")
    if keep.size < options.min_remaining:
        failed.append(f"only {keep.size} studies would be left; {options.min_remaining} are needed")
    for name, share in (
        ("studies", len(out) / k),
        ("the weight", float(weight[out].sum())),
        (measure, float(size[out].sum() / size.sum())),
    ):
        if share > options.max_share:
            failed.append(f"{share:.0%} of {name} would go; at most {options.max_share:.0%} may")
    conflict = _standing_conflict(effects, variances, out, keep)
    if conflict:
        failed.append(f"the studies conflict: {conflict.rstrip('.')}")
    return failed


def _standing_conflict(effects: Vector, variances: Vector, out: list[int], keep: Index) -> str | None:
    """Return the conflict that forbids leaving studies out: of all studies, or of those that would stay.

    A gross error must not protect itself: where all that is opposed to the others would go, only the
    others count.
    """
    conflict = find_conflict(effects, variances)
    alone = bool(conflict.lower) and (set(conflict.lower) <= set(out) or set(conflict.upper) <= set(out))
    if conflict.sentence and not alone:
        return conflict.sentence
    return find_conflict(effects[keep], variances[keep]).sentence


def _masked(effects: Vector, variances: Vector, single: set[int], alpha: float) -> set[int]:
    """Return studies that stand out only when others are gone: outliers hide one another.

    Five have to stay for any to stand out from: of five studies the two largest would be "a pair" apart from
    three small ones.
    """
    if not single:
        pairs = pair_deletion(effects, variances) if effects.size >= MIN_STUDIES + 2 else None
        if pairs is None:
            return set()
        best = int(np.argmin(pairs.p_holm))
        found = pairs.p_holm[best] < alpha
        return {int(pairs.first[best]), int(pairs.second[best])} if found else set()
    rest = np.setdiff1d(np.arange(effects.size), sorted(single))
    if rest.size < MIN_STUDIES:
        return set()
    p_holm = influence(effects[rest], variances[rest]).rstudent_p_holm
    return set() if p_holm is None else set(rest[p_holm < alpha].tolist())


def _sizes(variances: Vector, participants: Sequence[int | None]) -> tuple[Vector, str]:
    known = [n for n in participants if n is not None]
    if len(known) == len(participants):
        return np.array(known, dtype=np.float64), "the participants"
    return 1 / variances, "the precision (participants are not known for all)"


def _sides(effects: Vector) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(np.flatnonzero(effects < 0).tolist()), tuple(np.flatnonzero(effects >= 0).tolist())


def _studies(indices: Sequence[int]) -> str:
    return f"{len(indices)} {'study' if len(indices) == 1 else 'studies'}"
