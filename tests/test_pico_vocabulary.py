import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.pico_types import TermKind
from metarag.pico_vocabulary import Relation, Words, concepts_of, vocabulary
from metarag.resources import data_file


def found(text):
    words = Words.of(text)
    return {text[h.start : h.end]: [c.name for c in h.concepts] for h in vocabulary().find(words)}


@pytest.mark.parametrize(
    ("text", "words", "concept"),
    [
        ("after a heart attack", "heart attack", "myocardial infarction"),
        ("Paediatric wards", "Paediatric", "children"),
        ("haemorrhages", "haemorrhages", "bleeding"),
        ("hemorrhages", "hemorrhages", "bleeding"),
        ("β-blockers", "β-blockers", "beta-blocker"),
        ("acetylsalicylic acid", "acetylsalicylic acid", "aspirin"),
        ("beta-carotene", "beta-carotene", "beta-carotene"),
        ("men with COPD", "COPD", "chronic obstructive pulmonary disease"),
        ("Vero E6 cells", "Vero E6", "cells in the laboratory"),
    ],
)
def test_synonyms_spellings_plurals_and_abbreviations_lead_to_one_concept(text, words, concept):
    assert concept in found(text)[words]


@pytest.mark.parametrize(
    ("drug", "group"),
    [
        ("rosuvastatin", "statin"),
        ("trandolapril", "ace inhibitor"),
        ("candesartan", "angiotensin receptor blocker"),
        ("nebivolol", "beta-blocker"),
        ("lasmitriptan", "triptan"),
        ("erenumab", "monoclonal antibody"),
    ],
)
def test_a_drug_that_is_not_listed_is_known_by_the_stem_of_its_name(drug, group):
    assert found(f"{drug} in adults")[drug] == [drug]
    assert vocabulary().relation(group, drug) is Relation.NARROWER


@pytest.mark.parametrize("word", ["nystatin", "somatostatin", "cholesterol", "April", "caine"])
def test_words_that_only_end_like_a_drug_are_not_of_its_class(word):
    known = vocabulary()
    for hit in known.find(Words.of(word)):
        for concept in hit.concepts:
            assert concept.kind is not TermKind.DRUG or not concept.classes


def test_an_abbreviation_is_matched_as_written_only():
    assert "MS" in found("in MS patients")
    assert "ms" not in found("a delay of 5 ms was seen")


def test_a_phrase_does_not_run_over_the_end_of_a_sentence():
    assert "heart failure" not in " ".join(found("pain in the heart. Failure to respond")).lower()


def test_the_longest_name_wins():
    assert list(found("non-cardiac surgery")) == ["non-cardiac surgery"]


@pytest.mark.parametrize(
    ("asked", "other", "relation"),
    [
        ("beta-blocker", "metoprolol", Relation.NARROWER),
        ("metoprolol", "beta-blocker", Relation.BROADER),
        ("metoprolol", "atenolol", Relation.SIBLING),
        ("metoprolol", "metoprolol", Relation.SAME),
        ("metoprolol", "simvastatin", Relation.NONE),
        ("coronary heart disease", "myocardial infarction", Relation.NARROWER),
        ("systemic corticosteroid", "budesonide", Relation.NONE),
        ("dexamethasone", "inhaled corticosteroid", Relation.NONE),
        ("dexamethasone", "hydrocortisone", Relation.SIBLING),
        ("something new", "metoprolol", Relation.NONE),
    ],
)
def test_relations_between_concepts(asked, other, relation):
    assert vocabulary().relation(asked, other) is relation


def test_every_class_of_the_vocabulary_is_a_concept_and_its_sources_are_stated():
    data = json.loads(data_file("pico_vocabulary.json").read_text(encoding="utf-8"))
    names = {item["name"] for listed in data["concepts"].values() for item in listed}
    classes = {c for listed in data["concepts"].values() for item in listed for c in item.get("classes", ())}
    assert classes | {stem["class"] for stem in data["stems"]} <= names
    assert len(data["sources"]) >= 2


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.sampled_from("heart failure acute kidney injury of the beta blocker MI stroke . (".split()),
        max_size=14,
    ),
    st.integers(0, 14),
    st.integers(0, 14),
)
def test_names_that_end_before_a_word_are_those_of_the_text_cut_there(said, first, last):
    first, last = sorted((min(first, len(said)), min(last, len(said))))
    before, part = " ".join([*said[:first], ""]), " ".join(said[first:last])
    words, known = Words.of(" ".join(said)), vocabulary()
    start, end = len(before), len(before) + len(part)
    begun = [
        (number, begins)
        for number, word in enumerate(words.lower)
        if start <= words.start(number) < end and (begins := known.begins(word))
    ]
    until = sum(words.start(number) < end for number in range(len(words.lower)))
    assert concepts_of(known.find(words, begun=begun, until=until)) == known.concepts_in(part)
