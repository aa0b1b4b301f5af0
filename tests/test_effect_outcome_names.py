"""Which words narrow an outcome, and which only stand before it."""

import pytest

from metarag.effect_outcome_names import is_cause, narrowed
from metarag.outcome_keys import outcomes_in


def key_in(text):
    return narrowed(text, outcomes_in(text)[0]).key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("reduced infection", "infection"),
        ("a lower risk of stroke", "stroke"),
        ("significantly fewer fractures", "fracture"),
        ("the 6-month mortality", "all_cause_death"),
        ("one-year mortality", "all_cause_death"),
        ("preventing pneumonia", "pneumonia"),
        ("lowers mortality", "all_cause_death"),
        ("risk-adjusted mortality", "all_cause_death"),
        ("zinc for relapse. Mortality", "relapse"),
    ],
)
def test_verbs_times_and_small_words_do_not_narrow(text, key):
    assert key_in(text) == key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("toe infection", "term:toe_infection"),
        ("upper limb fracture", "term:upper_limb_fracture"),
        ("fewer drug-related deaths", "term:drug_related_death"),
        ("mucosal healing", "term:mucosal_healing"),
        ("disabling stroke", "term:disabling_stroke"),
        ("venous bleeding", "term:venous_bleeding"),
    ],
)
def test_an_adjective_or_noun_before_a_name_narrows_it(text, key):
    assert key_in(text) == key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("death from any cause", "all_cause_death"),
        ("death from cardiovascular causes", "cardiovascular_death"),
        ("death from stroke was rarer", "term:death_from_stroke"),
        ("mortality due to asthma in children", "term:death_from_asthma"),
        ("deaths attributed to the drug", "term:death_from_drug"),
    ],
)
def test_a_cause_makes_a_death_of_its_own(text, key):
    assert key_in(text) == key


def test_a_disease_that_people_died_of_is_no_outcome():
    text = "death from pneumonia"
    death, pneumonia = outcomes_in(text)
    assert is_cause(text, 0, pneumonia)
    assert not is_cause(text, 0, death)


def test_a_composite_keeps_its_key():
    assert key_in("early death or stroke") == "all_cause_death+stroke"


def test_the_name_takes_in_the_words_that_narrow_it():
    text = "less severe toe infection with zinc"
    name = narrowed(text, outcomes_in(text)[-1])
    assert text[name.start : name.end] == "severe toe infection"
