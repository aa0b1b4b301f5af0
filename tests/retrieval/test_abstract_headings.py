"""Headings before a dash or a full stop, or alone on a line, are headings where several are written so."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.retrieval.abstract_headings import headed_parts
from metarag.retrieval.text_lines import abstract_sections

NAMES = ("Background", "Methods", "Results", "Conclusions")
TEXTS = ("Colds are common.", "We gave zinc to 20 adults.", "Colds were shorter.", "Zinc helps.")


@pytest.mark.parametrize("write", ["{} - {}", "{}. {}", "{}\n{}\n"])
def test_headings_written_in_one_way_cut_the_text(write):
    text = " ".join(map(write.format, NAMES, TEXTS))
    if "\n" in write:
        text = "".join(map(write.format, NAMES, TEXTS))
    assert [(s["label"], s["text"]) for s in abstract_sections(text)] == list(zip(NAMES, TEXTS, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "Results. Colds were shorter in both groups.",
        "We compared two methods - zinc and placebo. Results - if any - were small.",
        "Colds are common. Methods matter. We gave zinc.",
    ],
)
def test_a_sentence_that_only_looks_like_one_is_none(text):
    assert [section.get("label") for section in abstract_sections(text)] == [None]


@given(st.lists(st.sampled_from([*NAMES, *TEXTS, " - ", ". ", "\n", "zinc"]), max_size=20).map(" ".join))
def test_no_word_is_lost(text):
    parts = headed_parts(text)
    if parts:
        told = " ".join(word for part in parts for word in (part.label, part.text) if word)
        assert re.findall(r"\w+", told) == re.findall(r"\w+", text)
