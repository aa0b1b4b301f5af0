"""Everyday names, brands and abbreviations stand for what they mean, wherever a question is read."""

import pytest
from builders import make_article

from metarag.names import names
from metarag.pico import question_pico
from metarag.pico_vocabulary import vocabulary
from metarag.relevance import QuestionTerms
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import open_demo_corpus
from metarag.types import Question


def relevance(question, title):
    return QuestionTerms.of(Question(text=question)).relevance(make_article(title=title, abstract=""))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("heart attack", "myocardial infarction"),
        ("brain attack", "stroke"),
        ("high blood pressure", "hypertension"),
        ("flu", "influenza"),
        ("blood clots", "venous thromboembolism"),
        ("cardiac failure", "heart failure"),
        ("kidney failure", "chronic kidney disease"),
        ("sugar diabetes", "diabetes mellitus"),
        ("high blood sugar", "hyperglycaemia"),
        ("tumor", "cancer"),
        ("painkiller", "analgesics"),
        ("Tylenol", "paracetamol"),
        ("Augmentin", "penicillin"),
        ("Plaquenil", "hydroxychloroquine"),
        ("Decadron", "dexamethasone"),
        ("Aspro", "aspirin"),
        ("Lipitor", "atorvastatin"),
        ("AOM", "otitis media"),
        ("PE", "pulmonary embolism"),
        ("flu shot", "influenza vaccine"),
    ],
)
def test_everyday_names_brands_and_abbreviations_are_known(said, meant):
    assert meant in {concept.name for concept in vocabulary().concepts_in(said)}


@pytest.mark.parametrize("text", ["pe", "the analgesic power of light", "we attack the flow"])
def test_other_words_stand_for_nothing(text):
    assert vocabulary().concepts_in(text) == ()


@pytest.mark.parametrize("group", names().groups.values(), ids=lambda group: group[0])
def test_a_name_means_one_thing_only(group):
    for name in group:
        ((_, others),) = names().in_text(name)
        assert set(others) < set(group)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Does aspirin prevent a heart attack?", "Aspirin and myocardial infarction"),
        ("Does aspirin prevent myocardial infarction?", "Aspirin and heart attack"),
        ("Does Tylenol help?", "Acetaminophen"),
        ("Is paracetamol safe?", "Acetaminophen is safe"),
        ("Augmentin for AOM?", "Amoxicillin-clavulanate in acute otitis media"),
    ],
)
def test_an_article_may_use_another_name_than_the_question(question, title):
    found = relevance(question, title)
    assert found.score > 0.4
    assert not {"heart", "attack", "tylenol", "paracetamol", "augmentin", "aom", "infarction"} & set(
        found.missing
    )


def test_a_lay_name_makes_no_article_less_relevant_than_the_formal_one():
    title = "Aspirin to prevent myocardial infarction"
    lay = relevance("Does aspirin prevent a first heart attack?", title)
    formal = relevance("Does aspirin prevent a first myocardial infarction?", title)
    assert lay.score == pytest.approx(formal.score)
    assert "myocardial infarction" in lay.found


def test_part_of_another_name_counts_for_nothing():
    assert relevance("heart attack", "Myocardial perfusion").score == 0


def test_a_first_heart_attack_is_an_outcome_in_people_who_had_none():
    for said in ("heart attack", "myocardial infarction"):
        used = question_pico(Question(text=f"Does aspirin prevent a first {said}?")).used
        assert [term.concept for term in used.outcome] == ["myocardial infarction"]
        assert [term.concept for term in used.population] == ["primary prevention"]


def test_the_local_corpus_is_searched_by_the_preferred_name_too():
    found = CorpusRetriever(open_demo_corpus()).retrieve(Question(text="Tylenol for a heart attack"), limit=3)
    for word in ("tylenol", "paracetamol", "heart", "myocardial", "infarction"):
        assert f'"{word}"' in found.query.query


def test_a_question_in_preferred_names_is_searched_as_it_stands():
    assert names().preferred_in("Does aspirin prevent stroke after myocardial infarction?") == ()
    assert names().preferred_in("Strokes") == ()
