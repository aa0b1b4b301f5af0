"""Letters by the probabilities of the first token."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.choices.probabilities import letter_probabilities


def test_forms_of_one_letter_add_up_and_other_words_do_not_count():
    tokens = {" B": 0.2, "(B": 0.1, "B.": 0.1, "▁A": 0.1, "b": 0.3, "Because": 0.2}
    found = letter_probabilities({token: math.log(p) for token, p in tokens.items()}, "ABC")
    assert found.mass == pytest.approx(0.5)
    assert found.shares == pytest.approx({"A": 0.2, "B": 0.8, "C": 0.0})
    assert found.best == "B"


@pytest.mark.parametrize("tokens", [None, {}, {"The": -0.1}, {"E": -0.1}])
def test_without_a_letter_there_is_nothing(tokens):
    assert letter_probabilities(tokens, "ABCD") is None


def test_a_tie_has_no_best():
    assert letter_probabilities({"A": -1.0, "B": -1.0}, "ABCD").best is None


@given(st.dictionaries(st.text(max_size=3), st.floats(max_value=0, min_value=-50), max_size=20))
def test_shares_sum_to_one_and_belong_to_the_labels(tokens):
    found = letter_probabilities(tokens, "ABCD")
    if found:
        assert math.fsum(found.shares.values()) == pytest.approx(1)
        assert set(found.shares) == set("ABCD")
        assert found.best in {*"ABCD", None}
        assert 0 < found.mass <= 1
