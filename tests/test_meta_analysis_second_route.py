"""The same numbers by other ways: statsmodels where it is right, and plain optimisation by scipy."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.meta_analysis import combine_effects

from metarag.meta_analysis import begg_test, dersimonian_laird, paule_mandel, q_profile, reml

quick = settings(deadline=None, max_examples=40)
study = st.tuples(st.floats(-3, 3), st.floats(0.01, 2))
studies = st.lists(study, min_size=3, max_size=12)


def generalised_q(effects, variances, tau_squared):
    w = 1 / (variances + tau_squared)
    return float(w @ (effects - np.average(effects, weights=w)) ** 2)


def minus_restricted_log_likelihood(effects, variances, tau_squared):
    w = 1 / (variances + tau_squared)
    squares = w @ (effects - np.average(effects, weights=w)) ** 2
    return 0.5 * float(np.log(variances + tau_squared).sum() + np.log(w.sum()) + squares)


@quick
@given(studies)
def test_dersimonian_laird_agrees_with_statsmodels_where_q_exceeds_its_degrees_of_freedom(rows):
    effects, variances = np.array(rows).T
    ours = dersimonian_laird(effects, variances)
    assume(ours.q > ours.df * 1.001)
    theirs = combine_effects(effects, variances, method_re="dl", use_t=True)
    assert theirs.tau2 == pytest.approx(ours.tau_squared, rel=1e-7, abs=1e-10)
    assert theirs.mean_effect_re == pytest.approx(ours.effect, rel=1e-8, abs=1e-10)
    assert theirs.sd_eff_w_re == pytest.approx(ours.standard_error, rel=1e-8)
    assert theirs.i2 == pytest.approx(ours.i_squared, rel=1e-6, abs=1e-9)
    hartung_knapp = theirs.conf_int(use_t=True)[3]
    assert hartung_knapp == pytest.approx(
        (ours.hartung_knapp.low, ours.hartung_knapp.high), rel=1e-7, abs=1e-9
    )


@quick
@given(studies)
def test_paule_mandel_solves_its_equation(rows):
    effects, variances = np.array(rows).T
    found, df = paule_mandel(effects, variances).tau_squared, len(rows) - 1
    if generalised_q(effects, variances, 0.0) <= df:
        assert found == 0
        return
    root = optimize.brentq(lambda t: generalised_q(effects, variances, t) - df, 0, 1e3, xtol=1e-14)
    assert found == pytest.approx(root, rel=1e-9, abs=1e-11)


@quick
@given(studies)
def test_reml_is_the_maximum_that_a_direct_search_finds(rows):
    effects, variances = np.array(rows).T
    found = reml(effects, variances).tau_squared
    searches = [
        optimize.minimize_scalar(
            lambda log_tau: minus_restricted_log_likelihood(effects, variances, np.exp(log_tau)),
            bounds=bounds,
            method="bounded",
            options={"xatol": 1e-10},
        ).fun
        for bounds in ((-20, -5), (-6, -2), (-3, 1), (0, 6))
    ]
    best = min([*searches, minus_restricted_log_likelihood(effects, variances, 0.0)])
    assert minus_restricted_log_likelihood(effects, variances, found) <= best + 1e-9


@quick
@given(studies, st.sampled_from([0.8, 0.95]))
def test_q_profile_limits_are_where_q_meets_its_quantiles(rows, level):
    effects, variances = np.array(rows).T
    found = q_profile(effects, variances, level=level)
    for limit, tail in ((found.tau_squared_low, (1 + level) / 2), (found.tau_squared_high, (1 - level) / 2)):
        quantile = stats.chi2.ppf(tail, len(rows) - 1)
        if limit == 0:
            assert generalised_q(effects, variances, 0.0) <= quantile * (1 + 1e-9)
        else:
            assert generalised_q(effects, variances, limit) == pytest.approx(quantile, rel=1e-8)


@quick
@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 30)), min_size=4, max_size=14))
def test_the_rank_test_agrees_with_scipy_with_and_without_ties(rows):
    effects, variances = np.array(rows, dtype=float).T
    found = begg_test(effects, variances, smallest_k=2)
    w = 1 / variances
    standardised = (effects - np.average(effects, weights=w)) / np.sqrt(variances - 1 / w.sum())
    # Different studies whose standardised effects differ by rounding only are tied here and not there.
    different = np.array([standardised[rows.index(row)] for row in dict.fromkeys(rows)])
    assume(np.diff(np.sort(different)).min(initial=1.0) > 1e-9)
    ranks = [different.tolist().index(standardised[rows.index(row)]) for row in rows]
    theirs_x = different[ranks]
    if found is None:
        assert len(set(variances)) == 1 or len(set(theirs_x)) == 1
        return
    has_ties = len(set(variances)) < len(rows)
    theirs = stats.kendalltau(theirs_x, variances, method="asymptotic" if has_ties else "exact")
    assert found.tau == pytest.approx(theirs.statistic, abs=1e-12)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
