import numpy as np
import pytest

from metarag.meta_analysis import (
    dersimonian_laird,
    dersimonian_laird_many,
    leave_one_out,
    leave_one_out_many,
)


def analyses(n, k):
    rng = np.random.default_rng(7)
    return rng.normal(-0.3, 0.4, (n, k)), rng.uniform(0.005, 0.2, (n, k))


@pytest.mark.parametrize("shape", [(1, 2), (7, 5), (400, 20)])
def test_many_analyses_at_once_are_each_pooled_as_alone(shape):
    effects, variances = analyses(*shape)
    together = dersimonian_laird_many(effects, variances)
    for n in range(0, shape[0], 13):
        alone = dersimonian_laird(effects[n], variances[n])
        for name in ("effect", "standard_error", "tau_squared", "q", "q_p_value", "i_squared"):
            assert getattr(together, name)[n] == pytest.approx(getattr(alone, name), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("shape", [(1, 3), (7, 5), (400, 20)])
def test_many_analyses_at_once_leave_each_study_out_as_alone(shape):
    effects, variances = analyses(*shape)
    # One study with nearly all weight: it is refitted, in the middle of a block of others.
    variances[-1, 1] = 1e-10
    together = leave_one_out_many(effects, variances)
    for n in {*range(0, shape[0], 13), shape[0] - 1}:
        alone = leave_one_out(effects[n], variances[n])
        for name in ("effect", "standard_error", "tau_squared", "q", "i_squared"):
            assert getattr(together, name)[n] == pytest.approx(getattr(alone, name), rel=1e-8, abs=1e-10)


def test_no_analysis_at_all_gives_empty_results():
    assert dersimonian_laird_many(np.empty((0, 4)), np.empty((0, 4))).effect.shape == (0,)
    assert leave_one_out_many(np.empty((0, 4)), np.empty((0, 4))).effect.shape == (0, 4)


@pytest.mark.parametrize(
    ("effects", "variances", "message"),
    [
        ([0.1, 0.2], [0.1, 0.1], "2-d"),
        ([[0.1, 0.2, 0.3]], [[0.1, 0.1]], r"\(1, 3\) and \(1, 2\)"),
        ([[0.1]], [[0.1]], "at least"),
        ([[0.1, 0.2, 0.3], [0.1, np.nan, 0.3]], np.ones((2, 3)), r"index 1, 1: nan"),
        (np.ones((2, 3)), [[1, 1, 1], [1, 1, 0]], r"variances must be positive \(index 1, 2"),
    ],
)
def test_what_cannot_be_pooled_is_refused_with_row_and_column(effects, variances, message):
    for function in (dersimonian_laird_many, leave_one_out_many):
        with pytest.raises(ValueError, match=message):
            function(effects, variances)


def test_two_studies_cannot_spare_one():
    with pytest.raises(ValueError, match="at least 3 studies, got 2"):
        leave_one_out_many([[0.1, 0.2]], [[0.1, 0.1]])


def test_a_very_large_analysis_is_cut_into_blocks():
    effects, variances = analyses(1, 700)
    left_out = leave_one_out(effects[0], variances[0])
    refit = dersimonian_laird(effects[0, 1:], variances[0, 1:])
    assert left_out.tau_squared[0] == pytest.approx(refit.tau_squared, rel=1e-9)
    assert left_out.effect[0] == pytest.approx(refit.effect, rel=1e-9)
