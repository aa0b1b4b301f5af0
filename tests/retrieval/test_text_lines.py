"""Lines with their numbers, and labels in an abstract that runs on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.retrieval.byte_source import MAX_RECORD_BYTES
from metarag.retrieval.text_lines import abstract_sections, numbered_lines


def labels(text):
    return [section.get("label") for section in abstract_sections(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "AIM: One. MAIN OUTCOME MEASURE(S): Two. RESULTS: Three.",
            ["AIM", "MAIN OUTCOME MEASURE(S)", "RESULTS"],
        ),
        ("Before. METHODS: One. RESULTS: Two.", [None, "METHODS", "RESULTS"]),
        ("BACKGROUND: Only one.", ["BACKGROUND"]),
        ("DNA: a molecule.", [None]),
        ("It was found. DNA: a molecule.", [None]),
        ("UNLABELLED: One. RESULTS: Two.", [None, "RESULTS"]),
        ("METHODS: Patients (AGE: 50) took IL-6. RESULTS: None.", ["METHODS", "RESULTS"]),
        ("", []),
        (None, []),
    ],
)
def test_labels_are_capitals_where_a_sentence_begins(text, expected):
    assert labels(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Background: One. Methods: Two. Results: Three.", ["Background", "Methods", "Results"]),
        ("Background: One.Methods:Forty people.Conclusion:No.", ["Background", "Methods", "Conclusion"]),
        (
            "One. Materials and methods: Two. Conclusions: Three.",
            [None, "Materials and methods", "Conclusions"],
        ),
        ("Study design: One. Main results: Two.", ["Study design", "Main results"]),
        ("Methods: Only one.", [None]),
        ("Setting: One. Patients: Two.", [None]),
        ("The results: one. the methods: two.", [None]),
        ("Results were: one. We used Methods: two.", [None]),
    ],
)
def test_usual_headings_count_as_authors_write_them_where_there_are_several(text, expected):
    assert labels(text) == expected


_HEADED = st.lists(
    st.sampled_from(["Methods:", "Results: ", "Conclusions :", "AIM: ", "Two. ", "a.", " ", "\n", ")"]),
    max_size=12,
).map("".join)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="AB: .ab\n", max_size=80) | st.text(max_size=40) | _HEADED)
def test_no_character_is_lost(text):
    sections = abstract_sections(text)
    joined = " ".join(f"{s['label']}: {s['text']}" if "label" in s else s["text"] for s in sections)

    assert "".join(joined.split()) == "".join(text.split())
    assert all(section["text"] for section in sections)


def test_line_ends_of_every_kind_in_blocks_of_any_size():
    data = b"one\ntwo\r\nthree\r\n\nfive"
    expected = [(1, b"one"), (2, b"two"), (3, b"three"), (4, b""), (5, b"five")]
    for size in range(1, len(data) + 1):
        assert list(numbered_lines(data[i : i + size] for i in range(0, len(data), size))) == expected


def test_a_line_without_an_end_does_not_fill_the_memory():
    lines = list(numbered_lines(b"x" * 1_000_000 for _ in range(40)))

    assert len(lines) > 1
    assert max(len(line) for _, line in lines) <= MAX_RECORD_BYTES + 1_000_000
