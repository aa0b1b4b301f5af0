"""Print an effect in one of many ways, read it back, and get the same numbers and the same standard error."""

import math
from statistics import NormalDist

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metarag.effect_sizes import extract_effects

RATIOS = {
    "HR": ("hazard ratio", "hazard ratio [HR]", "HR", "adjusted hazard ratio", "aHR"),
    "OR": ("odds ratio", "OR", "adjusted odds ratio (aOR)", "AOR"),
    "RR": ("relative risk", "risk ratio", "RR", "relative risk (RR)"),
    "IRR": ("rate ratio", "incidence rate ratio", "IRR"),
}
DIFFERENCES = {
    "MD": ("mean difference", "MD", "difference in means", "weighted mean difference"),
    "SMD": ("standardised mean difference", "standardized mean difference (SMD)", "SMD", "Cohen's d"),
}
SEPARATORS = (" to ", "-", "–", " – ", ", ", ";", "—", " - ", "~")
LEVELS = (90, 95, 97.5, 99)
LINKS = (", ", "; ", " ", ": ", " = ", ", ")
P_VALUES = ("", "; P=.{p}", ", p = 0.{p}", "; P < 0.05")


@st.composite
def printed_effects(draw):
    is_ratio = draw(st.booleans())
    labels = RATIOS if is_ratio else DIFFERENCES
    measure = draw(st.sampled_from(sorted(labels)))
    label = draw(st.sampled_from(labels[measure]))
    level = draw(st.sampled_from(LEVELS))
    z = NormalDist().inv_cdf(0.5 + level / 200)
    error = draw(st.floats(0.06, 0.4))
    middle = draw(st.floats(-1.2, 1.2)) if is_ratio else draw(st.floats(-9, 9))
    values = [middle, middle - z * error, middle + z * error]
    printed = [f"{math.exp(value) if is_ratio else value:.2f}" for value in values]
    assume(float(printed[1]) > 0 or not is_ratio)
    assume(len({*printed}) == 3)
    separator = draw(st.sampled_from(SEPARATORS))
    if not is_ratio and any(number.startswith("-") for number in printed):
        # A dash beside a minus is read by position only where it stands close; see the case tables.
        separator = draw(st.sampled_from((" to ", ", ", "; ")))
        minus = draw(st.sampled_from("-−–"))
        printed = [number.replace("-", minus) for number in printed]
    point = draw(st.sampled_from(".·"))
    estimate, lower, upper = (number.replace(".", point) for number in printed)
    name = draw(
        st.sampled_from((f"{level}% CI", f"{level}%CI", f"CI {level}%", f"{level}% confidence interval [CI]"))
    )
    brackets = draw(st.sampled_from(("()", "[]")))
    style = draw(st.integers(0, 3))
    limits = f"{lower}{separator}{upper}"
    link = draw(st.sampled_from(LINKS))
    body = (
        f"({label}{link}{estimate}; {name}{draw(st.sampled_from((' ', ', ', ': ')))}{limits})",
        f"({label} {estimate} {brackets[0]}{name} {limits}{brackets[1]})",
        f"[{label} ({name}) = {estimate} ({limits})]",
        f"with a {label} of {estimate} and a {name} of {limits}",
    )[style]
    before = draw(
        st.sampled_from(("Zinc acted on sneezing ", "At 12 weeks, sneezing changed in 340 adults "))
    )
    text = f"{before}{body}."
    return (
        text,
        measure,
        level,
        [
            float(number.replace(point, ".").replace("−", "-").replace("–", "-"))
            for number in (estimate, lower, upper)
        ],
    )


@given(printed_effects())
@settings(deadline=None, max_examples=400)
def test_a_printed_effect_is_read_back(case):
    text, measure, level, (estimate, lower, upper) = case
    effects = extract_effects(text)
    assert len(effects) == 1, text
    effect = effects[0]
    assert (effect.measure, effect.estimate, effect.lower, effect.upper, effect.level) == (
        measure, estimate, lower, upper, level,
    ), text  # fmt: skip
    z = NormalDist().inv_cdf(0.5 + level / 200)
    low, high = (math.log(lower), math.log(upper)) if effect.scale == "log" else (lower, upper)
    assert math.isclose(effect.standard_error, (high - low) / (2 * z), rel_tol=1e-9)
    assert effect.poolable, (text, effect.flags)


@st.composite
def printed_counts(draw):
    totals = [draw(st.integers(40, 2000)) for _ in range(2)]
    events = [draw(st.integers(0, total)) for total in totals]
    assume(0 < sum(events) < sum(totals))
    shares = [f"{100 * e / t:.1f}%" for e, t in zip(events, totals, strict=True)]
    slash = draw(st.booleans())
    counts = [f"{e}/{t}" if slash else f"{e} of {t}" for e, t in zip(events, totals, strict=True)]
    if draw(st.booleans()):
        counts = [f"{count} ({share})" for count, share in zip(counts, shares, strict=True)]
    template = draw(
        st.sampled_from(
            (
                "Sneezing occurred in {0} patients given zinc and in {1} given placebo.",
                "Sneezing: {0} with zinc vs {1} with placebo.",
                "Sneezing was seen in {0} in the zinc group compared with {1} in the placebo group.",
                "In the zinc group, {0} sneezed, and in the placebo group, {1} did.",
            )
        )
    )
    return template.format(*counts), events, totals


@given(printed_counts())
@settings(deadline=None, max_examples=200)
def test_printed_counts_are_read_back(case):
    text, events, totals = case
    effects = extract_effects(text)
    assert len(effects) == 1, text
    effect = effects[0]
    assert [effect.events_1, effect.events_2] == events, text
    assert [effect.total_1, effect.total_2] == totals, text
