"""What a sentence says of an outcome is held against what its sources found."""

import pytest
from answer_builders import FEWER, MORE, QUESTION, SAME, ranked, trial, writer

from metarag.generation.base import AnswerSentence
from metarag.generation.direction_check import DirectionCheck
from metarag.generation.grounded import GroundedGenerator
from metarag.generation.grounded_options import GroundedOptions
from metarag.generation.grounded_prompts import PromptSet
from metarag.types import Question

BLEEDING = (
    "Major bleeding was more frequent with aspirin than with placebo (odds ratio 1.40, 95% CI 1.18 to 1.66)."
)
PROMPTS = PromptSet.load()


def flags(text, *articles, cites=("1",), question=QUESTION):
    items = {item.article.pmid: item for item in ranked(*articles, question=question)}
    found = DirectionCheck(items, question).check([AnswerSentence(text=text, citations=cites)])
    return found.sentences[0].flags, dict(found.counts)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Aspirin increased mortality.", FEWER),
        ("Mortality was higher with aspirin than with placebo.", FEWER),
        ("Aspirin did not reduce mortality.", FEWER),
        ("Aspirin reduced mortality.", MORE),
        ("Fewer patients died with aspirin.", MORE),
        ("Aspirin reduces mortality.", SAME),
        ("Aspirin raised the risk of death (odds ratio 0.60, 95% CI 0.45 to 0.80).", FEWER),
    ],
)
def test_a_statement_that_no_cited_article_found_is_flagged(text, result):
    found, counts = flags(text, trial(1, result))
    assert found == ("direction:all_cause_death",)
    assert counts == {"directions": 1, "directions_not_in_sources": 1}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Aspirin reduced mortality.", FEWER),
        ("Fewer people died with aspirin (odds ratio 0.60).", FEWER),
        ("Aspirin increased mortality.", MORE),
        ("Aspirin made no difference to mortality.", SAME),
        ("Mortality was not reduced by aspirin.", SAME),
        ("Mortality was higher with placebo than with aspirin.", FEWER),
    ],
)
def test_what_an_article_found_stays_as_it_is(text, result):
    found, _ = flags(text, trial(1, result))
    assert found == ()


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin was studied in adults with pneumonia.",
        "Mortality was the main outcome.",
        "In women, aspirin increased mortality.",
        "Aspirin increased stroke.",
        "Whether aspirin increases mortality is not known.",
    ],
)
def test_what_is_no_plain_statement_on_an_outcome_of_the_article_is_not_compared(text):
    found, counts = flags(text, trial(1, FEWER))
    assert found == ()
    assert "directions" not in counts


def test_bleeding_that_a_review_found_more_of_is_not_less_frequent():
    found, _ = flags("Bleeding was less frequent with aspirin than with placebo.", trial(1, BLEEDING))
    assert found == ("direction:bleeding",)
    assert flags("Bleeding was more frequent with aspirin.", trial(1, BLEEDING))[0] == ()


def test_one_cited_article_that_found_it_is_enough():
    both = trial(1, FEWER), trial(2, MORE, n=300)
    assert flags("Aspirin increased mortality.", *both, cites=("1", "2"))[0] == ()
    assert flags("Aspirin increased mortality.", *both, cites=("1",))[0] == ("direction:all_cause_death",)


def test_a_sentence_that_cites_nothing_is_held_against_all_articles():
    assert flags("Aspirin increased mortality.", trial(1, FEWER), cites=())[0] == (
        "direction:all_cause_death",
    )
    assert flags("Aspirin increased mortality.", trial(1, FEWER), trial(2, MORE, n=300), cites=())[0] == ()


def test_each_statement_of_a_sentence_is_compared_by_itself():
    text = "Aspirin reduced mortality, but decreased major bleeding."
    found, counts = flags(text, trial(1, f"{FEWER} {BLEEDING}"))
    assert found == ("direction:major_bleeding",)
    assert counts["directions"] == 2


def test_a_comparison_with_another_drug_is_left_alone():
    question = Question(text="Is aspirin better than clopidogrel at reducing mortality in pneumonia?")
    assert flags("Aspirin increased mortality.", trial(1, FEWER), question=question) == ((), {})


def answer(text, *articles, short="Aspirin was studied.", **options):
    generator = GroundedGenerator(
        writer(text, short_answer=short), GroundedOptions(**options), prompts=PROMPTS
    )
    return generator.generate(QUESTION, ranked(*articles))


def test_an_answer_marks_what_its_source_did_not_find_and_warns():
    made = answer("Aspirin increased mortality [1].", trial(1, FEWER))
    assert (
        "(the cited sources tell something else of death from any cause, as the rules read them)" in made.text
    )
    assert any(w.startswith("1 statement on an outcome is not what its sources found") for w in made.warnings)


def test_an_answer_drops_it_where_doubtful_sentences_are_dropped():
    text = "Aspirin increased mortality [1]. Aspirin was given to adults with pneumonia [1]."
    made = answer(text, trial(1, FEWER), unsupported="drop")
    assert "increased" not in made.text
    assert made.counts["dropped_sentences"] == 1


def test_the_short_answer_is_compared_too():
    made = answer("Aspirin reduced mortality [1].", trial(1, FEWER), short="Aspirin increases mortality.")
    assert made.counts["short_directions_not_in_sources"] == 1
    assert "directions_not_in_sources" not in made.counts
    assert "as the rules read them" in made.short


def test_statements_in_another_language_are_not_read():
    made = answer("Aspirin increased mortality [1].", trial(1, FEWER), language="French")
    assert "directions" not in made.counts
