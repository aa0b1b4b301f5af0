"""The paper's arithmetic by hand-worked examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.paper_method import (
    algorithm_1,
    applicability_score,
    experiment_score,
    final_score,
    publication_date_score,
    reliability_score,
    stance_heterogeneity,
)


def votes(k, minority):
    return ["oppose"] * minority + ["support"] * (k - minority)


@pytest.mark.parametrize(
    ("sigma", "k", "expected"),
    [
        (0.05, 5, (1.00, 0.20)),
        (0.05, 8, (1.00, 0.43, 0.14)),
        (0.05, 10, (1.00, 0.52, 0.21, 0.08)),
        (0.05, 15, (1.00, 0.71, 0.33, 0.18, 0.10)),
        (0.10, 5, (1.00, 0.25)),
        (0.10, 8, (1.00, 0.63, 0.18)),
        (0.10, 10, (0, 0.86, 0.29, 0.10)),
        (0.20, 5, (0, 0.50)),
        (0.20, 8, (0, 1.00, 0.44)),
        (0.20, 15, (0, 0, 0, 1.00, 0.48)),
    ],
)
def test_the_contribution_of_a_dissenter_by_votes(sigma, k, expected):
    found = [
        stance_heterogeneity(votes(k, m), sigma=sigma).contributions[0] for m in range(1, len(expected) + 1)
    ]
    assert found == pytest.approx(expected, abs=0.006)


@given(st.integers(2, 20), st.data(), st.sampled_from([0.05, 0.1, 0.2]))
def test_tau_squared_is_the_sample_variance_less_sigma(k, data, sigma):
    minority = data.draw(st.integers(0, k))
    found = stance_heterogeneity(votes(k, minority), sigma=sigma)
    assert found.tau_squared == pytest.approx(
        max(minority * (k - minority) / (k * (k - 1)) - sigma, 0), abs=1e-12
    )


def test_q_by_hand():
    # Three support, one opposes: mean 0.75, squares 3/16 + 9/16 = 0.75, over sigma 0.05.
    assert stance_heterogeneity(votes(4, 1), sigma=0.05).q == pytest.approx(15.0)


@given(st.integers(4, 20).filter(lambda k: k % 2 == 0))
def test_at_a_tie_nobody_is_to_blame(k):
    assert set(stance_heterogeneity(votes(k, k // 2)).contributions) == {0.0}


def test_of_two_opposed_stances_each_accounts_for_all():
    assert stance_heterogeneity(["support", "oppose"]).contributions == (1.0, 1.0)


def test_the_majority_never_contributes():
    found = stance_heterogeneity(votes(10, 2))
    assert all(c <= 0 for c in found.contributions[2:])


def test_irrelevant_articles_have_no_vote_and_no_contribution():
    found = stance_heterogeneity(["irrelevant", *votes(5, 1), "irrelevant"])
    assert found.k == 5
    assert found.contributions[0] is None
    assert found.contributions[1] == pytest.approx(1.0)


@pytest.mark.parametrize("stances", [[], ["irrelevant"], ["support"]])
def test_without_two_votes_nothing_is_heterogeneous(stances):
    found = stance_heterogeneity(stances)
    assert not found.tau_squared
    assert all(not c for c in found.contributions)


def test_a_variance_must_be_positive():
    with pytest.raises(ValueError, match="sigma must be positive, got 0"):
        stance_heterogeneity(["support"], sigma=0)


def test_the_algorithm_drops_only_unreliable_dissent():
    contributions = {"claim": (1.0, 1.0, 0.1, -0.2)}
    kept = algorithm_1(contributions, (3.0, 5.0, 1.0, None))
    assert kept == (None, ("claim", "reliability"), ("claim", "contribution"), ("claim", "contribution"))


def test_the_limits_are_as_printed_strict_below_m_and_strict_above_r_c():
    assert algorithm_1({"c": (0.5,)}, (4.0,)) == (None,)
    assert algorithm_1({"c": (0.5,)}, (4.01,)) == (("c", "reliability"),)
    assert algorithm_1({"c": (0.499,)}, (1.0,)) == (("c", "contribution"),)


def test_one_claim_is_enough_to_be_kept():
    assert algorithm_1({"a": (1.0,), "b": (0.0,)}, (1.0,)) == (("b", "contribution"),)


def test_an_article_irrelevant_to_every_claim_follows_the_named_policy():
    contributions = {"a": (None,), "b": (None,)}
    assert algorithm_1(contributions, (1.0,)) == (("a", "irrelevant"),)
    assert algorithm_1(contributions, (7.0,), keep_irrelevant=False) == (None,)


def test_reliability_is_a_weighted_mean_on_the_papers_scale():
    assert reliability_score(5, 7, 7) == pytest.approx(0.2 * 5 + 0.6 * 7 + 0.2 * 7)
    assert reliability_score(5, 7, None, alpha=1, beta=1, gamma=1) == pytest.approx(6.0)
    assert reliability_score(None, None, None) is None
    with pytest.raises(ValueError, match="weights"):
        reliability_score(1, 1, 1, alpha=-1)


@pytest.mark.parametrize(
    ("year", "score"), [(2025, 5), (2024, 5), (2023, 4), (2021, 3), (2016, 2), (1990, 1), (2026, 5)]
)
def test_newer_articles_score_higher(year, score):
    assert publication_date_score(year, reference_year=2025) == score


def test_an_unknown_date_has_no_score():
    assert publication_date_score(None, reference_year=2025) is None


def test_the_three_questions_span_the_scale():
    assert experiment_score((True, True, True)) == 7
    assert experiment_score((False, False, False)) == 1
    assert experiment_score((True, None, False)) == 4
    assert experiment_score((None, None, None)) is None


def test_the_final_score_squares_reliability():
    assert final_score(0.5, 0.8) == pytest.approx(0.2)
    assert applicability_score(1.0, 0.5, None) == pytest.approx(0.75)
    assert applicability_score(None, None, None) is None
