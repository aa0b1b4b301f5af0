"""Plain text and its way back to the original."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.effect_text import LONGEST_SENTENCE, plain, sections, sentences, uses_decimal_comma

MARKS = st.sampled_from(
    [
        "&lt;",
        "&nbsp;",
        "&#8211;",
        "<i>",
        "</sup>",
        "<sup>",
        "\u200b",
        "\u00ad",
        "·5",
        "−",
        "０",
        "a",
        "1",
        " ",
        "&",
        "<",
    ]
)


@given(st.lists(MARKS).map("".join))
@settings(deadline=None, max_examples=300)
def test_every_plain_character_knows_where_it_came_from(source):
    text = plain(source)
    for index in range(len(text.text)):
        start, end = text.source_span(index, index + 1)
        assert 0 <= start < end <= len(source)
    spans = [text.source_span(i, i + 1) for i in range(len(text.text))]
    assert spans == sorted(spans)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("0·76", "0.76"),
        (" ·76", " .76"),
        ("mg·kg", "mg·kg"),
        ("−3\u2009–\u20092", "-3\u2009-\u20092"),
        ("P&lt;0.05", "P<0.05"),
        ("<i>P</i>", "P"),
        ("10<sup>-5</sup>", "10^-5"),
        ("ＯＲ", "OR"),
        ("I²", "I²"),
        ("0.\u200b76", "0.76"),
        ("two\nlines", "two lines"),
        ("(OR 0. 51, 0. 28-1. 93)", "(OR 0.51, 0.28-1.93)"),
        ("P = 0. 03 here", "P = 0.03 here"),
        ("The score was 1.0. 20 of 30 died.", "The score was 1.0. 20 of 30 died."),
        ("(n = 20. 15 were men)", "(n = 20. 15 were men)"),
        ("end.\nRESULTS: start", "end.\nRESULTS: start"),
    ],
)
def test_signs_are_made_plain(source, expected):
    assert plain(source).text == expected


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("HR 0,76 (IC95% 0,63-0,92)", True),
        ("1,45 (1,08-1,95)", True),
        ("HR 0.76 in 1,234 patients", False),
        ("1,234 patients", False),
        ("(95% CI 52,77)", False),
        ("0,76 and 0.63", False),
    ],
)
def test_the_decimal_comma_is_decided_once_a_text(text, answer):
    assert uses_decimal_comma(text) is answer


def test_abbreviations_end_no_sentence():
    text = "It was rare vs. placebo. It was i.e. Rare. In 2004. 12 of 40 fell."
    assert [text[start:stop].strip() for start, stop in sentences(text)] == [
        "It was rare vs. placebo.",
        "It was i.e. Rare.",
        "In 2004.",
        "12 of 40 fell.",
    ]


def test_what_is_too_long_to_be_a_sentence_is_cut_and_nothing_is_lost():
    text = "word " * 2000
    pieces = list(sentences(text))
    assert all(stop - start <= LONGEST_SENTENCE for start, stop in pieces)
    assert "".join(text[start:stop] for start, stop in pieces) == text


def test_headed_parts_of_an_abstract_are_told_apart():
    text = (
        "BACKGROUND: a. METHODS AND MATERIALS: b. Main Outcome Measures: c. "
        "Results: d. CONCLUSIONS: e. Nb: f."
    )
    assert [kind for _, kind in sections(text)] == [
        "unknown", "background", "methods", "methods", "results", "conclusions",
    ]  # fmt: skip
