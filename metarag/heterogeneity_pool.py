"""A pool of effects analysed: everything a forest plot and a methodologist need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, sqrt

import numpy as np

from metarag.audit import Measurement, Synthesis, SynthesisStudy
from metarag.heterogeneity_guard import GuardOptions, GuardResult, PoolConflict, find_conflict, guard
from metarag.meta_analysis import (
    PooledEffect,
    dersimonian_laird,
    egger_test,
    fixed_effect,
    influence,
    leave_one_out,
    paule_mandel,
    prediction_interval,
    q_profile,
    reml,
)
from metarag.meta_inputs import Vector
from metarag.pooling import Pool

LEVEL = 0.95
"""Coverage of all intervals."""
NOTHING_LEFT_OUT = "Nothing was left out"
"""How the notes on the conditions of the guard that did not hold begin."""
_Z = 1.959963984540054
_RESIDUAL_HALF = 3.0
"""Deleted residual at which consistency is one half. Ours: about one in 370 by chance."""
_LOWEST_CONSISTENCY = 0.25
"""Ours. Disagreement alone may cost a study this much of the term and no more."""


_Values = tuple[float | None, ...]
_Diagnostics = tuple[_Values, _Values, _Values]
"""Deleted residuals, their p after Holm, and Cook's distances, of each study."""


@dataclass(frozen=True, slots=True)
class PoolAnalysis:
    """A pool with what it says of agreement.

    Attributes
    ----------
    consistency : tuple of float or None
        Of each study in [0.25, 1]; ``None`` with fewer than 5 studies, in a conflict, or where the largest
        study stands out of the smaller ones: there no single study is to blame.
    rstudent, p_holm, cooks_distance : tuple of float or None
        Of each study; ``None`` when k = 1.
    """

    pool: Pool
    synthesis: Synthesis
    conflict: PoolConflict
    guard: GuardResult
    consistency: tuple[float | None, ...]
    rstudent: tuple[float | None, ...]
    p_holm: tuple[float | None, ...]
    cooks_distance: tuple[float | None, ...]


def analyse(pool: Pool, labels: Mapping[str, str], options: GuardOptions, *, exclude: bool) -> PoolAnalysis:
    """Pool the effects, look for conflict and outliers, and write down both pools.

    Parameters
    ----------
    pool : Pool
        One effect for each independent study.
    labels : mapping of str to str
        Evidence key to what a person is shown.
    exclude : bool
        False (policy ``flag``): what the guard would allow to leave out stays.
    """
    y, v = pool.effects, pool.variances
    conflict = find_conflict(y, v)
    measured = influence(y, v) if pool.k > 1 else None
    found = guard(y, v, [c.participants for c in pool.candidates], options, measured=measured)
    if not exclude:
        found = replace(found, excluded=())
    elif found.excluded:
        conflict = PoolConflict("none", (), (), None)
    residuals = _values(measured.rstudent if measured else None, pool.k)
    p_holm = _values(measured.rstudent_p_holm if measured else None, pool.k)
    cooks = _values(measured.cooks_distance if measured else None, pool.k)
    blamed = conflict.status == "none" and not found.largest_flagged
    assessable = pool.k >= options.min_remaining and blamed
    return PoolAnalysis(
        pool=pool,
        synthesis=_synthesis(pool, labels, conflict, found, (residuals, p_holm, cooks)),
        conflict=conflict,
        guard=found,
        consistency=tuple(consistency_of(r) if assessable else None for r in residuals),
        rstudent=residuals,
        p_holm=p_holm,
        cooks_distance=cooks,
    )


def consistency_of(rstudent: float | None) -> float | None:
    """Return max(0.25, 1 / (1 + (r / 3)^4)): 1 for agreement, 0.85 at r = 1.96, one half at r = 3."""
    if rstudent is None:
        return None
    return max(_LOWEST_CONSISTENCY, 1 / (1 + (abs(rstudent) / _RESIDUAL_HALF) ** 4))


def pool_results(y: Vector, v: Vector) -> dict[str, dict[str, Measurement]]:
    """Return all estimates of a pool by method; intervals are on the analysis scale."""
    return _results(dersimonian_laird(y, v, level=LEVEL), y, v)


def _results(main: PooledEffect, y: Vector, v: Vector) -> dict[str, dict[str, Measurement]]:
    results = {"dersimonian_laird": _pooled(main)}
    if main.k < 2:
        # One study is its own result, by whatever model.
        return results | {"fixed_effect": _pooled(main)}
    results["fixed_effect"] = _pooled(fixed_effect(y, v, level=LEVEL))
    results["paule_mandel"] = _pooled(paule_mandel(y, v, level=LEVEL))
    results["reml"] = _pooled(reml(y, v, level=LEVEL))
    spread = q_profile(y, v, level=LEVEL)
    results["q_profile"] = {
        "tau_squared_low": spread.tau_squared_low,
        "tau_squared_high": spread.tau_squared_high,
        "i_squared_low": spread.i_squared_low,
        "i_squared_high": spread.i_squared_high,
    }
    prediction = prediction_interval(y, v, level=LEVEL)
    results["prediction"] = {"low": prediction.low, "high": prediction.high, "df": prediction.df}
    without = leave_one_out(y, v, level=LEVEL).effect if main.k >= 3 else None
    if without is not None:
        results["leave_one_out"] = {"effect_min": float(without.min()), "effect_max": float(without.max())}
    egger = egger_test(y, v)
    if egger is not None:
        results["egger"] = {"p_value": egger.p_value}
    return results


def _pooled(pool: PooledEffect) -> dict[str, Measurement]:
    shown: dict[str, Measurement] = {
        "k": pool.k,
        "effect": pool.effect,
        "standard_error": pool.standard_error,
        "z_low": pool.ci_low,
        "z_high": pool.ci_high,
        "z_p_value": pool.p_value,
        "tau_squared": pool.tau_squared,
        "q": pool.q,
        "q_p_value": pool.q_p_value,
        "i_squared": pool.i_squared,
        "h_squared": pool.h_squared,
    }
    if pool.hartung_knapp_floored:
        interval = pool.hartung_knapp_floored
        shown |= {"hk_low": interval.low, "hk_high": interval.high, "hk_p_value": interval.p_value}
    return shown


def _synthesis(
    pool: Pool,
    labels: Mapping[str, str],
    conflict: PoolConflict,
    found: GuardResult,
    diagnostics: _Diagnostics,
) -> Synthesis:
    y, v = pool.effects, pool.variances
    main = dersimonian_laird(y, v, level=LEVEL)
    results = _results(main, y, v)
    keep = np.setdiff1d(np.arange(pool.k), found.flagged)
    if found.flagged and keep.size:
        flagged_out = pool_results(y[keep], v[keep])
        results |= {f"without_flagged_{name}": values for name, values in flagged_out.items()}
    studies = tuple(
        _study(pool, i, labels, (float(y[i]), float(v[i]), main.weights[i]), found, diagnostics)
        for i in range(pool.k)
    )
    status = "single_study" if pool.k == 1 else "pooled" if conflict.status == "none" else conflict.status
    return Synthesis(
        id=str(pool.key),
        measure=pool.key.measure,
        scale=pool.candidates[0].effect.scale,
        outcome=pool.key.outcome_key,
        comparison=pool.key.comparison_key,
        tier=pool.key.tier.value,
        studies=studies,
        results=results,
        status=status,
        notes=_notes(pool, conflict, found, _models_differ(main, results, pool.candidates[0].effect.scale)),
    )


def _study(
    pool: Pool,
    index: int,
    labels: Mapping[str, str],
    numbers: tuple[float, float, float],
    found: GuardResult,
    diagnostics: _Diagnostics,
) -> SynthesisStudy:
    candidate = pool.candidates[index]
    effect, variance, weight = numbers
    standard_error = sqrt(variance)
    residual, p_holm, cook = (values[index] for values in diagnostics)
    return SynthesisStudy(
        key=candidate.key,
        label=labels.get(candidate.key, candidate.key),
        effect=effect,
        standard_error=standard_error,
        lower=effect - _Z * standard_error,
        upper=effect + _Z * standard_error,
        weight=weight,
        included=index not in found.excluded,
        flags=_flags(index, found),
        measurements={
            "rstudent": residual,
            "rstudent_p_holm": p_holm,
            "cooks_distance": cook,
            "participants": candidate.participants,
            "printed": candidate.effect.span.text[:200],
        },
    )


def _flags(index: int, found: GuardResult) -> tuple[str, ...]:
    if index not in found.flagged:
        return ()
    told = {"masked": index in found.masked, "largest": index == found.largest}
    return ("outlier", *(name for name, holds in told.items() if holds))


def _models_differ(main: PooledEffect, results: Mapping[str, Mapping[str, Measurement]], scale: str) -> str:
    """Return that large and small studies differ, where random effects leave the interval of a fixed effect.

    The two models weigh the same studies otherwise: the fixed effect follows the largest (Cochrane Handbook
    10.10.4.1). Empty where they agree.
    """
    fixed = results["fixed_effect"]
    effect, low, high = (fixed[name] for name in ("effect", "z_low", "z_high"))
    if main.k < 3 or not (isinstance(effect, float) and isinstance(low, float) and isinstance(high, float)):
        return ""
    if low <= main.effect <= high:
        return ""
    one, other, below, above = (as_printed(value, scale) for value in (effect, main.effect, low, high))
    return (
        f"With one common effect (fixed) the pool is {one:.3g} ({below:.3g} to {above:.3g}), with random effects"
        f" {other:.3g}: larger studies found another effect than smaller ones."
    )


def _notes(pool: Pool, conflict: PoolConflict, found: GuardResult, models_differ: str) -> tuple[str, ...]:
    notes = ["From abstracts only; effects that an abstract does not print are missing."]
    if pool.k == 1:
        notes.append("One study: nothing can be said of agreement.")
    if conflict.sentence:
        notes.append(conflict.sentence)
    if models_differ:
        notes.append(models_differ)
    notes += [f"{NOTHING_LEFT_OUT}: {reason}." for reason in found.failed]
    return tuple(notes)


def _values(array: Vector | None, k: int) -> _Values:
    return (None,) * k if array is None else tuple(float(value) for value in array)


def as_printed(value: float, scale: str) -> float:
    """Return a value of the analysis scale as it is printed: exp for ratios."""
    return exp(value) if scale == "log" else value
