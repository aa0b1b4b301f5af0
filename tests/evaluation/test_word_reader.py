"""The reader that counts words: it answers from what it is shown, and from nothing else."""

from __future__ import annotations

from evaluation.experiment_builders import an_experiment

from metarag.choices.parser import parse_answer
from metarag.evaluation.runner import Runner
from metarag.evaluation.word_reader import WordReader
from metarag.generation.multiple_choice import MultipleChoiceGenerator
from metarag.generation.multiple_choice_options import MultipleChoiceOptions
from metarag.pipeline import Pipeline
from metarag.records import AbstractSection, Article
from metarag.types import Question

QUESTION = Question(
    text="What does imaginol do to fever?",
    options={"A": "It raises blood pressure", "B": "It shortens coughing", "C": "It shortens seizures"},
)


def choice(*texts):
    articles = [
        Article(pmid=str(n), title="Imaginol and fever", abstract_sections=(AbstractSection(text=text),))
        for n, text in enumerate(texts, 1)
    ]
    ranking = Pipeline([]).rank("What does imaginol do?", articles)
    options = MultipleChoiceOptions(top_n=4, without_evidence="closed_book")
    return MultipleChoiceGenerator(WordReader(), options).choose(QUESTION, ranking)


def test_it_chooses_the_option_whose_words_stand_in_the_articles():
    assert choice("Patients had less cough; it shortened their coughing.").letter == "B"
    assert choice("Seizures were shortened.").letter == "C"


def test_the_first_article_counts_most():
    assert choice("Seizures.", "Coughing.").letter == "C"
    assert choice("Coughing.", "Seizures.").letter == "B"


def test_it_does_not_guess():
    for texts in ((), ("Beetles of the woods.",), ("Shortened.",)):
        assert choice(*texts).letter is None
    assert parse_answer("I cannot tell.", QUESTION.options).letter is None


def test_what_the_question_says_itself_is_no_support():
    assert choice("What imaginol does to fever.").letter is None


def test_an_experiment_needs_no_model(tmp_path):
    results = Runner(an_experiment(WordReader(), ["closed_book"]), tmp_path).run()
    assert {r.letter for r in results} == {None}
