import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.meta_analysis import (
    baujat,
    dersimonian_laird,
    fixed_effect,
    holm,
    influence,
    leave_one_out,
    pair_deletion,
)

quick = settings(deadline=None, max_examples=60)
study = st.tuples(st.floats(-3, 3), st.floats(0.005, 2))
three_or_more = st.lists(study, min_size=3, max_size=12)

# One study fourteen hundred times as precise as the rest, one wild study, one second in command.
HARD = {
    "dominated": ([0.1, 0.6, 0.9, -0.2], [1e-9, 1.0, 1.5, 0.7]),
    "two_dominate": ([0.1, 0.1004, 0.9, -0.2], [1e-9, 1e-5, 150.0, 70.0]),
    "second_in_command": ([0.1, 0.1, 60.0, -50.0], [1e-12, 1e-10, 100.0, 150.0]),
    "wild": ([0.1, 0.12, 1e7, 0.08, 0.15], [0.01, 0.02, 0.01, 0.03, 0.02]),
    "precise_and_wild": ([0.0, 6.8, -0.001, 0.008, -19.8, 21.0], [7e-6, 0.16, 2.6e-5, 3.3e3, 1.4e-10, 2.1e3]),
    "offset": ([1e6 + 0.1, 1e6 + 1.4, 1e6 - 0.8, 1e6 + 2.2], [0.2, 0.3, 0.25, 0.4]),
    "identical": ([0.3] * 4, [0.01, 0.02, 0.03, 0.04]),
}


def arrays(rows):
    effects, variances = np.array(rows).T
    return effects, variances


def assert_equals_refits(effects, variances):
    left_out = leave_one_out(effects, variances)
    for i in range(len(effects)):
        refit = dersimonian_laird(np.delete(effects, i), np.delete(variances, i))
        assert left_out.q[i] == pytest.approx(refit.q, rel=1e-7, abs=1e-10)
        assert left_out.tau_squared[i] == pytest.approx(refit.tau_squared, rel=1e-7, abs=1e-10)
        assert left_out.effect[i] == pytest.approx(refit.effect, rel=1e-9, abs=1e-7 * refit.standard_error)
        assert left_out.standard_error[i] == pytest.approx(refit.standard_error, rel=1e-8)
        assert left_out.i_squared[i] == pytest.approx(refit.i_squared, abs=1e-7)
        assert left_out.h_squared[i] == pytest.approx(refit.h_squared, rel=1e-7)
        assert left_out.q_p_value[i] == pytest.approx(refit.q_p_value, rel=1e-6, abs=1e-10)
        assert left_out.p_value[i] == pytest.approx(refit.p_value, rel=1e-5, abs=1e-12)
        assert left_out.ci_low[i] == pytest.approx(refit.ci_low, abs=1e-7 * (1 + abs(refit.ci_low)))


@quick
@given(three_or_more)
def test_leaving_one_out_equals_pooling_the_others(rows):
    assert_equals_refits(*arrays(rows))


@pytest.mark.parametrize("name", HARD)
def test_leaving_one_out_keeps_its_digits_where_subtraction_would_lose_them(name):
    assert_equals_refits(*(np.array(values) for values in HARD[name]))


@quick
@given(three_or_more, st.randoms())
def test_permuting_the_studies_permutes_the_results(rows, random):
    order = random.sample(range(len(rows)), len(rows))
    effects, variances = arrays(rows)
    before, after = influence(effects, variances), influence(effects[order], variances[order])
    # Bit for bit, so that no threshold or tie depends on the order of retrieval.
    for name in ("rstudent", "cooks_distance", "dffits", "covariance_ratio", "hat", "tau_squared"):
        assert getattr(before, name)[order].tolist() == getattr(after, name).tolist()


def test_equal_studies_get_equal_results_though_only_one_of_them_is_left_out():
    effects, variances = np.array([1.0, -1.0, -1.0, 0.0, 0.0, 1.0]), np.array([0.5, 1.0, 1.0, 1.5, 0.5, 0.25])
    found = influence(effects, variances)
    assert found.cooks_distance[1] == found.cooks_distance[2]
    assert found.effect[2] == pytest.approx(
        dersimonian_laird(effects[[0, 1, 3, 4, 5]], variances[[0, 1, 3, 4, 5]]).effect
    )


@quick
@given(three_or_more)
def test_influence_statistics_keep_their_definitions(rows):
    effects, variances = arrays(rows)
    found, left_out = influence(effects, variances), leave_one_out(effects, variances)
    pooled = dersimonian_laird(effects, variances)
    spread = variances + left_out.tau_squared + left_out.standard_error**2
    assert found.rstudent == pytest.approx((effects - left_out.effect) / np.sqrt(spread), abs=1e-8)
    move = pooled.effect - left_out.effect
    assert found.cooks_distance == pytest.approx(move**2 / pooled.standard_error**2, abs=1e-8)
    assert found.covariance_ratio == pytest.approx((left_out.standard_error / pooled.standard_error) ** 2)
    assert found.hat == pytest.approx(pooled.weights)
    assert found.hat.sum() == pytest.approx(1)
    assert (found.rstudent_p_holm >= found.rstudent_p_value).all()
    assert found.tau_squared.tolist() == left_out.tau_squared.tolist()


def test_a_gross_error_stands_out_and_is_the_only_one():
    effects = np.array([-0.3, -0.25, 2.4, -0.35, -0.2, -0.4, -0.3, -0.28])
    found = influence(effects, np.full(8, 0.04))
    assert np.flatnonzero(found.rstudent_p_holm < 0.05).tolist() == [2]
    assert found.rstudent[2] > 5
    assert np.flatnonzero(found.influential).tolist() == [2]
    assert found.tau_squared[2] == 0


def test_a_large_study_can_move_the_pool_without_being_unlike():
    found = influence([0.0, 0.25, 0.3, 0.2, 0.35], [0.04, 0.3, 0.3, 0.3, 0.3])
    assert abs(found.rstudent[0]) < 1.96
    assert found.hat[0] > 3 / 5
    assert found.influential[0]


def test_one_study_has_no_others_to_be_compared_with():
    left_out, found, coordinates = (f([0.1], [0.2]) for f in (leave_one_out, influence, baujat))
    assert left_out.effect is left_out.tau_squared is left_out.q is None
    assert found.rstudent is found.cooks_distance is found.hat is found.influential is None
    assert coordinates.heterogeneity is coordinates.influence is None
    assert left_out.k == found.k == 1


def test_of_two_studies_the_one_left_says_nothing_of_heterogeneity():
    left_out = leave_one_out([0.1, 0.9], [0.04, 0.09])
    assert left_out.effect.tolist() == pytest.approx([0.9, 0.1])
    assert left_out.standard_error.tolist() == pytest.approx([0.3, 0.2])
    assert left_out.tau_squared is left_out.q is left_out.i_squared is left_out.q_p_value is None
    found = influence([0.1, 0.9], [0.04, 0.09])
    assert found.rstudent.tolist() == pytest.approx([-0.8 / np.sqrt(0.13), 0.8 / np.sqrt(0.13)])
    assert found.tau_squared is found.i_squared is None


@quick
@given(three_or_more)
def test_the_parts_of_a_fixed_effect_baujat_plot_sum_to_q(rows):
    effects, variances = arrays(rows)
    coordinates = baujat(effects, variances, model="FE")
    pooled = fixed_effect(effects, variances)
    assert coordinates.heterogeneity.sum() == pytest.approx(pooled.q, abs=1e-9)
    for i, moved in enumerate(coordinates.influence):
        without = fixed_effect(np.delete(effects, i), np.delete(variances, i))
        expected = ((pooled.effect - without.effect) / without.standard_error) ** 2
        assert moved == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_a_baujat_plot_has_two_models_only():
    with pytest.raises(ValueError, match="model must be DL or FE"):
        baujat([0.1, 0.2], [0.1, 0.1], model="REML")


@quick
@given(st.lists(study, min_size=4, max_size=8))
def test_deleting_a_pair_equals_pooling_the_others(rows):
    effects, variances = arrays(rows)
    pairs = pair_deletion(effects, variances)
    assert len(pairs.first) == len(rows) * (len(rows) - 1) // 2
    for n, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        refit = dersimonian_laird(np.delete(effects, [i, j]), np.delete(variances, [i, j]))
        assert pairs.effect[n] == pytest.approx(refit.effect, abs=1e-8)
        assert pairs.tau_squared[n] == pytest.approx(refit.tau_squared, rel=1e-7, abs=1e-9)
        distance = effects[[i, j]] - refit.effect
        covariance = np.diag(variances[[i, j]] + refit.tau_squared) + refit.standard_error**2
        wald = distance @ np.linalg.solve(covariance, distance)
        assert pairs.statistic[n] == pytest.approx(wald, rel=1e-6, abs=1e-8)


def test_two_outliers_that_mask_each_other_are_found_as_a_pair():
    effects = np.array([-0.3, 1.5, -0.25, -0.35, -0.2, 1.7, -0.3, -0.28])
    variances = np.full(8, 0.025)
    assert (influence(effects, variances).rstudent_p_holm > 0.05).all()
    pairs = pair_deletion(effects, variances)
    best = int(pairs.p_holm.argmin())
    assert (pairs.first[best], pairs.second[best]) == (1, 5)
    assert pairs.p_holm[best] < 1e-6
    assert np.count_nonzero(pairs.p_holm < 0.05) == 1


@pytest.mark.parametrize("k", [1, 2, 3])
def test_pairs_are_not_assessed_where_fewer_than_two_studies_would_be_left(k):
    assert pair_deletion([0.1, 0.2, 0.3][:k], [0.1] * k) is None


def test_pairs_of_very_many_studies_are_not_assessed():
    assert pair_deletion(np.zeros(6), np.ones(6), largest_k=5) is None


def test_holm_follows_a_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


@quick
@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_lowers_a_p_value_nor_changes_their_order(p_values):
    adjusted = holm(p_values)
    assert ((adjusted >= p_values) & (adjusted <= 1)).all()
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_holm_takes_probabilities_only(bad):
    with pytest.raises(ValueError, match=r"p_values must lie in \[0, 1\] \(index 1"):
        holm([0.5, bad])
