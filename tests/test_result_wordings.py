"""Plain ways of telling a result that are read."""

from __future__ import annotations

import pytest
from result_sentences import B, H, N, counted

from metarag.results import asked_outcomes
from metarag.types import Question


@pytest.mark.parametrize(
    ("sentence", "results"),
    [
        ("Aspirin protected against stroke.", [B]),
        ("Smoking protected against stroke.", []),
        ("Patients on aspirin were not protected against stroke.", []),
        ("Aspirin protected against bleeding and not against stroke.", []),
        ("Stroke occurred in fewer patients given aspirin than given placebo.", [B]),
        ("Stroke occurred in more patients given aspirin than given placebo.", [H]),
        ("Stroke occurred in fewer patients given placebo than given aspirin.", []),
        ("Stroke occurred in fewer patients given aspirin than given warfarin.", []),
        ("Stroke occurred less often with aspirin than with placebo.", [B]),
        ("Stroke occurred at a lower rate with aspirin than with placebo.", [B]),
        ("Stroke occurred at a similar rate with aspirin and placebo.", [N]),
        ("Strokes occurred at the same rate in the two groups.", [N]),
        ("Stroke occurred at a similar rate with aspirin and warfarin.", []),
    ],
)
def test_how_often_an_outcome_occurred_is_read(sentence, results):
    assert counted(sentence) == results


@pytest.mark.parametrize(
    ("sentence", "results"),
    [
        ("Survival was higher with aspirin than with placebo.", [B]),
        ("Survival was shorter with aspirin than with placebo.", [H]),
        ("More patients survived with aspirin than with placebo.", [B]),
        ("Survival did not differ between the groups.", [N]),
        ("Symptom-free survival was longer with aspirin than with placebo.", []),
        ("Graft survival was longer with aspirin than with placebo.", []),
        ("Survival was longer with aspirin (hazard ratio for survival 0.70, 95% CI 0.55 to 0.90).", [B]),
        # Deaths come first, and where they are said to differ and not to differ nothing is decided.
        (
            "Mortality did not differ between the groups. Survival was longer with aspirin than with placebo.",
            [N],
        ),
    ],
)
def test_survival_answers_a_question_on_deaths(sentence, results):
    assert counted(sentence, outcome="mortality") == results


@pytest.mark.parametrize(
    ("outcome", "sentence", "results"),
    [
        ("response", "More patients responded to sertraline than to placebo.", [B]),
        ("response", "Fewer patients responded to sertraline than to placebo.", [H]),
        ("response", "More patients responded to sertraline than to fluoxetine.", []),
        ("smoking cessation", "More people quit smoking with sertraline than with placebo.", [B]),
        ("smoking cessation", "Fewer people quit smoking with sertraline than with placebo.", [H]),
    ],
)
def test_who_responded_or_quit_is_read(outcome, sentence, results):
    question = f"Does sertraline increase {outcome} in adults with depression?"
    assert counted(sentence, "sertraline", people="adults with depression", question=question) == results


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Does haloperidol prevent delirium in older people after surgery?", ["delirium"]),
        ("Does varenicline help people to quit smoking?", ["smoking_cessation"]),
        ("Does aspirin help in older people after delirium?", []),
    ],
)
def test_what_a_question_asks_to_prevent_or_reach_is_its_outcome(text, keys):
    assert [found.key for found in asked_outcomes(Question(text=text))] == keys


def test_no_sign_of_an_outcome_is_no_comparison():
    assert counted("There was no clinical evidence of stroke with aspirin.") == []
    assert counted("There was no evidence of a difference in stroke between the groups.") == [N]
