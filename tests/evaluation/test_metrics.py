"""Accuracy, intervals and spread."""

from __future__ import annotations

import math

import pytest
from evaluation.result_builders import make_cell, make_result
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metarag.evaluation.metrics import by_cell, detectable_difference, seed_spread, summarise, wilson
from metarag.evaluation.results import Outcome


def test_all_answers_are_in_the_denominator_and_each_outcome_is_counted():
    cell = summarise(make_cell("++-?!/"))
    assert cell.accuracy == pytest.approx(2 / 6)
    assert cell.accuracy_answered == pytest.approx(2 / 3)
    assert [cell.outcomes[outcome] for outcome in Outcome] == [2, 1, 1, 1, 1]
    assert (cell.interval.low, cell.interval.high) == pytest.approx(proportion_confint(2, 6, method="wilson"))
    answered = (cell.interval_answered.low, cell.interval_answered.high)
    assert answered == pytest.approx(proportion_confint(2, 3, method="wilson"))


def test_without_an_answer_there_is_no_accuracy_of_answered():
    cell = summarise(make_cell("??"))
    assert (cell.accuracy, cell.accuracy_answered, cell.interval_answered) == (0, None, None)


def test_wilson_by_hand():
    # n = 10, 8 right: (0.8 + 1.9208/10 -+ 1.96 sqrt(0.016 + 0.0096036)) / 1.38416
    interval = wilson(8, 10)
    assert interval.low == pytest.approx(0.4902, abs=1e-4)
    assert interval.high == pytest.approx(0.9433, abs=1e-4)


@given(
    st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999)
)
def test_wilson_is_that_of_statsmodels_and_holds_the_share(counts, level):
    successes, n = counts
    interval = wilson(successes, n, level=level)
    expected = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-9)
    assert 0 <= interval.low <= successes / n <= interval.high <= 1


@pytest.mark.parametrize(
    ("successes", "n", "level"), [(1, 0, 0.95), (3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0)]
)
def test_wilson_refuses_what_is_no_share(successes, n, level):
    with pytest.raises(ValueError, match="must be"):
        wilson(successes, n, level=level)


def test_several_runs_count_their_items_once_in_the_interval_and_their_spread_is_apart():
    runs = [*make_cell("++--", seed=1), *make_cell("+---", seed=2), *make_cell("+++-", seed=3)]
    cell = summarise(runs)
    assert (cell.items, cell.seeds) == (4, 3)
    assert cell.accuracy == pytest.approx(0.5)
    assert (cell.interval.low, cell.interval.high) == pytest.approx(proportion_confint(2, 4, method="wilson"))
    assert cell.spread.accuracies == {1: 0.5, 2: 0.25, 3: 0.75}
    assert cell.spread.standard_deviation == pytest.approx(0.25)


def test_a_single_run_has_no_spread():
    assert seed_spread(make_cell("+-")).standard_deviation is None


def test_costs_and_tokens_are_sums_or_unknown_never_zero_for_want_of_a_count():
    known = [
        make_result(f"q{n}", input_tokens=10, output_tokens=2, cost=0.5, seconds=1.5, calls=3) for n in (1, 2)
    ]
    cell = summarise(known)
    assert (cell.input_tokens, cell.output_tokens, cell.cost, cell.calls, cell.seconds) == (
        20,
        4,
        1.0,
        6,
        3.0,
    )
    cell = summarise([*known, make_result("q3", input_tokens=None, output_tokens=1, cost=None)])
    assert (cell.input_tokens, cell.output_tokens, cell.cost) == (None, 5, None)


def test_copies_of_a_question_are_told_from_different_ones():
    cell = summarise([make_result("q1", cluster="x"), make_result("q2", cluster="x"), make_result("q3")])
    assert (cell.items, cell.clusters) == (3, 2)


@pytest.mark.parametrize(
    "results", [[], [make_result(), make_result()], [make_result(), make_result(system="other")]]
)
def test_what_is_no_cell_is_refused(results):
    with pytest.raises(ValueError, match=r"one cell|twice"):
        summarise(results)


def test_the_order_of_results_makes_no_difference():
    results = make_cell("+-+?-+")
    assert summarise(results) == summarise(list(reversed(results)))
    assert by_cell(results) == by_cell(list(reversed(results)))


def test_the_smallest_difference_that_can_be_claimed():
    # 1,273 questions with a tenth discordant: 2.8016 sqrt(0.1 / 1273) = 0.0248
    assert detectable_difference(1273, 0.1) == pytest.approx(2.8016 * math.sqrt(0.1 / 1273), rel=1e-4)
    assert detectable_difference(1273, 0.1) == pytest.approx(0.0248, abs=1e-4)
    with pytest.raises(ValueError, match="discordant"):
        detectable_difference(10, 1.5)
