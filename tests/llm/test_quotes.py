from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.llm.quotes import find_quote

TEXT = (
    "METHODS: In this double\u2010blind trial, 1,500 patients were ran\u00addomised\nto imaginol or placebo. "
    "RESULTS: Mean change \u22125.5 mmHg (95% CI, 1.5\u20132.5) in 10-20 days; nonrandomised arms differed."
)


@pytest.mark.parametrize(
    ("quote", "slice_of_text"),
    [
        ("double-blind trial", "double\u2010blind trial"),
        ("  DOUBLE-blind   Trial ", "double\u2010blind trial"),
        ("patients were randomised to imaginol", "patients were ran\u00addomised\nto imaginol"),
        ("\u201c1,500 patients were\u2026\u201d", "1,500 patients were"),
        ("-5.5 mmHg (95% CI", "\u22125.5 mmHg (95% CI"),
        ("CI, 1.5-2.5) in 10", "CI, 1.5\u20132.5) in 10"),
        ("in 10-20 days", "in 10-20 days"),
    ],
    ids=lambda value: value[:20],
)
def test_a_quote_is_found_and_its_place_is_the_texts_own(quote, slice_of_text):
    start, end = find_quote(quote, TEXT)
    assert TEXT[start:end] == slice_of_text


@pytest.mark.parametrize(
    "quote",
    [
        "triple-blind trial",
        "500 patients were",
        "5.5 mmHg (95% CI",
        "-5.6 mmHg (95% CI",
        "randomised arms differed",
        "patients were ... to imaginol",
        "METHODS: In this double-bl",
        "1,500 pat",
        "trial",
        "",
        "\u201c\u201d",
    ],
)
def test_what_is_changed_cut_or_too_short_is_no_quote(quote):
    assert find_quote(quote, TEXT) is None


def test_a_later_place_counts_when_the_first_is_inside_a_word():
    assert find_quote("randomised arms", "nonrandomised arms and randomised arms") == (23, 38)


def test_a_number_is_not_cut_at_its_end():
    assert find_quote("the mean was 1", "the mean was 1.5 units") is None
    assert find_quote("the mean was 1", "the mean was 1. Then") == (0, 14)


@given(st.text(min_size=1, max_size=80), st.integers(0, 79), st.integers(1, 80))
@settings(deadline=None, max_examples=300)
def test_whatever_is_found_holds_the_letters_of_the_quote(text, start, length):
    quote = text[start : start + length]
    found = find_quote(quote, text, shortest=1)
    if found:
        low, high = found
        assert 0 <= low < high <= len(text)
        assert find_quote(quote, text[low:high], shortest=1) is not None


@given(st.lists(st.sampled_from(["alpha", "beta", "12.5", "gamma", "delta,"]), min_size=4, max_size=20))
@settings(deadline=None, max_examples=100)
def test_whole_words_of_a_text_are_always_found(words):
    text = " ".join(words)
    quote = " ".join(words[1:-1])
    assert find_quote(quote, text, shortest=1) is not None
