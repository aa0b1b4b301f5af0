"""The demo corpus works with no set-up, and holds answers to its questions."""

import pytest

from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import demo_corpus_path, demo_questions, open_demo_corpus
from metarag.types import Question


@pytest.fixture(scope="module")
def corpus():
    with open_demo_corpus() as opened:
        yield opened


def test_the_corpus_is_shipped_and_every_record_is_in(corpus):
    lines = demo_corpus_path().read_text(encoding="utf-8").splitlines()
    assert len(corpus) == len(lines) > 50
    assert corpus.name == "demo"
    assert corpus.gaps() == ()


def test_the_texts_are_marked_as_summaries(corpus):
    assert set(corpus.info().text_origins) == {"summary"}


def test_questions_have_ids_of_their_own_and_say_why():
    questions = demo_questions()
    assert len({question.id for question in questions}) == len(questions) > 3
    assert all(question.why and question.pico.intervention for question in questions)


@pytest.mark.parametrize("demo", demo_questions(), ids=lambda demo: demo.id)
def test_each_question_finds_an_article_on_its_intervention(corpus, demo):
    assert demo.question == Question(text=demo.text, kind=demo.kind, pico=demo.pico)
    result = CorpusRetriever(corpus).retrieve(demo.question, limit=5)
    assert len(result.articles) == 5
    word = max(demo.pico.intervention.split(), key=len).strip(",;")[:6].lower()
    texts = [f"{hit.article.title} {hit.article.abstract}".lower() for hit in result.articles]
    assert any(word in text for text in texts)
