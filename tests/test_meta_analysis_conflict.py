import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.meta_analysis import cluster_share_threshold, direction_conflict, fixed_effect, two_cluster_split

quick = settings(deadline=None, max_examples=60)
study = st.tuples(st.floats(-3, 3), st.floats(0.005, 2))
CLUSTERS = [-0.6, 0.02, -0.58, 0.0, -0.62, 0.03, -0.61, -0.01]


def test_two_clusters_are_told_apart_whatever_their_order():
    split = two_cluster_split(CLUSTERS, [0.01] * 8)
    assert split.is_split
    assert split.share > 0.99
    assert (split.lower, split.upper) == ((0, 2, 4, 6), (1, 3, 5, 7))
    assert split.lower_effect == pytest.approx(
        fixed_effect([CLUSTERS[i] for i in split.lower], [0.01] * 4).effect
    )
    assert split.upper_effect > split.lower_effect
    assert split.q_within < 1


def test_an_even_spread_is_not_two_clusters():
    split = two_cluster_split(np.linspace(-0.8, 0.8, 12), [0.01] * 12)
    assert split.q_p_value < 1e-6
    assert not split.is_split


def test_one_study_apart_is_an_outlier_not_a_cluster():
    split = two_cluster_split([-0.3, -0.28, -0.33, -0.31, 2.0, -0.29], [0.01] * 6)
    assert not split.is_split
    assert len(split.upper) >= 2


def test_agreeing_studies_are_never_split_though_some_cut_explains_their_little_q():
    split = two_cluster_split([0.10, 0.101, 0.12, 0.121], [0.05] * 4)
    assert split.share > 0.98
    assert not split.is_split


def test_identical_effects_have_nothing_to_split():
    split = two_cluster_split([0.3] * 5, [0.1] * 5)
    assert (split.is_split, split.share, split.q) == (False, 0, 0)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_two_groups_of_two_need_four_studies(k):
    assert two_cluster_split(CLUSTERS[:k], [0.01] * k) is None


@quick
@given(st.lists(study, min_size=4, max_size=9))
def test_no_other_cut_of_the_sorted_effects_explains_more(rows):
    effects, variances = np.array(rows).T
    split = two_cluster_split(effects, variances)
    y, v = np.array(sorted(rows)).T
    for cut in range(2, len(rows) - 1):
        within = fixed_effect(y[:cut], v[:cut]).q + fixed_effect(y[cut:], v[cut:]).q
        assert split.q_within <= within + 1e-9
    assert sorted(split.lower + split.upper) == list(range(len(rows)))
    assert effects[list(split.lower)].max() <= effects[list(split.upper)].min()
    assert min(len(split.lower), len(split.upper)) >= 2
    assert split.q == pytest.approx(fixed_effect(effects, variances).q)
    assert split.share == pytest.approx(1 - split.q_within / split.q if split.q else 0, abs=1e-9)


def test_the_threshold_can_be_set_and_falls_with_the_number_of_studies():
    assert two_cluster_split(CLUSTERS, [0.01] * 8, threshold=1.0).is_split is False
    assert cluster_share_threshold(6) > cluster_share_threshold(30) > 2 / np.pi
    # Even the smallest pool that can be split can reach it.
    assert cluster_share_threshold(4) < 1


@pytest.mark.parametrize("option", [{"threshold": 0}, {"threshold": 1.5}, {"largest_q_p_value": 0}])
def test_options_outside_their_range_are_refused(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        two_cluster_split(CLUSTERS, [0.01] * 8, **option)


def test_studies_that_exclude_the_null_on_both_sides_are_a_conflict():
    conflict = direction_conflict([-0.6, 0.7, 0.05, -0.5], [0.02, 0.02, 0.02, 0.02])
    assert conflict.is_conflict
    assert conflict.is_opposed
    assert (conflict.below, conflict.above) == ((0, 3), (1,))


def test_studies_on_both_sides_that_prove_nothing_are_no_conflict():
    conflict = direction_conflict([-0.1, 0.1, 0.05, -0.02], [0.02] * 4)
    assert not conflict.is_conflict
    assert conflict.above == conflict.below == ()


def test_a_spread_over_the_null_is_a_conflict_though_the_mean_is_clear():
    effects = [-1.6, -0.1, -1.3, -0.2, -1.4, -0.15, -1.2, -0.3]
    conflict = direction_conflict(effects, [0.01] * 8)
    assert not conflict.is_opposed
    assert conflict.prediction_spans_null
    assert conflict.is_conflict


def test_few_agreeing_studies_are_no_conflict_though_their_prediction_is_wide():
    # With tau-squared 0 the prediction interval is wider by its degrees of freedom alone.
    conflict = direction_conflict([-0.20, -0.21, -0.19, -0.2], [0.0125] * 4)
    assert conflict.prediction_spans_null is False
    assert not conflict.is_conflict


def test_the_null_can_lie_elsewhere():
    effects, variances = [0.9, 1.7, 1.1, 0.8], [0.01] * 4
    assert direction_conflict(effects, variances, null=1.25).is_opposed
    assert not direction_conflict(effects, variances).is_opposed
    with pytest.raises(ValueError, match="null must be finite"):
        direction_conflict(effects, variances, null=float("nan"))


def test_one_study_cannot_disagree_with_itself():
    assert direction_conflict([0.5], [0.01]) is None


def test_two_opposed_studies_are_a_conflict_without_a_prediction():
    conflict = direction_conflict([-0.7, 0.7], [0.04, 0.05])
    assert conflict.is_conflict
    assert conflict.prediction_spans_null is None
