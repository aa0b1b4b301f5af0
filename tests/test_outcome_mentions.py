import pytest
from builders import make_article

from metarag import appraise, rank
from metarag.agreement import COMBINED, agreements
from metarag.outcome_mentions import is_on_combined, named_by_itself, named_together
from metarag.results import Result, asked_together
from metarag.types import Question

BOTH = frozenset({"myocardial_infarction", "stroke"})
LISTED = Question(text="Does aspirin prevent a first heart attack or stroke in adults without heart disease?")
CORONARY = Question(text="Does aspirin prevent coronary heart disease in adults?")


def trial(pmid, result, *, n=500, title="Aspirin in adults: a trial", types=("Randomized Controlled Trial",)):
    text = (
        ("METHODS", f"We randomly assigned {n} adults without heart disease to aspirin or placebo."),
        ("RESULTS", result),
    )
    return make_article(pmid=str(pmid), title=title, abstract=text, types=types)


def found(question, *articles):
    return {each.outcome: each for each in agreements(question, rank(question, articles))}


@pytest.mark.parametrize(
    ("clause", "held"),
    [
        ("Aspirin reduced major cardiovascular events", True),
        ("myocardial infarction or stroke was rarer", True),
        ("deaths, myocardial infarctions and strokes taken together were fewer", True),
        ("myocardial infarction was rarer and stroke was not", False),
        ("stroke or death was rarer", False),
        ("Aspirin reduced coronary events", False),
        ("Aspirin reduced fever", False),
    ],
)
def test_a_combined_outcome_holds_all_that_was_asked_for_or_does_not_count(clause, held):
    assert (named_together(clause, BOTH) is not None) is held


def test_a_part_of_a_combined_outcome_is_not_named_by_itself():
    assert named_by_itself("stroke was rarer", "stroke")
    assert named_by_itself("stroke or death was rarer", "stroke") is None
    assert named_by_itself("deaths and strokes taken together were fewer", "stroke") is None


@pytest.mark.parametrize(
    ("result", "held"),
    [
        ("Cardiovascular death, myocardial infarction, unstable angina, or stroke was rarer", True),
        ("Major cardiovascular events were rarer", True),
        ("Fatal coronary or cerebrovascular events were rarer", False),
        ("Stroke was rarer", False),
    ],
)
def test_an_effect_is_on_a_combined_outcome_by_all_that_its_list_names(result, held):
    text = f"{result} with aspirin than with placebo (hazard ratio 0.80, 95% CI 0.70 to 0.91)."
    article = trial(1, text)
    (effect,) = appraise(article).effects
    assert is_on_combined(effect, BOTH, article.abstract) is held


def test_a_list_of_outcomes_is_asked_about_together_and_one_by_one():
    assert asked_together(LISTED) == BOTH
    assert asked_together(CORONARY) == frozenset()


def test_a_question_on_one_or_another_outcome_is_answered_on_both_counted_together_first():
    events = "Major cardiovascular events were rarer with aspirin (hazard ratio 0.80, 95% CI 0.70 to 0.91)."
    stroke = "Stroke was as frequent with aspirin as with placebo (hazard ratio 1.00, 95% CI 0.85 to 1.17)."
    results = found(LISTED, trial(1, events), trial(2, stroke))
    key = f"{COMBINED}myocardial_infarction+stroke"
    assert list(results) == [key, "myocardial_infarction", "stroke"]
    assert [(r.key, r.result) for r in results[key].results] == [("pmid:1", Result.BENEFIT)]
    assert [(r.key, r.result) for r in results["stroke"].results] == [("pmid:2", Result.NO_DIFFERENCE)]
    assert results["stroke"].combined == ()


def test_a_combined_result_is_told_beside_the_one_outcome_asked_about_and_not_counted_for_it():
    events = "Major cardiovascular events were rarer with aspirin (hazard ratio 0.80, 95% CI 0.70 to 0.91)."
    own = "Coronary heart disease was as frequent with aspirin (hazard ratio 1.00, 95% CI 0.85 to 1.17)."
    (only,) = found(CORONARY, trial(1, events), trial(2, own), trial(3, f"{own} {events}")).values()
    assert [r.key for r in only.combined] == ["pmid:1"]
    assert {r.key for r in only.results} == {"pmid:2", "pmid:3"}


def test_cardiovascular_events_are_those_that_the_article_lists():
    listed = "The combined outcome of death, heart failure or myocardial infarction was rarer with aspirin than without."
    article = trial(1, f"{listed} Aspirin was associated with fewer cardiovascular events.")
    stroke = Question(text="Does aspirin prevent stroke in adults?")
    (on_stroke,), (on_heart,) = found(stroke, article).values(), found(CORONARY, article).values()
    assert on_stroke.combined == ()
    assert [r.result for r in on_heart.combined] == [Result.BENEFIT]


def test_a_list_with_infarctions_and_strokes_is_one_of_cardiovascular_events():
    events = "Infarction, stroke, or vascular death was rarer with aspirin (hazard ratio 0.80, 95% CI 0.70 to 0.91)."
    events = events.replace("Infarction", "Myocardial infarction")
    question = Question(text="Does aspirin prevent major cardiovascular events in adults?")
    (only,) = found(question, trial(1, events)).values()
    assert [r.result for r in only.results] == [Result.BENEFIT]
    assert only.combined == ()


def test_deaths_of_a_list_are_those_that_studies_count_with_its_other_events():
    question = Question(text="Does aspirin prevent death, heart attack or stroke in adults?")
    assert asked_together(question) == BOTH


def cohort(pmid, *sentences):
    text = (
        ("METHODS", "A prospective cohort study of 9000 adults who were followed for ten years."),
        ("RESULTS", " ".join(sentences)),
    )
    return make_article(
        pmid=str(pmid), title="Beta-carotene and lung cancer: a cohort study", abstract=text,
        types=("Observational Study",),
    )  # fmt: skip


CAROTENE = Question(text="Do beta-carotene supplements prevent lung cancer in adults?")
OF_THE_CLASS = "Lung cancer was less frequent with carotenoids (hazard ratio 0.70, 95% CI 0.60 to 0.82)."


def test_a_result_of_the_class_is_not_that_of_a_drug_which_the_article_tells_apart():
    apart = cohort(1, "The association with beta-carotene was not significant.", OF_THE_CLASS)
    (only,) = found(CAROTENE, apart).values()
    assert only.results == ()
    assert [(r.key, r.result) for r in only.related] == [("pmid:1", Result.BENEFIT)]


def test_a_result_of_the_class_alone_counts_where_nothing_else_is_told():
    (only,) = found(CAROTENE, cohort(1, OF_THE_CLASS)).values()
    assert [r.result for r in only.results] == [Result.BENEFIT]
    assert only.related == ()


def test_the_short_name_of_a_treatment_is_not_its_class():
    question = Question(
        text="Do systemic corticosteroids lower mortality in adults hospitalised with COVID-19?"
    )
    text = (
        ("METHODS", "A cohort study of 900 adults hospitalised with COVID-19."),
        ("RESULTS", "Corticosteroids went with higher mortality (hazard ratio 1.40, 95% CI 1.10 to 1.78)."),
        ("CONCLUSIONS", "Systemic corticosteroids were associated with more complications."),
    )
    article = make_article(
        pmid="1", title="Systemic corticosteroids in adults hospitalised with COVID-19", abstract=text,
        types=("Observational Study",),
    )  # fmt: skip
    (only,) = found(question, article).values()
    assert [r.result for r in only.results] == [Result.HARM]
