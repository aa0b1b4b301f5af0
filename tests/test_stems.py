from collections import Counter

import pytest
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from metarag.appraisal import appraise
from metarag.records import MeshHeading
from metarag.relevance import QuestionTerms
from metarag.retrieval.corpus_rows import pack, to_json, unpack
from metarag.retrieval.demo import open_demo_corpus
from metarag.stems import ArticleStems, stem, words
from metarag.types import Appraisal, Question

WORDS = st.sampled_from(
    ["aspirin", "Aspirins", "stroke", "a", "il6", "10", "haemorrhage", "β", "naïve", "of", "+", "|"]
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


def article(title="Aspirin", abstract="", *headings, keywords=()):
    return make_article(
        title=title,
        abstract=abstract,
        mesh=tuple(MeshHeading(descriptor=name) for name in headings),
        keywords=keywords,
    )


@given(TEXTS, TEXTS, TEXTS, st.integers(min_value=1, max_value=60))
def test_mentions_are_those_that_counting_finds_however_many_are_asked_for(title, abstract, keyword, size):
    counted = ArticleStems.of(make_article(title=title, abstract=abstract, keywords=(keyword,)))
    body = Counter(stem(word) for word in words(abstract))
    front = {stem(word) for word in words(f"{title} {keyword}")}
    asked = [*dict.fromkeys([*body, *front]), *(f"absent{n}" for n in range(size))]
    expected = {root: (body[root], root in front) for root in asked if root in body or root in front}
    found = counted.mentions(asked)
    assert found == expected
    assert list(found) == list(expected)


def test_a_stem_within_another_is_not_mentioned():
    assert ArticleStems.of(article("Aspirins", "antiaspirin aspirinlike 10")).mentions(["aspiri", "1"]) == {}


def test_title_headings_and_keywords_stand_in_front_and_the_length_is_that_of_title_and_abstract():
    counted = ArticleStems.of(article("Aspirin", "Two words.", "Stroke", keywords=("fever",)))
    assert counted.mentions(["aspirin", "stroke", "fever", "two"]) == {
        "aspirin": (0, True),
        "stroke": (0, True),
        "fever": (0, True),
        "two": (1, False),
    }
    assert counted.words == 3


@pytest.mark.parametrize(
    "text", ["aspirin", "|x aspirin ", "|1 Aspirin ", "|1 aspirin", "|-1 aspirin ", "|1 "]
)
def test_text_of_another_form_is_refused(text):
    with pytest.raises(ValidationError):
        ArticleStems(text=text)


def test_the_stems_survive_the_local_index():
    appraisal = appraise(article("Aspirin and stroke", "Aspirin prevents stroke in adults. " * 3, "Aspirin"))
    assert unpack(Appraisal, pack(to_json(appraisal))) == appraisal
    assert appraisal.stems == ArticleStems.of(
        article("Aspirin and stroke", "Aspirin prevents stroke in adults. " * 3, "Aspirin")
    )


def test_relevance_is_the_same_from_stored_stems():
    questions = ["Does aspirin prevent stroke?", "magnesium " * 3 + "mortality in adults with sepsis"]
    with open_demo_corpus() as corpus:
        articles = list(corpus)[::5]
    for text in questions:
        terms = QuestionTerms.of(Question(text=text))
        for one in articles:
            assert terms.relevance(one, appraise(one).stems) == terms.relevance(one)
