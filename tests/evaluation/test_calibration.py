"""Confidences against outcomes, by hand."""

from __future__ import annotations

import pytest
from evaluation.result_builders import make_result
from hypothesis import given
from hypothesis import strategies as st

from metarag.evaluation.calibration import calibration


def answered(*pairs):
    return [
        make_result(f"q{n}", "A" if right else "B", confidence=confidence)
        for n, (confidence, right) in enumerate(pairs)
    ]


def test_four_answers_by_hand():
    found = calibration(answered((0.9, True), (0.8, True), (0.6, False), (0.5, True)), bins=2)
    assert found.brier == pytest.approx((0.01 + 0.04 + 0.36 + 0.25) / 4)
    # Bins {0.5, 0.6}: confidence 0.55, accuracy 0.5; {0.8, 0.9}: 0.85 and 1.
    assert [(b.n, b.confidence, b.accuracy) for b in found.bins] == [
        (2, pytest.approx(0.55), 0.5),
        (2, pytest.approx(0.85), 1.0),
    ]
    assert found.expected_error == pytest.approx((0.05 + 0.15) / 2)
    # Surest first: right, right, wrong, right; risks 0, 0, 1/3, 1/4.
    assert [point.risk for point in found.curve] == pytest.approx([0, 0, 1 / 3, 1 / 4])
    assert found.area == pytest.approx((0 + 0 + 1 / 3 + 1 / 4) / 4)


def test_what_was_not_answered_or_has_no_confidence_does_not_take_part_and_is_counted():
    results = [*answered((0.9, True)), make_result("x", "A"), make_result("y", None, confidence=0.5)]
    found = calibration(results)
    assert (found.n, found.without) == (1, 1)


def test_without_confidences_there_is_no_calibration_and_no_made_up_number():
    assert calibration([make_result("x", "A")]) is None
    assert calibration([]) is None


def test_equal_confidences_are_never_parted():
    found = calibration(answered(*[(0.7, n % 2 == 0) for n in range(10)], (0.9, True)), bins=5)
    assert [b.n for b in found.bins] == [10, 1]
    assert [point.coverage for point in found.curve] == pytest.approx([1 / 11, 1.0])


PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


@given(PAIRS, st.integers(1, 12), st.randoms(use_true_random=False))
def test_bins_hold_all_answers_and_the_order_makes_no_difference(pairs, bins, random):
    results = answered(*pairs)
    found = calibration(results, bins=bins)
    assert sum(b.n for b in found.bins) == len(pairs)
    assert len(found.bins) <= bins
    assert 0 <= found.expected_error <= 1
    assert 0 <= found.brier <= 1
    assert found.curve[-1].coverage == 1
    shuffled = random.sample(results, len(results))
    assert calibration(shuffled, bins=bins).area == pytest.approx(found.area)


def test_at_least_one_bin():
    with pytest.raises(ValueError, match="bins"):
        calibration([], bins=0)
