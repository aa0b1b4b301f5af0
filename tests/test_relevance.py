from itertools import pairwise

import pytest
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st

from metarag.records import MeshHeading
from metarag.relevance import QuestionTerms, stem, words
from metarag.types import Pico, Question


def relevance(question, article):
    return QuestionTerms.of(Question(text=question)).relevance(article)


def test_an_article_that_names_the_topic_again_and_again_is_fully_relevant():
    article = make_article(title="Aspirin to prevent stroke", abstract="Aspirin prevents stroke. " * 12)
    found = relevance("Does aspirin prevent stroke?", article)
    assert found.score > 0.9
    assert found.missing == ()


def test_a_term_in_the_abstract_only_counts_less_than_in_the_title():
    in_title = relevance("aspirin", make_article(title="Aspirin", abstract="")).score
    in_abstract = relevance("aspirin", make_article(title="Tablets", abstract="Aspirin.")).score
    assert in_title > in_abstract > 0


def test_each_further_mention_counts_less_than_the_one_before():
    abstracts = [" ".join(["aspirin"] * n + ["word"] * (20 - n)) for n in range(4)]
    scores = [relevance("aspirin", make_article(title="Tablets", abstract=text)).score for text in abstracts]
    gains = [after - before for before, after in pairwise(scores)]
    assert gains[0] > gains[1] > gains[2] > 0


def test_the_score_can_be_recomputed_from_the_formula_that_is_documented():
    article = make_article(title="Aspirin tablets", abstract="Adult patients took aspirin once.")
    half = 2 * (0.7 + 0.3 * 7 / 220)
    topic = 1.2 * 4 / (4 + half)
    one_of_two_common_words = 1.2 * 1 / (1 + half) / 2
    found = relevance("Is aspirin safe in an adult?", article)
    assert found.score == pytest.approx(0.7 * topic + 0.3 * one_of_two_common_words)


def test_mesh_and_keywords_count_as_the_title_does():
    by_mesh = make_article(title="Tablets", abstract="", mesh=(MeshHeading(descriptor="Aspirin"),))
    by_keyword = make_article(title="Tablets", abstract="", keywords=("aspirin",))
    by_title = make_article(title="Aspirin", abstract="")
    assert relevance("aspirin", by_mesh).score == relevance("aspirin", by_keyword).score
    assert relevance("aspirin", by_mesh).score == pytest.approx(relevance("aspirin", by_title).score)


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
    found = relevance(asked, make_article(title=written, abstract=""))
    assert found.found
    assert found.missing == ()


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
