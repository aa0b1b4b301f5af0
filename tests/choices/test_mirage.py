"""The lenient parser reads what MIRAGE reads, and is never mistaken for the strict one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.evaluation.answers import mirage_compat, parse_answer

OPTIONS = {"A": "Metformin", "B": "Insulin glargine", "C": "Glipizide", "D": "Sitagliptin"}


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        ("B or C", "B"),
        ("C and D", "C"),
        ("B/C", "B"),
        ("D, because", "D"),
        ("I take option C", "C"),
        ("Drug: Aspirin", "A"),
        ("B. Insulin", "B"),
        ('{"answer_choice": "C"}', "C"),
        ('{"step_by_step_thinking": "Option B", "answer_choice": "D. Sitagliptin"}', "D"),
        ("D: it is", "D"),
        ("option A is wrong: C", "A"),
    ],
)
def test_it_reads_by_mirages_rules_in_their_order(text, letter):
    assert mirage_compat(text, OPTIONS).letter == letter


@pytest.mark.parametrize("text", ["", None, "None of the above", "I cannot answer.", "b", "(B)", "E"])
def test_what_it_cannot_read_is_the_default_letter_and_says_so(text):
    read = mirage_compat(text, OPTIONS)
    assert (read.letter, read.method) == ("A", "lenient")
    assert "default letter" in read.reason
    assert text == "(B)" or text == "b" or parse_answer(text, OPTIONS).letter is None


@given(st.text(max_size=80), st.sampled_from(["ABCD", "AB", "PQ", ""]))
def test_even_so_no_letter_outside_the_options_is_returned(text, labels):
    options = {label: label * 5 for label in labels}
    assert mirage_compat(text, options).letter in {*options, None}
