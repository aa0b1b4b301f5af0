from itertools import combinations

import numpy as np
import pytest

from metarag.meta_analysis import dersimonian_laird, gosh, gosh_medians


def test_all_subsets_of_two_or_more_are_pooled_each_once():
    effects, variances = np.array([0.1, 0.9, -0.4, 0.3, 0.2]), np.array([0.02, 0.05, 0.03, 0.2, 0.1])
    found = gosh(effects, variances)
    assert found.is_exhaustive
    wanted = {c for size in range(2, 6) for c in combinations(range(5), size)}
    assert {tuple(np.flatnonzero(row).tolist()) for row in found.members} == wanted
    assert len(found.members) == len(wanted)
    for n, row in enumerate(found.members):
        refit = dersimonian_laird(effects[row], variances[row])
        assert found.size[n] == refit.k
        assert found.effect[n] == pytest.approx(refit.effect)
        assert found.standard_error[n] == pytest.approx(refit.standard_error)
        assert found.tau_squared[n] == pytest.approx(refit.tau_squared)
        assert found.q[n] == pytest.approx(refit.q)
        assert found.i_squared[n] == pytest.approx(refit.i_squared)


def test_permuting_the_studies_permutes_only_the_columns():
    effects, variances = np.array([0.1, 0.9, -0.4, 0.3]), np.array([0.02, 0.05, 0.03, 0.2])
    order = [2, 0, 3, 1]
    before, after = gosh(effects, variances), gosh(effects[order], variances[order])
    assert before.members[:, order].tolist() == after.members.tolist()
    assert before.effect.tolist() == after.effect.tolist()


def test_equal_studies_are_members_of_their_own():
    found = gosh([0.3, 0.3, 0.3], [0.1, 0.1, 0.1])
    assert sorted(map(tuple, found.members.tolist())) == [
        (False, True, True),
        (True, False, True),
        (True, True, False),
        (True, True, True),
    ]


@pytest.mark.parametrize(("k", "subsets"), [(1, 0), (2, 1), (3, 4), (15, 2**15 - 16)])
def test_the_enumeration_reaches_from_one_study_to_fifteen(k, subsets):
    found = gosh(np.linspace(0, 1, k), np.full(k, 0.1))
    assert len(found.effect) == subsets
    assert found.members.shape == (subsets, k)


def test_more_studies_are_sampled_and_the_seed_decides():
    effects, variances = np.linspace(-1, 1, 20), np.linspace(0.02, 0.3, 20)
    first, again, other = (
        gosh(effects, variances, subsets=500, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert not first.is_exhaustive
    assert len(first.effect) == 500
    assert first.effect.tolist() == again.effect.tolist()
    assert first.effect.tolist() != other.effect.tolist()
    assert first.size.min() >= 2
    # Each study joins with probability one half.
    assert first.members.mean() == pytest.approx(0.5, abs=0.03)


def test_too_small_subsets_are_drawn_again():
    class Stingy(np.random.Generator):
        """Draws nobody at first."""

        calls = 0

        def random(self, *args, **kwargs):
            self.calls += 1
            drawn = super().random(*args, **kwargs)
            return np.ones_like(drawn) if self.calls == 1 else drawn

    found = gosh(np.arange(16.0), np.ones(16), subsets=3, rng=Stingy(np.random.PCG64(3)))
    assert found.size.min() >= 2


def test_chance_needs_a_generator():
    with pytest.raises(ValueError, match="16 studies have too many subsets"):
        gosh(np.zeros(16), np.ones(16))


def test_a_sample_has_a_size():
    with pytest.raises(ValueError, match="subsets must be at least 1"):
        gosh([0.1, 0.2], [0.1, 0.1], subsets=0)


def test_medians_with_and_without_show_the_study_that_makes_the_heterogeneity():
    found = gosh([0.1, 0.12, 0.08, 3.0, 0.11], [0.01] * 5)
    with_each, without_each = gosh_medians(found, found.i_squared)
    assert int(np.argmax(with_each)) == 3
    assert without_each[3] == 0
    assert min(without_each[i] for i in (0, 1, 2, 4)) > 0.5


def test_a_median_over_no_subset_is_not_assessed():
    found = gosh([0.1, 0.2], [0.1, 0.1])
    assert gosh_medians(found, found.effect)[1] == (None, None)
