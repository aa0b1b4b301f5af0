"""Classic data sets with the results of metafor, as handed over beside the checkout."""

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
    gosh_medians,
    influence,
    leave_one_out,
    mean_differences,
    paule_mandel,
    prediction_interval,
    q_profile,
    reml,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
FILE = SHARED / "cases" / "meta_reference_public.json"
if not FILE.is_file():
    pytest.skip(f"no reference file at {FILE}", allow_module_level=True)

SETS = {s["id"]: s for s in json.loads(FILE.read_text(encoding="utf-8"))["datasets"]}
every_set = pytest.mark.parametrize("name", sorted(SETS))

# The reference's own limits of Q-profile were searched to 1e-4 and no further than ten times tau-squared.
SEARCH_WIDTH, SEARCH_END = 1e-4, 10


def check_close(value, expected, *, relative=1e-6, absolute=1e-9):
    np.testing.assert_allclose(
        np.array(value, dtype=float), np.array(expected, dtype=float), rtol=relative, atol=absolute
    )


def studies(name):
    return np.array(SETS[name]["expected"]["yi"]), np.array(SETS[name]["expected"]["vi"])


def pick(block, *keys):
    return [block[key] for key in keys]


def test_all_sets_are_there():
    assert len(SETS) >= 6


@every_set
def test_effects_and_variances_are_made_from_the_counts_or_means(name):
    data, (effects, variances) = SETS[name], studies(name)
    given = data["input"]
    if given["type"] == "2x2":
        made = binary_effects(*pick(given, "ai", "n1i", "ci", "n2i"), measure=data["measure"])
    elif given["type"] == "means":
        made = mean_differences(*pick(given, "m1", "sd1", "n1", "m2", "sd2", "n2"))
    else:
        pytest.skip("the set holds effects, not arms")
    check_close(made.effects, effects)
    check_close(made.variances, variances)


@every_set
def test_pools(name):
    expected = SETS[name]["expected"]
    common, random = fixed_effect(*studies(name)), dersimonian_laird(*studies(name))
    for pooled, block in ((common, expected["fe"]), (random, expected["dl"])):
        check_close(
            [pooled.effect, pooled.standard_error, pooled.z, pooled.p_value],
            pick(block, "est", "se", "z", "p"),
        )
        check_close([pooled.ci_low, pooled.ci_high], block["ci"])
    check_close(100 * np.array(random.weights), expected["dl"]["weights_pct"])
    het = expected["het"]
    check_close(
        [random.q, random.df, random.q_p_value, random.tau_squared, 100 * random.i_squared, random.h_squared],
        pick(het, "Q", "df", "p", "tau2_DL", "I2_pct", "H2"),
    )
    plain, floored = random.hartung_knapp, random.hartung_knapp_floored
    for interval, block in ((plain, expected["dl_hk"]), (floored, expected["dl_hk_adhoc_floor"])):
        check_close(
            [interval.standard_error, interval.statistic, interval.p_value], pick(block, "se", "t", "p")
        )
        check_close([interval.low, interval.high, interval.df], [*block["ci"], block["df"]])


@every_set
def test_paule_mandel_and_reml(name):
    for pool, key in ((paule_mandel, "pm"), (reml, "reml")):
        pooled, block = pool(*studies(name)), SETS[name]["expected"][key]
        check_close(
            [pooled.tau_squared, pooled.effect, pooled.standard_error, pooled.ci_low, pooled.ci_high],
            [*pick(block, "tau2", "est", "se"), *block["ci"]],
            relative=1e-4,
            absolute=1e-5,
        )
        check_close(
            [100 * pooled.i_squared, pooled.h_squared],
            pick(block, "I2_pct", "H2"),
            relative=1e-4,
            absolute=1e-3,
        )


@every_set
def test_prediction_intervals(name):
    expected = SETS[name]["expected"]["pi95"]
    for df, key in (
        ("k-2", "hts_t_km2"),
        ("k-1", "hts_t_km1"),
        ("normal", "normal"),
        ("k-2", "metafor_riley"),
    ):
        found = prediction_interval(*studies(name), df=df)
        check_close([found.low, found.high], expected[key])


@every_set
def test_q_profile(name):
    found, limits = q_profile(*studies(name)), SETS[name]["expected"]["het"]["qprofile_ci"]["tau2"]
    check_close(found.tau_squared_low, limits[0], relative=1e-3, absolute=SEARCH_WIDTH)
    if limits[1] == pytest.approx(SEARCH_END * found.tau_squared, rel=1e-9) and limits[1] > 0:
        assert found.tau_squared_high > limits[1]
    else:
        check_close(found.tau_squared_high, limits[1], relative=1e-3, absolute=SEARCH_WIDTH)


@every_set
def test_leave_one_out(name):
    found, block = leave_one_out(*studies(name)), SETS[name]["expected"]["leave1out"]
    for ours, theirs in (
        ("effect", "est"),
        ("standard_error", "se"),
        ("p_value", "p"),
        ("ci_low", "ci_lb"),
        ("ci_high", "ci_ub"),
        ("q", "Q"),
        ("q_p_value", "Qp"),
        ("tau_squared", "tau2"),
        ("h_squared", "H2"),
    ):
        check_close(getattr(found, ours), block[theirs])
    check_close(100 * found.i_squared, block["I2_pct"])


@every_set
def test_influence(name):
    found, block = influence(*studies(name)), SETS[name]["expected"]["influence"]
    for ours, theirs in (
        ("rstudent", "rstudent"),
        ("rstandard", "rstandard"),
        ("cooks_distance", "cook_d"),
        ("dffits", "dffits"),
        ("dfbetas", "dfbetas"),
        ("covariance_ratio", "cov_r"),
        ("hat", "hat"),
        ("tau_squared", "tau2_del"),
        ("q", "Q_del"),
    ):
        check_close(getattr(found, ours), block[theirs])
    assert found.influential.tolist() == block["is_infl_metafor"]
    assert np.flatnonzero(np.abs(found.rstudent) > 1.96).tolist() == block["outlier_abs_rstudent_gt_1_96"]


@every_set
def test_plots_and_asymmetry(name):
    expected = SETS[name]["expected"]
    coordinates = baujat(*studies(name))
    check_close(coordinates.heterogeneity, expected["baujat"]["x_contrib_to_Q"])
    check_close(coordinates.influence, expected["baujat"]["y_influence"])
    egger = egger_test(*studies(name), smallest_k=3)
    check_close(
        [egger.bias, egger.standard_error, egger.t, egger.df, egger.p_value, egger.limit_effect],
        pick(expected["egger_lm"], "bias", "bias_se", "t", "df", "p", "limit_est"),
    )
    begg = begg_test(*studies(name), smallest_k=2)
    check_close([begg.tau, begg.p_value], pick(expected["begg"], "tau", "p"))


@every_set
def test_all_subsets(name):
    block = SETS[name]["expected"].get("gosh_all_subsets_k_ge_2")
    if block is None:
        pytest.skip("the set is too large to have all its subsets listed")
    found = gosh(*studies(name))
    assert len(found.effect) == block["n_subsets"]
    at = [0.05, 0.5, 0.95]
    check_close(np.quantile(found.effect, at), block["est_quantiles_5_50_95"])
    check_close(100 * np.quantile(found.i_squared, at), block["I2_quantiles_5_50_95"])
    for values, key, unit in ((found.i_squared, "I2", 100), (found.effect, "est", 1)):
        with_each, without_each = gosh_medians(found, values)
        check_close(unit * np.array(with_each), block[f"median_{key}_with"])
        check_close(unit * np.array(without_each), block[f"median_{key}_without"])
