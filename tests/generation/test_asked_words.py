"""What is asked in words that no result can be counted on: it is said first, and quoted first."""

import pytest
from builders import make_article

from metarag import rank
from metarag.generation.asked_words import Asked, AskedWords, long_forms
from metarag.generation.extractive import ExtractiveGenerator
from metarag.generation.grounded_options import GroundedOptions
from metarag.generation.material import gather, standing_text
from metarag.llm.recorded import ScriptedModel
from metarag.types import Question

HICCUPS = Question(text="Does metformin reduce hiccups in adults with gout?")
TYPES = ("Randomized Controlled Trial",)
ON_HICCUPS = "Hiccups were less frequent with metformin than with placebo."
ON_STROKE = (
    "Stroke was less frequent with metformin than with placebo (odds ratio 0.60, 95% CI 0.45 to 0.80)."
)


def trial(pmid, *said, n=200):
    results = " ".join(said[:-1]) or "People with gout were followed up."
    return make_article(
        pmid=str(pmid),
        title="Metformin in adults with gout: a trial",
        abstract=(
            ("METHODS", f"We randomly assigned {n} adults with gout to metformin or placebo."),
            ("RESULTS", results),
            ("CONCLUSIONS", said[-1]),
        ),
        types=TYPES,
    )


def answer(*articles, question=HICCUPS):
    return ExtractiveGenerator().generate(question, rank(question, articles))


def quotes(made):
    return [sentence.quote.text for sentence in made.sentences if sentence.quote]


@pytest.mark.parametrize(
    ("question", "kind", "phrases"),
    [
        ("Does metformin reduce hiccups after surgery?", "unknown", ("hiccups",)),
        (
            "Does metformin prevent corneal pressure rise after laser surgery?",
            "unknown",
            ("corneal pressure",),
        ),
        ("Does metformin cause worse nail function than oxybutynin?", "read", ("nail function",)),
        (
            "Is olanzapine better than haloperidol for negative symptoms of gout?",
            "read",
            ("negative symptoms",),
        ),
        ("Does metformin reduce the risk of stroke?", "counted", ("stroke",)),
        ("Does metformin relieve cluster headache?", "condition", ("cluster headache",)),
        ("Is metformin any good?", "unknown", ()),
        ("What reduces mortality in gout?", "no treatment", ("mortality",)),
        ("Does treating gout with metformin prevent hiccups?", "unknown", ("hiccups",)),
    ],
)
def test_what_is_asked_is_read_in_the_words_of_the_question(question, kind, phrases):
    asked = AskedWords.of(Question(text=question))
    assert (asked.kind, asked.phrases) == (Asked(kind), phrases)


@pytest.mark.parametrize(
    ("question", "sentence", "named"),
    [
        ("Does metformin reduce daytime sleepiness?", "Sleepiness fell by half.", True),
        ("Does metformin lower corneal pressure?", "Blood pressure fell by half.", False),
        ("Does metformin lower corneal pressure?", "Pressure within the corneal layer fell.", True),
        ("Does metformin reduce lung cancer?", "Cancer was as frequent with it.", False),
        ("Does metformin reduce pain?", "Pain relief was better with it.", True),
        ("Does metformin reduce stroke?", "Fever was less frequent.", False),
    ],
)
def test_a_sentence_names_it_by_words_that_tell_it_from_others(question, sentence, named):
    assert AskedWords.of(Question(text=question)).named_in(sentence) is named


def test_an_abbreviation_of_the_article_names_it():
    article = make_article(abstract="Corneal surface pressure (CSP) was measured. CSP fell.")
    asked = AskedWords.of(Question(text="Does metformin lower corneal surface pressure?"))
    assert asked.named_in("CSP fell.", long_forms(article))
    assert not asked.named_in("CSP fell.")


def test_an_outcome_that_is_not_known_is_said_before_anything_is_quoted():
    made = answer(trial(1, ON_HICCUPS))
    assert made.sentences[0].text == (
        "No outcome that is known was recognised in the question (“hiccups” is none), so there is no verdict;"
        " the quotes are on the topic only."
    )


def test_an_outcome_that_was_read_and_is_not_counted_is_named():
    question = Question(text="Does metformin improve nail function in adults with gout?")
    made = answer(trial(1, "Nail function was better with metformin."), question=question)
    assert made.sentences[0].text.startswith(
        "Results on nail function are not counted by rules, so there is no verdict;"
    )


def test_what_the_people_have_is_told_to_be_no_outcome():
    first = (
        answer(trial(1, ON_STROKE), question=Question(text="Does metformin relieve gout?")).sentences[0].text
    )
    assert first.startswith(
        "“gout” was read as what the people have, not as an outcome, so there is no verdict;"
    )


def test_that_no_quote_names_it_is_said_in_the_first_sentence():
    first = answer(trial(1, "Metformin reduced gout.")).sentences[0].text
    assert first.endswith("the quotes are on the topic only, and none of them names it.")


def test_a_question_whose_outcome_is_counted_has_no_such_note():
    made = answer(
        trial(1, ON_STROKE), question=Question(text="Does metformin reduce stroke in adults with gout?")
    )
    assert made.sentences[0].text.startswith("One article tells a clear result on stroke")


def test_a_question_on_diagnosis_is_told_once_why_it_has_no_verdict():
    question = Question(text="How accurate is metformin for the diagnosis of gout?")
    told = [s.text for s in answer(trial(1, "Metformin reduced gout."), question=question).sentences]
    assert sum("no verdict" in text for text in told) <= 1


def test_the_sentence_that_names_it_is_quoted_and_not_one_on_another_outcome():
    assert quotes(answer(trial(1, ON_HICCUPS, ON_STROKE))) == [ON_HICCUPS]


def test_numbers_on_another_outcome_are_not_quoted_beside_it():
    assert quotes(answer(trial(1, ON_STROKE, ON_HICCUPS))) == [ON_HICCUPS]


def test_methods_are_not_quoted_because_they_name_it():
    made = answer(trial(1, "Hiccups were divided by their length.", "Metformin reduced gout."))
    assert quotes(made) == ["Metformin reduced gout."]


def test_articles_that_name_it_are_quoted_before_all_others():
    others = [trial(n, f"Metformin reduced gout in {n} ways.", n=1000 * n) for n in range(2, 8)]
    made = answer(*others, trial(1, ON_HICCUPS, n=40))
    assert quotes(made)[0] == ON_HICCUPS
    assert made.sentences[0].text.endswith("on the topic only, those that name it first.")


def test_a_model_is_told_that_nothing_is_counted_on_it():
    ranking = rank(HICCUPS, [trial(1, ON_HICCUPS)])
    told = standing_text(gather(ScriptedModel(lambda _: ""), HICCUPS, ranking, GroundedOptions()))
    assert told.startswith("No outcome that is known was recognised in the question (“hiccups” is none)")


@pytest.mark.parametrize(
    "done",
    [
        "A subgroup analysis by sex was also performed to qualify the results.",
        "By function of the kidney we divided the people into 2 subgroups.",
        "Subgroups were defined by age.",
    ],
)
def test_what_was_done_is_not_told_as_for_whom_a_result_does_not_hold(done):
    made = answer(trial(1, done, "Metformin reduced gout."))
    assert not any(sentence.text.startswith("Not for all:") for sentence in made.sentences)
