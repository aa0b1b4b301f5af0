import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.direction import CONFIDENCES, direction_of


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("Sneezing was significantly reduced with zinc (P=0.01).", "decreased"),
        ("Fewer patients sneezed with zinc than with placebo.", "decreased"),
        ("Zinc increased appetite (P<0.001).", "increased"),
        ("Appetite was higher in the zinc group.", "increased"),
        ("Appetite was lower in the control group (P=0.02).", "increased"),
        ("Sneezing was lower in the zinc group than in the placebo group (P=0.02).", "decreased"),
        ("Placebo was associated with a higher risk of relapse than zinc (P=0.02).", "decreased"),
        ("Patients given placebo had more attacks (P=0.02).", "decreased"),
        ("Controls had a lower appetite (P=0.02).", "increased"),
        ("Placebo-controlled use of zinc increased appetite (P=0.02).", "increased"),
        ("Relapse was rarer with zinc (HR 0.70, 95% CI 0.55 to 0.89).", "decreased"),
        ("There was a greater reduction in pain with zinc (P=0.02).", "decreased"),
        ("There was less reduction in sneezing with zinc (P=0.02).", "increased"),
        ("Pain improved with zinc (P=0.02).", "decreased"),
        ("Remission improved with zinc (P=0.02).", "increased"),
        ("Quality of life was worse with zinc (P=0.02).", "decreased"),
        ("There was no significant difference in sneezing (P=0.40).", "no_difference"),
        ("Sneezing did not differ between the groups.", "no_difference"),
        ("Sneezing was similar in both groups.", "no_difference"),
        ("Sneezing tended to be rarer, a trend towards fewer attacks.", "no_difference"),
        ("Sneezing was lower with zinc (P=0.20).", "no_difference"),
        ("Sneezing rose in both groups, with no difference between groups.", "no_difference"),
        ("Relapse: HR 0.70 (95% CI 0.55 to 0.89).", "decreased"),
        ("Relapse: HR 0.90 (95% CI 0.75 to 1.08).", "no_difference"),
        ("Sneezing: mean difference 2.0 (95% CI 0.5 to 3.5).", "increased"),
    ],
)
def test_the_direction_of_the_outcome_is_told(text, direction):
    found = direction_of(text)
    assert found.direction == direction
    assert text[found.span.start : found.span.end] == found.span.text
    assert found.confidence == CONFIDENCES[found.basis]


def test_a_sentence_without_a_direction_has_none():
    assert direction_of("We measured sneezing at 12 weeks.") is None
    assert direction_of("") is None


def test_the_outcome_asked_for_picks_its_clause():
    text = "Sneezing was significantly reduced (P=0.01), but appetite did not change."
    assert direction_of(text, outcome="sneezing").direction == "decreased"
    assert direction_of(text, outcome="appetite").direction == "no_difference"


def test_the_outcome_asked_for_picks_the_change_nearest_to_it():
    text = (
        "The zinc group had a lower pulse (P=0.01), a longer sleep (P=0.01) and a higher appetite (P=0.01)."
    )
    assert direction_of(text, outcome="pulse").direction == "decreased"
    assert direction_of(text, outcome="appetite").direction == "increased"


def test_words_for_no_difference_are_surer_than_words_for_a_change():
    denied, worded = direction_of("Sneezing did not differ."), direction_of("Sneezing was lower.")
    assert denied.confidence > worded.confidence


@given(st.text(), st.none() | st.text())
@settings(deadline=None, max_examples=200)
def test_any_text_gives_a_finding_or_none(text, outcome):
    found = direction_of(text, outcome=outcome)
    assert found is None or text[found.span.start : found.span.end] == found.span.text
