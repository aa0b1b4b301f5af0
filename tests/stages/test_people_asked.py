"""Who a question asks about: pregnancy, people without a disease, and tests instead of treatments."""

import pytest
from builders import make_article, make_evidence

from metarag.pico import question_pico
from metarag.stages.extrapolation import ExtrapolationStage
from metarag.types import Question

WHO = "The protocol had been written before the first person took part, and the analysis followed it. " * 5
PREGNANCY = "Is aspirin safe in pregnancy?"
ACCURACY = "How accurate is D-dimer for diagnosing pulmonary embolism?"
WITHOUT = "Do patients without diabetes benefit from metformin?"
NO_OXYGEN = "Does dexamethasone reduce mortality in COVID-19 patients not needing oxygen?"
NON_SMOKERS = "Does beta-carotene prevent lung cancer in non-smokers?"


def fit(facet, question, title, abstract=""):
    article = make_article(title=title, abstract=f"{abstract} {WHO}")
    report = ExtrapolationStage().assess(Question(text=question), [make_evidence(article)])
    return report.decisions[0].measurements[facet]


@pytest.mark.parametrize(
    ("question", "title", "abstract", "said"),
    [
        (PREGNANCY, "Aspirin in men", "We randomized 15000 men.", "mismatch: men only; the question is about women"),
        (PREGNANCY, "Aspirin in pregnant women", "We randomized 500.", "match: women. pregnancy"),
        (PREGNANCY, "Aspirin to prevent pre-eclampsia", "In 500 women with pre-eclampsia.", "match: "),
        (PREGNANCY, "Aspirin and bleeding", "We randomized 500 adults.", "partial: pregnant women are not named"),
        (WITHOUT, "Metformin in type 2 diabetes", "", "mismatch: type 2 diabetes; the question is about people without"),
        (WITHOUT, "Metformin", "We randomized 500 patients with type 2 diabetes.", "partial: type 2 diabetes; "),
        (WITHOUT, "Metformin in people without diabetes", "", "match: people without it"),
        (WITHOUT, "Metformin in obesity", "", "unknown: "),
        ("Does metformin help in diabetes?", "Metformin in people without diabetes", "",
         "mismatch: people without diabetes mellitus; the question is about people with it"),
        ("Does metformin help in diabetes?", "Metformin in people with and without diabetes", "", "match"),
        (NO_OXYGEN, "Dexamethasone in mechanically ventilated patients with COVID-19", "",
         "mismatch: oxygen or ventilation; the question is about people without"),
        (NO_OXYGEN, "Dexamethasone in COVID-19 patients not requiring oxygen", "", "match: covid-19. people without it"),
        (NON_SMOKERS, "Beta-carotene in male smokers", "", "mismatch: smoking; the question is about people without"),
        (NON_SMOKERS, "Beta-carotene in never smokers", "", "match: people without it"),
    ],
)  # fmt: skip
def test_the_people_asked_about_are_compared_with_those_studied(question, title, abstract, said):
    assert fit("population", question, title, abstract).startswith(said)


def test_without_a_disease_is_no_comparator():
    used = question_pico(Question(text=WITHOUT)).used
    assert used.comparator == ()
    assert [term.concept for term in used.intervention] == ["metformin"]


def test_no_aspirin_is_still_a_comparator():
    used = question_pico(Question(text="Is aspirin better than no aspirin after stroke?")).used
    assert [term.concept for term in used.comparator] == ["no treatment"]


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Rivaroxaban guided by D-dimer in pulmonary embolism: a trial", "mismatch: a study of rivaroxaban"),
        ("D-dimer for suspected PE: review of diagnostic accuracy", "match: d-dimer"),
        ("Sensitivity and specificity of D-dimer before rivaroxaban", "match: d-dimer"),
    ],
)
def test_a_treatment_guided_by_a_test_does_not_tell_how_accurate_it_is(title, said):
    assert fit("intervention", ACCURACY, title).startswith(said)


def test_a_review_of_accuracy_in_suspected_pe_fits_in_all_that_is_asked():
    title = "D-dimer for suspected PE: review of diagnostic accuracy"
    assert fit("population", ACCURACY, title) == "match: pulmonary embolism"
    assert fit("outcome", ACCURACY, title) == "match: diagnostic accuracy"


@pytest.mark.parametrize(
    "question",
    ["How accurate is presepsin for sepsis?", "What is the sensitivity of presepsin in sepsis?",
     "How well does presepsin predict sepsis?"],
)  # fmt: skip
def test_a_test_that_no_vocabulary_knows_is_what_the_question_asks_about(question):
    used = question_pico(Question(text=question)).used
    assert [term.concept for term in used.intervention] == ["presepsin"]


def test_another_painkiller_of_another_class_is_no_sibling():
    question = "Does paracetamol relieve migraine?"
    assert fit("intervention", question, "Ibuprofen for migraine").startswith("mismatch")
    assert fit("intervention", "Do painkillers relieve migraine?", "Ibuprofen for migraine").startswith(
        "match"
    )


def test_a_question_about_people_with_or_without_a_disease_demands_neither():
    used = question_pico(Question(text="Does metformin help adults with or without diabetes?")).used
    assert "diabetes mellitus" not in {term.concept for term in used.population}
