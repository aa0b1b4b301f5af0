"""Two systems on the same questions."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation.result_builders import make_cell, make_result
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from metarag.evaluation.paired import cluster_bootstrap, compare, holm, mcnemar


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_exact_binomial_test(gained, lost):
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("gained", "lost"), [(45, 69), (135, 157), (1000, 1100), (2600, 2400), (5000, 5000)])
def test_mcnemar_at_the_sizes_of_real_data_sets(gained, lost):
    assert mcnemar(gained, lost) == pytest.approx(binomtest(gained, gained + lost).pvalue, rel=1e-8)


def test_mcnemar_by_hand_and_its_limits():
    assert mcnemar(1, 5) == pytest.approx(2 * (1 + 6) / 64)
    assert mcnemar(0, 0) == 1.0
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


def test_a_comparison_counts_what_was_gained_and_lost_and_names_the_items():
    found = compare(make_cell("++-?+"), make_cell("-+++-"))
    assert found.gained == ("q001", "q005")
    assert found.lost == ("q003", "q004")
    assert found.discordant == (2, 2)
    assert found.difference == pytest.approx(0)
    assert found.p_value == 1.0
    assert (found.items, found.only_in_one) == (5, 0)


def test_answers_that_only_one_has_are_left_out_and_counted():
    found = compare(make_cell("++++"), make_cell("--"))
    assert (found.items, found.only_in_one, found.difference) == (2, 2, 1.0)


def test_without_common_items_there_is_nothing_to_compare():
    assert compare([make_result("q1")], [make_result("q2")]) is None


def test_cells_that_disagree_on_what_is_right_are_not_compared():
    with pytest.raises(ValueError, match="do not agree"):
        compare([make_result(gold="A")], [make_result(gold="B")])
    with pytest.raises(ValueError, match="twice"):
        compare([make_result(), make_result()], [make_result()])


def test_several_seeds_are_paired_by_seed_and_have_no_p_value():
    one = [*make_cell("+-", seed=1), *make_cell("++", seed=2)]
    other = [*make_cell("--", seed=1), *make_cell("-+", seed=2)]
    found = compare(one, other)
    assert (found.items, found.seeds, found.p_value) == (2, 2, None)
    assert found.gained == ("1:q001", "2:q001")
    assert found.difference == pytest.approx(0.5)


def test_the_bootstrap_is_the_same_with_the_same_seed_and_in_any_order():
    one, other = make_cell("++-+-++-+-" * 5), make_cell("+--+--+-++" * 5)
    found = compare(one, other, resamples=500)
    assert found == compare(list(reversed(one)), other, resamples=500)
    assert found.interval != compare(one, other, seed=1, resamples=500).interval
    assert found.interval.low < found.difference < found.interval.high


def test_the_bootstrap_agrees_with_the_normal_interval_where_that_is_right():
    rng = np.random.default_rng(7)
    differences = rng.choice([-1, 0, 1], size=1200, p=[0.08, 0.8, 0.12])
    clusters = [str(n) for n in range(1200)]
    interval = cluster_bootstrap(differences, clusters, rng=np.random.default_rng(0), resamples=4000)
    half = 1.96 * differences.std() / np.sqrt(1200)
    assert interval.low == pytest.approx(differences.mean() - half, abs=0.003)
    assert interval.high == pytest.approx(differences.mean() + half, abs=0.003)


def test_copies_of_questions_widen_the_interval_as_if_they_were_one():
    rng = np.random.default_rng(3)
    single = list(rng.choice([-1, 0, 1], size=200, p=[0.1, 0.7, 0.2]))
    names = [str(n) for n in range(200)]
    alone = cluster_bootstrap(single, names, rng=np.random.default_rng(0), resamples=2000)
    doubled = cluster_bootstrap(single * 2, names * 2, rng=np.random.default_rng(0), resamples=2000)
    naive = cluster_bootstrap(
        single * 2, [str(n) for n in range(400)], rng=np.random.default_rng(0), resamples=2000
    )
    assert (doubled.low, doubled.high) == pytest.approx((alone.low, alone.high))
    assert naive.high - naive.low < 0.8 * (alone.high - alone.low)


def test_a_single_cluster_has_no_interval():
    assert cluster_bootstrap([1.0, 0.0], ["x", "x"], rng=np.random.default_rng(0)) is None


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 20])
def test_holm_is_that_of_statsmodels(n):
    p_values = [*np.random.default_rng(n).uniform(0, 1, n).round(2), 0.01, 0.01]
    assert holm(p_values) == pytest.approx(tuple(multipletests(p_values, method="holm")[1]))


def test_holm_by_hand_and_with_gaps():
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx((0.03, None, 0.06, 0.06))
    assert holm([]) == ()
