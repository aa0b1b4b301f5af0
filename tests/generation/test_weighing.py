import pytest
from answer_builders import FEWER, MORE, QUESTION, SAME, cohort, ranked, review, trial

from metarag.agreement import agreements
from metarag.generation.weighing import Side, weigh


def weighed(*articles):
    ranking = ranked(*articles)
    (found,) = agreements(QUESTION, ranking)
    return weigh(found, {item.key: item for item in ranking})


def test_articles_that_agree_have_no_sides():
    found = weighed(trial(1, SAME), trial(2, SAME))
    assert not found.disagrees
    assert list(found.keys_by_side) == [Side.NO_HARM]


def test_no_difference_and_harm_are_both_no_benefit():
    found = weighed(trial(1, FEWER), trial(2, SAME), trial(3, MORE))
    assert {side: len(keys) for side, keys in found.keys_by_side.items()} == {
        Side.BENEFIT: 1,
        Side.NO_BENEFIT: 2,
    }


def test_without_any_benefit_the_sides_are_harm_and_no_harm():
    assert set(weighed(trial(1, MORE), trial(2, SAME)).keys_by_side) == {Side.HARM, Side.NO_HARM}


def test_the_newest_review_of_trials_decides_with_the_trials():
    found = weighed(
        review(1, FEWER, n=1300, year=1991), review(2, SAME, n=73000, year=2007), trial(3, SAME, n=58000)
    )
    assert found.better is Side.NO_BENEFIT
    assert [r.key for r in found.deciding] == ["pmid:2"]


def test_a_newer_review_with_fewer_people_does_not_decide():
    found = weighed(review(1, FEWER, n=9000, year=1991), review(2, SAME, n=300, year=2007))
    assert found.better is None


def test_a_review_and_the_people_in_trials_that_say_otherwise_decide_nothing():
    assert weighed(review(1, SAME, n=900, year=2007), trial(2, FEWER, n=58000)).better is None


@pytest.mark.parametrize(("small", "better"), [(100, Side.NO_BENEFIT), (499, Side.NO_BENEFIT), (600, None)])
def test_without_a_review_two_thirds_of_the_people_in_trials_decide(small, better):
    assert weighed(trial(1, FEWER, n=small), trial(2, SAME, n=1000)).better is better


def test_a_few_people_in_trials_do_not_speak_against_a_large_review():
    assert weighed(review(1, SAME, n=9000, year=2007), trial(2, FEWER, n=90)).better is Side.NO_BENEFIT


@pytest.mark.parametrize(
    ("year", "n", "better"),
    [(2000, 6000, Side.BENEFIT), (2010, 6000, None), (2000, 9500, None)],
    ids=["it can be in the review", "it is newer", "it is larger"],
)
def test_a_trial_that_the_review_can_hold_is_no_objection_to_it(year, n, better):
    found = weighed(review(1, FEWER, n=9000, year=2007), trial(2, SAME, n=n, year=year))
    assert found.better is better


def test_one_study_that_was_read_from_words_does_not_decide_alone():
    words = "Mortality did not differ between aspirin and placebo."
    assert weighed(trial(1, FEWER, n=30), trial(2, words, n=900)).better is None
    assert weighed(trial(1, FEWER, n=30), trial(2, SAME, n=900)).better is Side.NO_BENEFIT
    several = (trial(n, words, n=400 + n) for n in (2, 3))
    assert weighed(trial(1, FEWER, n=30), *several).better is Side.NO_BENEFIT


def test_observational_studies_never_decide():
    found = weighed(cohort(1, FEWER, n=90000), trial(2, SAME, n=200))
    assert found.better is Side.NO_BENEFIT
    assert weighed(cohort(1, FEWER, n=90000), cohort(2, SAME, n=200)).better is None


def test_reports_with_the_same_number_of_people_count_once():
    found = weighed(trial(1, SAME, n=900), trial(2, SAME, n=900), trial(3, FEWER, n=100))
    assert (found.people, found.people_in_all) == (900, 1000)


def test_harm_is_told_where_the_review_or_most_people_in_trials_point_to_it():
    assert weighed(trial(1, FEWER, n=90), review(2, MORE, n=9000, year=2010)).harm
    assert weighed(trial(1, FEWER, n=90), trial(2, MORE, n=9000)).harm
    assert not weighed(trial(1, FEWER, n=90), trial(2, MORE, n=900), trial(3, SAME, n=1000)).harm
