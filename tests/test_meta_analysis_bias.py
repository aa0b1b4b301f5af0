import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.meta_analysis import begg_test, egger_test

quick = settings(deadline=None, max_examples=40)
study = st.tuples(st.floats(-3, 3), st.floats(0.01, 2))
VARIANCES = np.linspace(0.01, 1.0, 12) ** 1.5


def test_fewer_than_ten_studies_are_not_tested():
    effects, variances = np.linspace(0, 1, 9), np.linspace(0.1, 1, 9)
    assert egger_test(effects, variances) is None
    assert begg_test(effects, variances) is None
    assert egger_test(effects, variances, smallest_k=9).df == 7


def test_effects_that_grow_with_their_error_are_found():
    wiggle = 0.02 * np.array([1, -1] * 6)
    found = egger_test(-0.1 - 1.2 * np.sqrt(VARIANCES) + wiggle, VARIANCES)
    assert found.bias == pytest.approx(-1.2, abs=0.1)
    assert found.limit_effect == pytest.approx(-0.1, abs=0.05)
    assert found.p_value < 1e-6
    ranks = begg_test(-0.1 - 1.2 * np.sqrt(VARIANCES) + wiggle, VARIANCES)
    assert ranks.tau < -0.3


def test_a_symmetrical_funnel_is_left_alone():
    effects = 0.3 + np.array([1, -1, -1, 1] * 3) * np.sqrt(VARIANCES)
    assert egger_test(effects, VARIANCES).p_value > 0.3
    assert begg_test(effects, VARIANCES).p_value > 0.1


@quick
@given(st.lists(study, min_size=10, max_size=15))
def test_the_slope_is_that_of_weighted_least_squares(rows):
    effects, variances = np.array(rows).T
    found = egger_test(effects, variances)
    if found is None or np.ptp(np.sqrt(variances)) < 1e-3:
        return
    error = np.sqrt(variances)
    design = np.column_stack([np.ones_like(error), error]) / error[:, None]
    solution = np.linalg.lstsq(design, effects / error, rcond=None)[0]
    assert [found.limit_effect, found.bias] == pytest.approx(solution, rel=1e-6, abs=1e-6)


def test_without_a_spread_of_errors_or_effects_nothing_can_be_said():
    assert egger_test(np.linspace(0, 1, 12), np.full(12, 0.1)) is None
    assert begg_test(np.linspace(0, 1, 12), np.full(12, 0.1)) is None
    assert begg_test(np.full(12, 0.1), VARIANCES) is None


def test_points_on_a_line_have_no_test():
    found = egger_test(np.zeros(12), VARIANCES)
    assert (found.bias, found.standard_error, found.t, found.p_value) == (0, 0, None, None)


@pytest.mark.parametrize(("test", "too_small"), [(egger_test, 2), (begg_test, 1)])
def test_the_smallest_number_of_studies_has_a_floor(test, too_small):
    with pytest.raises(ValueError, match="smallest_k must be at least"):
        test([0.1, 0.2], [0.1, 0.2], smallest_k=too_small)
