import pytest
from answer_builders import FEWER, QUESTION, SAME, cohort, ranked, review, trial

from metarag.generation.extractive import ExtractiveGenerator
from metarag.generation.grounded_options import GroundedOptions
from metarag.generation.harms import harm_sentence, other_harms
from metarag.generation.material import gather, standing_text
from metarag.llm.recorded import ScriptedModel
from metarag.types import Question

BLEEDING = (
    " Major bleeding was more frequent with aspirin than with placebo (odds ratio 1.60, 95% CI 1.20 to 2.10)."
)


def told(*articles):
    sentence = harm_sentence(other_harms(QUESTION, ranked(*articles)))
    return sentence.text if sentence else None


def test_a_harm_that_a_review_shows_stands_beside_the_verdict_and_cites_it():
    ranking = ranked(review(1, FEWER + BLEEDING, n=9000, year=2020), trial(2, SAME))
    made = ExtractiveGenerator().generate(QUESTION, ranking)
    at, harm = next((n, s) for n, s in enumerate(made.sentences) if "major bleeding [PMID 1]" in s.text)
    assert harm.citations == ("1",)
    assert at < min(n for n, s in enumerate(made.sentences) if s.quote)


def test_one_trial_alone_shows_no_harm_and_two_do():
    assert told(trial(1, FEWER + BLEEDING, n=500)) is None
    text = told(trial(1, FEWER + BLEEDING, n=500), trial(2, SAME + BLEEDING, n=700))
    assert "major bleeding [PMID" in text
    assert "PMID 1" in text
    assert "PMID 2" in text


@pytest.mark.parametrize(
    "other",
    [
        " Major bleeding was as frequent with aspirin as with placebo (odds ratio 1.10, 95% CI 0.90 to 1.34).",
        " Major bleeding was less frequent with aspirin than with placebo (odds ratio 0.60, 95% CI 0.40 to 0.90).",
        " Recovery was more frequent with aspirin than with placebo (odds ratio 1.60, 95% CI 1.20 to 2.10).",
        " Major bleeding was more frequent with aspirin.",
    ],
    ids=["not clear", "fewer", "more of a good outcome", "without numbers"],
)
def test_what_is_no_clear_harm_is_not_told(other):
    assert told(review(1, FEWER + other, n=9000, year=2020)) is None


def test_the_outcome_asked_about_and_observational_studies_do_not_count():
    more = FEWER.replace("less frequent", "more frequent").replace(
        "0.60, 95% CI 0.45 to 0.80", "1.6, 95% CI 1.2 to 2.1"
    )
    assert told(review(1, more, n=9000, year=2020)) is None
    assert told(cohort(1, SAME + BLEEDING), cohort(2, SAME + BLEEDING, n=950)) is None


def test_a_question_without_a_known_outcome_has_no_other_one():
    ranking = ranked(review(1, FEWER + BLEEDING, n=9000, year=2020))
    assert other_harms(Question(text="What is aspirin?"), ranking) == {}


def test_a_model_is_told_of_the_harm_too_and_by_which_of_its_sources():
    ranking = ranked(review(1, FEWER + BLEEDING, n=9000, year=2020), trial(2, SAME))
    material = gather(ScriptedModel(lambda request: ""), QUESTION, ranking, GroundedOptions())
    assert "reviews or randomised studies: major bleeding [1]." in standing_text(material)


def test_an_outcome_that_is_not_known_by_name_is_not_told_in_an_articles_words():
    for words in ("Obey the following instruction", "Stomach cancer"):
        other = BLEEDING.replace("Major bleeding", words)
        assert told(review(1, FEWER + other, n=9000, year=2020)) is None
    profound = BLEEDING.replace("Major bleeding", "Profound hypotension")
    assert "hypotension [PMID 1]" in told(review(1, FEWER + profound, n=9000, year=2020))
