"""Words are a result only where the article has a control, and where they tell what it found."""

import pytest
from builders import make_article, make_evidence

from metarag.outcome_keys import OutcomeKey
from metarag.outcome_mentions import named_by_itself
from metarag.result_control import can_tell, is_taken_back_later
from metarag.results import Result, article_result, tier_name
from metarag.types import Span

PLACEBO = "We randomly assigned 200 adults with colds to zinc or placebo."
DOSES = "We randomly assigned 200 adults with colds to zinc 10 mg or zinc 20 mg."
DRUGS = "We randomly assigned 200 adults with colds to zinc or aspirin."
ASKED = frozenset({"zinc"})
TRIAL = ("Randomized Controlled Trial",)


def told(sentence, before, *, types=TRIAL, asked=ASKED, behind="", title="Zinc for colds in adults"):
    text = " ".join(filter(None, (before, sentence, behind)))
    item = make_evidence(make_article(title=title, abstract=text, types=types))
    start = text.index(sentence)
    span = Span(where="abstract", start=start, end=start + len(sentence), text=sentence)
    return can_tell(item, span, tier_name(item), asked)


def test_a_trial_against_placebo_tells_by_any_sentence():
    assert told("Colds were shorter with zinc.", PLACEBO)
    assert told("Fever did not differ between the groups.", PLACEBO)


@pytest.mark.parametrize("before", [DOSES, DRUGS])
def test_a_trial_of_two_drugs_or_doses_tells_nothing_of_the_drug_unless_a_sentence_names_a_control(before):
    assert not told("Fever did not differ between the groups.", before)
    assert not told("Colds were shorter with zinc.", before)
    assert told("Colds were shorter with zinc than with placebo.", before)


def test_a_question_that_names_a_comparator_has_its_control():
    assert told("Colds were shorter with zinc.", DRUGS, asked=frozenset())


def test_usual_care_is_a_control_and_a_review_need_not_say_what_it_pooled():
    usual = "We randomly assigned 200 adults with colds to zinc or conventional treatment."
    assert told("Colds were shorter with zinc.", usual)
    review = ("Systematic Review", "Meta-Analysis")
    title = "Zinc for colds: a systematic review"
    assert told("Colds were shorter with zinc.", "We pooled 12 trials.", types=review, title=title)


def test_outside_trials_a_sentence_has_to_compare_or_relate():
    study = ("Observational Study",)
    before = "In this cohort study, 900 adults took zinc or did not."
    assert told("Zinc was associated with fewer colds.", before, types=study)
    assert not told("After six weeks colds were fewer.", "We followed 900 adults who took zinc.", types=study)


@pytest.mark.parametrize(
    "sentence",
    [
        "There is increasing evidence that zinc shortens colds.",
        "Previous studies found shorter colds with zinc.",
        "Zinc is thought to shorten colds.",
        "Zinc has been shown to shorten colds.",
        "To reduce colds, zinc should be given early.",
        "Zinc might reduce the number of colds.",
        "Zinc-induced nausea was less frequent.",
        "Nausea was less frequent with zinc + ginger.",
        "Nausea was less frequent with zinc 10 mg+ginger.",
    ],
)
def test_hopes_hearsay_advice_and_combinations_are_no_results(sentence):
    assert not told(sentence, PLACEBO)


def test_what_stands_first_in_an_abstract_without_headings_is_a_preface_unless_something_was_done():
    behind = f"{PLACEBO} Fever was counted. Nothing else was."
    assert not told("Zinc shortens colds, which are common in winter.", "", behind=behind)
    assert told("Zinc shortened colds in a trial of 200 adults that we did.", "", behind=behind)
    assert told("Zinc shortens colds, compared with placebo.", "")


@pytest.mark.parametrize(
    ("behind", "expected"),
    [
        (", but mortality at 90 days did not differ", True),
        ("; there was no difference in mortality at one year", True),
        (", and no difference in length of stay", False),
        ("", False),
        (". Mortality did not differ by sex", False),
    ],
)
def test_an_effect_whose_sentence_goes_on_to_no_difference_is_taken_back(behind, expected):
    ratio = "odds ratio 0.73, 95% CI 0.53 to 0.99"
    text = f"{PLACEBO} Mortality at 7 days was lower with zinc ({ratio}){behind}."
    span = Span(where="abstract", start=text.index(ratio), end=text.index(ratio) + len(ratio), text=ratio)
    named = lambda clause: named_by_itself(clause, "all_cause_death")  # noqa: E731
    assert is_taken_back_later(span, text, named) is expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [("Zinc for pneumonia in adults", Result.BENEFIT), ("Ginger for pneumonia in adults", None)],
)
def test_an_interval_is_of_what_title_or_findings_name_and_not_of_what_all_had_beside_it(title, expected):
    sections = (
        (
            "METHODS",
            "We randomly assigned 200 adults who took zinc, if they had done so, to treatment or placebo.",
        ),
        ("RESULTS", "Mortality was lower with treatment (odds ratio 0.60, 95% CI 0.45 to 0.80)."),
    )
    item = make_evidence(make_article(title=title, abstract=sections, types=TRIAL))
    found = article_result(item, OutcomeKey("all_cause_death", "harm", 0, 0), treatments=ASKED)
    assert (found.result if found else None) is expected
