"""What a question asks of its treatment: known or not, given or left out, or none at all."""

import pytest
from builders import make_article

from metarag import appraise, rank
from metarag.agreement import agreements
from metarag.asked_treatment import (
    Turned,
    is_studied,
    missing_in_people,
    not_on_treatment,
    treatment_words,
    turned,
)
from metarag.generation.extractive import ExtractiveGenerator
from metarag.results import Result
from metarag.stopped_treatment import is_of_stopping, tells_of_stopping
from metarag.types import Question, QuestionKind


def trial(drug="digoxin", result="", *, pmid="1", title="{} in heart failure: a randomised trial", arms=None):
    arms = arms or f"We randomly assigned 5000 patients with heart failure to {drug} or placebo."
    return make_article(
        pmid=pmid,
        title=title.format(drug.capitalize()),
        abstract=f"{arms} {result}",
        types=("Randomized Controlled Trial",),
    )


FEWER = "Mortality was lower with {} than with placebo (hazard ratio 0.70; 95% CI 0.60 to 0.80)."
DIGOXIN = "Does digoxin reduce mortality in heart failure?"


def results(question, *articles):
    asked = Question(text=question)
    return [found.result for each in agreements(asked, rank(asked, articles)) for found in each.results]


def answer(question, *articles):
    asked = Question(text=question)
    return ExtractiveGenerator().generate(asked, rank(asked, articles))


@pytest.mark.parametrize("name", ["Zorblaxin", "quantum homeotherapy", "early zorblaxin"])
def test_a_treatment_that_no_article_studies_has_no_verdict_and_no_quotation(name):
    made = answer(f"Does {name} reduce mortality in heart failure?", trial(result=FEWER.format("digoxin")))
    assert made.abstained
    assert made.text.startswith(
        f"No article found studies {name} by that name, so this question cannot be answered"
    )
    assert not made.citations


def test_a_treatment_that_the_vocabulary_does_not_know_counts_where_it_was_studied():
    studied = trial("zorblaxin", FEWER.format("zorblaxin"), pmid="1")
    other = trial("digoxin", FEWER.format("digoxin").replace("lower", "higher"), pmid="2")
    made = answer("Does Zorblaxin reduce mortality in heart failure?", studied, other)
    assert "with Zorblaxin: a lower risk [PMID 1]" in made.text
    assert "2" not in made.citations


def test_a_treatment_named_in_the_background_only_was_not_studied():
    article = make_article(
        pmid="1",
        title="Digoxin in heart failure: a randomised trial",
        abstract=(
            ("BACKGROUND", "Zorblaxin is often used."),
            ("METHODS", "We randomly assigned 5000 patients with heart failure to digoxin or placebo."),
            ("RESULTS", FEWER.format("digoxin")),
        ),
        types=("Randomized Controlled Trial",),
    )
    assert not is_studied(article, Question(text="Does Zorblaxin reduce mortality in heart failure?"))
    assert is_studied(article, Question(text=DIGOXIN))


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("Does withholding beta-blockers before surgery reduce mortality?", Turned.LEFT_OUT),
        ("Should beta-blockers not be given before surgery to reduce mortality?", Turned.LEFT_OUT),
        ("Does avoiding hydroxychloroquine reduce mortality in COVID-19?", Turned.LEFT_OUT),
        ("Does stopping aspirin increase the risk of stroke?", Turned.STOPPED),
        ("Does aspirin withdrawal increase the risk of stroke?", Turned.STOPPED),
        ("Does withholding zorblaxin reduce mortality?", Turned.LEFT_OUT),
        ("Does placebo reduce mortality compared with hydroxychloroquine in COVID-19?", Turned.CONTROL),
        ("Is conventional glucose control better than intensive insulin for mortality?", Turned.CONTROL),
        ("Does aspirin reduce mortality compared with placebo?", None),
        ("Compared with placebo, does aspirin reduce mortality?", None),
        ("Does aspirin reduce mortality in adults without diabetes?", None),
        ("Does smoking cessation reduce mortality?", None),
    ],
)
def test_a_question_on_not_giving_a_treatment_is_known(text, how):
    assert turned(Question(text=text)) is how


def test_a_turned_question_is_told_first_and_the_verdict_names_what_was_given():
    made = answer(
        "Does avoiding digoxin reduce mortality in heart failure?", trial(result=FEWER.format("digoxin"))
    )
    first, verdict = made.sentences[:2]
    assert (
        first.text
        == "The question asks about not giving digoxin; the results here are told for giving digoxin."
    )
    assert "with digoxin: a lower risk" in verdict.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DIGOXIN, "digoxin"),
        ("Should a beta-blocker be started before surgery?", "a beta-blocker"),
        ("Does zorblaxin in intensive care lower mortality?", "zorblaxin"),
        ("What is known?", ""),
    ],
)
def test_the_treatment_is_named_in_the_words_of_the_question(text, words):
    assert treatment_words(Question(text=text)) == words


STOPPING = "We randomized 5000 patients with heart failure to stopping digoxin or continuing it."
WORSE = "All-cause mortality was higher in those who stopped digoxin (HR 1.5; 95% CI 1.2-1.9)."


@pytest.mark.parametrize(
    "arms",
    [STOPPING, STOPPING.replace("stopping digoxin or continuing it", "continue or discontinue digoxin")],
)
def test_a_trial_of_stopping_is_no_result_of_the_drug(arms):
    article = trial(result=WORSE, arms=arms)
    assert is_of_stopping(article)
    assert results(DIGOXIN, article) == []


def test_a_sentence_on_those_who_stopped_is_no_result_of_the_drug():
    assert tells_of_stopping(WORSE)
    assert results(DIGOXIN, trial(result=WORSE)) == []


@pytest.mark.parametrize(
    "text",
    [
        "We randomly assigned 200 adults to digoxin or placebo; the trial was stopped early.",
        "Patients were randomised to digoxin or placebo. Discontinuation due to nausea was rare.",
    ],
)
def test_a_trial_that_was_stopped_early_is_none_of_stopping(text):
    assert not is_of_stopping(make_article(title="Digoxin in a trial stopped early", abstract=text))


NOT_HARM, NOT_BENEFIT, NONE = ({Result.BENEFIT}, {Result.HARM}, {Result.NO_DIFFERENCE})


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("Survival was higher with digoxin (HR for survival 1.30; 95% CI 1.10 to 1.50).", NOT_HARM),
        ("Mortality: placebo versus digoxin, hazard ratio 1.40 (95% CI 1.20 to 1.60).", NOT_HARM),
        ("Compared with digoxin, placebo reduced mortality (HR 0.70; 95% CI 0.60 to 0.80).", NOT_BENEFIT),
        (
            "In men, mortality fell (RR 0.70; 95% CI 0.55 to 0.90) but overall mortality did not differ"
            " (RR 1.00; 95% CI 0.90 to 1.10).",
            NONE,
        ),
        (
            "Overall mortality was 10% in both groups. Mortality in women was lower"
            " (RR 0.60; 95% CI 0.45 to 0.80).",
            NONE,
        ),
    ],
)
def test_no_direction_is_told_that_is_the_wrong_one(text, allowed):
    assert set(results(DIGOXIN, trial(result=text))) <= allowed


@pytest.mark.parametrize(
    "text",
    [
        "Digoxin compared with placebo reduced mortality (HR 0.70; 95% CI 0.60 to 0.80).",
        "Compared with placebo, digoxin reduced mortality (HR 0.70; 95% CI 0.60 to 0.80).",
        "Mortality was lower with digoxin versus placebo (HR 0.70; 95% CI 0.60 to 0.80).",
        "Overall mortality was lower with digoxin (HR 0.70; 95% CI 0.60 to 0.80).",
    ],
)
def test_what_is_plain_is_still_counted(text):
    assert results(DIGOXIN, trial(result=text)) == [Result.BENEFIT]


def test_an_effect_of_another_arm_alone_is_not_that_of_the_drug_asked_about():
    text = (
        "Deaths were 7 of 2210 patients in the arm with ivabradine alone and 60 of 2270 in the placebo arm."
    )
    arms = "We randomly assigned 5000 patients to placebo, ivabradine, or ivabradine with digoxin."
    article = trial(result=text, arms=arms, title="Ivabradine alone or with {} in heart failure")
    assert results(DIGOXIN, article) == []
    assert results("Does ivabradine reduce mortality in heart failure?", article) == [Result.BENEFIT]


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("How accurate is troponin for diagnosing myocardial infarction?", "diagnosis"),
        ("Is death from COVID-19 more common in older patients?", "prognosis"),
        ("How common is stroke in adults?", "how common something is"),
        (DIGOXIN, None),
        ("Is hydroxychloroquine associated with mortality in COVID-19?", None),
        ("Is aspirin effective in patients diagnosed with stroke?", None),
        ("Does stroke follow exposure to smoke?", None),
    ],
)
def test_a_question_that_is_on_no_treatment_is_known(text, about):
    assert not_on_treatment(Question(text=text)) == about


def test_the_kind_that_the_user_gives_counts():
    assert not_on_treatment(Question(text=DIGOXIN, kind=QuestionKind.PROGNOSIS)) == "prognosis"


def test_trials_of_a_treatment_are_no_answer_to_a_question_on_prognosis():
    made = answer(
        "Is death from heart failure more common in older patients?", trial(result=FEWER.format("digoxin"))
    )
    assert made.abstained
    assert "it is about prognosis" in made.text


def test_a_study_of_prognosis_is_quoted_without_a_verdict():
    cohort = make_article(
        pmid="7",
        title="Age and death from heart failure in older patients: a cohort study",
        abstract="We followed 900 patients with heart failure. Death was more common in older patients.",
    )
    made = answer("Is death from heart failure more common in older patients?", cohort)
    assert made.sentences[0].text.startswith("The question is about prognosis")
    assert made.citations == ("7",)
    assert "clear result" not in made.text


def test_each_outcome_of_a_list_with_one_verb_is_told():
    text = "Dementia (mild or severe), stroke and invasive breast cancer were more frequent with digoxin than placebo."
    article = trial(result=text, title="{} and its risks")
    assert results("Does digoxin raise the risk of breast cancer?", article) == [Result.HARM]


def test_the_quotation_is_on_the_outcome_that_is_asked_for():
    article = make_article(
        pmid="1",
        title="Digoxin and its risks: a randomised trial",
        abstract=(
            ("METHODS", "We randomly assigned 5000 women to digoxin or placebo."),
            ("RESULTS", "Breast cancer was more frequent with digoxin than with placebo."),
            ("CONCLUSIONS", "Digoxin did not prevent coronary heart disease."),
        ),
        types=("Randomized Controlled Trial",),
    )
    (quoted,) = [
        s.quote.text
        for s in answer("Does digoxin raise the risk of breast cancer?", article).sentences
        if s.quote
    ]
    assert quoted == "Breast cancer was more frequent with digoxin than with placebo."


@pytest.mark.parametrize(
    ("keywords", "missing"), [(("smokers",), ["smoking"]), (("smokers", "non-smokers"), []), ((), [])]
)
def test_what_the_people_of_a_question_do_not_have_is_found_in_an_article(keywords, missing):
    article = trial(result=FEWER.format("digoxin")).model_copy(update={"keywords": keywords})
    question = Question(text="Does digoxin reduce mortality in non-smokers?")
    assert missing_in_people(question, appraise(article).pico.population) == missing


def test_a_known_treatment_that_no_article_studies_is_told_without_doubt_on_its_name():
    made = answer(DIGOXIN, trial("ivabradine", FEWER.format("ivabradine")))
    assert made.text.startswith("No article found studies digoxin, so this question cannot be answered")


def test_for_whom_a_result_does_not_hold_comes_first_where_the_question_is_about_them():
    article = make_article(
        pmid="1",
        title="Dexamethasone in COVID-19: a randomised trial",
        abstract=(
            ("METHODS", "We randomly assigned 5000 patients with COVID-19 to dexamethasone or placebo."),
            (
                "RESULTS",
                f"{FEWER.format('dexamethasone')} Patients without respiratory support did not gain.",
            ),
            ("CONCLUSIONS", "Dexamethasone reduced mortality in COVID-19."),
        ),
        types=("Randomized Controlled Trial",),
    )
    first = {
        people: answer(f"Does dexamethasone reduce mortality in COVID-19{people}?", article).sentences[0].text
        for people in ("", " patients not needing oxygen")
    }
    assert first[""].startswith("One article tells a clear result")
    assert first[" patients not needing oxygen"].startswith(
        "Not for all: “Patients without respiratory support"
    )


@pytest.mark.parametrize(
    "asked",
    [
        "Does digoxin plus zorblaxin reduce mortality in heart failure?",
        "Does zorblaxin and digoxin reduce mortality in heart failure?",
        "Is digoxin versus zorblaxin better for mortality in heart failure?",
        "Does digoxin/zorblaxin reduce mortality in heart failure?",
    ],
)
def test_what_is_asked_about_together_with_a_treatment_and_stands_in_no_article_is_told(asked):
    made = answer(asked, trial(result=FEWER.format("digoxin")))
    assert "No article found names zorblaxin; what follows is on digoxin alone." in made.text


@pytest.mark.parametrize(
    "asked",
    [
        DIGOXIN,
        "Does digoxin plus zorblaxin reduce mortality in heart failure?",
        "Does digoxin with or without a diuretic reduce mortality in heart failure?",
        "Does digoxin and intensive monitoring reduce mortality in heart failure?",
        "Does careful monitoring plus digoxin reduce mortality in heart failure?",
        "Does digoxin and usual care reduce mortality in heart failure?",
        "Does digoxin, given early, reduce mortality in heart failure?",
        "Does low-dose digoxin or placebo reduce mortality in heart failure?",
    ],
)
def test_nothing_is_told_of_what_articles_name_or_what_is_no_name(asked):
    made = answer(asked, trial(result=FEWER.format("digoxin") + " Zorblaxin was allowed."))
    assert "No article found names" not in made.text
