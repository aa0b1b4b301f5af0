"""Effects in text: every ratio, difference, table of counts and pair of means, with its place and its checks.

Text is made plain (:mod:`effect_text`) and cut into tokens (:mod:`effect_tokens`), the tokens get their
meaning (:mod:`effect_marks`), and a small grammar reads estimates with their intervals
(:mod:`effect_grammar`), P values or standard errors (:mod:`effect_points`) and raw arm data
(:mod:`effect_raw`). Each reading gets a role (:mod:`effect_roles`) and is checked against itself
(:mod:`effect_judgement`).
"""

from __future__ import annotations

from metarag.effect_document import Document
from metarag.effect_grammar import Reading
from metarag.effect_judgement import FAILED, judge
from metarag.effect_raw import RawEffect, standard_deviation
from metarag.effect_roles import POOLABLE_ROLES
from metarag.effect_sentences import Found, find_effects
from metarag.effect_text import PlainText, plain
from metarag.types import EffectEstimate, Span


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
        Of effects with ``poolable`` true, those with ``se_source`` ``p_bound_only`` have no standard
        error: 'P < 0.001' only bounds it.
    """
    source = plain(text)
    document = Document(source.text)
    seen: dict[tuple[object, ...], int] = {}
    effects: list[EffectEstimate] = []
    for found in find_effects(source, document):
        effect = _estimate(found, source, document, where)
        _add(effect, effects, seen)
    return tuple(effects)


def _add(effect: EffectEstimate, effects: list[EffectEstimate], seen: dict[tuple[object, ...], int]) -> None:
    """Append the effect unless it was printed before; the mention that says more stays."""
    raw = (effect.events_1, effect.total_1, effect.events_2, effect.total_2, effect.mean_1, effect.mean_2)
    full = (effect.measure, effect.estimate, effect.lower, effect.upper, raw)
    short = (effect.measure, effect.estimate, None, None, raw)
    bare = effect.lower is None and effect.upper is None
    if (effect.lower is None) != (effect.upper is None) and short in seen:
        return
    before = seen.get(full) if not bare else seen.get(short)
    if before is None and not bare:
        earlier = seen.get((*short, "bare"))
        if earlier is not None:
            effects[earlier] = effect
            seen[full] = earlier
            return
    if before is not None:
        if effects[before].p is None and effect.p is not None and not bare:
            effects[before] = effects[before].model_copy(
                update={"p": effect.p, "p_operator": effect.p_operator}
            )
        return
    seen[full] = seen[short] = len(effects)
    if bare:
        seen[(*short, "bare")] = len(effects)
    effects.append(effect)


def _estimate(found: Found, source: PlainText, document: Document, where: str) -> EffectEstimate:
    start, end = source.source_span(found.start, found.end)
    span = Span(where=where, start=start, end=end, text=source.source[start:end])
    if isinstance(found.item, Reading):
        return _printed_effect(found, found.item, span)
    return _raw_effect(found, found.item, span, document)


def _printed_effect(found: Found, reading: Reading, span: Span) -> EffectEstimate:
    judged = judge(reading, text_level=found.text_level)
    measure, p = reading.measure, reading.p
    flags = tuple(dict.fromkeys((*measure.flags, *judged.flags)))
    poolable = (
        found.role in POOLABLE_ROLES
        and measure.poolable
        and judged.se_source != "not_recoverable"
        and FAILED.isdisjoint(flags)
    )
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
        poolable=poolable,
        flags=flags,
        adjusted=measure.adjusted,
        span=span,
    )


def _raw_effect(found: Found, raw: RawEffect, span: Span, document: Document) -> EffectEstimate:
    flags = list(raw.flags)
    if document.shares_participants:
        flags.append("design_not_accounted_for")
    if found.shared_control:
        flags.append("shared_control")
    one, two = raw.pair.one, raw.pair.two
    poolable = raw.poolable and found.role in POOLABLE_ROLES and "design_not_accounted_for" not in flags
    return EffectEstimate(
        measure=raw.measure,
        scale="log" if raw.measure == "2x2" else "identity",
        effect=raw.derived.effect if raw.derived is not None else None,
        standard_error=raw.derived.standard_error if raw.derived is not None else None,
        se_source=("counts" if raw.measure == "2x2" else "means")
        if raw.derived is not None
        else "not_recoverable",
        role=found.role,
        poolable=poolable,
        flags=tuple(dict.fromkeys(flags)),
        arms_known=raw.pair.arms_known,
        events_1=one.events,
        total_1=one.total,
        events_2=two.events,
        total_2=two.total,
        mean_1=one.mean,
        sd_1=standard_deviation(one, document.spreads),
        mean_2=two.mean,
        sd_2=standard_deviation(two, document.spreads),
        span=span,
    )
