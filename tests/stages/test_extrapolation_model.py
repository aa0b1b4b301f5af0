"""What a model may change about the facets, and what it may not."""

import pytest
from builders import make_article, make_evidence
from model_builders import facets_model, obedient_model

from metarag.audit import Basis, Verdict
from metarag.stages.extrapolation import ExtrapolationOptions, ExtrapolationStage
from metarag.types import Question

QUESTION = Question(text="Does aspirin compared with placebo reduce stroke in adults with diabetes?")
ABSTRACT = (
    "Grown-up people with high blood sugar took acetylsalicylic tablets or dummy tablets. "
    "Cerebral events were counted for two years in 300 people at nine hospitals."
)


RATS = {"title": "Aspirin in diabetic rats", "abstract": "Diabetic rats were given aspirin or vehicle."}


def assess(model=None, abstract=ABSTRACT, question=QUESTION, title="Tablets and cerebral events", **options):
    item = make_evidence(make_article(title=title, abstract=abstract))
    stage = ExtrapolationStage(ExtrapolationOptions(**options), model=model)
    report = stage.assess(question, [item])
    return report.decisions[0], report.evidence[0].applicability if report.evidence else None


def saying(answer, quote="Grown-up people with high blood sugar", facet="population"):
    return facets_model({facet: {"quote": quote, "answer": answer}})


@pytest.mark.parametrize("answer", ["match", "partial", "mismatch"])
def test_a_quoted_answer_replaces_the_rules_facet_and_shows_what_that_was(answer):
    ruled, _ = assess()
    before = ruled.measurements["population"]
    assert not before.startswith(answer)
    said, value = assess(saying(answer))
    assert said.measurements["population"].startswith(f"{answer}: by a model's reading of “Grown-up")
    assert said.measurements["model_population"].endswith(f"(rules: {before})")
    assert (said.basis, said.prompt) == (Basis.MODEL, "applicability@1")
    assert said.measurements["applicability"] == value
    assert said.measurements["model_answers_changed"] == 1


def test_better_answers_make_a_higher_number():
    worst, middle, best = (assess(saying(answer))[1] for answer in ("mismatch", "partial", "match"))
    assert worst < middle < best


@pytest.mark.parametrize("quote", ["", "adults with diabetes", "people"])
def test_an_answer_without_words_of_the_article_changes_nothing(quote):
    said, value = assess(saying("match", quote))
    assert value == assess()[1]
    assert said.basis is Basis.RULE
    assert said.measurements["model_answers_unsupported"] == 1


def test_a_models_mismatch_against_the_questions_own_words_is_partial_and_says_what_it_was():
    plain = "Adults with diabetes took aspirin or placebo. Stroke was counted."
    said, value = assess(saying("mismatch", "took aspirin or placebo"), plain)
    assert said.measurements["population"].startswith("partial: by a model's reading")
    assert "rules: match" in said.measurements["model_population"]
    assert value < assess(abstract=plain)[1]
    assert value == assess(saying("partial", "took aspirin or placebo"), plain)[1]


def test_a_models_unknown_does_not_undo_what_the_rules_read():
    plain = "Adults with diabetes took aspirin or placebo. Stroke was counted."
    said, value = assess(saying("unknown", "Adults with diabetes"), plain)
    assert value == assess(abstract=plain)[1]
    assert said.measurements["population"].startswith("match")


def test_a_model_excludes_nothing_even_where_the_rules_are_strict():
    said, value = assess(saying("mismatch"), strictness="strict")
    assert assess(strictness="strict")[0].verdict is not Verdict.EXCLUDED
    assert said.verdict is Verdict.INCLUDED
    assert value is not None


def test_what_the_rules_exclude_is_not_asked_about_and_stays_excluded():
    model = obedient_model()
    said, _ = assess(model, **RATS)
    assert (said.verdict, said.basis) == (Verdict.EXCLUDED, Basis.RULE)
    assert model.requests == []


def test_a_certain_mismatch_that_the_settings_keep_is_not_talked_away():
    model = saying("match", "Diabetic rats were given aspirin")
    kept, value = assess(model, **RATS, strictness="lenient")
    assert kept.measurements["population"].startswith("mismatch")
    assert value == assess(**RATS, strictness="lenient")[1]


def test_nothing_is_asked_when_the_question_states_nothing_to_compare():
    model = obedient_model()
    said, _ = assess(model, question=Question(text="What is new?"))
    assert said.verdict is Verdict.NOT_ASSESSED
    assert model.requests == []


def test_the_model_sees_the_facets_of_the_question():
    model = saying("match")
    assess(model)
    assert all(word in model.requests[0].user for word in ("aspirin", "placebo", "stroke", "diabetes"))
