"""Outcomes that a sentence says as a verb beside its arms, and names that are the contrary of a harm."""

from __future__ import annotations

import pytest

from metarag.effect_sizes import extract_effects

DEATH = "all_cause_death"


def keys(sentence: str) -> list[tuple[str, str | None]]:
    return [(effect.measure, effect.outcome_key) for effect in extract_effects(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "In all, 81 of 310 patients (26%) in the tight-control group and 75 of 312 (24%) in the usual-control"
            " group died (odds ratio for tight control, 1.14; 95% CI, 0.80 to 1.64).",
            [("2x2", DEATH), ("OR", DEATH)],
        ),
        ("2/200 died in the magnesium group compared with 7/200 in the placebo group.", [("2x2", DEATH)]),
        (
            "At 90 days 25.5% vs 24.1% of patients were dead (relative risk 1.06; 95% CI 0.90-1.24).",
            [("RR", DEATH)],
        ),
        (
            "Nine of 18 people given zinc had a stroke compared with 3 of 17 given placebo.",
            [("2x2", "stroke")],
        ),
    ],
)
def test_a_verb_beside_the_arms_tells_their_outcome(sentence, expected):
    assert keys(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "A total of 20 of 21 (95%) and 18 of 20 (90%) children in the PE and standard groups went home.",
        "Of the oral group 222 of 865 patients reported no or mild headache compared to 279 of 862 patients.",
        "17 of the 38 eyes in group 1 took IOP-lowering drops as compared to 7 of the 111 eyes in group 2.",
    ],
)
def test_a_noun_that_happens_to_stand_beside_the_arms_is_not_their_outcome(sentence):
    assert {key for _, key in keys(sentence)} <= {None}


def test_those_who_died_or_had_something_else_are_counted_as_both_and_not_as_deaths():
    sentence = (
        "21 of 459 patients in the zinc group and 20 of 462 in the placebo group had died or had a stroke"
        " (hazard ratio 1.06, 95% CI 0.80 to 1.41)."
    )
    assert keys(sentence) == [("2x2", f"{DEATH}+stroke"), ("HR", f"{DEATH}+stroke")]


def test_a_fall_from_one_number_to_another_is_no_cause_of_death():
    sentence = "Zinc reduced 28-day mortality from 10.3% to 7.8% (risk ratio 0.76, 95% CI 0.59 to 0.99)."
    assert keys(sentence) == [("RR", DEATH)]


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("Pain relief", "pain_relief"),
        ("Headache relief", "headache_relief"),
        ("Freedom from pain", "pain_freedom"),
        ("Being pain-free", "pain_freedom"),
        ("Freedom from seizures", "seizure_freedom"),
        ("Symptom relief", "symptom_relief"),
    ],
)
def test_relief_of_a_harm_is_a_benefit_and_is_never_pooled_with_the_harm(words, key):
    sentence = (
        f"{words} was more frequent with zinc than with placebo (odds ratio 2.70, 95% CI 1.80 to 4.05)."
    )
    (effect,) = extract_effects(sentence)
    assert (effect.outcome_key, effect.orientation) == (key, "benefit")


def test_relief_that_the_vocabulary_does_not_name_is_not_taken_for_its_harm():
    (effect,) = extract_effects("Nausea relief was more frequent (odds ratio 2.70, 95% CI 1.80 to 4.05).")
    assert effect.orientation != "harm"
    assert effect.outcome_key != "nausea"


def test_a_sentence_that_goes_on_with_a_decimal_number_names_no_outcome():
    (effect,) = extract_effects("At 90 days 25.5% vs 24.1% went home (relative risk 1.06; 95% CI 0.90-1.24).")
    assert effect.outcome is None
