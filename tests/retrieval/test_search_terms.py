"""The words and headings of concepts, and the telling words of a text."""

import json

import pytest

from metarag.resources import data_file
from metarag.retrieval.key_words import IGNORED_BY_PUBMED, key_words, told_parts
from metarag.retrieval.query import Query, parse_query
from metarag.retrieval.query_blocks import concept_node, phrase_node, word_term
from metarag.retrieval.query_tree import Term
from metarag.retrieval.search_terms import MAX_WORDS, search_terms

TERMS = search_terms()
DATA = json.loads(data_file("search_terms.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("part", ["headings", "words"])
def test_every_concept_of_the_data_is_one_of_the_vocabulary(part):
    assert set(DATA[part]) <= set(TERMS.forms)
    assert set(DATA["background"]) <= set(TERMS.forms)


def test_every_narrower_form_is_one_that_the_vocabulary_reads():
    forms = {form.lower() for listed in TERMS.forms.values() for form in listed}
    assert set(DATA["narrower"]) <= forms


def test_every_concept_can_be_searched_on_pubmed_and_on_the_local_index():
    for number, concept in enumerate(TERMS.forms):
        query = Query("", concept_node(concept, TERMS))
        assert parse_query(query.for_pubmed()).root == query.root, concept
        # Finding the stems of each word takes a millisecond, so a part of them has to do.
        assert number % 6 or query.for_corpus().match, concept
        assert 1 <= len(TERMS.words_for(concept)) <= MAX_WORDS, concept


def test_no_word_is_so_short_that_it_finds_anything():
    for concept in TERMS.forms:
        for word in TERMS.words_for(concept):
            assert len(word.removesuffix("*")) >= (4 if word.endswith("*") else 3), (concept, word)


@pytest.mark.parametrize(
    ("concept", "words"),
    [
        ("bell palsy", ("bell pals*", "facial paralysis", "bells pals*", "facial pals*")),
        ("lung cancer", ("NSCLC", "lung cancer*", "lung neoplasm*", "bronchogenic carcinoma*")),
        ("asthma", ("asthma*", "wheeze*")),
        ("hydroxychloroquine", ("hydroxychloroquine",)),
        ("bisphosphonate", ("bisphosphonate*", "alendronate", "risedronate", "ibandronate", "etidronate")),
        ("unheard of inhibitor", ("unheard of inhibitor*",)),
    ],
)
def test_a_concept_is_searched_by_its_forms_spellings_and_members(concept, words):
    assert TERMS.words_for(concept)[: len(words)] == words


@pytest.mark.parametrize(
    ("phrase", "node"),
    [
        ("peppermint oil", Term("peppermint oil", True, "tiab")),
        ("zinc", Term("zinc", False, "tiab")),
        ('"NOT" (a)', None),
        ("of the", None),
        ("NOT", None),
    ],
)
def test_an_unknown_name_becomes_a_phrase_or_nothing(phrase, node):
    assert phrase_node(phrase) == node


def test_a_long_unknown_name_is_searched_by_each_word_that_tells_something():
    found = phrase_node("a programme of walking with a dog in the park")
    assert [term.text for term in found.parts] == ["programme", "walking", "dog", "park"]


def test_signs_of_syntax_are_no_part_of_a_word():
    assert word_term('hi*[ti] "x') == Term("hi ti x", True, "tiab")
    assert word_term("***") is None


def test_key_words_are_abbreviations_and_words_of_medicine_first():
    text = "How well does MRI tell sarcoidosis from other bumps in the lungs?"
    assert key_words(text, TERMS)[:2] == ("sarcoidosis", "mri")
    assert key_words(text, TERMS, taken=[(text.index("sarcoidosis"), text.index(" from"))])[0] == "mri"


def test_a_story_tells_nothing_by_what_is_denied_or_measured():
    text = (
        "A man has purpura. He denies melena or hematuria but has arthralgia. No lymphadenopathy is found."
        " Sodium is 140 mEq/L. Temperature is 38°C (100°F). There is uveitis without keratitis; also conjunctivitis."
    )
    told = " ".join(text[start:end] for start, end in told_parts(text))
    assert "arthralgia" in told
    assert not any(
        word in told for word in ("melena", "hematuria", "lymphadenopathy", "Sodium", "38", "keratitis")
    )
    assert set(key_words(text, TERMS, story=True)) == {"purpura", "arthralgia", "uveitis", "conjunctivitis"}


@pytest.mark.parametrize("word", ["NEAR", "ADJ3", "ADJ"])
def test_a_word_that_other_search_engines_obey_is_searched_as_a_word(word):
    for node in (word_term(word), phrase_node(word)):
        query = Query("", node)
        assert parse_query(query.for_pubmed()).root == query.root == Term(word, True, "tiab")


def test_what_every_story_holds_is_no_telling_word():
    story = (
        "A 30-year-old woman, G5P4105 and with gravida 5, comes because of hirsutism. She drinks wine and watches tv."
        " She is given iv fluids. The following photomicrograph is notable."
    )
    assert key_words(story, TERMS, story=True)[0] == "hirsutism"
    assert not {"g5p4105", "wine", "tv", "iv", "photomicrograph", "notable"} & set(
        key_words(story, TERMS, story=True)
    )


@pytest.mark.parametrize(
    "question", ["Does zinc shorten cough?", "Does zinc cure cough?", "Is cough relieved faster with zinc?"]
)
def test_what_a_treatment_is_hoped_to_do_is_no_word_to_search(question):
    assert not {"shorten", "cure", "relieved"} & set(key_words(question, TERMS))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Does it raise TNF-α?", "tnf-alpha"),
        ("Is α1-antitrypsin low?", "alpha1-antitrypsin"),
        ("Does it help in Ménière’s?", "ménière"),
        ("Does it help in Sjögren disease?", "sjögren"),
    ],
)
def test_a_name_with_greek_letters_or_accents_is_a_word(text, word):
    assert word in key_words(text, TERMS)


@pytest.mark.parametrize("text", ["Βοηθά στο κρυολόγημα", "锌能缩短感冒", "亜鉛"])
def test_words_of_other_scripts_are_not_taken_for_names(text):
    assert key_words(text, TERMS) == ()


def test_no_word_is_one_that_pubmed_ignores():
    text = (
        "Do several various drugs, especially mainly those obtained here, rather quite perhaps help really?"
    )
    assert not set(key_words(text, TERMS)) & IGNORED_BY_PUBMED
    (node,) = [phrase_node("the various uses of here and there")]
    assert node == Term("uses", False, "tiab")
