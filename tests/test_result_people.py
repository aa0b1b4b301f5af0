"""A result in some of the people is none in all of them, unless the question asks for those."""

from __future__ import annotations

import pytest
from result_sentences import B, H, N, counted

INTERVAL = "(odds ratio 0.60, 95% CI 0.45 to 0.80)"


@pytest.mark.parametrize(
    "sentence",
    [
        "In patients over 75, stroke was less frequent with aspirin than with placebo.",
        "In participants younger than 60 years, stroke was more frequent with aspirin than with placebo.",
        "Among women, stroke was more frequent with aspirin than with placebo.",
        "In women stroke was less frequent with aspirin.",
        "Stroke was less frequent with aspirin than with placebo among smokers.",
        "In men, aspirin did not reduce stroke.",
        "In diabetic patients, aspirin reduced stroke.",
        "In the elderly, aspirin reduced stroke.",
        "Aspirin reduced stroke in patients with diabetes.",
        "Aspirin reduced stroke in those aged 65 or over.",
        "Aspirin reduced stroke in the over-75s.",
        "Octogenarians had fewer strokes with aspirin.",
        "Women given aspirin had fewer strokes than women given placebo.",
        "Older patients given aspirin had fewer strokes than older patients given placebo.",
        "Stroke in women was less frequent with aspirin than with placebo.",
        "Fewer women had a stroke with aspirin than with placebo.",
        "Of the 120 patients with diabetes, fewer had a stroke with aspirin than with placebo.",
        "Aspirin reduced stroke mainly in women.",
        "The reduction in stroke with aspirin was confined to women.",
        "Stroke was less frequent with aspirin in the high-risk group.",
        "Those at high risk had fewer strokes with aspirin.",
        "In the subset of patients with diabetes, aspirin reduced stroke.",
        "In the per-protocol population, stroke was less frequent with aspirin than with placebo.",
        "In patients who completed treatment, stroke was less frequent with aspirin than with placebo.",
        "Patients who took all their tablets had fewer strokes with aspirin.",
        "In Europe, stroke was less frequent with aspirin than with placebo.",
        "In the intensive care unit, stroke was less frequent with aspirin than with placebo.",
        "In one trial, aspirin reduced stroke.",
        "In three of the centres aspirin reduced stroke.",
        "If started early, aspirin reduced stroke.",
        "Stroke was less frequent with aspirin when blood pressure was low.",
        "Restricting the analysis to women, stroke was less frequent with aspirin than with placebo.",
        f"In women, stroke was less frequent with aspirin than with placebo {INTERVAL}.",
        f"Stroke was less frequent with aspirin in patients over 75 {INTERVAL}.",
        "The odds ratio for stroke in women was 0.60 (95% CI 0.45 to 0.80).",
        "Women with flushing had fewer strokes, and women without flushing had more strokes, with aspirin.",
    ],
)
def test_what_is_told_of_some_people_only_is_not_counted(sentence):
    assert counted(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "result"),
    [
        ("In adults with hypertension, aspirin reduced stroke.", B),
        ("Stroke was less frequent in patients given aspirin than in patients given placebo.", B),
        ("Patients in the aspirin group had fewer strokes than those in the placebo group.", B),
        ("Those assigned to aspirin had more strokes than those assigned to placebo.", H),
        ("Among patients given aspirin, stroke was less frequent than among those given placebo.", B),
        (
            "Stroke was less frequent among participants receiving aspirin than among those receiving placebo.",
            B,
        ),
        ("Significantly fewer patients in the aspirin group had a stroke.", B),
        ("In the intention-to-treat analysis, stroke was less frequent with aspirin than with placebo.", B),
        ("In this large trial, stroke was less frequent with aspirin than with placebo.", B),
        ("After two years, stroke was less frequent with aspirin than with placebo.", B),
        ("In men and women alike, stroke was less frequent with aspirin than with placebo.", B),
        ("In the trial population as a whole, aspirin did not reduce stroke.", N),
        (f"Stroke was less frequent with aspirin than with placebo {INTERVAL}.", B),
        (f"Stroke occurred in 12 and 25 patients in the aspirin and placebo groups {INTERVAL}.", B),
    ],
)
def test_the_people_of_the_question_and_the_arms_are_all_of_them(sentence, result):
    assert counted(sentence) == [result]


@pytest.mark.parametrize(
    ("asked", "sentence", "results"),
    [
        (
            "women with hypertension",
            "Among women, stroke was less frequent with aspirin than with placebo.",
            [B],
        ),
        (
            "women with hypertension",
            "Among men, stroke was less frequent with aspirin than with placebo.",
            [],
        ),
        ("adults over 75 years", "In patients older than 75 years, aspirin reduced stroke.", [B]),
        ("adults over 75 years", "In patients under 75, aspirin reduced stroke.", []),
        ("adults with diabetes", "Aspirin reduced stroke in patients with diabetes.", [B]),
        ("adults with diabetes", "Aspirin reduced stroke in patients without diabetes.", []),
    ],
)
def test_a_question_on_some_people_is_answered_by_what_is_told_of_them(asked, sentence, results):
    assert counted(sentence, people="adults", question=f"Does aspirin reduce stroke in {asked}?") == results


def test_a_title_on_both_sexes_lets_neither_stand_for_the_other():
    sentence = "Among women, stroke was less frequent with aspirin than with placebo."
    assert (
        counted(sentence, people="men and women with hypertension", question="Does aspirin reduce stroke?")
        == []
    )
