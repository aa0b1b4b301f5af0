import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.meta_analysis import (
    dersimonian_laird,
    fixed_effect,
    gosh,
    influence,
    leave_one_out,
    paule_mandel,
    prediction_interval,
    q_profile,
    reml,
)

RANDOM_MODELS = (dersimonian_laird, paule_mandel, reml)
MODELS = (fixed_effect, *RANDOM_MODELS)
ALL = (*MODELS, prediction_interval, q_profile, leave_one_out, influence, gosh)

quick = settings(deadline=None, max_examples=60)
study = st.tuples(st.floats(-3, 3), st.floats(0.005, 2))
studies = st.lists(study, min_size=2, max_size=12)


def arrays(rows):
    effects, variances = np.array(rows).T
    return effects, variances


@quick
@given(studies, st.randoms())
def test_the_order_of_the_studies_changes_no_digit(rows, random):
    shuffled = random.sample(rows, len(rows))
    for pool in MODELS:
        before, after = (dataclasses.replace(pool(*arrays(r)), weights=()) for r in (rows, shuffled))
        assert before == after
    assert prediction_interval(*arrays(rows)) == prediction_interval(*arrays(shuffled))
    assert q_profile(*arrays(rows)) == q_profile(*arrays(shuffled))


@quick
@given(studies)
def test_weights_stand_in_the_order_given_and_recompute_the_effect(rows):
    effects, variances = arrays(rows)
    for pool in MODELS:
        pooled = pool(effects, variances)
        assert sum(pooled.weights) == pytest.approx(1)
        assert pooled.weights == pytest.approx(
            1 / (variances + pooled.tau_squared) * pooled.standard_error**2, rel=1e-9
        )
        assert float(np.dot(pooled.weights, effects)) == pytest.approx(pooled.effect, abs=1e-9)


@quick
@given(studies)
def test_a_reciprocal_ratio_only_turns_the_sign(rows):
    effects, variances = arrays(rows)
    for pool in MODELS:
        ratio, reciprocal = pool(effects, variances), pool(-effects, variances)
        assert reciprocal.effect == pytest.approx(-ratio.effect, abs=1e-9)
        assert reciprocal.tau_squared == pytest.approx(ratio.tau_squared, rel=1e-6, abs=1e-9)
        assert (reciprocal.ci_low, reciprocal.ci_high) == pytest.approx(
            (-ratio.ci_high, -ratio.ci_low), rel=1e-6, abs=1e-9
        )


@quick
@given(studies, st.floats(0.01, 100))
def test_another_unit_scales_the_effect_and_leaves_the_shares(rows, unit):
    effects, variances = arrays(rows)
    for pool in MODELS:
        before, after = pool(effects, variances), pool(effects * unit, variances * unit**2)
        assert after.effect == pytest.approx(before.effect * unit, rel=1e-6, abs=1e-9 * unit)
        assert after.tau_squared == pytest.approx(before.tau_squared * unit**2, rel=1e-5, abs=1e-9 * unit**2)
        assert after.i_squared == pytest.approx(before.i_squared, abs=1e-6)
        assert after.q == pytest.approx(before.q, rel=1e-9, abs=1e-9)


@quick
@given(studies, st.sampled_from([-1e6, 1e3, 1e6]))
def test_a_large_common_offset_moves_only_the_effect(rows, offset):
    effects, variances = arrays(rows)
    for pool in MODELS:
        before, after = pool(effects, variances), pool(effects + offset, variances)
        assert after.effect - offset == pytest.approx(before.effect, abs=1e-7)
        assert after.q == pytest.approx(before.q, rel=1e-6, abs=1e-6)
        assert after.tau_squared == pytest.approx(before.tau_squared, rel=1e-4, abs=1e-6)


@quick
@given(studies)
def test_the_pooled_effect_lies_between_the_studies_and_nothing_is_negative(rows):
    effects, variances = arrays(rows)
    for pool in MODELS:
        pooled = pool(effects, variances)
        assert effects.min() - 1e-9 <= pooled.effect <= effects.max() + 1e-9
        assert pooled.tau_squared >= 0
        assert 0 <= pooled.i_squared <= 1
        assert pooled.h_squared >= 1
        assert pooled.q >= 0
        assert 0 <= pooled.q_p_value <= 1
        assert pooled.ci_low <= pooled.effect <= pooled.ci_high


@quick
@given(studies)
def test_random_effects_equal_fixed_effect_where_tau_squared_is_zero(rows):
    effects, variances = arrays(rows)
    common = fixed_effect(effects, variances)
    for pool in RANDOM_MODELS:
        pooled = pool(effects, variances)
        if pooled.tau_squared == 0:
            assert (pooled.effect, pooled.standard_error) == (common.effect, common.standard_error)
        else:
            assert pooled.standard_error > common.standard_error


@quick
@given(studies)
def test_a_study_equal_to_the_mean_does_not_raise_tau_squared(rows):
    effects, variances = arrays(rows)
    before = dersimonian_laird(effects, variances)
    mean = fixed_effect(effects, variances).effect
    after = dersimonian_laird([*effects, mean], [*variances, float(np.median(variances))])
    assert after.q == pytest.approx(before.q, abs=1e-9)
    assert after.tau_squared <= before.tau_squared + 1e-9


@quick
@given(studies)
def test_counting_a_study_twice_is_seen_as_one_more_study(rows):
    once, twice = dersimonian_laird(*arrays(rows)), dersimonian_laird(*arrays([*rows, rows[0]]))
    assert twice.k == once.k + 1
    assert fixed_effect(*arrays([*rows, rows[0]])).standard_error < fixed_effect(*arrays(rows)).standard_error


@quick
@given(studies)
def test_the_floored_interval_is_never_narrower_than_the_plain_one(rows):
    for pool in RANDOM_MODELS:
        pooled = pool(*arrays(rows))
        plain, floored = pooled.hartung_knapp, pooled.hartung_knapp_floored
        assert floored.standard_error == max(plain.standard_error, pooled.standard_error)
        assert floored.df == pooled.k - 1
        assert floored.high - floored.low >= pooled.ci_high - pooled.ci_low


@quick
@given(studies, st.sampled_from([(0.8, 0.95), (0.95, 0.99)]))
def test_a_higher_level_gives_wider_intervals(rows, levels):
    for pool in MODELS:
        narrow, wide = (pool(*arrays(rows), level=level) for level in levels)
        assert narrow.ci_low > wide.ci_low
        assert narrow.ci_high < wide.ci_high
        assert (narrow.effect, narrow.p_value) == (wide.effect, wide.p_value)
    narrow_profile, wide_profile = (q_profile(*arrays(rows), level=level) for level in levels)
    assert wide_profile.tau_squared_low <= narrow_profile.tau_squared_low
    assert wide_profile.tau_squared_high >= narrow_profile.tau_squared_high


@quick
@given(st.lists(study, min_size=3, max_size=12))
def test_a_prediction_interval_holds_the_confidence_interval(rows):
    for method in ("DL", "PM", "REML"):
        interval = prediction_interval(*arrays(rows), method=method)
        assert interval.low < interval.effect < interval.high
        normal = prediction_interval(*arrays(rows), method=method, df="normal")
        assert interval.low < normal.low
        assert interval.df == len(rows) - 2


def test_one_study_is_itself_and_says_nothing_of_heterogeneity():
    for pool in MODELS:
        pooled = pool([-0.4], [0.04])
        assert (pooled.effect, pooled.standard_error, pooled.k, pooled.df) == (-0.4, 0.2, 1, 0)
        assert pooled.weights == (1.0,)
        about_heterogeneity = ("tau_squared", "q", "q_p_value", "i_squared", "h_squared")
        assert [getattr(pooled, name) for name in about_heterogeneity] == [None] * 5
        assert pooled.hartung_knapp is None
        assert pooled.hartung_knapp_floored is None
    profile = q_profile([-0.4], [0.04])
    assert profile.tau_squared is profile.tau_squared_high is profile.i_squared is profile.q is None


@pytest.mark.parametrize("k", [1, 2])
def test_no_prediction_is_made_from_fewer_than_three_studies(k):
    interval = prediction_interval([0.1, 0.2][:k], [0.1, 0.1][:k])
    assert interval.low is interval.high is interval.df is None


def test_two_studies_have_a_very_wide_hartung_knapp_interval():
    pooled = dersimonian_laird([0.0, 1.0], [0.01, 0.01])
    # Half the difference times t(1) = 12.706: that is what two studies know of their spread.
    assert pooled.hartung_knapp.high - pooled.effect == pytest.approx(0.5 * 12.7062047, rel=1e-6)


def test_identical_effects_have_exactly_no_heterogeneity():
    effects, variances = [0.1 + 0.2] * 5, [0.01, 0.5, 3.0, 0.2, 0.07]
    for pool in MODELS:
        pooled = pool(effects, variances)
        assert (pooled.q, pooled.tau_squared, pooled.i_squared) == (0, 0, 0)
        assert pooled.effect == 0.1 + 0.2
    plain = dersimonian_laird(effects, variances).hartung_knapp
    assert (plain.standard_error, plain.statistic, plain.p_value) == (0, None, None)
    assert dersimonian_laird(effects, variances).hartung_knapp_floored.p_value is not None
    profile = q_profile(effects, variances)
    assert (profile.tau_squared_low, profile.tau_squared_high, profile.is_empty) == (0, 0, True)


def test_variances_of_very_different_size_keep_their_digits():
    effects, variances = [0.0, 1.0, 3.0], [1e-8, 1.0, 1.0]
    pooled = dersimonian_laird(effects, variances)
    # With one study holding all weight, Q is the sum of the others' squares, C twice that of their weights.
    assert pooled.q == pytest.approx(10.0, rel=1e-7)
    assert pooled.tau_squared == pytest.approx(2.0, rel=1e-7)


def test_a_profile_is_empty_only_where_q_is_below_its_lower_quantile():
    # chi2(2) has 0.0506 and 7.378 as its 2.5 % quantiles.
    little, some = q_profile([0.0, 0.05, 0.1], [0.1] * 3), q_profile([0.0, 0.5, 1.0], [0.1] * 3)
    assert little.q == pytest.approx(0.05)
    assert (little.is_empty, little.tau_squared_high) == (True, 0)
    assert some.q == pytest.approx(5)
    assert (some.is_empty, some.tau_squared_low) == (False, 0)
    assert some.tau_squared_high > 1


@pytest.mark.parametrize("unit", [1e-20, 1e20])
def test_absurd_units_change_nothing_but_the_unit(unit):
    effects, variances = np.array([0.1, 0.9, -0.4, 0.3]), np.array([0.02, 0.05, 0.03, 0.2])
    for pool in RANDOM_MODELS:
        before, after = pool(effects, variances), pool(effects * unit, variances * unit**2)
        assert after.tau_squared == pytest.approx(before.tau_squared * unit**2, rel=1e-9)


def test_the_restricted_likelihood_is_searched_for_its_highest_peak():
    effects = [-5.0, 5.0, 0.0, 0.001, -0.001, 0.0005]
    variances = [4.0, 4.0, 1e-7, 1e-7, 1e-7, 1e-7]
    pooled = reml(effects, variances)
    y, v = np.array(effects), np.array(variances)

    def minus_log_likelihood(tau_squared):
        w = 1 / (v + tau_squared)
        mean = w @ y / w.sum()
        return 0.5 * (np.log(v + tau_squared).sum() + math.log(w.sum()) + w @ (y - mean) ** 2)

    everywhere = [minus_log_likelihood(t) for t in np.geomspace(1e-12, 100, 5000)]
    assert minus_log_likelihood(pooled.tau_squared) <= min(everywhere) + 1e-9


@pytest.mark.parametrize("function", ALL)
def test_no_study_is_an_error_that_says_so(function):
    with pytest.raises(ValueError, match="no study"):
        function([], [])


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize(
    ("effects", "variances", "message"),
    [
        ([0.1, 0.2], [0.1], r"\(2,\) and \(1,\)"),
        ([[0.1, 0.2]], [[0.1, 0.1]], "1-d"),
        (0.1, 0.1, "1-d"),
        ([0.1, math.nan], [0.1, 0.1], r"effects must be finite \(index 1: nan\)"),
        ([math.inf, 0.1], [0.1, 0.1], r"effects must be finite \(index 0: inf\)"),
        ([0.1, 0.1, 0.1], [0.1, 0.1, math.nan], r"variances must be finite \(index 2"),
        ([0.1, 0.1, 0.1], [0.1, 0.0, -1.0], r"variances must be positive \(index 1: 0.0\)"),
        ([0.1, 0.1], [0.1, -0.5], r"variances must be positive \(index 1: -0.5\)"),
        ([0.1, 1e200], [0.1, 0.1], r"effects must lie within .* \(index 1"),
        ([0.1, 0.1], [1e-200, 0.1], r"variances must lie between .* \(index 0"),
        ([0.1, None], [0.1, 0.1], r"effects must be finite \(index 1"),
        (["low", 0.1], [0.1, 0.1], "effects must be numbers"),
        (np.ma.masked_greater([0.1, 9.0], 1.0), [0.1, 0.1], "masked"),
    ],
)
def test_what_cannot_be_pooled_is_refused_with_its_place(function, effects, variances, message):
    with pytest.raises(ValueError, match=message):
        function(effects, variances)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan])
def test_a_level_is_a_share(level):
    for function in (*MODELS, prediction_interval, q_profile, leave_one_out):
        with pytest.raises(ValueError, match="level must be between 0 and 1"):
            function([0.1, 0.2], [0.1, 0.1], level=level)


def test_a_level_in_percent_is_told_apart():
    with pytest.raises(ValueError, match=r"did you mean 0\.95"):
        dersimonian_laird([0.1, 0.2], [0.1, 0.1], level=95)


def test_options_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="method must be one of DL, PM, REML"):
        prediction_interval([0.1, 0.2, 0.3], [0.1] * 3, method="ML")
    with pytest.raises(ValueError, match="df must be one of"):
        prediction_interval([0.1, 0.2, 0.3], [0.1] * 3, df="k")


def test_results_cannot_be_changed():
    pooled = dersimonian_laird([0.1, 0.2], [0.1, 0.1])
    with pytest.raises(dataclasses.FrozenInstanceError):
        pooled.effect = 0.0
    assert not hasattr(pooled, "__dict__")
    with pytest.raises(ValueError, match="read-only"):
        leave_one_out([0.1, 0.2, 0.3], [0.1] * 3).effect[0] = 1.0


def test_scalars_of_results_are_plain_floats():
    for pool in MODELS:
        for field in dataclasses.fields(pooled := pool([0.1, 0.5, 0.3], [0.1, 0.01, 0.2])):
            value = getattr(pooled, field.name)
            assert not isinstance(value, np.generic | np.ndarray), field.name
