import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.meta_analysis import (
    binary_effects,
    mantel_haenszel,
    mean_differences,
    peto_odds_ratio,
    small_sample_correction,
    standard_deviations,
    standardised_mean_differences,
)

quick = settings(deadline=None, max_examples=60)
cell = st.integers(1, 400)
table = st.tuples(cell, cell, cell, cell)


def counts(cells):
    a, b, c, d = np.array(cells, dtype=float).T
    return a, a + b, c, c + d


def test_a_table_gives_the_textbook_effects():
    one = ([15], [100], [30], [120])
    odds = binary_effects(*one, measure="OR")
    assert odds.effects[0] == pytest.approx(math.log((15 / 85) / (30 / 90)))
    assert odds.variances[0] == pytest.approx(1 / 15 + 1 / 85 + 1 / 30 + 1 / 90)
    risk = binary_effects(*one, measure="RR")
    assert risk.effects[0] == pytest.approx(math.log(0.15 / 0.25))
    assert risk.variances[0] == pytest.approx(1 / 15 - 1 / 100 + 1 / 30 - 1 / 120)
    difference = binary_effects(*one, measure="RD")
    assert difference.effects[0] == pytest.approx(-0.10)
    assert difference.variances[0] == pytest.approx(0.15 * 0.85 / 100 + 0.25 * 0.75 / 120)


@quick
@given(st.lists(table, min_size=1, max_size=5))
def test_swapping_the_arms_turns_the_sign_and_nothing_else(cells):
    a, n1, c, n2 = counts(cells)
    for measure in ("OR", "RR", "RD"):
        there, back = (binary_effects(*arms, measure=measure) for arms in ((a, n1, c, n2), (c, n2, a, n1)))
        assert back.effects == pytest.approx(-there.effects)
        assert back.variances == pytest.approx(there.variances)
        pools = [mantel_haenszel(*arms, measure=measure) for arms in ((a, n1, c, n2), (c, n2, a, n1))]
        assert pools[1].effect == pytest.approx(-pools[0].effect, abs=1e-9)
        assert pools[1].standard_error == pytest.approx(pools[0].standard_error)


@quick
@given(st.lists(table, min_size=1, max_size=5))
def test_odds_of_no_event_are_reciprocal_but_risks_are_not(cells):
    a, n1, c, n2 = counts(cells)
    event, other = binary_effects(a, n1, c, n2), binary_effects(n1 - a, n1, n2 - c, n2)
    assert other.effects == pytest.approx(-event.effects)
    assert other.variances == pytest.approx(event.variances)


def test_a_half_is_added_to_all_cells_of_tables_with_a_zero_only():
    found = binary_effects([0, 4], [50, 60], [3, 9], [50, 62])
    assert found.corrected == (0,)
    assert found.effects[0] == pytest.approx(math.log(0.5 * 47.5 / (50.5 * 3.5)))
    assert found.variances[0] == pytest.approx(1 / 0.5 + 1 / 50.5 + 1 / 3.5 + 1 / 47.5)
    assert found.effects[1] == pytest.approx(math.log(4 * 53 / (56 * 9)))
    smaller = binary_effects([0], [50], [3], [50], correction=0.25)
    assert smaller.variances[0] > found.variances[0]


def test_tables_without_any_event_are_dropped_from_ratios_on_request_and_listed():
    tables = ([0, 4, 20], [50, 60, 20], [0, 9, 19], [48, 62, 19])
    for measure in ("OR", "RR"):
        found = binary_effects(*tables, measure=measure, double_zero="drop")
        assert (found.kept, found.dropped, len(found.effects)) == ((1,), (0, 2), 1)
        assert len(binary_effects(*tables, measure=measure).effects) == 3
    difference = binary_effects(*tables, measure="RD", double_zero="drop")
    assert difference.dropped == ()
    assert difference.effects[0] == pytest.approx(0.5 / 51 - 0.5 / 49)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (([5], [10], [11], [10]), r"events_2 must not exceed total_2 \(index 0: 11"),
        (([1, -1], [10, 10], [1, 1], [10, 10]), r"events_1 must not be negative \(index 1"),
        (([0], [0], [1], [10]), r"total_1 must be positive \(index 0"),
        (([1], [10], [1], [math.inf]), r"total_2 must be finite \(index 0"),
        (([1, 2], [10], [1], [10]), "equal in length"),
        (([], [], [], []), "no table"),
    ],
)
def test_impossible_counts_are_refused_with_their_place(tables, message):
    for function in (binary_effects, mantel_haenszel, peto_odds_ratio):
        with pytest.raises(ValueError, match=message):
            function(*tables)


@pytest.mark.parametrize("option", [{"measure": "HR"}, {"double_zero": "keep"}, {"correction": 0}])
def test_options_that_do_not_exist_are_refused(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        binary_effects([1], [10], [2], [10], **option)


def test_one_table_pooled_is_that_table():
    for measure in ("OR", "RR", "RD"):
        alone = binary_effects([15], [100], [30], [120], measure=measure)
        pooled = mantel_haenszel([15], [100], [30], [120], measure=measure)
        assert pooled.effect == pytest.approx(alone.effects[0])
        if measure != "RD":
            assert pooled.standard_error == pytest.approx(math.sqrt(alone.variances[0]))
    assert pooled.k == 1
    assert pooled.q is None


def test_tables_without_any_event_do_not_change_a_pooled_ratio():
    informative = ([3, 4], [50, 60], [7, 9], [50, 62])
    padded = ([3, 0, 4], [50, 80, 60], [7, 0, 9], [50, 85, 62])
    for pool in (mantel_haenszel, peto_odds_ratio):
        alone, together = pool(*informative), pool(*padded)
        assert together.effect == pytest.approx(alone.effect)
        assert together.standard_error == pytest.approx(alone.standard_error)
        assert (together.k, together.silent) == (2, (1,))
    difference = mantel_haenszel(*padded, measure="RD")
    assert abs(difference.effect) < abs(mantel_haenszel(*informative, measure="RD").effect)
    assert difference.silent == ()


def test_a_ratio_that_cannot_be_estimated_is_not_assessed():
    no_event_in_one_arm = ([0, 0], [50, 60], [3, 2], [50, 60])
    for measure in ("OR", "RR"):
        pooled = mantel_haenszel(*no_event_in_one_arm, measure=measure)
        assert pooled.effect is pooled.standard_error is pooled.p_value is pooled.ci_low is None
    assert peto_odds_ratio(*no_event_in_one_arm).effect < 0
    nothing = ([0, 0], [50, 60], [0, 0], [50, 60])
    assert peto_odds_ratio(*nothing).effect is None
    unknown = mantel_haenszel(*nothing, measure="RD")
    assert (unknown.effect, unknown.standard_error, unknown.z) == (0, None, None)


def test_petos_odds_ratio_is_the_excess_over_its_variance():
    pooled = peto_odds_ratio([1, 4], [100, 90], [6, 5], [110, 80], level=0.9)
    excess, variance = 0.0, 0.0
    for a, n1, c, n2 in ((1, 100, 6, 110), (4, 90, 5, 80)):
        n, events = n1 + n2, a + c
        excess += a - n1 * events / n
        variance += n1 * n2 * events * (n - events) / (n**2 * (n - 1))
    assert pooled.effect == pytest.approx(excess / variance)
    assert pooled.standard_error == pytest.approx(variance**-0.5)
    assert pooled.ci_high - pooled.effect == pytest.approx(1.6448536 * variance**-0.5, rel=1e-6)


def test_mean_differences_and_their_variance():
    found = mean_differences([10.0], [4.0], [25], [8.0], [6.0], [36])
    assert (found.effects[0], found.variances[0]) == (2.0, pytest.approx(16 / 25 + 36 / 36))


def test_standardised_differences_use_the_exact_correction():
    found = standardised_mean_differences([10.0], [4.0], [6], [8.0], [4.0], [6])
    # J(10) = gamma(5) / (sqrt(5) gamma(4.5)); the usual approximation 1 - 3/39 is 0.0004 off.
    exact = math.gamma(5) / (math.sqrt(5) * math.gamma(4.5))
    assert found.effects[0] == pytest.approx(exact * 0.5, rel=1e-12)
    assert found.variances[0] == pytest.approx(1 / 3 + (exact * 0.5) ** 2 / 24, rel=1e-12)


@quick
@given(st.floats(0.01, 1000), st.floats(-50, 50))
def test_standardised_differences_have_no_unit_and_no_origin(unit, origin):
    plain = standardised_mean_differences([10.0], [4.0], [26], [8.0], [5.0], [31])
    arms = ([10 * unit + origin], [4 * unit], [26], [8 * unit + origin], [5 * unit], [31])
    assert standardised_mean_differences(*arms).effects == pytest.approx(plain.effects, rel=1e-6)


def test_the_correction_rises_to_one():
    values = small_sample_correction([2, 10, 1e6])
    assert values[0] == pytest.approx(1 / math.sqrt(math.pi))
    assert (np.diff(values) > 0).all()
    assert values[2] == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match=r"df must be at least 2 \(index 1"):
        small_sample_correction([5, 1])


def test_a_standard_error_becomes_a_standard_deviation():
    assert standard_deviations([0.5, 2.0], [100, 9]).tolist() == [5.0, 6.0]
    for sem, n, message in (
        ([0.0], [9], "positive"),
        ([1.0], [0], "at least 1"),
        ([1.0, 1.0], [3], "one shape"),
    ):
        with pytest.raises(ValueError, match=message):
            standard_deviations(sem, n)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (1, 0.0, r"sd_1 must be positive \(index 1"),
        (2, 1, r"n_1 must be at least 2 .*\(index 1"),
        (3, math.nan, r"mean_2 must be finite \(index 1"),
    ],
)
def test_impossible_arms_are_refused_with_their_place(place, value, message):
    arms = [[1.0, 1.0], [2.0, 2.0], [30, 30], [1.5, 1.5], [2.0, 2.0], [30, 30]]
    arms[place][1] = value
    for function in (mean_differences, standardised_mean_differences):
        with pytest.raises(ValueError, match=message):
            function(*arms)


def test_arms_of_unequal_length_or_none_are_refused():
    with pytest.raises(ValueError, match="equal in length"):
        mean_differences([1.0], [1.0, 2.0], [9], [1.0], [1.0], [9])
    with pytest.raises(ValueError, match="no study"):
        mean_differences([], [], [], [], [], [])
