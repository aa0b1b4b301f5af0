"""From what was found in a text to :class:`~metarag.types.EffectEstimate`."""

from __future__ import annotations

from typing import Any

from metarag.effect_arms import ArmResult
from metarag.effect_context import About, Narrator
from metarag.effect_document import Document
from metarag.effect_judgement import FAILED, judge
from metarag.effect_raw import RawEffect, standard_deviation
from metarag.effect_readings import Reading
from metarag.effect_roles import POOLABLE_ROLES
from metarag.effect_sentences import Found
from metarag.effect_text import PlainText
from metarag.types import EffectEstimate, Span


class Estimator:
    """Makes the estimates of one text, in the order of the text."""

    def __init__(self, source: PlainText, document: Document, where: str) -> None:
        self._source = source
        self._document = document
        self._where = where
        self._narrator = Narrator(source.text)

    def estimate(self, found: Found) -> EffectEstimate:
        """Return one found effect, judged and described."""
        span = self._span(found.start, found.end)
        measure = found.item.measure if isinstance(found.item, RawEffect) else found.item.measure.name
        described = self._described(self._narrator.about(found, measure))
        if isinstance(found.item, RawEffect):
            return self._raw(found, found.item, span, described)
        return self._printed(found, found.item, span, described)

    def _span(self, start: int, end: int) -> Span:
        first, last = self._source.source_span(start, end)
        return Span.cut(self._where, self._source.source, first, last)

    def _described(self, about: About) -> dict[str, Any]:
        outcome, comparison = about.outcome, about.comparison
        return {
            "outcome": outcome.text if outcome is not None else None,
            "outcome_key": about.outcome_key,
            "outcome_span": self._span(outcome.start, outcome.end) if outcome is not None else None,
            "orientation": outcome.polarity if outcome is not None else None,
            "comparison": comparison.text if comparison is not None else None,
            "comparison_key": comparison.key if comparison is not None else None,
        }

    @staticmethod
    def _printed(found: Found, reading: Reading, span: Span, described: dict[str, Any]) -> EffectEstimate:
        judged = judge(reading, text_level=found.text_level)
        measure, p = reading.measure, reading.p
        flags = tuple(dict.fromkeys((*measure.flags, *judged.flags)))
        usable = measure.poolable and judged.se_source != "not_recoverable" and FAILED.isdisjoint(flags)
        return EffectEstimate(
            measure=measure.name,
            estimate=judged.numbers.estimate,
            lower=judged.numbers.lower,
            upper=judged.numbers.upper,
            level=judged.level,
            scale=measure.scale,
            effect=judged.numbers.effect,
            standard_error=judged.standard_error,
            se_source=judged.se_source,
            p=p.value if p is not None else None,
            p_operator=p.operator if p is not None else None,
            role=found.role,
            poolable=usable and found.role in POOLABLE_ROLES,
            flags=flags,
            adjusted=measure.adjusted,
            span=span,
            **described,
        )

    def _raw(self, found: Found, raw: RawEffect, span: Span, described: dict[str, Any]) -> EffectEstimate:
        flags = list(raw.flags)
        shares = self._document.shares_participants
        flags += ["design_not_accounted_for"] * shares + ["shared_control"] * raw.pair.shared_control
        one, two, derived = raw.pair.one, raw.pair.two, raw.derived
        known_source = "counts" if raw.measure == "2x2" else "means"
        return EffectEstimate(
            measure=raw.measure,
            scale="log" if raw.measure == "2x2" else "identity",
            effect=derived.effect if derived is not None else None,
            standard_error=derived.standard_error if derived is not None else None,
            se_source=known_source if derived is not None else "not_recoverable",
            role=found.role,
            poolable=raw.poolable and found.role in POOLABLE_ROLES and not shares,
            flags=tuple(flags),
            arms_known=raw.pair.arms_known,
            events_1=one.events,
            total_1=one.total,
            events_2=two.events,
            total_2=two.total,
            mean_1=one.mean,
            sd_1=self._deviation(one),
            mean_2=two.mean,
            sd_2=self._deviation(two),
            span=span,
            **described,
        )

    def _deviation(self, arm: ArmResult) -> float | None:
        return None if arm.spread_value is None else standard_deviation(arm, self._document.spreads)
