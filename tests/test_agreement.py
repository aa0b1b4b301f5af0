import pytest
from builders import make_article

from metarag import rank
from metarag.agreement import agreements
from metarag.generation.extractive import ExtractiveGenerator
from metarag.other_treatments import asked_procedures, is_only_setting
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


@pytest.mark.parametrize(
    "text",
    [
        "More deaths occurred with placebo than with aspirin (odds ratio 1.43, 95% CI 1.10 to 1.86).",
        "Mortality was higher with placebo than with aspirin (odds ratio 1.43, 95% CI 1.10 to 1.86).",
        "Mortality was lower with aspirin (odds ratio 1.43, 95% CI 1.10 to 1.86).",
    ],
)
def test_a_ratio_printed_for_the_control_is_no_harm_of_the_treatment(text):
    (only,) = found(trial(1, text)).results
    assert (only.result, only.basis) == (Result.BENEFIT, "words")


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


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin lowered mortality only in smokers.",
        "Mortality was lower with aspirin in smokers but not in others.",
        "Aspirin lowered cardiac death, stroke or death from any cause.",
        "Aspirin lowered strokes and deaths taken together.",
    ],
)
def test_a_result_in_some_people_or_on_several_outcomes_together_is_no_result_on_the_outcome(text):
    assert found(trial(1, text)).results == ()


def test_an_effect_on_outcomes_counted_together_is_none_on_one_of_them():
    text = (
        "Aspirin was associated with fewer strokes and deaths taken together"
        " (hazard ratio 0.80, 95% CI 0.70 to 0.91)."
    )
    assert found(trial(1, text)).results == ()


def test_a_benefit_at_the_cost_of_another_outcome_stays_a_benefit():
    (only,) = found(trial(1, "Aspirin reduced deaths at the cost of more bleeding.")).results
    assert only.result is Result.BENEFIT


def test_each_outcome_of_a_list_in_the_question_is_asked_about():
    question = Question(text="Does aspirin prevent a heart attack or stroke in adults with pneumonia?")
    assert keys(question) == ["myocardial_infarction", "stroke"]


def test_a_review_of_observational_studies_is_no_review_of_trials():
    review = make_article(
        pmid="9",
        title="Aspirin in adults with pneumonia: a systematic review of observational studies",
        abstract=f"We pooled 12 cohort studies of adults with pneumonia given aspirin. {FEWER}",
        types=("Meta-Analysis", "Systematic Review"),
    )
    (only,) = found(review).results
    assert only.tier == "observational_review"
    assert not found(review, trial(1, FEWER)).is_conflict


def test_a_retracted_article_has_no_result_even_where_it_is_ranked():
    ranking = rank(
        QUESTION,
        [trial(1, FEWER, types=("Retracted Publication", "Randomized Controlled Trial"))],
        options={"eligibility": {"exclude_retracted": False}},
    )
    assert len(ranking) == 1
    (only,) = agreements(QUESTION, ranking)
    assert only.results == ()


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Aspirin versus azithromycin in adults with pneumonia: a trial", FEWER),
        (
            "Aspirin in adults with pneumonia: a trial",
            "Azithromycin lowered mortality more than placebo did.",
        ),
    ],
    ids=["against another drug", "of another drug"],
)
def test_a_result_on_another_drug_is_none_on_the_one_asked_about(title, text):
    article = trial(1, text).model_copy(update={"title": title})
    assert found(article).results == ()


def test_in_an_observational_study_a_sentence_counts_only_if_it_names_the_treatment():
    def cohort(result):
        return make_article(
            pmid="1",
            title="Aspirin in adults with pneumonia: a cohort study",
            abstract=f"In this cohort study, adults with pneumonia took aspirin or did not. {result}",
            types=("Observational Study",),
        )

    assert found(cohort("Mortality was lower in the second year.")).results == ()
    assert found(cohort("Mortality was lower with aspirin.")).results


def test_an_opinion_on_studies_is_no_result():
    assert found(trial(1, "Mortality is lower with aspirin.", types=("Editorial",))).results == ()
    assert found(trial(1, "Mortality is lower with aspirin.", types=("Practice Guideline",))).results == ()


@pytest.mark.parametrize(
    "text",
    [
        "Pain-free rates were higher with aspirin.",
        "More pain relief was seen with aspirin.",
        "Significantly more patients given aspirin than given placebo were free from pain.",
        "Pain relief was more frequent with aspirin (odds ratio 2.70; 95% CI 1.80 to 4.05).",
    ],
)
def test_more_relief_of_an_outcome_is_less_of_it(text):
    question = Question(text="Does aspirin reduce pain in adults with pneumonia?")
    (result,) = found(trial(1, text), question=question).results
    assert result.result is Result.BENEFIT


def answer(*articles):
    return ExtractiveGenerator().generate(QUESTION, rank(QUESTION, articles))


def test_the_answer_says_that_the_articles_disagree_and_which_side_has_the_better_evidence():
    made = answer(trial(1, FEWER, n=90), trial(2, SAME, n=9000))
    assert "The articles disagree on death from any cause." in made.text
    assert (
        "the better evidence shows no benefit of aspirin: randomised studies with 9,000 of the 9,090 people"
        in made.text
    )
    assert "1 found a lower risk [PMID 1]; 1 found no clear difference [PMID 2]" in made.text


def test_the_answer_claims_no_conflict_where_there_is_none():
    made = answer(trial(1, FEWER), trial(2, FEWER))
    assert "disagree" not in made.text
    assert (
        "Both articles with a clear result on death from any cause with aspirin found a lower risk"
        in made.text
    )


def test_everything_cited_is_included_evidence():
    made = answer(trial(1, FEWER), trial(2, SAME), trial(3, MORE, types=("Retracted Publication",)))
    included = {item.article.pmid for item in made.ranking}
    assert set(made.citations) <= included
    assert "3" not in made.citations


@pytest.mark.parametrize(
    ("title", "setting"),
    [
        ("Low against standard gas pressure in laparoscopic surgery: a trial", True),
        ("Comparison of two drugs for nausea after laparoscopic surgery", True),
        ("Pain after laparoscopic versus open surgery", False),
        ("Laparoscopic surgery in older adults", False),
        ("Pain in older adults", False),
    ],
)
def test_a_procedure_that_everybody_had_is_the_setting_and_not_what_was_studied(title, setting):
    question = Question(text="Does laparoscopic surgery cause less pain than open surgery in adults?")
    assert is_only_setting(title, asked_procedures(question)) is setting
    assert not is_only_setting(title, asked_procedures(QUESTION))


def test_articles_with_the_procedure_as_their_setting_do_not_count():
    question = Question(text="Does laparoscopic surgery cause less pain in adults?")
    text = (
        "We randomly assigned 90 adults to laparoscopic surgery or open surgery. Pain was significantly less."
    )
    own, setting = (
        make_article(pmid=pmid, title=title, abstract=text, types=("Randomized Controlled Trial",))
        for pmid, title in (
            ("1", "Laparoscopic surgery in adults: a trial"),
            ("2", "Two anaesthetics against each other in laparoscopic surgery in adults"),
        )
    )
    assert [r.key for r in found(own, setting, question=question).results] == ["pmid:1"]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Mortality was 10% lower with aspirin; this too was not significant.", Result.NO_DIFFERENCE),
        (
            "Mortality was lower with aspirin, but the difference was not statistically significant.",
            Result.NO_DIFFERENCE,
        ),
        ("Mortality was lower with aspirin; fever was not significantly changed.", Result.BENEFIT),
    ],
)
def test_a_difference_that_the_sentence_takes_back_is_none(text, result):
    (only,) = found(trial(1, text)).results
    assert only.result is result


def test_deaths_of_some_kind_are_not_deaths_from_any_cause():
    assert found(trial(1, "Aspirin reduced cardiovascular events and deaths.")).results == ()


@pytest.mark.parametrize(
    "text",
    [
        "To lower mortality further, higher doses of aspirin are recommended.",
        "This secondary analysis estimates mortality that is increased by aspirin.",
    ],
)
def test_advice_and_aims_are_no_findings(text):
    assert found(trial(1, text)).results == ()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Does hormone therapy improve HDL cholesterol?", ["hdl_cholesterol"]),
        ("Does sumatriptan cause chest pain?", ["chest_pain"]),
        ("Does weight loss reduce blood pressure?", ["blood_pressure"]),
        ("Does aspirin prevent heart attack or stroke?", ["myocardial_infarction", "stroke"]),
    ],
)
def test_the_outcome_that_is_asked_for_has_its_whole_name_and_is_not_the_treatment(text, keys):
    assert [found.key for found in asked_outcomes(Question(text=text))] == keys
