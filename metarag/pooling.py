"""Which effects may be pooled with which: one outcome, comparison, orientation, measure and kind of design.

When in doubt an effect is not pooled, and the reason is kept: likeness found by retrieval is not
likeness of population and outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

import numpy as np

from metarag.comparison_keys import comparison_key, is_control_first
from metarag.heterogeneity_signs import contradicts_words
from metarag.heterogeneity_tables import with_table_keys
from metarag.meta_inputs import Vector
from metarag.study_links import in_words, study_ids
from metarag.types import SYNTHESES, EffectEstimate, Evidence, StudyDesign


class Tier(StrEnum):
    """Kinds of designs that are never pooled with one another."""

    RANDOMISED = "randomised"
    OBSERVATIONAL = "observational"


_RANDOMISED: Final = frozenset({StudyDesign.RANDOMIZED_TRIAL, StudyDesign.N_OF_1_TRIAL})
_OBSERVATIONAL: Final = frozenset(
    {
        StudyDesign.QUASI_RANDOMIZED_TRIAL,
        StudyDesign.NON_RANDOMIZED_TRIAL,
        StudyDesign.COHORT,
        StudyDesign.NESTED_CASE_CONTROL,
        StudyDesign.CASE_CONTROL,
        StudyDesign.CROSS_SECTIONAL,
        StudyDesign.INTERRUPTED_TIME_SERIES,
        StudyDesign.BEFORE_AFTER,
        StudyDesign.REGISTRY,
        StudyDesign.OBSERVATIONAL,
    }
)
# effect_sizes turns arm data into these; a table has no measure of its own.
_MEASURE_OF_RAW: Final = {"2x2": "RR", "means": "MD"}

# Rules that do not look at the result: the study's own words first, then how well its error is known.
_ROLE_ORDER: Final = ("study", "secondary")
_SE_SOURCE_ORDER: Final = ("ci", "se", "counts", "means", "one_sided", "p")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An effect of an article, with what of the article decides where it belongs.

    Parameters
    ----------
    key : str
        :attr:`Evidence.key`.
    effect : EffectEstimate
        As extracted.
    design : StudyDesign
        Of the article.
    study_ids : frozenset of str
        What the article shares with other reports of its study, by
        :func:`metarag.study_links.study_ids`: articles that share one report the same study.
    participants : int or None
        Sample size, where it is known.
    comparison : str or None
        What it compares, by :func:`metarag.comparison_keys.comparison_key`.
    contradicted : bool
        The words before it say the opposite of its sign, by
        :func:`metarag.heterogeneity_signs.contradicts_words`.
    """

    key: str
    effect: EffectEstimate
    design: StudyDesign
    study_ids: frozenset[str]
    participants: int | None = None
    comparison: str | None = None
    contradicted: bool = False

    @property
    def measure(self) -> str:
        """The measure it is pooled as."""
        return _MEASURE_OF_RAW.get(self.effect.measure, self.effect.measure)


@dataclass(frozen=True, slots=True, order=True)
class PoolKey:
    """What the effects of a pool have in common."""

    measure: str
    outcome_key: str
    comparison_key: str
    orientation: str
    tier: Tier

    def __str__(self) -> str:
        return " | ".join((self.measure, self.outcome_key, self.comparison_key, self.orientation, self.tier))


@dataclass(frozen=True, slots=True)
class Pool:
    """Effects that may be pooled, one for each independent study, ordered by their keys.

    A pool of one study is a pool: whoever pools says how many it takes.
    """

    key: PoolKey
    candidates: tuple[Candidate, ...]

    @property
    def k(self) -> int:
        """Number of independent studies, >= 1."""
        return len(self.candidates)

    @property
    def effects(self) -> Vector:
        """Effects on the analysis scale, shape (k,)."""
        return np.array([c.effect.effect for c in self.candidates], dtype=np.float64)

    @property
    def variances(self) -> Vector:
        """Squared standard errors, shape (k,)."""
        return np.array([c.effect.standard_error for c in self.candidates], dtype=np.float64) ** 2


@dataclass(frozen=True, slots=True)
class NotPooled:
    """An effect that joined no pool, the rule (``pooling.same_study`` ...) and the reason in one sentence."""

    candidate: Candidate
    criterion: str
    reason: str


@dataclass(frozen=True, slots=True)
class Grouping:
    """Every candidate, once: in a pool or among those not pooled."""

    pools: tuple[Pool, ...]
    not_pooled: tuple[NotPooled, ...]


def candidates_from(evidence: Iterable[Evidence]) -> tuple[Candidate, ...]:
    """Return all effects of the appraised evidence, in its order."""
    # Reports without effects are linked with nothing.
    items = [(item, item.appraisal) for item in evidence if item.appraisal and item.appraisal.effects]
    ids = study_ids([item for item, _ in items])
    return tuple(
        Candidate(
            key=item.key,
            effect=effect,
            design=appraisal.design.design,
            study_ids=ids[item.key],
            participants=appraisal.sample_size.total if appraisal.sample_size else None,
            comparison=comparison_key(effect, appraisal.pico),
            contradicted=_is_contradicted(item, effect, appraisal.design.design),
        )
        for item, appraisal in items
        for effect in with_table_keys(appraisal.effects)
    )


def _is_contradicted(item: Evidence, effect: EffectEstimate, design: StudyDesign) -> bool:
    """Compare words and sign of a trial's effect; elsewhere "higher" is as often the exposure's word."""
    if not effect.poolable or effect.outcome_key is None or design not in _RANDOMISED:
        return False
    return contradicts_words(effect, item.article.abstract or "")


def group_effects(candidates: Iterable[Candidate]) -> Grouping:
    """Sort effects into pools; keep the reason for each that joins none.

    Parameters
    ----------
    candidates : iterable of Candidate
        In any order: the result does not depend on it.

    Returns
    -------
    Grouping
        Pools sorted by their keys. Of several effects of one study in a pool one is kept: the
        study's own result before a secondary one, then adjusted, then the better known standard
        error, then more participants, then the first in the text. No rule looks at the result.

    References
    ----------
    Cochrane Handbook 9.3 (what may be combined), 23.3.4 (one comparison a study),
    Senn (2009), BMC Med Res Methodol 9:10 (double counting).
    """
    groups: dict[PoolKey, list[Candidate]] = {}
    not_pooled: list[NotPooled] = []
    for candidate in sorted(candidates, key=_place):
        placed = _pool_key(candidate)
        if isinstance(placed, NotPooled):
            not_pooled.append(placed)
        else:
            groups.setdefault(placed, []).append(candidate)
    pools = []
    for key in sorted(groups):
        kept, repeats = _one_for_each_study(groups[key])
        pools.append(Pool(key=key, candidates=kept))
        not_pooled.extend(repeats)
    return Grouping(
        pools=tuple(pools), not_pooled=tuple(sorted(not_pooled, key=lambda item: _place(item.candidate)))
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Content:
    """All of a candidate, to order two of the same place; written out only where there are two."""

    candidate: Candidate

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and self._written() == other._written()

    def __lt__(self, other: _Content) -> bool:
        return self._written() < other._written()

    def _written(self) -> tuple[str, str, str]:
        ids = "|".join(sorted(self.candidate.study_ids))
        return self.candidate.effect.model_dump_json(), ids, self.candidate.design.value


Place = tuple[str, str, int, int, _Content]
"""Where a candidate stands among others, whatever order they came in."""


def _place(candidate: Candidate) -> Place:
    span = candidate.effect.span
    return candidate.key, span.where, span.start, span.end, _Content(candidate)


def _pool_key(candidate: Candidate) -> PoolKey | NotPooled:
    effect = candidate.effect
    is_review = candidate.design in SYNTHESES
    if not effect.poolable and not (is_review and effect.role == "pooled"):
        return _not_poolable(candidate)
    if effect.effect is None or effect.standard_error is None:
        return NotPooled(candidate, "pooling.no_standard_error", "Its standard error cannot be recovered.")
    if effect.measure in _MEASURE_OF_RAW and not effect.arms_known:
        return NotPooled(candidate, "pooling.arms_unknown", "Which arm had the intervention is not known.")
    if is_review and effect.outcome_key is not None:
        reason = "It sums up other studies, which may be among those pooled."
        return NotPooled(candidate, "pooling.review", reason)
    if is_control_first(effect):
        reason = "It is printed as control against treatment, so that its sign is that of the control."
        return NotPooled(candidate, "pooling.control_first", reason)
    outcome, comparison, orientation = effect.outcome_key, candidate.comparison, effect.orientation
    if outcome is None or comparison is None or orientation is None:
        keys = {"outcome": outcome, "comparison": comparison, "orientation of the outcome": orientation}
        missing = [name for name, value in keys.items() if value is None]
        return NotPooled(candidate, "pooling.key_missing", f"Not known: {', '.join(missing)}.")
    tier = tier_of(candidate.design)
    if not isinstance(tier, Tier):
        design = candidate.design.value.replace("_", " ")
        reason = f"Its design ({design}) does not say whether it was randomised or observational."
        return NotPooled(candidate, "pooling.design", reason)
    if candidate.contradicted:
        reason = "The words before it say that the outcome went the other way than its number."
        return NotPooled(candidate, "pooling.sign_unclear", reason)
    return PoolKey(candidate.measure, outcome, comparison, orientation, tier)


def _not_poolable(candidate: Candidate) -> NotPooled:
    effect = candidate.effect
    if "no_information" in effect.flags:
        reason = "In both arms nobody had the event, or everybody: that says nothing of a ratio."
        return NotPooled(candidate, "pooling.no_information", reason)
    if effect.role not in _ROLE_ORDER:
        role = effect.role.replace("_", " ")
        return NotPooled(candidate, "pooling.not_poolable", f"It is no main result of the study ({role}).")
    flags = ", ".join(effect.flags).replace("_", " ") or "no standard error that can be trusted"
    return NotPooled(candidate, "pooling.not_poolable", f"Its numbers are not sure enough: {flags}.")


def tier_of(design: StudyDesign) -> Tier | Literal["review"] | None:
    """Return the tier of a design; ``review`` for syntheses, ``None`` where the design does not tell."""
    if design in _RANDOMISED:
        return Tier.RANDOMISED
    if design in _OBSERVATIONAL:
        return Tier.OBSERVATIONAL
    return "review" if design in SYNTHESES else None


def _one_for_each_study(
    candidates: Sequence[Candidate],
) -> tuple[tuple[Candidate, ...], list[NotPooled]]:
    kept: list[Candidate] = []
    repeats: list[NotPooled] = []
    for study in _independent_studies(candidates):
        best, *others = sorted(study, key=_preference)
        kept.append(best)
        for other in others:
            where = "the same article" if other.key == best.key else best.key
            linked = in_words(other.study_ids & best.study_ids) if other.key != best.key else ""
            known = f" (known by {linked})" if linked else ""
            reason = f"The same study is in the pool already, by another result of {where}{known}."
            repeats.append(NotPooled(other, "pooling.same_study", reason))
    return tuple(sorted(kept, key=_place)), repeats


def _independent_studies(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Join candidates that share a study id, also by way of a third one."""
    studies: dict[int, list[Candidate]] = {}
    of: dict[str, int] = {}
    for number, candidate in enumerate(candidates):
        met = sorted({of[i] for i in candidate.study_ids if i in of}, key=lambda n: (-len(studies[n]), n))
        # The smaller go over to the largest, so that many joins cost no square of their number.
        target = met[0] if met else number
        joined = studies.setdefault(target, [])
        for other in met[1:]:
            moved = studies.pop(other)
            joined.extend(moved)
            of.update((i, target) for one in moved for i in one.study_ids)
        joined.append(candidate)
        of.update((i, target) for i in candidate.study_ids)
    return list(studies.values())


def _preference(candidate: Candidate) -> tuple[int, bool, int, int, Place]:
    effect = candidate.effect
    return (
        _rank(effect.role, _ROLE_ORDER),
        effect.adjusted is not True,
        _rank(effect.se_source, _SE_SOURCE_ORDER),
        -(candidate.participants or 0),
        _place(candidate),
    )


def _rank(value: str, order: Sequence[str]) -> int:
    return order.index(value) if value in order else len(order)
