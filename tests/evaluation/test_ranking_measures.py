"""Measures of rankings against values worked out by hand, and files of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.errors import InputError
from metarag.evaluation.ranking_measures import average_precision, ndcg, recall
from metarag.evaluation.trec import qrels_text, run_text

RANKED = ["a", "b", "c", "d", "e"]
JUDGED = {"a": 3, "c": 2, "d": 0, "e": 1, "z": 2}


def test_ndcg_by_hand():
    # DCG 3/1 + 2/2 + 1/log2(6); ideal 3, 2, 2, 1: 3 + 2/log2(3) + 2/2 + 1/log2(5).
    gain = 3 + 1 + 1 / math.log2(6)
    ideal = 3 + 2 / math.log2(3) + 1 + 1 / math.log2(5)
    assert ndcg(RANKED, JUDGED) == pytest.approx(gain / ideal)
    assert ndcg(RANKED, JUDGED) == pytest.approx(0.7706, abs=1e-4)
    # At 3: DCG 4; ideal 3 + 2/log2(3) + 1.
    assert ndcg(RANKED, JUDGED, k=3) == pytest.approx(4 / (4 + 2 / math.log2(3)))


def test_average_precision_by_hand():
    # Relevant a (rank 1), c (3), e (5), z (not found): (1/1 + 2/3 + 3/5 + 0) / 4.
    assert average_precision(RANKED, JUDGED) == pytest.approx((1 + 2 / 3 + 3 / 5) / 4)
    assert average_precision(RANKED, JUDGED, k=2) == pytest.approx(1 / 4)


def test_recall_by_hand():
    assert recall(RANKED, JUDGED) == pytest.approx(3 / 4)
    assert recall(RANKED, JUDGED, k=1) == pytest.approx(1 / 4)


@pytest.mark.parametrize("measure", [ndcg, average_precision, recall])
def test_limits_of_every_measure(measure):
    assert measure([], JUDGED) == 0
    assert measure(["x", "y"], JUDGED) == 0
    assert measure(RANKED, {}) is None
    assert measure(RANKED, {"a": 0}) is None
    assert measure(["a", "c", "z", "e"], JUDGED) == pytest.approx(1)
    for wrong in ((["a", "a"], JUDGED, None), (RANKED, {"a": -1}, None), (RANKED, JUDGED, 0)):
        with pytest.raises(ValueError, match=r"twice|negative|at least 1"):
            measure(wrong[0], wrong[1], k=wrong[2])


@given(st.permutations("abcdef"), st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1))
def test_measures_are_shares_and_a_better_order_is_never_worse(order, judged):
    values = [measure(order, judged) for measure in (ndcg, average_precision, recall)]
    if not any(judged.values()):
        assert values == [None] * 3
        return
    best = sorted(order, key=lambda document: -judged.get(document, 0))
    for measure, value in zip((ndcg, average_precision, recall), values, strict=True):
        assert 0 <= value <= 1 + 1e-12
        assert measure(best, judged) >= value - 1e-12


def test_a_run_has_six_columns_and_scores_that_fall_with_every_rank():
    text = run_text({"q1": ["11", "22", "33"], "q2": []}, tag="metarag-recommended")
    rows = [line.split(" ") for line in text.splitlines()]
    assert rows[0] == ["q1", "Q0", "11", "1", "3", "metarag-recommended"]
    scores = [int(row[4]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3


def test_judgements_have_four_columns():
    assert qrels_text({"q1": {"11": 2, "22": 0}}) == "q1 0 11 2\nq1 0 22 0\n"


@pytest.mark.parametrize("id", ["", "a b", "a\tb", "a\n9 0 x 1"])
def test_an_id_that_would_break_the_columns_is_refused(id):
    with pytest.raises(InputError, match="white space"):
        run_text({id: ["1"]}, tag="t")
    with pytest.raises(InputError, match="white space"):
        run_text({"q": [id]}, tag="t")
    with pytest.raises(InputError, match="white space"):
        qrels_text({"q": {id: 1}})
    with pytest.raises(InputError, match="the tag"):
        run_text({"q": ["1"]}, tag=id)


def test_a_document_that_is_ranked_twice_is_refused():
    with pytest.raises(InputError, match="twice"):
        run_text({"q": ["1", "1"]}, tag="t")
