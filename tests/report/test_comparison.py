from itertools import product

from builders import make_article
from hypothesis import given
from hypothesis import strategies as st
from report_builders import NOW, QUESTION, large_run

from metarag.audit import AuditTrail, Decision, RunSignature, Verdict
from metarag.pipeline import Ranking
from metarag.report.comparison import compare
from metarag.runs import RunRecord
from metarag.types import Evidence


def run_of_order(order):
    items = [Evidence(key=f"pmid:{n}", article=make_article(pmid=str(n))) for n in order]
    decisions = [
        Decision(stage="s", key=item.key, verdict=Verdict.INCLUDED, criterion="s.s", reason="As drawn.")
        for item in items
    ]
    audit = AuditTrail(
        question=QUESTION,
        identified=tuple(item.key for item in items),
        decisions=tuple(decisions),
        signature=RunSignature(metarag="0"),
    )
    return RunRecord.of(Ranking(evidence=tuple(items), audit=audit), now=NOW)


def told(before, now):
    found = compare(run_of_order(before), run_of_order(now))
    return [(move.key.removeprefix("pmid:"), move.words) for move in found.moves], found.shifted


def test_what_left_is_told_and_those_that_only_moved_up_are_counted():
    assert told((1, 2, 3), (2, 3)) == ([("1", "not ranked, was rank 1")], 2)


def test_what_came_is_told():
    assert told((1, 2), (3, 1, 2)) == ([("3", "rank 1, was not ranked")], 2)


def test_articles_that_changed_places_are_told():
    assert told((1, 2, 3), (2, 1, 3)) == ([("2", "rank 1, was 2")], 1)


def test_the_same_ranking_has_no_moves():
    run = large_run(5)
    assert compare(run, run).moves == ()
    assert compare(run, run).shifted == 0


@given(st.permutations(range(1, 8)), st.sets(st.integers(1, 7)))
def test_every_article_with_another_rank_is_told_or_counted(order, gone):
    before, now = list(range(1, 8)), [n for n in order if n not in gone]
    moves, shifted = told(before, now)
    other = [n for n in before if n in gone or before.index(n) != now.index(n)]
    assert len(moves) + shifted == len(other)


def test_one_that_went_from_last_to_first_is_told_and_the_others_are_counted():
    assert told(range(1, 51), (50, *range(1, 50))) == ([("50", "rank 1, was 50")], 49)


def test_what_came_and_left_is_told_before_what_moved():
    moves, shifted = told((1, 2, 3, 4, 5), (6, 2, 5, 3, 4))
    assert moves == [
        ("1", "not ranked, was rank 1"),
        ("6", "rank 1, was not ranked"),
        ("5", "rank 3, was 5"),
    ]
    assert shifted == 2


def increasing(numbers):
    """Return the length of the longest increasing subsequence, by trying every one."""
    best = [
        sum(bits)
        for bits in product((0, 1), repeat=len(numbers))
        if (taken := [n for n, bit in zip(numbers, bits, strict=True) if bit]) == sorted(taken)
    ]
    return max(best)


@given(st.permutations(range(1, 8)))
def test_as_few_as_possible_are_said_to_have_moved(order):
    moves, _ = told(range(1, 8), order)
    # One that is out of line may still have its rank, when others moved to both sides of it.
    assert len(moves) <= 7 - increasing(order)


def test_the_others_are_told_in_words():
    found = compare(run_of_order((1, 2, 3)), run_of_order((2, 3)))
    assert found.shifted_words == "2 more articles moved up or down only because of these."
    assert compare(run_of_order((1, 2)), run_of_order((1, 2))).shifted_words == ""
