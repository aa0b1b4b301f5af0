"""From a question to a plan of queries by rule."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metarag.errors import ConfigurationError, QueryError, QuestionError
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import demo_questions, open_demo_corpus
from metarag.retrieval.expansion import expand
from metarag.retrieval.expansion_rule import NAMELESS, STORY
from metarag.retrieval.query import parse_query
from metarag.retrieval.query_tree import And, Term, leaves
from metarag.types import Pico, Question, QuestionKind

GOLDEN = Path(__file__).with_name("demo_query_plans.txt")
HEART = "Do SGLT2 inhibitors reduce hospitalisation in heart failure compared with ARBs?"
COLD = "Does zinc shorten the common cold?"
STORY_TEXT = (
    "A 54-year-old woman comes to the physician because of a 3-week history of worsening dyspnea and ascites. She has"
    " heart failure and takes furosemide and lisinopril. She denies any headache, hemoptysis, or melena. Her blood"
    " pressure is 142/88 mm Hg and her pulse is 91/min. Serum creatinine is 1.4 mg/dL. Examination shows jugular venous"
    " distention and hepatomegaly. Which of the following is the most likely finding on echocardiography?"
)


def plans_text():
    """Return the plans of the demo questions, for a person to read; this file, when run, prints them."""
    parts = []
    for asked in demo_questions():
        question = Question(text=asked.text, kind=asked.kind, pico=asked.pico)
        parts.append(f"# {asked.id}\n# {asked.text}\n")
        parts += [f"{step.note}\n    {step.query}\n" for step in expand(question).steps]
    return "\n".join(parts)


def words_of(plan, number=0):
    return {leaf.text for leaf in leaves(parse_query(plan.steps[number].query).root)}


def notes(plan):
    return [step.note for step in plan.steps]


def test_the_plans_of_the_demo_questions_are_those_that_were_read_and_accepted():
    """A change shows here first: read the queries as a librarian would before replacing the file."""
    assert plans_text() == GOLDEN.read_text(encoding="utf-8")


def test_a_plan_asks_for_all_facets_with_headings_synonyms_and_a_filter():
    plan = expand(HEART)
    assert plan.source == "rule"
    assert plan.kind is QuestionKind.THERAPY
    assert plan.pico.comparator == "angiotensin receptor blocker"
    root = parse_query(plan.steps[0].query).root
    assert isinstance(root, And)
    assert len(root.parts) == 5
    assert {"Heart Failure", "heart failure", "sglt2 inhibitor*", "empagliflozin"} <= words_of(plan)
    assert {"Angiotensin Receptor Antagonists", "hospitali*", "Therapy/Narrow"} <= words_of(plan)


def test_it_is_widened_by_outcome_comparator_filter_and_people_in_this_order():
    assert [note.split(" (")[0] for note in notes(expand(HEART))] == [
        "All of: population",
        "Without the outcome",
        "Without the comparator",
        "With the wider filter Therapy/Broad instead of Therapy/Narrow.",
        "Without a filter.",
        "Without the population",
    ]
    assert parse_query(expand(HEART).steps[-1].query).root.parts[1] == Term("sglt2 inhibitor*", True, "tiab")


def test_an_outcome_that_is_all_there_is_beside_the_treatment_stays_to_the_end():
    plan = expand("Do beta-carotene supplements prevent lung cancer in adults?")
    assert notes(plan)[-1] == "Without the outcome (lung cancer)."
    assert "Lung Neoplasms" in words_of(plan, -2)


@pytest.mark.parametrize("number", range(len(demo_questions())))
def test_each_step_finds_what_the_one_before_found_and_more(number):
    asked = demo_questions()[number]
    plan = expand(Question(text=asked.text, kind=asked.kind, pico=asked.pico))
    with open_demo_corpus() as corpus:
        found = [
            {hit.article.id for hit in corpus.search(parse_query(step.query), limit=1000)}
            for step in plan.steps
        ]
    assert all(narrow <= wide for narrow, wide in pairwise(found))
    assert len(found[0]) >= 4
    assert len(found[0]) < len(found[-1])


@pytest.mark.parametrize(
    ("kind", "filters"),
    [
        (QuestionKind.THERAPY, ["Therapy/Narrow", "Therapy/Broad", None]),
        (QuestionKind.PREVENTION, ["Therapy/Narrow", "Therapy/Broad", None]),
        (QuestionKind.DIAGNOSIS, ["Diagnosis/Narrow", "Diagnosis/Broad", None]),
        (QuestionKind.PROGNOSIS, ["Prognosis/Narrow", "Prognosis/Broad", None]),
        (QuestionKind.ETIOLOGY_HARM, ["Etiology/Narrow", "Etiology/Broad", None]),
        (QuestionKind.PREVALENCE, [None]),
        (QuestionKind.OTHER, [None]),
    ],
)
def test_the_filter_is_that_of_the_kind_of_question_and_reviews_pass_it(kind, filters):
    plan = expand(Question(text="Asthma and zinc", kind=kind))
    named = [[text for text in words_of(plan, n) if "/" in text] for n in range(len(plan.steps))]
    assert [found[0] if found else None for found in named][: len(filters)] == filters
    assert all("systematic review" in words_of(plan, n) for n, found in enumerate(named) if found)


def test_the_scope_of_the_filter_can_be_chosen():
    assert "Therapy/Broad" in words_of(expand(COLD, scope="broad"))
    assert not any("/" in text for text in words_of(expand(COLD, scope="none")))
    with pytest.raises(ConfigurationError, match="did you mean 'narrow'"):
        expand(COLD, scope="narow")


def test_what_articles_seldom_name_is_not_searched():
    question = Question(
        text="Does zinc help?",
        pico=Pico(
            population="adult women with asthma", intervention="zinc", comparator="placebo or usual care"
        ),
    )
    found = " ".join(words_of(expand(question))).lower()
    assert "asthma" in found
    assert not any(word in found for word in ("adult", "wom", "placebo", "usual care"))


def test_children_are_searched_and_left_out_before_anything_else_of_the_people():
    plan = expand("What is the prognosis of Bell palsy in children?")
    assert "pediatric*" in words_of(plan)
    assert notes(plan)[1] == "Without the population (children)."


def test_a_condition_that_people_do_not_have_is_not_searched():
    assert "diabet*" not in words_of(expand("Does zinc help people with asthma but without diabetes?"))


def test_two_conditions_are_both_asked_for_unless_the_question_says_or():
    both = expand("Does exercise help people with asthma and obesity?")
    any_of = expand("Does exercise help people with asthma or obesity?")
    assert len(parse_query(both.steps[-3].query).root.parts) > len(
        parse_query(any_of.steps[-2].query).root.parts
    )
    assert "asthma or obesity" in notes(any_of)[0]


def test_what_is_less_than_its_concept_is_searched_by_itself():
    found = words_of(expand("Does cisplatin improve survival in lung cancer?"))
    assert {"Cisplatin", "cisplatin"} <= found
    assert not found & {"chemotherap*", "carboplatin", "Antineoplastic Agents"}
    assert words_of(expand(COLD)) >= {"Common Cold", "common cold*"}


def test_a_class_of_drugs_is_searched_by_its_members_too():
    assert {"Benzodiazepines", "benzodiazepine*", "lorazepam"} <= words_of(
        expand("Do benzodiazepines treat insomnia?")
    )


def test_a_treatment_that_no_vocabulary_knows_is_searched_as_it_is_named():
    plan = expand("Does peppermint oil relieve irritable bowel syndrome?")
    assert "peppermint oil" in words_of(plan)
    assert "irritable bowel*" in words_of(plan)


def test_a_word_stands_in_where_no_treatment_was_read():
    plan = expand("Is presepsin accurate for diagnosing sepsis in adults?")
    assert {"presepsin", "sepsis", "Diagnosis/Narrow"} <= words_of(plan)
    assert not words_of(plan) & {"accurate", "accurate*", "diagnosing"}


def test_a_brand_is_searched_as_its_drug():
    assert "Acetaminophen" in words_of(expand("Does Tylenol relieve osteoarthritis?"))


def test_both_spellings_are_searched():
    assert {"anaemia*", "anemia*"} <= words_of(expand("Does iron help anaemia?"))


def test_a_short_abbreviation_is_no_word_to_search_because_pubmed_ignores_case():
    found = {text.lower() for text in words_of(expand("Does methylphenidate help in ADD?"))}
    assert "adhd" in found
    assert not found & {"add", "ms", "ra"}


def test_the_facets_that_the_user_gave_are_used():
    plan = expand(Question(text=COLD, pico=Pico(intervention="vitamin C")))
    assert "Ascorbic Acid" in words_of(plan)
    assert "Zinc" not in words_of(plan)


def test_options_never_enter_a_query_unless_asked():
    question = Question(text="Which drug treats gout?", options={"A": "Colchicine", "B": "Warfarin"})
    plain, asked = expand(question), expand(question, with_options=True)
    assert "colchicine" not in " ".join(step.query.lower() for step in plain.steps)
    assert {"colchicine", "warfarin"} <= words_of(asked)
    assert {"colchicine", "warfarin"} <= {text.lower() for text in words_of(asked)}


def test_a_story_is_searched_by_its_telling_words_without_a_filter_and_that_is_said():
    plan = expand(STORY_TEXT)
    assert plan.warnings == (STORY,)
    assert {"Heart Failure", "hepatomegaly"} <= words_of(plan)
    everything = " ".join(step.query for step in plan.steps).lower()
    for absent in (
        "hemoptysis",
        "headache",
        "melena",
        "furosemide",
        "lisinopril",
        "creatinine",
        "pressure",
        "filter",
    ):
        assert absent not in everything, absent
    assert notes(plan)[-1].startswith("Any of: ")


def test_a_story_of_which_nothing_is_known_still_makes_a_query():
    plan = expand("A 30-year-old man comes to the physician. " * 8 + "What is it?")
    assert parse_query(plan.steps[0].query)


def test_a_query_of_the_user_is_the_whole_plan():
    plan = expand(COLD, query="zinc  AND colds OR fever AND x")
    assert [step.query for step in plan.steps] == ["zinc  AND colds OR fever AND x"]
    assert (plan.source, plan.pico, plan.kind) == ("given", None, None)
    assert "left to right" in plan.warnings[0]
    with pytest.raises(QueryError, match="not closed"):
        expand(COLD, query="(zinc")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is it?", {"what", "is", "it"}),
        ("Is it very odd?", {"odd"}),
        ("锌能缩短感冒吗？", {"锌能缩短感冒吗"}),
    ],
)
def test_a_question_that_names_nothing_is_searched_by_what_words_it_has_and_that_is_said(text, words):
    plan = expand(text)
    assert words_of(plan) == words
    assert plan.warnings == (NAMELESS,)


def test_an_empty_question_is_refused():
    with pytest.raises(QuestionError, match="empty"):
        expand(" ")


def test_a_plan_is_the_same_every_time():
    assert expand(HEART) == expand(HEART)
    assert type(expand(HEART)).model_validate_json(expand(HEART).model_dump_json()) == expand(HEART)


hostile = st.lists(
    st.sampled_from(
        ["aspirin", "stroke", "NOT", "AND", "OR", '"', "(", ")", "[tiab]", "[", "]", "*", ":", "~3", "”", "Crohn's", "IL-6",
         "TNF-α", "\u200b", "heart attack", "or", "versus", "placebo", "2020:2024[dp]", "{x}", "\\", "--", "''", "中", "é"]
    )
    | st.text(max_size=8),
    min_size=1, max_size=30,
).map(" ".join)  # fmt: skip


@given(text=hostile, options=st.booleans())
@settings(max_examples=80, deadline=None)
@example(text="Is NOT better than OR?", options=False)
@example(text='Does (a OR b)[tiab] AND "c prevent d*?', options=True)
@example(text="NOT", options=False)
@example(text="42", options=False)
@example(text="Does AND reduce NOT in OR?", options=True)
def test_no_question_breaks_a_query_or_gets_an_operator_into_it(text, options):
    try:
        text.encode()
        question = Question(text=text, options={"A": text[:50]})
    except (ValueError, UnicodeEncodeError):
        return
    plan = expand(question, with_options=options)
    for step in plan.steps:
        query = parse_query(step.query)
        assert query.for_pubmed() == step.query
        assert query.for_corpus()
        assert step.note


def test_a_plan_is_run_on_the_local_index_until_something_is_found():
    asked = demo_questions()[1]
    question = Question(text=asked.text, kind=asked.kind, pico=asked.pico)
    with open_demo_corpus() as corpus:
        result = CorpusRetriever(corpus, query=expand(question)).retrieve(question)
    assert result.query.total == len(result.articles) >= 5
    assert result.query.earlier == ()
    assert result.query.note.startswith("All of: population (myocardial infarction)")


if __name__ == "__main__":
    sys.stdout.write(plans_text())
