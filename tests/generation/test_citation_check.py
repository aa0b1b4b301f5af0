import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.generation.citation_check import NO_SOURCE, check_citations, with_places

KNOWN = {"11111": "11111", "22222": "22222", "33333": "33333", "44444": "44444", "ref:0a1b2c3d": "doi:10.1/x"}


def checked(text):
    return check_citations(text, KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin helps [11111].",
        "Aspirin helps. [11111]",
        "Aspirin helps.[11111]",
        "Aspirin helps [PMID 11111].",
        "Aspirin helps [PMID: 11111].",
        "Aspirin helps (PMID 11111).",
        "Aspirin helps (11111).",
        "Aspirin helps PMID 11111.",
        "Aspirin helps [pmid:11111 ].",
        "Aspirin helps [0011111].",
        "Aspirin helps [PMID 11111.",
        "**Aspirin** helps [11111].",
        "- Aspirin helps [11111].",
        "1. Aspirin helps [11111].",
    ],
)
def test_a_source_is_read_however_it_is_cited(text):
    (only,) = checked(text).sentences
    assert only.citations == ("11111",)
    assert only.text == "Aspirin helps."


def test_an_article_without_pmid_is_cited_by_its_reference():
    (only,) = checked("Aspirin helps [ref:0A1B2C3D; 22222].").sentences
    assert only.citations == ("doi:10.1/x", "22222")


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Aspirin helps [99999].", {"invented_citations": 1, "unsupported_sentences": 1}),
        ("Aspirin helps [11111, 99999].", {"invented_citations": 1}),
        ("Aspirin helps [11111; 11111].", {"repeated_citations": 1}),
        ("Aspirin helps [11111][22222][33333][44444].", {"surplus_citations": 1}),
        ("Aspirin helps [Smith 2020].", {"malformed_citations": 1, "unsupported_sentences": 1}),
        ("Aspirin helps (Smith et al. 2020).", {"malformed_citations": 1, "unsupported_sentences": 1}),
        ("Aspirin helps [citation needed].", {"malformed_citations": 1, "unsupported_sentences": 1}),
        ("Aspirin helps [10.1000/made.up].", {"invented_citations": 1, "unsupported_sentences": 1}),
        ("Aspirin helps [ref:ffffffff].", {"invented_citations": 1, "unsupported_sentences": 1}),
        ("Aspirin helps [1].", {"invented_citations": 1, "unsupported_sentences": 1}),
        ("Aspirin helps [].", {"malformed_citations": 1, "unsupported_sentences": 1}),
        ("Aspirin helps.", {"unsupported_sentences": 1}),
    ],
)
def test_what_was_not_given_is_removed_and_counted(text, counts):
    found = checked(text)
    assert found.counts == counts
    assert [with_places(s.text) for s in found.sentences] == ["Aspirin helps."]


@pytest.mark.parametrize(
    "text",
    [
        "The ratio was 0.76 [95% CI 0.6 to 0.9] [11111].",
        "The difference was 5 (95% CI [3, 7]) [11111].",
        "It rose in 12 (of 40) people [11111].",
        "The ratio [0.75 to 0.93] fell [11111].",
    ],
)
def test_intervals_and_remarks_stay(text):
    (only,) = checked(text).sentences
    assert only.text == text.replace(" [11111]", "")
    assert only.citations == ("11111",)


def test_a_sentence_that_cites_nothing_is_flagged_and_its_neighbours_do_not_help_it():
    first, second = checked("Aspirin helps [11111]. it cures everybody.").sentences
    assert (first.flags, second.flags) == ((), (NO_SOURCE,))


def test_a_citation_in_the_middle_keeps_its_place_so_that_it_is_clear_which_study_is_meant():
    (only,) = checked("The study [11111] found less, while [22222, 99999] found none [33333].").sentences
    assert only.citations == ("11111", "22222", "33333")
    assert with_places(only.text, "ABC") == "The study [A] found less, while [B] found none."
    assert with_places(only.text) == "The study found less, while found none."


def test_marks_that_a_model_writes_itself_are_no_places():
    (only,) = checked("The study ⟦a⟧ found less [11111].").sentences
    assert with_places(only.text, "A") == "The study [a] found less."


def test_sentences_are_not_cut_at_abbreviations():
    (only,) = checked("Smith et al. saw 0.5 vs. 0.7 e.g. in adults [11111].").sentences
    assert only.citations == ("11111",)


PIECES = (
    "Aspirin helps", " adults", ".", ". ", "! ", "\n", "[11111]", "[22222; 33333]", "[99999]", "[PMID 11111", "(PMID 7)",
    "[", "]", "(", ")", "PMID", " PMID 44444", "ref:0a1b2c3d", "[ref:0a1b2c3d]", "[ref:dead]", "[Smith 2020]", "0.76",
    " [95% CI 1 to 2]", "10.1000/x", "[[11111]]", "[11111,11111,22222,33333,44444]", "**", "- ", "et al.", "\u202e", "é",
)  # fmt: skip


def assert_safe(text):
    found = checked(text)
    for sentence in found.sentences:
        assert set(sentence.citations) <= set(KNOWN.values())
        assert len(sentence.citations) == len(set(sentence.citations)) <= 3
        assert sentence.citations or NO_SOURCE in sentence.flags
        assert not re.search(r"PMID\s?:?\s?\d|ref:[0-9a-f]", sentence.text)
    return found


def test_two_hundred_broken_answers_cite_only_what_was_given_and_flag_the_rest():
    draw = random.Random(7)
    invented = unsupported = 0
    for _ in range(200):
        found = assert_safe("".join(draw.choices(PIECES, k=draw.randint(1, 25))))
        invented += found.counts["invented_citations"]
        unsupported += found.counts["unsupported_sentences"]
    assert invented > 50
    assert unsupported > 50


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=30).map("".join))
def test_any_text_cites_only_what_was_given(text):
    assert_safe(text)


@pytest.mark.parametrize("piece", ["[", "(", "[1", "PMID ", "[11111, ", "a. ", "ref:", "10.1/"])
def test_a_long_hostile_text_is_read_to_its_limit_and_no_further(piece):
    assert_safe(piece * 100_000)
