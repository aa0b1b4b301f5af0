"""Where the cues of phrases stand in a text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.design_cues import MAX_TRIES, CueTable, places_of_cues
from metarag.design_rules import rule_index
from metarag.design_text import ABSTRACT, TITLE, fold
from metarag.folded_words import cut, folded_words

CUES = ("random", "randomised trial", "rct", "a ", "n=", "p <", "we report", "meta-analysis", "the role of")


def places(text):
    table, words = CueTable.build({cue: [cue] for cue in CUES}), folded_words(fold(text))
    opened = ((number, table.opened_by(word)) for number, word in enumerate(words.words))
    return table.places(words, [(number, cues) for number, cues in opened if cues])


def places_by_force(text):
    folded = fold(text)
    found = {}
    for cue in CUES:
        starts = [
            start
            for start in range(len(folded))
            if folded.startswith(cue, start) and not (start and folded[start - 1].isalnum())
        ]
        if starts:
            found[cue] = starts[:MAX_TRIES]
    return found


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from([*CUES, "RCTs", "trial", "(", " ", "é", "–", "x", "_", "İ", "\n"])).map("".join)
)
def test_a_cue_is_found_wherever_it_opens_a_word(text):
    assert places(text) == places_by_force(text)


def test_a_cue_inside_a_word_is_none():
    assert places("nonrandom arct") == {}


def test_the_places_of_a_cue_are_limited():
    assert len(places("random " * 500)["random"]) == MAX_TRIES


@pytest.mark.parametrize("cue", ["ra", "-", "n"])
def test_a_cue_that_would_be_everywhere_is_refused(cue):
    with pytest.raises(ValueError, match="must open with"):
        CueTable.build({cue: [cue]})


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=200))
def test_words_and_the_signs_between_them_make_up_the_text(text):
    folded = fold(text)
    words = cut(folded)
    assert sum(map(len, words)) + len(words) - 1 == len(folded)
    start = 0
    for word in words:
        assert folded[start : start + len(word)] == word
        start += len(word) + 1


@pytest.mark.parametrize(
    "text",
    ["", "an hour, a day", "data in Aa", "randomised, unrandomised", "a_a über-a ßa a", "the a " * 200],
)
def test_cues_that_are_searched_for_stand_where_the_table_finds_them(text):
    cues, words = ["a ", "an ", "the ", "day", "randomi"], folded_words(fold(text))
    table = CueTable.build({cue: ["rule"] for cue in cues})
    opened = [(n, facts) for n, word in enumerate(words.words) if (facts := table.opened_by(word))]
    assert places_of_cues(cues, words.text) == table.places(words, opened).get("rule", [])


@pytest.mark.parametrize("where", [TITLE, ABSTRACT])
@pytest.mark.parametrize(
    "text",
    [
        "a threshold of 9",
        "two-year-old boys",
        "unblinded",
        "trials",
        "trialists",
        "non-randomised",
        "ΑβΓ old",
        "",
    ],
)
def test_the_words_of_a_text_meet_what_the_whole_text_holds(text, where):
    index, words = rule_index(where), folded_words(fold(text))
    met = {need for word in words.words for need in index.needs_met(word)}
    parts = {need for need in index.needed if need not in index.whole and need in words.text}
    assert met == parts | (index.whole & set(words.words))
