"""Standard errors, levels, flags: what follows from the printed numbers of one effect."""

import math
from statistics import NormalDist

import pytest

from metarag.effect_counts import derive
from metarag.effect_judgement import standard_error_bound
from metarag.effect_sizes import extract_effects

Z = NormalDist().inv_cdf


def only(text):
    (effect,) = extract_effects(text)
    return effect


@pytest.mark.parametrize(
    ("printed", "level", "quantile"),
    [
        ("90% CI", 90.0, 0.95),
        ("95% CI", 95.0, 0.975),
        ("97.5% CI", 97.5, 0.9875),
        ("98.9% confidence interval", 98.9, 0.9945),
        ("99% CrI", 99.0, 0.995),
        ("one-sided 97.5% CI", 97.5, 0.975),
    ],
)
def test_the_standard_error_uses_the_printed_level(printed, level, quantile):
    effect = only(f"Death: HR 0.80 ({printed} 0.64 to 1.00).")
    assert effect.level == level
    assert effect.standard_error == pytest.approx((math.log(1.00) - math.log(0.64)) / (2 * Z(quantile)))


def test_a_difference_is_analysed_as_printed_and_a_risk_difference_as_a_proportion():
    mean = only("Pain: mean difference -1.2 (95% CI -2.0 to -0.4).")
    risk = only("Cure: risk difference 12.0% (95% CI 3.0% to 21.0%).")
    assert (mean.scale, mean.effect) == ("identity", -1.2)
    assert mean.standard_error == pytest.approx(1.6 / (2 * Z(0.975)))
    assert (risk.estimate, risk.lower, risk.upper) == (0.12, 0.03, 0.21)
    assert risk.standard_error == pytest.approx(0.18 / (2 * Z(0.975)))


def test_an_efficacy_becomes_a_risk_ratio_with_its_limits_turned():
    effect = only("Vaccine efficacy was 60% (95% CI 40 to 73).")
    assert (effect.measure, effect.estimate, effect.lower, effect.upper) == ("RR", 0.4, 0.27, 0.6)
    assert "limits_swapped" not in effect.flags


def test_an_exact_p_value_gives_the_standard_error_and_an_inequality_only_a_bound():
    exact, bound = only("Falls: HR 0.60, P = 0.01."), only("Falls: HR 0.60, P < 0.01.")
    assert exact.se_source == "p"
    assert exact.standard_error == pytest.approx(abs(math.log(0.60)) / Z(0.995))
    assert (bound.se_source, bound.standard_error, bound.poolable) == ("p_bound_only", None, True)
    assert standard_error_bound(bound.effect, bound.p) == pytest.approx(exact.standard_error)


def test_a_one_sided_p_value_is_half_a_two_sided_one():
    two, one = only("Falls: HR 0.60, P = 0.02."), only("Falls: HR 0.60, one-sided P = 0.01.")
    assert one.standard_error == pytest.approx(two.standard_error)


@pytest.mark.parametrize("p", ["P = NS", "P > 0.05", "P = 0.000", "P = 1.0"])
def test_a_p_value_that_says_nothing_gives_nothing(p):
    effect = only(f"Falls: HR 0.60, {p}.")
    assert (effect.se_source, effect.standard_error, effect.poolable) == ("not_recoverable", None, False)


def test_a_printed_standard_error_gives_the_interval():
    effect = only("The between-group difference was -3.0 (SE 1.0).")
    assert effect.se_source == "se"
    assert effect.upper == pytest.approx(-3 + Z(0.975))
    assert "ci_derived" in effect.flags


def test_one_limit_alone_gives_half_an_interval():
    effect = only("Relapse: HR 0.80 (upper limit of the 95% CI, 1.02).")
    assert effect.se_source == "one_sided"
    assert effect.standard_error == pytest.approx((math.log(1.02) - math.log(0.80)) / Z(0.975))


@pytest.mark.parametrize(
    ("text", "flag", "poolable"),
    [
        ("HR 0.60 (95% CI 0.70 to 0.92).", "estimate_outside_ci", False),
        ("HR 0.76 (95% CI 0.63 to 1.40).", "asymmetric_interval", False),
        ("HR 0.76 (95% CI 0.92 to 0.63).", "limits_swapped", True),
        ("OR 1.20 (95% CI 1.05-1.37; P=0.60).", "p_disagrees", False),
        ("HR 0.9 (95% CI 0.8-1.0).", "coarse_rounding", True),
        ("HR 0.76 (0.63 to 0.92).", "level_assumed", True),
        ("OR 0.76 (95% credible interval 0.63 to 0.92).", "credible_interval", True),
        ("OR 0.05 (95% CI 0.00 to 0.85).", "limit_at_zero", False),
        ("HR 0.95 (one-sided 97.5% CI, upper limit 1.10).", "one_sided", True),
        ("Subdistribution hazard ratio 0.80 (95% CI 0.66 to 0.97).", "subdistribution", True),
    ],
)
def test_what_the_numbers_show_is_flagged(text, flag, poolable):
    effect = only(text)
    assert flag in effect.flags
    assert effect.poolable is poolable


def test_rounding_alone_raises_no_flag():
    assert only("HR 0.76 (95% CI 0.63 to 0.92; P=0.004).").flags == ()


def test_an_interval_without_a_level_shares_that_of_the_text():
    first, second = extract_effects("OR 1.06 (90% CI 0.97-1.16). Death was alike: OR 0.95 (0.81-1.11).")
    assert (first.level, second.level) == (90.0, 90.0)
    assert "level_inherited" in second.flags


def test_counts_become_a_log_risk_ratio_and_any_other_measure_on_request():
    effect = only("Falls occurred in 10 of 100 people on drug and in 20 of 100 on placebo.")
    assert effect.effect == pytest.approx(math.log(0.5))
    assert effect.standard_error == pytest.approx(math.sqrt(1 / 10 - 1 / 100 + 1 / 20 - 1 / 100))
    assert derive(effect, "OR").effect == pytest.approx(math.log(10 * 80 / (90 * 20)))
    assert derive(effect, "RD").effect == pytest.approx(-0.1)
    assert derive(effect, "MD") is None
    with pytest.raises(ValueError, match="cannot derive 'HR'"):
        derive(effect, "HR")


def test_an_empty_cell_is_corrected_and_a_table_without_events_says_nothing():
    one = only("Bleeds: 0 of 45 people on drug versus 4 of 47 on placebo.")
    none = only("Bleeds: 0 of 45 people on drug versus 0 of 47 on placebo.")
    assert "continuity_correction" in one.flags
    assert one.poolable
    assert (none.effect, none.poolable) == (None, False)
    assert "no_information" in none.flags


def test_the_intervention_comes_first_also_where_the_control_is_named_first():
    effect = only("Relapse: 24/98 (24.5%) with placebo vs 12/100 (12.0%) with zinc.")
    assert (effect.events_1, effect.total_1, effect.arms_known) == (12, 100, True)
    assert effect.effect < 0


def test_a_standard_error_of_a_mean_becomes_a_standard_deviation():
    effect = only("Weight fell by 2.0 kg (SEM 0.5; n=64) with zinc and 1.0 kg (SEM 0.4; n=49) with placebo.")
    assert (effect.sd_1, effect.sd_2) == (pytest.approx(4.0), pytest.approx(2.8))
    assert "sd_from_se" in effect.flags
    assert effect.effect == pytest.approx(-1.0) or effect.effect == pytest.approx(1.0)
    assert derive(effect, "SMD").standard_error > 0


def test_a_percentage_that_does_not_fit_its_counts_is_flagged():
    effect = only("Cough: 12 of 100 (30%) with zinc versus 24 of 98 (24%) with placebo.")
    assert "percent_disagrees" in effect.flags
    assert not effect.poolable


def test_events_from_a_percentage_are_marked():
    effect = only("Cough was seen in 30% of 150 patients given zinc and 40% of 148 given placebo.")
    assert (effect.events_1, effect.events_2) == (45, 59)
    assert "counts_from_percent" in effect.flags


def test_raw_counts_of_clusters_are_shown_and_not_pooled():
    effect = only("In a cluster-randomised trial 12 of 100 treated and 24 of 98 control children coughed.")
    assert "design_not_accounted_for" in effect.flags
    assert not effect.poolable
