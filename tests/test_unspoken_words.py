"""What a question names and nothing found speaks of is told, whatever the verb around it."""

import pytest
from builders import make_article

from metarag import rank
from metarag.generation.extractive import ExtractiveGenerator
from metarag.types import Question
from metarag.unspoken_words import MOST_WORDS, unspoken_words

FOUND = (
    make_article(
        "1", "Aspirin and lung cancer: a cohort study", "Adults took aspirin. Lung cancer was counted."
    ),
    make_article("2", "Zinc for colds", "We randomly assigned 200 adults with colds to zinc or placebo."),
)


def unspoken(text):
    question = Question(text=text)
    ranking = rank(question, FOUND)
    return unspoken_words(question, (*ranking.evidence, *ranking.excluded))


@pytest.mark.parametrize(
    "text",
    [
        "Does homeopathy cure lung cancer?",
        "Is homeopathy good for lung cancer?",
        "Should patients with lung cancer take homeopathy?",
        "homeopathy for lung cancer",
        "lung cancer homeopathy",
        "Can lung cancer be cured by homeopathy?",
        "Will homeopathy shrink lung cancer?",
    ],
)
def test_a_treatment_that_nothing_names_is_found_with_any_verb(text):
    assert [word.lower() for word in unspoken(text)] == ["homeopathy"]


@pytest.mark.parametrize(
    "text",
    [
        "Does aspirin prevent lung cancer?",
        "Does aspirin raise the risk of lung cancer in older adults?",
        "Is zinc effective for the common cold?",
        "Does acetylsalicylic acid cause a heart attack?",
        "What is 2+2?",
    ],
)
def test_known_names_ordinary_words_and_what_an_article_names_are_not_told(text):
    assert unspoken(text) == []


def test_only_the_first_words_are_told():
    assert (
        len(unspoken("Do leeches, bloodletting, cupping, moxibustion and radionics cure colds?"))
        == MOST_WORDS
    )


def test_an_answer_begins_with_what_nothing_found_names():
    question = Question(text="Does homeopathy cure lung cancer?")
    answer = ExtractiveGenerator().generate(question, rank(question, FOUND))
    assert answer.text.startswith("No article found names homeopathy, which the question does.")


@pytest.mark.parametrize("text", ["What is 2+2?", "' OR 1=1 --", "1 2 3"])
def test_a_question_that_names_nothing_has_no_answer(text):
    question = Question(text=text)
    answer = ExtractiveGenerator().generate(question, rank(question, FOUND))
    assert answer.abstained
    assert "names nothing that an article could speak of" in answer.text
