"""Reviews beside the studies that they may contain: shown, apart, and not independent of each other."""

import pytest
from builders import make_article, make_evidence

from metarag.presets import rank
from metarag.report.html import render_html
from metarag.runs import RunRecord
from metarag.stages.heterogeneity import HeterogeneityStage
from metarag.types import Question

QUESTION = Question(text="Does zinc reduce mortality in adults with fever?")
TITLE = "Zinc against placebo for adults with fever: a systematic review and meta-analysis"


def review(pmid, outcome="Death was", ratio="0.80, 95% CI 0.70 to 0.91", title=TITLE):
    text = (
        f"We searched databases and pooled 9 randomised trials with 4000 patients. {outcome} rarer with zinc"
        f" than with placebo (pooled odds ratio {ratio}; I2 20%)."
    )
    types = ("Meta-Analysis", "Systematic Review")
    return make_article(pmid, title, text, types=types)


def shown(*articles):
    report = HeterogeneityStage().assess(QUESTION, [make_evidence(article) for article in articles])
    return {s.studies[0].key: s for s in report.syntheses}


def test_a_reviews_own_pooled_result_is_shown_beside_the_trials():
    found = shown(review("1"))["pmid:1"]
    assert (found.tier, found.status, found.outcome) == ("review", "shown", "all_cause_death")
    assert found.comparison == "zinc|inactive control"
    assert [note for note in found.notes if "same trials" in note] == []


def test_two_reviews_of_one_outcome_are_told_not_to_be_independent():
    found = shown(review("1"), review("2", ratio="0.95, 95% CI 0.80 to 1.13"))
    assert {synthesis.notes[-1] for synthesis in found.values()} == {
        "Both reviews may contain the same trials, so their results do not count as independent."
    }
    three = shown(review("1"), review("2"), review("3"))
    assert three["pmid:1"].notes[-1].startswith("The 3 reviews may contain the same trials")


@pytest.mark.parametrize("other", [{"outcome": "Stroke was"}, {"title": TITLE.replace("Zinc", "Aspirin")}])
def test_reviews_of_another_outcome_or_treatment_share_nothing(other):
    one = review("2", **other)
    if "title" in other:
        sections = tuple(
            section.model_copy(update={"text": section.text.replace("zinc", "aspirin")})
            for section in one.abstract_sections
        )
        one = one.model_copy(update={"abstract_sections": sections})
    assert all(len(synthesis.notes) == 1 for synthesis in shown(review("1"), one).values())


def test_two_records_of_one_review_are_one():
    again = make_evidence(review("1"), key="pmid:1#2")
    report = HeterogeneityStage().assess(QUESTION, [make_evidence(review("1")), again])
    assert all(len(synthesis.notes) == 1 for synthesis in report.syntheses)


def test_reports_of_one_registered_review_are_one():
    items = []
    for pmid, numbers in (("1", ("CRD2",)), ("2", ("CRD1", "CRD2")), ("3", ("CRD1",))):
        item = make_evidence(review(pmid))
        items.append(item.assessed(appraisal=item.appraisal.model_copy(update={"registry_ids": numbers})))
    report = HeterogeneityStage().assess(QUESTION, items)
    assert [len(synthesis.notes) for synthesis in report.syntheses] == [1, 1, 1]


def test_the_report_says_it_once_where_the_results_on_the_outcome_stand():
    one, both = (
        render_html(RunRecord.of(rank(QUESTION, reviews)))
        for reviews in ([review("1")], [review("1"), review("2")])
    )
    sentence = "Both reviews may contain the same trials, so their results do not count as independent."
    assert sentence not in one
    assert both.count(sentence) == 1
