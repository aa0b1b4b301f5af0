"""From a reading to its standard error and its flags."""

from __future__ import annotations

from dataclasses import dataclass, replace

from metarag.effect_checks import (
    ASSUMED_LEVEL,
    COARSE_SPREAD,
    P_TOLERANCE,
    Numbers,
    contains_estimate,
    is_centred,
    one_sided_z,
    p_gap,
    skewness,
    standard_error,
    standard_error_range,
    two_sided_z,
    z_of_p,
)
from metarag.effect_intervals import PrintedInterval
from metarag.effect_readings import Reading

FAILED = frozenset(
    (
        "estimate_outside_ci",
        "asymmetric_interval",
        "p_disagrees",
        "invalid_ratio",
        "percent_disagrees",
        "se_scale_unclear",
    )
)
"""Flags with which an effect is shown but never pooled."""
TOLERATED_SKEW = 0.1
"""Half-widths by which an estimate may miss the middle of its interval, beyond rounding, and still be pooled.

Ours: exact and profile limits are a little off-centre; a mistyped digit is off by more.
"""
TOLERATED_SKEW_OF_EXACT = 0.25
"""The same for risk differences (Newcombe limits) and posterior intervals, which are honestly skewed."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What follows from the printed numbers of one effect."""

    numbers: Numbers
    standard_error: float | None
    se_source: str
    level: float | None
    flags: tuple[str, ...]


def judge(reading: Reading, *, text_level: float | None) -> Judgement:
    """Return the standard error of a reading, where it comes from, and the checks that it failed.

    Parameters
    ----------
    reading : Reading
    text_level : float or None
        Percent: the level of the other intervals of the text, which one without a level shares.
    """
    if reading.numbers.scale == "log" and reading.numbers.estimate <= 0:
        return Judgement(reading.numbers, None, "not_recoverable", None, (*reading.flags, "invalid_ratio"))
    if reading.interval is not None:
        return _from_interval(reading, reading.interval, text_level)
    if reading.standard_error is not None:
        return _from_standard_error(reading, reading.standard_error.value)
    return _from_p(reading)


def _from_interval(reading: Reading, interval: PrintedInterval, text_level: float | None) -> Judgement:
    numbers, flags = reading.numbers, list(reading.flags)
    level = interval.mark.level
    if level is None:
        level = text_level if text_level is not None else ASSUMED_LEVEL
        flags.append("level_inherited" if text_level is not None else "level_assumed")
    one_limit = numbers.lower is None or numbers.upper is None
    one_sided = interval.mark.one_sided
    z = one_sided_z(level) if one_sided else two_sided_z(level)
    flags += ["one_sided"] * one_sided + ["one_limit_only"] * one_limit
    flags += ["credible_interval"] * (interval.mark.kind == "credible")
    error = standard_error(numbers, z)
    if error is None:
        flags.append("limit_at_zero" if numbers.scale == "log" else "no_width")
    flags += _agreement(reading, z, credible=interval.mark.kind == "credible")
    spread = standard_error_range(numbers, z)
    if error is not None and spread is not None and (spread[1] - spread[0]) / 2 > COARSE_SPREAD * error:
        flags.append("coarse_rounding")
    source = "not_recoverable" if error is None else "one_sided" if one_sided or one_limit else "ci"
    return Judgement(numbers, error, source, level, tuple(flags))


def _agreement(reading: Reading, z: float, *, credible: bool) -> list[str]:
    numbers = reading.numbers
    if not contains_estimate(numbers):
        return ["estimate_outside_ci"]
    flags = []
    if numbers.lower is not None and numbers.upper is not None and not is_centred(numbers):
        skewed = credible or reading.measure.name == "RD"
        mild = skewness(numbers) <= (TOLERATED_SKEW_OF_EXACT if skewed else TOLERATED_SKEW)
        flags.append("off_centre" if mild else "asymmetric_interval")
    gap = p_gap(numbers, z, reading.p.two_sided()) if reading.p is not None else None
    if gap:
        flags.append("p_disagrees" if gap > P_TOLERANCE else "p_differs")
    return flags


def _from_standard_error(reading: Reading, printed: float) -> Judgement:
    """Use a printed standard error; that of a ratio may be on either scale, so it is shown, not used."""
    numbers, flags = reading.numbers, reading.flags
    if numbers.scale == "log":
        return Judgement(numbers, None, "not_recoverable", None, (*flags, "se_scale_unclear"))
    error = printed / numbers.divisor
    if error <= 0:
        return Judgement(numbers, None, "not_recoverable", None, flags)
    z = two_sided_z(ASSUMED_LEVEL)
    limits = replace(numbers, lower=numbers.estimate - z * error, upper=numbers.estimate + z * error)
    return Judgement(limits, error, "se", ASSUMED_LEVEL, (*flags, "ci_derived"))


def _from_p(reading: Reading) -> Judgement:
    """Recover the standard error from |effect| / z(p) for an exact P value; '<' only bounds it.

    An inequality is kept without a standard error: its bound is no estimate, see
    :func:`standard_error_bound`. 'NS', '>' and 0.000 give nothing.
    """
    numbers, flags = reading.numbers, reading.flags
    p = reading.p.two_sided() if reading.p is not None else None
    effect = numbers.effect
    z = z_of_p(p.value) if p is not None and p.value is not None else None
    if p is None or z is None or effect is None or z <= 0 or effect == 0 or p.operator not in ("=", "<"):
        return Judgement(numbers, None, "not_recoverable", None, flags)
    if p.operator == "<":
        return Judgement(numbers, None, "p_bound_only", None, flags)
    return Judgement(numbers, abs(effect) / z, "p", None, flags)


def standard_error_bound(effect: float, p: float) -> float | None:
    """Return the largest standard error that 'P < p' allows an effect, on its analysis scale.

    ``None`` where there is none: a null effect, or a P value of 0 or 1.
    """
    z = z_of_p(p)
    return abs(effect) / z if z is not None and z > 0 and effect != 0 else None
