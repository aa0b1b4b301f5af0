"""The name of an outcome inside the name of something else is not the outcome."""

from __future__ import annotations

import pytest
from result_sentences import B, H, counted

THAN = "with aspirin than with placebo"


@pytest.mark.parametrize(
    "sentence",
    [
        f"Stroke severity was lower {THAN}.",
        f"The severity of stroke was lower {THAN}.",
        f"The stroke risk score was lower {THAN}.",
        f"Risk scores for stroke were lower {THAN}.",
        f"Stroke volume was lower {THAN}.",
        f"Stroke mortality was lower {THAN}.",
        f"Stroke admissions were fewer {THAN}.",
        f"Stroke biomarkers were lower {THAN}.",
        f"Stroke-related worry was lower {THAN}.",
        f"Fear of stroke was lower {THAN}.",
        f"Worry about stroke was lower {THAN}.",
        f"Worry over stroke was lower {THAN}.",
        f"Knowledge about stroke was lower {THAN}.",
        f"Disability after stroke was lower {THAN}.",
        f"Death from stroke was less frequent {THAN}.",
        f"The ten-year predicted risk of stroke was lower {THAN}.",
        f"The perceived risk of stroke was lower {THAN}.",
        "Stroke severity was reduced with aspirin (difference -0.8, 95% CI -1.2 to -0.4).",
    ],
)
def test_a_measure_named_after_a_counted_outcome_is_not_it(sentence):
    assert counted(sentence) == []


@pytest.mark.parametrize(
    "name",
    [
        "Pain catastrophising", "Pain self-efficacy", "Pain acceptance", "Pain coping", "Pain behaviour", "Pain anxiety",
        "Pain interference", "Pain sensitivity", "Pain duration", "Pain control", "Expected pain", "Distress about pain",
        "Memory of pain", "Pain-related fear",
    ],
)  # fmt: skip
@pytest.mark.parametrize("change", ["lower", "higher"])
def test_a_measure_named_after_a_measured_outcome_is_not_it(name, change):
    assert counted(f"{name} was {change} {THAN}.", outcome="pain", people="adults with migraine") == []


@pytest.mark.parametrize(
    "name",
    ["The mortality risk score", "The predicted mortality", "Death anxiety", "Standardised mortality ratio",
     "Mortality from cancer", "Fear of death"],
)  # fmt: skip
def test_a_measure_named_after_death_is_not_death(name):
    assert counted(f"{name} was lower {THAN}.", outcome="mortality") == []


@pytest.mark.parametrize(
    "name",
    ["Fear of falls", "Falls efficacy", "The fall risk score", "Concern over falls", "Worry about falls"],
)
def test_a_measure_named_after_falls_is_no_fall(name):
    sentence = f"{name} was higher with exercise than with usual care."
    assert counted(sentence, "exercise", "falls", "older people", control="usual care") == []


@pytest.mark.parametrize(
    ("outcome", "name"),
    [
        ("stroke", "Stroke"), ("stroke", "The risk of stroke"), ("stroke", "Stroke risk"), ("stroke", "The stroke rate"),
        ("stroke", "The incidence of stroke"), ("stroke", "The number of strokes"), ("stroke", "Total stroke"),
        ("pain", "Pain intensity"), ("pain", "The pain score"), ("pain", "The severity of pain"), ("pain", "Pain at rest"),
        ("mortality", "Mortality risk"), ("mortality", "The death rate"), ("mortality", "In-hospital mortality"),
        ("falls", "The rate of falls"), ("depression", "The score for depression"),
    ],
)  # fmt: skip
def test_how_much_of_an_outcome_there_is_is_the_outcome(outcome, name):
    assert counted(f"{name} was lower {THAN}.", outcome=outcome) == [B]
    assert counted(f"{name} was higher {THAN}.", outcome=outcome) == [H]
