import pytest
from builders import make_article

from metarag import rank
from metarag.agreement import agreements
from metarag.generation.extractive import ExtractiveGenerator
from metarag.results import Result, asked_outcomes
from metarag.types import Pico, Question

QUESTION = Question(text="Does aspirin reduce mortality in adults with pneumonia?")


def trial(pmid, result, *, n=200, types=("Randomized Controlled Trial",)):
    text = f"We randomly assigned {n} adults with pneumonia to aspirin or placebo. {result}"
    return make_article(
        pmid=str(pmid), title="Aspirin in adults with pneumonia: a trial", abstract=text, types=types
    )


DEATHS = "Death from any cause was {} aspirin than with placebo (odds ratio {})."
FEWER = DEATHS.format("less frequent with", "0.60, 95% CI 0.45 to 0.80")
MORE = DEATHS.format("more frequent with", "1.60, 95% CI 1.20 to 2.10")
SAME = DEATHS.format("no more frequent with", "1.02, 95% CI 0.85 to 1.22")


def found(*articles, question=QUESTION):
    (only,) = agreements(question, rank(question, articles))
    return only


@pytest.mark.parametrize(
    ("text", "result"), [(FEWER, Result.BENEFIT), (MORE, Result.HARM), (SAME, Result.NO_DIFFERENCE)]
)
def test_an_interval_on_the_outcome_tells_the_result(text, result):
    (only,) = found(trial(1, text)).results
    assert (only.result, only.basis, only.tier) == (result, "effect", "randomised")


def test_without_an_interval_the_conclusion_counts():
    (only,) = found(trial(1, "Mortality was significantly lower with aspirin.")).results
    assert (only.result, only.basis) == (Result.BENEFIT, "words")


def test_more_of_a_good_outcome_is_a_benefit():
    question = Question(text="Does aspirin improve survival in adults with pneumonia?")
    (only,) = found(trial(1, "Survival was significantly higher with aspirin."), question=question).results
    assert only.result is Result.BENEFIT


def test_articles_that_differ_conflict_and_articles_that_agree_do_not():
    assert found(trial(1, FEWER), trial(2, SAME)).is_conflict
    assert not found(trial(1, FEWER), trial(2, FEWER)).is_conflict


def test_another_drug_does_not_count():
    text = "We randomly assigned 200 adults with pneumonia to ibuprofen or placebo. "
    other = make_article(
        pmid="2",
        title="Ibuprofen in adults with pneumonia: a trial",
        abstract=text + MORE.replace("aspirin", "ibuprofen"),
        types=("Randomized Controlled Trial",),
    )
    results = found(trial(1, FEWER), other)
    assert results.keys(Result.HARM) == ()
    assert not results.is_conflict


def test_what_says_nothing_of_the_outcome_is_counted_as_silent():
    silent = found(trial(1, FEWER), trial(2, "Fever fell by 0.4 degrees."))
    assert len(silent.results) == 1
    assert silent.silent == 1


def keys(question):
    return [found.key for found in asked_outcomes(question)]


def test_a_condition_is_not_taken_for_the_outcome():
    question = Question(text="Does aspirin reduce mortality after myocardial infarction?")
    assert keys(question) == ["all_cause_death"]


def test_a_pico_of_the_user_names_the_outcome():
    question = Question(text="Does aspirin help in pneumonia?", pico=Pico(outcome="stroke"))
    assert keys(question) == ["stroke"]


@pytest.mark.parametrize("text", ["What is aspirin?", "Does it reduce mortality?"])
def test_a_question_without_a_known_outcome_or_treatment_has_no_agreement(text):
    assert keys(Question(text=text)) == []


def test_outcomes_are_never_mixed():
    question = Question(
        text="Does aspirin help?", pico=Pico(intervention="aspirin", outcome="stroke, major bleeding")
    )
    ranking = rank(
        question,
        [
            trial(
                1,
                "Stroke was less frequent with aspirin than with placebo (odds ratio 0.60, 95% CI 0.45 to 0.80)."
                " Major bleeding was more frequent with aspirin than with placebo (odds ratio 1.60, 95% CI 1.20 to 2.10).",
            )
        ],
    )
    found = {each.outcome: [r.result for r in each.results] for each in agreements(question, ranking)}
    assert found == {"stroke": [Result.BENEFIT], "major_bleeding": [Result.HARM]}


def test_what_a_study_set_out_to_show_is_not_what_it_found():
    aim = (("OBJECTIVE", "To show that aspirin reduces mortality in pneumonia."), ("RESULTS", "Fever fell."))
    article = make_article(pmid="1", title="Aspirin in adults with pneumonia", abstract=aim)
    assert found(article).results == ()


def test_each_half_of_a_sentence_speaks_of_its_own_outcome():
    text = "Aspirin was followed by fewer potentially lethal arrhythmias; mortality did not differ."
    (only,) = found(trial(1, text)).results
    assert only.result is Result.NO_DIFFERENCE


def test_no_benefit_and_harm_is_harm():
    text = "Aspirin did not prevent death from any cause; it did harm."
    (only,) = found(trial(1, text)).results
    assert only.result is Result.HARM


def test_sentences_that_disagree_decide_nothing():
    text = "Mortality was significantly lower with aspirin. After adjustment mortality did not differ."
    assert found(trial(1, text)).results == ()


def answer(*articles):
    return ExtractiveGenerator().generate(QUESTION, rank(QUESTION, articles))


def test_the_answer_says_that_the_evidence_conflicts_and_which_study_is_largest():
    made = answer(trial(1, FEWER, n=90), trial(2, SAME, n=9000))
    assert "The evidence on death from any cause conflicts." in made.text
    assert "1 in favour of the treatment [PMID 1]; 1 no difference [PMID 2]" in made.text
    assert "The largest randomised study (9,000 people) finds no difference [PMID 2]" in made.text


def test_the_answer_claims_no_conflict_where_there_is_none():
    made = answer(trial(1, FEWER), trial(2, FEWER))
    assert "conflict" not in made.text
    assert "2 randomised studies on death from any cause: 2 in favour of the treatment" in made.text


def test_everything_cited_is_included_evidence():
    made = answer(trial(1, FEWER), trial(2, SAME), trial(3, MORE, types=("Retracted Publication",)))
    included = {item.article.pmid for item in made.ranking}
    assert set(made.citations) <= included
    assert "3" not in made.citations
