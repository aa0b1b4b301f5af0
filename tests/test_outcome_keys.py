import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.outcome_keys import outcome_key, outcomes_in
from metarag.resources import data_file


def listed():
    return json.loads(data_file("outcomes.json").read_text(encoding="utf-8"))["outcomes"]


@pytest.mark.parametrize(
    ("text", "key", "polarity"),
    [
        ("death from any cause", "all_cause_death", "harm"),
        ("All-cause mortality", "all_cause_death", "harm"),
        ("In-hospital mortality", "all_cause_death", "harm"),
        ("cardiovascular deaths", "cardiovascular_death", "harm"),
        ("intracerebral haemorrhage", "haemorrhagic_stroke", "harm"),
        ("hemorrhagic stroke", "haemorrhagic_stroke", "harm"),
        ("major hemorrhage", "major_bleeding", "harm"),
        ("hospitalisation for heart failure", "heart_failure_hospitalisation", "harm"),
        ("glycated hemoglobin", "hba1c", "harm"),
        ("diarrhea", "diarrhoea", "harm"),
        ("sustained virological response", "virological_response", "benefit"),
        ("smoking cessation", "smoking_cessation", "benefit"),
    ],
)
def test_one_outcome_has_one_key_however_it_is_written(text, key, polarity):
    found = outcome_key(text)
    assert (found.key, found.polarity) == (key, polarity)
    assert text[found.start : found.end] == text


def test_parts_joined_by_or_are_one_composite_whatever_their_order():
    one = outcome_key("death, nonfatal myocardial infarction, or stroke")
    two = outcome_key("stroke, myocardial infarction or death")
    assert one.key == two.key == "all_cause_death+myocardial_infarction+stroke"
    assert one.polarity == "harm"


def test_parts_joined_by_and_are_outcomes_of_their_own():
    assert [hit.key for hit in outcomes_in("death, stroke and hip fracture")] == [
        "all_cause_death",
        "stroke",
        "hip_fracture",
    ]


def test_the_longest_name_counts():
    assert outcome_key("sudden cardiac death").key == "sudden_death"
    assert outcome_key("breast cancer mortality").key == "breast_cancer_death"


def test_an_abbreviation_counts_as_written():
    assert outcome_key("PE").key == "pulmonary_embolism"
    assert outcome_key("pe") is None


def test_words_of_two_clauses_are_no_name():
    assert outcome_key("of the heart. Failure") is None


def test_what_is_not_an_outcome_has_no_key():
    assert outcome_key("zinc tablets") is None
    assert outcome_key("") is None


def test_every_key_is_listed_once_with_a_polarity_and_its_names_lead_to_it():
    outcomes = listed()
    assert len({outcome["key"] for outcome in outcomes}) == len(outcomes) >= 150
    for outcome in outcomes:
        assert outcome["polarity"] in ("harm", "benefit")
        assert outcome_key(outcome["terms"][0]).key == outcome["key"]


@given(st.text())
@settings(deadline=None, max_examples=200)
def test_any_text_gives_spans_in_order(text):
    hits = outcomes_in(text)
    assert [hit.start for hit in hits] == sorted(hit.start for hit in hits)
    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
