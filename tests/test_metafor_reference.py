"""Every number against metafor, on the case grid of validation/metafor."""

import json
from pathlib import Path

import numpy as np
import pytest

from metarag.meta_analysis import (
    baujat,
    begg_test,
    binary_effects,
    dersimonian_laird,
    egger_test,
    fixed_effect,
    gosh,
    influence,
    leave_one_out,
    mantel_haenszel,
    mean_differences,
    paule_mandel,
    peto_odds_ratio,
    prediction_interval,
    q_profile,
    reml,
    standardised_mean_differences,
)

REFERENCE = json.loads(
    (Path(__file__).resolve().parents[1] / "validation" / "metafor" / "reference.json").read_text(
        encoding="utf-8"
    )
)
CASES = {case["id"]: case for case in REFERENCE["cases"]}

# The grid may grow; whoever takes a case out has to take it out here too.
GRID = {
    "bcg_rr", "bcg_or", "hine1989_rd", "normand1999_md", "normand1999_smd",
    "li2007_or", "yusuf1985_or", "hackshaw1998_or", "egger2001_or", "cannon2006_or",
    "raudenbush1985_smd", "nielweise2007_or", "linde2005_rr", "gibson2002_smd", "collins1985_or",
    "k1", "k1_null", "k2_conflict", "k2_identical", "k2_variance_ratio_5000",
    "k3_dominated", "k3_dominated_small_spread", "variance_ratio_1e8", "identical", "q_below_df",
    "q_just_above_df", "equal_variances", "offset_1e6", "one_gross_outlier", "two_masked_outliers",
    "two_clusters", "sign_split", "small_study_effects_30", "k100", "one_zero_arm",
    "double_zero", "all_events", "zero_on_rd",
}  # fmt: skip

# How many cases have each block of results, so that a block cannot fall out of the script unseen.
BLOCKS = {
    "FE": 38, "DL": 38, "PM": 36, "REML": 36, "hartung_knapp": 36, "q_profile": 36, "prediction": 33,
    "leave_one_out": 33, "influence": 33, "baujat": 33, "egger": 31, "begg": 31, "gosh": 18,
}  # fmt: skip

# metafor sums Q around zero: with an offset of a million it has fewer digits than we do.
DIGITS_LOST = {"offset_1e6": 1e-3}
NEAR_ZERO = 1e-12


def check_close(value, expected, tolerance=1e-8):
    expected = np.array(expected, dtype=float)
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(np.array(value, dtype=float), expected, rtol=tolerance, atol=NEAR_ZERO)


def studies(case):
    return np.atleast_1d(case["yi"]), np.atleast_1d(case["vi"])


def having(block):
    return sorted(name for name, case in CASES.items() if block in case["expected"] or block in case)


def test_the_grid_has_not_shrunk():
    assert set(CASES) >= GRID
    assert len(REFERENCE["cases"]) == len(CASES)
    for block, cases in BLOCKS.items():
        assert len(having(block)) >= cases, block
    assert len(having("tables")) >= 14
    assert len(having("means")) >= 3


def test_the_reference_names_what_made_it():
    assert REFERENCE["source"].keys() >= {"made_by", "R", "metafor", "metadat"}
    assert REFERENCE["source"]["metafor"].startswith("3.")


@pytest.mark.parametrize("name", sorted(CASES))
def test_fixed_effect_and_dersimonian_laird(name):
    case = CASES[name]
    for model, pool in (("FE", fixed_effect), ("DL", dersimonian_laird)):
        pooled, expected = pool(*studies(case)), case["expected"][model]
        found = [pooled.effect, pooled.standard_error, pooled.p_value, pooled.ci_low, pooled.ci_high]
        check_close(found, [expected[key] for key in ("effect", "se", "p", "low", "high")])
        if pooled.k > 1:
            check_close([pooled.q, pooled.q_p_value], [case["expected"]["Q"], case["expected"]["Q_p"]])
            check_close(pooled.i_squared, expected["I2"])
            # metafor does not floor the fixed-effect H-squared at 1.
            check_close([pooled.tau_squared, pooled.h_squared], [expected["tau2"], max(1, expected["H2"])])
        else:
            assert pooled.q is pooled.tau_squared is pooled.i_squared is pooled.h_squared is None


@pytest.mark.parametrize("name", having("PM"))
def test_paule_mandel_and_reml(name):
    case = CASES[name]
    for model, pool in (("PM", paule_mandel), ("REML", reml)):
        pooled, expected = pool(*studies(case)), case["expected"][model]
        check_close(
            [pooled.tau_squared, pooled.effect, pooled.standard_error, pooled.i_squared, pooled.h_squared],
            [expected[key] for key in ("tau2", "effect", "se", "I2", "H2")],
            1e-6,
        )


@pytest.mark.parametrize("name", having("hartung_knapp"))
def test_hartung_knapp_plain_and_floored(name):
    case = CASES[name]
    pooled = dersimonian_laird(*studies(case))
    for block in ("hartung_knapp", "hartung_knapp_floored"):
        interval, expected = getattr(pooled, block), case["expected"][block]
        check_close(
            [interval.standard_error, interval.low, interval.high],
            [expected[k] for k in ("se", "low", "high")],
        )
        if interval.statistic is not None:
            check_close([interval.statistic, interval.p_value], [expected["statistic"], expected["p"]])


@pytest.mark.parametrize("name", having("q_profile"))
def test_q_profile(name):
    found, expected = q_profile(*studies(CASES[name])), CASES[name]["expected"]["q_profile"]
    tolerance = DIGITS_LOST.get(name, 1e-6)
    check_close([found.tau_squared_low, found.tau_squared_high], expected["tau2"], tolerance)
    check_close([found.i_squared_low, found.i_squared_high], expected["I2"], tolerance)
    check_close([found.h_squared_low, found.h_squared_high], expected["H2"], tolerance)


@pytest.mark.parametrize("name", having("prediction"))
def test_prediction_interval(name):
    found = prediction_interval(*studies(CASES[name]))
    check_close([found.low, found.high], CASES[name]["expected"]["prediction"])


@pytest.mark.parametrize("name", having("leave_one_out"))
def test_leave_one_out(name):
    found, expected = leave_one_out(*studies(CASES[name])), CASES[name]["expected"]["leave_one_out"]
    for ours, theirs in (
        ("effect", "effect"),
        ("standard_error", "se"),
        ("p_value", "p"),
        ("tau_squared", "tau2"),
        ("q", "Q"),
        ("i_squared", "I2"),
    ):
        check_close(getattr(found, ours), expected[theirs])


@pytest.mark.parametrize("name", having("influence"))
def test_influence(name):
    found, expected = influence(*studies(CASES[name])), CASES[name]["expected"]["influence"]
    for ours, theirs in (
        ("rstudent", "rstudent"),
        ("rstandard", "rstandard"),
        ("dffits", "dffits"),
        ("dfbetas", "dfbetas"),
        ("cooks_distance", "cooks_distance"),
        ("covariance_ratio", "cov_ratio"),
        ("hat", "hat"),
    ):
        check_close(getattr(found, ours), expected[theirs], DIGITS_LOST.get(name, 1e-8))
    assert found.influential.tolist() == expected["influential"]


@pytest.mark.parametrize("name", having("baujat"))
def test_baujat(name):
    found, expected = baujat(*studies(CASES[name])), CASES[name]["expected"]["baujat"]
    check_close(found.heterogeneity, expected["x"])
    check_close(found.influence, expected["y"], DIGITS_LOST.get(name, 1e-8))


@pytest.mark.parametrize("name", having("egger"))
def test_asymmetry(name):
    case = CASES[name]
    found, expected = egger_test(*studies(case), smallest_k=3), case["expected"]["egger"]
    check_close(
        [found.bias, found.standard_error, found.t, found.p_value, found.limit_effect],
        [expected[key] for key in ("bias", "se", "t", "p", "limit")],
    )
    ranks = begg_test(*studies(case), smallest_k=2)
    check_close([ranks.tau, ranks.p_value], [case["expected"]["begg"]["tau"], case["expected"]["begg"]["p"]])


@pytest.mark.parametrize("name", having("gosh"))
def test_gosh(name):
    found, expected = gosh(*studies(CASES[name])), CASES[name]["expected"]["gosh"]
    assert len(found.effect) == expected["n"]
    at = [0.05, 0.25, 0.5, 0.75, 0.95]
    for ours, theirs in (("effect", "effect"), ("i_squared", "I2"), ("q", "Q")):
        check_close(np.quantile(getattr(found, ours), at), expected[theirs])


@pytest.mark.parametrize("name", having("tables"))
def test_tables(name):
    case = CASES[name]
    counts = [case["tables"][key] for key in ("ai", "n1i", "ci", "n2i")]
    for measure in ("OR", "RR", "RD"):
        found, expected = binary_effects(*counts, measure=measure), case["counts"]["effects"][measure]
        check_close(found.effects, expected["yi"])
        check_close(found.variances, expected["vi"])
        pooled, expected = (
            mantel_haenszel(*counts, measure=measure),
            case["counts"]["mantel_haenszel"][measure],
        )
        check_close(
            [pooled.effect, pooled.standard_error, pooled.ci_low, pooled.ci_high],
            [expected[key] for key in ("effect", "se", "low", "high")],
        )
    pooled, expected = peto_odds_ratio(*counts), case["counts"]["peto"]
    check_close(
        [pooled.effect, pooled.standard_error, pooled.ci_low, pooled.q, pooled.q_p_value],
        [expected[key] for key in ("effect", "se", "low", "Q", "Q_p")],
    )


@pytest.mark.parametrize("name", having("means"))
def test_means(name):
    case = CASES[name]
    arms = [case["means"][key] for key in ("m1i", "sd1i", "n1i", "m2i", "sd2i", "n2i")]
    for measure, function in (("MD", mean_differences), ("SMD", standardised_mean_differences)):
        found, expected = function(*arms), case["differences"][measure]
        check_close(found.effects, expected["yi"])
        check_close(found.variances, expected["vi"])
