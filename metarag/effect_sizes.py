"""Effects in text: every ratio, difference, table of counts and pair of means, with its place and its checks.

Text is made plain (:mod:`effect_text`) and cut into tokens (:mod:`effect_tokens`), the tokens get their
meaning (:mod:`effect_marks`), and a small grammar reads estimates with their intervals
(:mod:`effect_grammar`), P values or standard errors (:mod:`effect_points`) and raw arm data
(:mod:`effect_raw`). Each reading gets a role (:mod:`effect_roles`), is checked against itself
(:mod:`effect_judgement`) and told what it is about (:mod:`effect_context`).
"""

from __future__ import annotations

from collections.abc import Sequence

from metarag.effect_document import Document
from metarag.effect_estimates import Estimator
from metarag.effect_proposals import ProposedEffect, verify_proposed
from metarag.effect_sentences import find_effects
from metarag.effect_text import plain
from metarag.types import EffectEstimate

__all__ = ["ProposedEffect", "extract_effects", "verify_proposed"]


def extract_effects(text: str, *, where: str = "text") -> tuple[EffectEstimate, ...]:
    """Return the effects that a text reports, in the order of their places.

    Deterministic, linear in the length of the text, and total: any string gives a tuple.

    Parameters
    ----------
    text : str
        An abstract, a section or a sentence.
    where : str
        What ``Span.where`` says: ``abstract``, ``title``, ``text`` ...

    Returns
    -------
    tuple of EffectEstimate
        An effect printed twice is returned once. ``span`` and ``outcome_span`` index ``text`` as given.
        A table of counts (``2x2``) carries the log risk ratio as its ``effect``, a pair of means the
        mean difference. Of effects with ``poolable`` true, those with ``se_source`` ``p_bound_only``
        have no standard error: 'P < 0.001' only bounds it.
    """
    source = plain(text)
    document = Document(source.text)
    estimator = Estimator(source, document, where)
    collected = _Collected()
    for found in find_effects(source, document):
        collected.add(estimator.estimate(found))
    return _with_shared_controls(collected.effects)


def _with_shared_controls(effects: Sequence[EffectEstimate]) -> tuple[EffectEstimate, ...]:
    """Flag effects on one outcome whose intervention differs and whose control is the same arm."""
    sides: dict[tuple[object, ...], set[str]] = {}
    for effect in effects:
        if effect.comparison_key is not None:
            one, _, two = effect.comparison_key.partition("|")
            sides.setdefault((effect.measure, effect.outcome, two), set()).add(one)
    return tuple(
        effect.model_copy(update={"flags": (*effect.flags, "shared_control")})
        if effect.comparison_key is not None
        and "shared_control" not in effect.flags
        and len(sides[effect.measure, effect.outcome, effect.comparison_key.partition("|")[2]]) > 1
        else effect
        for effect in effects
    )


class _Collected:
    """Effects without repetitions: a second mention adds at most what the first one lacked."""

    def __init__(self) -> None:
        self.effects: list[EffectEstimate] = []
        self._whole: dict[tuple[object, ...], int] = {}
        self._points: dict[tuple[object, ...], int] = {}

    def add(self, effect: EffectEstimate) -> None:
        """Append the effect unless it was printed before."""
        raw = effect.events_1, effect.total_1, effect.events_2, effect.total_2, effect.mean_1, effect.mean_2
        limits = effect.lower, effect.upper
        point = (effect.measure, effect.estimate)
        is_raw = any(value is not None for value in raw)
        if is_raw or None not in limits:
            self._add_whole(effect, (*point, *limits, *raw), point)
        elif not self._is_said(effect, point):
            self._points.setdefault(point, len(self.effects))
            self.effects.append(effect)

    def _add_whole(
        self, effect: EffectEstimate, whole: tuple[object, ...], point: tuple[object, ...]
    ) -> None:
        before = self._whole.get(whole)
        if before is not None:
            known = self.effects[before]
            if known.p is None and effect.p is not None:
                self.effects[before] = known.model_copy(
                    update={"p": effect.p, "p_operator": effect.p_operator}
                )
            return
        place = self._points.get(point)
        if place is not None and point not in self._whole and self.effects[place].p in (None, effect.p):
            self.effects[place] = effect
        else:
            place = len(self.effects)
            self.effects.append(effect)
        self._whole[whole] = self._whole[point] = place

    def _is_said(self, effect: EffectEstimate, point: tuple[object, ...]) -> bool:
        """Tell whether a number with at most one limit only repeats an effect."""
        for known in (self._whole.get(point), self._points.get(point)):
            if known is not None and effect.p in (None, self.effects[known].p):
                return True
        return effect.role == "design"
