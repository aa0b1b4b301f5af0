"""Tables of counts and pairs of means in a marked sentence, judged as effects."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from metarag.effect_arms import ArmResult, agrees, counted_arms
from metarag.effect_averages import averaged_arms
from metarag.effect_counts import DerivedEffect, count_effect, mean_effect
from metarag.effect_document import Document, SpreadNames
from metarag.effect_pairs import ArmPair, pair_arms
from metarag.effect_tokens import Token

_SIZE_REACH = 14
_BASELINE = re.compile(
    r"\b(?:baseline (?:characteristic|demograph|mean|age|value|score)|at (?:baseline|entry"
    r"|enrol+ment|inclusion)\b|(?:mean|average|median) age\b"
    r"|demographic|age(?:d)? (?:was|of|were)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RawEffect:
    """Two arms' raw data with the effect that they imply.

    Attributes
    ----------
    pair : ArmPair
    measure : {'2x2', 'means'}
    derived : DerivedEffect or None
        The log risk ratio of a table, the mean difference of means.
    flags : tuple of str
    poolable : bool
        False where the numbers disagree or what the spread is was only guessed.
    role : str or None
        ``baseline`` for what the arms were like before the trial.
    """

    pair: ArmPair
    measure: str
    derived: DerivedEffect | None
    flags: tuple[str, ...]
    poolable: bool
    role: str | None


def raw_effects(tokens: Sequence[Token], sentence: str, document: Document) -> list[RawEffect]:
    """Return the raw two-arm results of a sentence from left to right."""
    tables = pair_arms(tokens, counted_arms(tokens))
    means = pair_arms(tokens, averaged_arms(tokens, document))
    if not tables and not means:
        return []
    role = "baseline" if _BASELINE.search(sentence) else None
    counted = [_counted(pair, role) for pair in tables]
    averaged = [_averaged(_sized(tokens, pair), role, document.spreads) for pair in means]
    return counted + [effect for effect in averaged if effect is not None]


def _counted(pair: ArmPair, role: str | None) -> RawEffect:
    flags: list[str] = []
    for arm in (pair.one, pair.two):
        if (
            arm.percent is not None
            and arm.events is not None
            and arm.total is not None
            and not agrees(arm.events, arm.total, arm.percent)
        ):
            flags.append("percent_disagrees")
        if arm.approximate:
            flags.append("counts_from_percent")
    derived = None
    if None not in (pair.one.events, pair.one.total, pair.two.events, pair.two.total):
        derived = count_effect(
            "RR", pair.one.events or 0, pair.one.total or 0, pair.two.events or 0, pair.two.total or 0
        )
    if derived is None:
        flags.append("no_information")
    elif derived.corrected:
        flags.append("continuity_correction")
    poolable = derived is not None and "percent_disagrees" not in flags
    return RawEffect(pair, "2x2", derived, tuple(dict.fromkeys(flags)), poolable, role)


def judged_pair(pair: ArmPair, measure: str) -> RawEffect | None:
    """Return two arms as an effect: their counts (``2x2``) or their means (``means``)."""
    return _counted(pair, None) if measure == "2x2" else _averaged(pair, None, SpreadNames())


def _sized(tokens: Sequence[Token], pair: ArmPair) -> ArmPair:
    """Fill in group sizes printed behind both arms: '(n=85 and n=82)', '(n=40 per group)'."""
    if pair.one.total is not None and pair.two.total is not None:
        return pair
    start = max(pair.one.stop, pair.two.stop)
    sizes: list[int] = []
    for index in range(start, min(start + _SIZE_REACH, len(tokens))):
        token = tokens[index]
        if token.kind == "noise" and token.norm == "n":
            sizes.append(int(token.value))
        elif token.norm in ("per", "each", "both") and len(sizes) == 1:
            sizes.append(sizes[0])
    if len(sizes) != 2 or min(sizes) < 2:
        return pair
    first, second = sizes if pair.one.first < pair.two.first else reversed(sizes)
    return replace(pair, one=replace(pair.one, total=first), two=replace(pair.two, total=second))


def _averaged(pair: ArmPair, role: str | None, spreads: SpreadNames) -> RawEffect | None:
    deviations = [standard_deviation(arm, spreads) for arm in (pair.one, pair.two)]
    if deviations[0] is None or deviations[1] is None or pair.one.total is None or pair.two.total is None:
        return None
    flags: list[str] = []
    for arm in (pair.one, pair.two):
        if arm.spread in ("se", "sem") or (arm.spread == "pm" and spreads.plus_minus == "se"):
            flags.append("sd_from_se")
        elif arm.spread == "pm" and spreads.plus_minus is None:
            flags.append("spread_assumed_sd")
    derived = mean_effect(
        "MD",
        pair.one.mean or 0.0,
        deviations[0],
        pair.one.total,
        pair.two.mean or 0.0,
        deviations[1],
        pair.two.total,
    )
    return RawEffect(
        pair, "means", derived, tuple(dict.fromkeys(flags)), "spread_assumed_sd" not in flags, role
    )


def standard_deviation(arm: ArmResult, spreads: SpreadNames) -> float | None:
    """Return the SD of an arm: as printed, or SE times the root of its size."""
    if arm.spread_value is None:
        return None
    spread = spreads.plus_minus or "sd" if arm.spread == "pm" else arm.spread
    if spread == "sd":
        return arm.spread_value
    return arm.spread_value * math.sqrt(arm.total) if arm.total is not None else None
