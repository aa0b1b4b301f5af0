import pytest
from answer_builders import FEWER, QUESTION, REVIEW, SAME, cohort, ranked, review, trial
from builders import make_article
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.agreement import agreements
from metarag.generation.selection import SelectionOptions, eligible, estimated_tokens, likeness, select
from metarag.generation.weighing import Side, weigh
from metarag.types import Question

OTHER = (
    "We randomly assigned 180 older people with pneumonia to aspirin tablets or no tablets in twelve nursing"
    " homes over two winters and compared survival, fever, appetite and days in bed. No difference was seen."
)


def chosen(*articles, weigh_sides=True, **options):
    ranking = ranked(*articles)
    found = {item.key: item for item in ranking}
    weighings = [weigh(a, found) for a in agreements(QUESTION, ranking)] if weigh_sides else []
    return select(ranking, SelectionOptions(**options), weighings=weighings)


def pmids(selection):
    return [item.article.pmid for item in selection.items]


def another(pmid):
    return make_article(
        pmid=str(pmid), title="Aspirin for pneumonia in old age", abstract=OTHER, types=REVIEW[:0]
    )


def test_no_more_sources_are_taken_than_asked_for_and_the_best_come_first():
    articles = [trial(n, f"{FEWER} Note {n}.", n=100 * n) for n in range(1, 9)]
    ranking = ranked(*articles)
    selection = select(ranking, SelectionOptions(max_sources=5, diversity=0))
    assert selection.items == ranking.top(5)


def test_a_near_duplicate_that_the_plain_order_keeps_gives_way_to_another_text():
    articles = (trial(1, FEWER, n=900), trial(2, FEWER, n=901), another(3))
    plain = chosen(*articles, weigh_sides=False, max_sources=2, diversity=0)
    assert sorted(pmids(plain)) == ["1", "2"]
    diverse = chosen(*articles, weigh_sides=False, max_sources=2, diversity=0.5)
    assert "3" in pmids(diverse)


def test_the_strongest_design_is_always_in():
    trials = [trial(n, FEWER, n=5000) for n in range(2, 9)]
    selection = chosen(*trials, review(1, FEWER, n=9000, year=2020), max_sources=1)
    assert pmids(selection) == ["1"]
    assert selection.selected[0].reason == "the most reliable design"


def test_each_side_of_a_conflict_is_in_however_low_it_ranks():
    agreeing = [trial(n, FEWER, n=5000) for n in range(1, 8)]
    selection = chosen(*agreeing, cohort(9, SAME, n=40), max_sources=3)
    assert "9" in pmids(selection)
    reasons = {s.item.article.pmid: s.reason for s in selection.selected}
    assert reasons["9"] == f"the best of those that found {Side.NO_BENEFIT.value}"


def test_a_side_is_shown_by_its_largest_randomised_study():
    selection = chosen(
        trial(1, FEWER, n=90),
        trial(2, FEWER, n=2000),
        trial(3, SAME, n=900),
        cohort(4, SAME, n=90000),
        max_sources=3,
    )
    assert {"2", "3"} < set(pmids(selection))
    reasons = {s.item.article.pmid: s.reason for s in selection.selected}
    assert reasons["3"] == f"the largest randomised study of those that found {Side.NO_BENEFIT.value}"


def test_of_two_reports_with_the_same_number_of_people_the_second_gives_way():
    articles = (trial(1, FEWER, n=900), trial(2, f"{FEWER} Quite other words here.", n=900), another(3))
    assert pmids(chosen(*articles, weigh_sides=False, max_sources=2)) == ["1", "3"]


def test_of_two_reports_of_one_study_the_better_one_is_taken_however_like_another_article_it_is():
    first, main = trial(1, FEWER, n=950), trial(2, FEWER, n=900)
    follow_up = make_article(
        pmid="3",
        title="Old age, aspirin and pneumonia",
        abstract=OTHER.replace("180 older people", "900 people"),
        types=REVIEW[:0],
    )
    assert pmids(chosen(first, main, follow_up, weigh_sides=False, max_sources=2, diversity=0.6)) == [
        "1",
        "2",
    ]


def test_what_had_to_be_in_and_did_not_fit_is_told_with_the_limit():
    selection = chosen(trial(1, FEWER, n=900), trial(2, SAME, n=90), max_sources=1)
    assert len(selection.items) == 1
    (missing,) = selection.missing
    assert "did not fit: max_sources (1)" in missing


def test_the_sources_together_stay_within_the_tokens():
    articles = [trial(n, f"{FEWER} Note {n}.", n=100 * n) for n in range(1, 9)]
    cost = estimated_tokens(f"{articles[0].title}\n{articles[0].abstract}")
    selection = chosen(*articles, max_tokens=2 * cost + 10, max_sources=8)
    assert len(selection.items) == 2
    assert chosen(*articles, max_tokens=10).items == ()


def test_only_the_articles_that_were_named_are_considered():
    articles = [trial(n, FEWER, n=100 * n) for n in range(1, 6)] + [trial(None, FEWER, doi="10.1/z")]
    selection = chosen(*articles, only=("2", "doi:10.1/z"))
    assert {item.article.id for item in selection.items} == {"pmid:2", "doi:10.1/z"}


def test_retracted_articles_are_no_source_even_where_settings_let_them_be_ranked():
    retracted = trial(1, FEWER, types=("Retracted Publication", "Randomized Controlled Trial"))
    ranking = ranked(retracted, trial(2, FEWER), options={"eligibility": {"exclude_retracted": False}})
    assert len(ranking) == 2
    assert [item.article.pmid for item in eligible(ranking, SelectionOptions())] == ["2"]


@pytest.mark.parametrize(
    "article",
    [
        make_article(pmid="9", title="Aspirin in adults with pneumonia", abstract=""),
        make_article(pmid="9", title="Gardening", abstract="Roses bloom."),
        make_article(
            pmid="9",
            title="Azithromycin in adults with pneumonia: a trial",
            abstract="We randomly assigned 90 adults with pneumonia to azithromycin or placebo. Mortality fell.",
        ),
        make_article(
            pmid="9",
            title="Aspirin in children with pneumonia: a trial",
            abstract="We randomly assigned 90 children with pneumonia to aspirin or placebo. Mortality fell.",
        ),
        trial(9, "The protocol is described.", types=("Clinical Trial Protocol",)),
    ],
    ids=["no abstract", "another topic", "another drug", "other people", "a protocol"],
)
def test_what_cannot_answer_the_question_is_no_source(article):
    ranking = ranked(trial(1, FEWER), article)
    assert [item.article.pmid for item in eligible(ranking, SelectionOptions())] == ["1"]


def test_articles_below_the_relevance_asked_for_are_no_source():
    ranking = ranked(trial(1, FEWER), make_article(pmid="9", title="Aspirin", abstract="Aspirin is old."))
    assert [i.article.pmid for i in eligible(ranking, SelectionOptions(min_relevance=0.9))] == ["1"]


def test_a_long_question_does_not_hide_an_article_on_its_treatment_and_people():
    words = " ".join(f"word{n}" for n in range(40))
    question = Question(text=f"Does aspirin reduce mortality in adults with pneumonia, {words}?")
    ranking = ranked(trial(1, FEWER), question=question)
    assert ranking[0].relevance < SelectionOptions().min_relevance
    assert len(eligible(ranking, SelectionOptions())) == 1


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from([FEWER, SAME]), min_size=1, max_size=6),
    st.integers(1, 6),
    st.floats(0, 1),
    st.integers(1, 2000),
)
def test_limits_hold_and_nothing_is_selected_twice(results, most, diversity, tokens):
    articles = [trial(n, text, n=100 * n) for n, text in enumerate(results, 1)]
    selection = chosen(*articles, max_sources=most, diversity=diversity, max_tokens=tokens)
    keys = [item.key for item in selection.items]
    assert len(keys) == len(set(keys)) <= most
    used = sum(estimated_tokens(f"{i.article.title}\n{i.article.abstract}") for i in selection.items)
    assert used <= tokens


def test_likeness_is_one_for_the_same_words_and_nothing_for_none():
    assert likeness(frozenset("ab"), frozenset("ab")) == pytest.approx(1)
    assert likeness(frozenset("ab"), frozenset("cd")) == 0
    assert likeness(frozenset(), frozenset("cd")) == 0
