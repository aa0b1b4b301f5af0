"""Effects in words: '24% lower risk', '2.3-fold higher odds', and what kind of difference is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from metarag.effect_lexicon import Measure, Transform
from metarag.effect_tokens import Token
from metarag.effect_units import is_ratio_unit, names_percentage_points

_LESS = frozenset(
    "lower reduced reduction reductions decrease decreased decreases decreasing reduces"
    " reducing lowered fewer less"
    " decline declined cut lowering reduce diminished fell".split()
)
_MORE = frozenset(
    "higher increased increase increases increasing more greater excess elevated raised"
    " elevation rise rose".split()
)
_BASES = MappingProxyType(
    {
        "hazard": "HR",
        "hazards": "HR",
        "odds": "OR",
        "risk": "RR",
        "risks": "RR",
        "likelihood": "RR",
        "likely": "RR",
        "rate": "IRR",
        "rates": "IRR",
        "incidence": "IRR",
    }
)
_TIMES = frozenset(("times", "fold"))
_PROPORTIONS = frozenset(("proportion", "proportions", "probability", "probabilities", "risk", "risks"))
_CHANGED = frozenset(
    "shorter longer better worse improved improvement improvements gain gained slower faster earlier".split()
)
_COMPARED = frozenset("compared than versus vs relative control controls placebo".split())
_CONTINUOUS = frozenset(
    "hba1c a1c haemoglobin hemoglobin hb glycated glycosylated ldl hdl cholesterol"
    " triglycerides triglyceride lipid"
    " weight bmi fev1 fvc dlco ejection lvef ef fat density bmd bone mineral volume"
    " saturation spo2 sao2 predicted"
    " haematocrit hematocrit body atheroma change changes lipoprotein apob crp creatinine egfr platelet"
    " pef expiratory strength reactivity inhibition score scores stenosis steatosis"
    " strain flow fibrosis ldl-c apolipoprotein dilation"
    " dilatation efficiency diameter range coverage concentration concentrations level levels time fraction"
    " mean means reticulocyte reticulocytes glucose pressure vo2 intake pasi easi acr20_"
    " parasitaemia adherence".split()
)
_RISK = frozenset(
    "risk risks rate rates proportion proportions incidence mortality death deaths died"
    " survival cure cured response"
    " responders responder success failure failures event events prevalence remission"
    " relapse recurrence recurrences"
    " infection infections complications stroke percentages readmission abstinence"
    " abstinent cessation eradication"
    " healed healing admission admissions hospitalisation hospitalization uptake"
    " attendance vaccinated birth pregnancy"
    " resolution endpoint complication occurrence absolute detection positivity clearance"
    " transmission suppression"
    " suppressed discontinuation withdrawal".split()
)
# They come with any outcome, so they tell only where nothing else does.
_PEOPLE = frozenset(
    "patients participants women men children occurred achieved achieving improved completed".split()
)
_NEARBY = 9
_FAR = 40


def measure_in_words(tokens: Sequence[Token], estimate: int, limits: tuple[int, int]) -> Measure | None:
    """Return the ratio that words around the estimate describe, or ``None``.

    '28% lower risk of death (95% CI 10-42)' is a ratio of 0.72; '2.3-fold higher odds' one of 2.3.
    Only words for a chance (risk, odds, hazard, rate) count: '28% lower LDL' is no ratio of risks.
    """
    before = [token.norm for token in tokens[max(0, estimate - _NEARBY) : estimate]]
    inside = [token.norm for token in tokens[estimate + 1 : limits[0]]]
    behind_interval = [token.norm for token in tokens[limits[1] : limits[1] + _NEARBY]]
    words = (*before, *inside)
    base = _base(inside) or _base(list(reversed(before))) or _base(behind_interval)
    if base is None or "absolute" in words:
        return None
    # 'Response rate' is a risk and 'rate of falls' a rate; the word alone does not tell them apart.
    name, poolable, flags = base, base != "IRR", ("measure_from_words",)
    if names_percentage_points(tokens, estimate + 1):
        transform = _direction(inside, before, behind_interval)
        points = any(word in ("points", "point") for word in inside[:3])
        if transform is None or points:
            return None
        return Measure(name, "log", transform, poolable=poolable, flags=flags)
    if any(word in _TIMES for word in (*inside[:3], *behind_interval[:2])):
        less = bool(set(inside) & _LESS)
        return None if less else Measure(name, "log", poolable=poolable, flags=flags)
    return None


def difference_in_words(tokens: Sequence[Token], estimate: int, interval: int) -> Measure | None:
    """Return a difference that only a comparison shows: '3.7 mm Hg lower than with the old stove (95% CI'.

    It is shown and never pooled: whether the number is a difference, and its sign, were guessed.
    """
    if tokens[interval].kind not in ("interval", "open"):
        return None
    before = [token.norm for token in tokens[max(0, estimate - _NEARBY) : estimate]]
    inside = [token.norm for token in tokens[estimate + 1 : interval]]
    around = {token.norm for token in tokens[max(0, estimate - _FAR) : interval + _FAR]}
    changed = {*before, *inside} & (_LESS | _MORE | _CHANGED)
    if len(inside) > 5 or not changed or not around & _COMPARED:
        return None
    return Measure("MD", "identity", named=False, poolable=False, flags=("difference_from_words",))


def is_fold(tokens: Sequence[Token], estimate: int) -> bool:
    """Tell whether '-fold' or 'times' stands behind the number."""
    words = [token.norm for token in tokens[estimate + 1 : estimate + 3]]
    return bool(words) and (words[0] in _TIMES or (words[0] == "-" and words[-1] in _TIMES))


def _base(words: Sequence[str]) -> str | None:
    return next((_BASES[word] for word in words if word in _BASES), None)


def _direction(inside: Sequence[str], before: Sequence[str], behind: Sequence[str]) -> Transform | None:
    for words in (inside, list(reversed(before)), behind):
        for word in words:
            if word in _LESS:
                return "reduction"
            if word in _MORE:
                return "increase"
    return None


def difference_kind(measure: Measure, tokens: Sequence[Token], estimate: int, *, percent: bool) -> Measure:
    """Decide whether a bare 'difference' is one of risks or of means.

    A percentage alone does not tell: a difference of -0.5 % is one of means for HbA1c and of risks for
    mortality. The nearest word that names a quantity or a chance does; where none does, it is taken
    for a risk difference, marked, and not pooled.
    """
    if measure.name != "MD" or measure.named:
        return measure
    if not percent:
        return replace(measure, name="RD") if _differs_in_proportion(tokens, estimate) else measure
    nearest = (
        *range(estimate - 1, max(-1, estimate - _FAR), -1),
        *range(estimate, min(estimate + _FAR, len(tokens))),
    )
    people = False
    for index in nearest:
        words = {tokens[index].norm, *tokens[index].norm.replace("-", " ").split()}
        if words & _CONTINUOUS:
            return measure
        if words & _RISK:
            return replace(measure, name="RD")
        people = people or bool(words & _PEOPLE)
    if people:
        return replace(measure, name="RD")
    return replace(measure, name="RD", poolable=False, flags=(*measure.flags, "difference_kind_assumed"))


def _differs_in_proportion(tokens: Sequence[Token], estimate: int) -> bool:
    """Tell whether '0.51 and 0.40 (difference 0.11' or '53.3% and 47.8% (difference 0.05' compares proportions."""
    if not 0 < abs(tokens[estimate].value) < 1:
        return False
    if differs_by(tokens, estimate, unit=100.0):
        return True
    before = [
        token
        for token in tokens[max(0, estimate - _FAR) : estimate]
        if token.kind in ("word", "label", "num")
    ]
    numbers = [token.value for token in before if token.kind == "num"][-2:]
    words = {word for token in before for word in token.norm.split()}
    return bool(words & _PROPORTIONS) and len(numbers) == 2 and all(0 <= value <= 1 for value in numbers)


def differs_by(tokens: Sequence[Token], estimate: int, *, unit: float = 1.0) -> bool:
    """Tell whether the number is the difference of the two percentages before it: '80.4 vs 76.0 % (4.4'.

    ``unit`` is how many percentage points one stands for.
    """
    shares = [
        tokens[index]
        for index in range(max(0, estimate - _FAR), estimate)
        if tokens[index].kind == "num" and tokens[index + 1].kind == "percent"
    ][-2:]
    if len(shares) < 2:
        return False
    slack = shares[0].half_unit + shares[1].half_unit + unit * tokens[estimate].half_unit
    return abs(abs(shares[0].value - shares[1].value) - unit * abs(tokens[estimate].value)) <= slack + 1e-9


def has_ratio_unit(tokens: Sequence[Token], estimate: int, stop: int) -> bool:
    """Tell whether a unit behind the estimate or its interval shows that it is no ratio (heart rate ...)."""
    behind = stop
    while behind < len(tokens) and tokens[behind].kind == "close":
        behind += 1
    return (
        is_ratio_unit(tokens, estimate + 1)
        or (behind > stop and is_ratio_unit(tokens, behind))
        or is_ratio_unit(tokens, stop)
    )
