"""Reviews beside the studies that they may contain: shown, never pooled, and not independent of each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from metarag.audit import Synthesis, SynthesisStudy
from metarag.pooling import Candidate, Grouping

OWN_RESULT: Final = "A review's own pooled result; not pooled with the studies it may contain."
_Z: Final = 1.959963984540054


def shown_reviews(grouping: Grouping, labels: Mapping[str, str]) -> tuple[Synthesis, ...]:
    """Return the results of reviews, each by itself; where several have one on the same, a note says so.

    Parameters
    ----------
    labels : mapping of str to str
        Evidence key to what a person is shown.

    References
    ----------
    Lunny et al. (2021), BMC Med Res Methodol 21:140 (trials that several reviews contain count repeatedly).
    """
    found = [item.candidate for item in grouping.not_pooled if item.criterion == "pooling.review"]
    reviews = _reviews_by_topic(found)
    return tuple(shown for one in found if (shown := _shown(one, labels, len(reviews.get(_topic(one), ())))))


def overlap_sentence(reviews: int) -> str:
    """Return what a reader has to know of two or more reviews with a result on one outcome."""
    both = "Both reviews" if reviews == 2 else f"The {reviews} reviews"
    return f"{both} may contain the same trials, so their results do not count as independent."


def _topic(candidate: Candidate) -> tuple[str | None, str | None]:
    return candidate.effect.outcome_key, candidate.comparison


def _reviews_by_topic(candidates: Iterable[Candidate]) -> dict[tuple[str | None, str | None], set[str]]:
    """Return the reviews with a result on each outcome and comparison that are known.

    Two records of one review share an id, and are one review.
    """
    found: dict[tuple[str | None, str | None], list[set[str]]] = defaultdict(list)
    for candidate in candidates:
        if None not in _topic(candidate):
            found[_topic(candidate)].append({candidate.key, *candidate.study_ids})
    return {topic: {min(ids) for ids in _joined(groups)} for topic, groups in found.items()}


def _joined(groups: Iterable[set[str]]) -> list[set[str]]:
    joined: list[set[str]] = []
    for ids in groups:
        apart = [other for other in joined if ids.isdisjoint(other)]
        joined = [*apart, ids.union(*(other for other in joined if not ids.isdisjoint(other)))]
    return joined


def _shown(candidate: Candidate, labels: Mapping[str, str], reviews: int) -> Synthesis | None:
    effect = candidate.effect
    value, error = effect.effect, effect.standard_error
    if value is None or error is None:
        return None
    study = SynthesisStudy(
        key=candidate.key,
        label=labels.get(candidate.key, candidate.key),
        effect=value,
        standard_error=error,
        lower=value - _Z * error,
        upper=value + _Z * error,
        measurements={"printed": effect.span.text[:200]},
    )
    return Synthesis(
        id=f"review | {candidate.key} | {effect.span.where}:{effect.span.start}",
        measure=candidate.measure,
        scale=effect.scale,
        outcome=effect.outcome_key or "",
        comparison=candidate.comparison or effect.comparison_key or "",
        tier="review",
        studies=(study,),
        status="shown",
        notes=(OWN_RESULT, overlap_sentence(reviews)) if reviews > 1 else (OWN_RESULT,),
    )
