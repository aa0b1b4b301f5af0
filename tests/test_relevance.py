import pytest
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st

from metarag.records import MeshHeading
from metarag.relevance import QuestionTerms, stem, words
from metarag.types import Pico, Question


def relevance(question, article):
    return QuestionTerms.of(Question(text=question)).relevance(article)


def test_an_article_that_speaks_of_everything_in_its_title_is_fully_relevant():
    found = relevance(
        "Does aspirin prevent stroke?", make_article(title="Aspirin to prevent stroke", abstract="")
    )
    assert found.score == pytest.approx(1.0)
    assert found.missing == ()


def test_a_term_in_the_abstract_only_counts_less_than_in_the_title():
    in_title = relevance("aspirin", make_article(title="Aspirin", abstract="")).score
    in_abstract = relevance("aspirin", make_article(title="Tablets", abstract="Aspirin.")).score
    assert (in_title, in_abstract) == (1.0, 0.8)


def test_mesh_and_keywords_count_as_the_title_does():
    by_mesh = make_article(title="Tablets", abstract="", mesh=(MeshHeading(descriptor="Aspirin"),))
    by_keyword = make_article(title="Tablets", abstract="", keywords=("aspirin",))
    assert relevance("aspirin", by_mesh).score == relevance("aspirin", by_keyword).score == 1.0


def test_common_words_do_not_outvote_the_topic():
    on_topic = make_article(title="Aspirin", abstract="")
    small_talk = make_article(title="Treatment of adult patients reduces risk", abstract="")
    question = "Does treatment with aspirin reduce risk in adult patients?"
    assert relevance(question, on_topic).score > relevance(question, small_talk).score


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("haemorrhage", "hemorrhages"),
        ("anaemia", "anemia"),
        ("oesophageal tumours", "esophageal tumor"),
        ("hospitalisation", "hospitalization"),
        ("TNF-α", "TNF alpha"),
        ("β-blockers", "beta blocker"),
        ("Ménière", "meniere"),
        ("IL-6", "IL 6"),
        ("therapies", "therapy"),
    ],
)
def test_spelling_accents_plurals_and_greek_do_not_hide_a_term(asked, written):
    assert relevance(asked, make_article(title=written, abstract="")).score == 1.0


@pytest.mark.parametrize(
    ("one", "other"), [("statins", "status"), ("aspirin", "aspire"), ("sepsis", "sepsi")]
)
def test_stems_do_not_merge_different_words(one, other):
    assert stem(one) != stem(other)


def test_options_of_a_multiple_choice_question_are_not_searched():
    question = Question(text="Which drug?", options={"A": "aspirin"})
    assert "aspirin" not in QuestionTerms.of(question).weights


def test_a_pico_that_the_user_gives_adds_its_terms():
    question = Question(text="Does it work?", pico=Pico(intervention="aspirin"))
    assert "aspirin" in QuestionTerms.of(question).weights


def test_without_terms_or_text_relevance_is_not_assessed():
    assert relevance("Does it?", make_article()) is None
    assert relevance("aspirin", make_article(title="", abstract="")) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_relevance_is_total_and_in_range(question, title):
    if not any(c.isalnum() for c in question):
        return
    found = relevance(question, make_article(title=title))
    assert found is None or 0 <= found.score <= 1


@given(st.text(max_size=100))
def test_words_are_plain(text):
    assert all(word.isascii() and word.isalnum() and word == word.lower() for word in words(text))
