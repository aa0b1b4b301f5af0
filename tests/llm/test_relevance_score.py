"""Ratings are read around the usual faults of replies, and never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.llm.base import ChatReply, Failure, failed_reply
from metarag.llm.relevance_score import figures_not_in, read_relevance, score_of

SUMMARY = "It lowered fever."


def failed(text, failure=Failure.MALFORMED):
    return ChatReply(status=f"failed:{failure}", message="wrong shape", text=text)


def read(text, failure=Failure.MALFORMED):
    return read_relevance(failed(text, failure), reference="pmid:1")


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"summary": "It lowered fever.", "relevance_score": 8}', 8),
        ('{"summary": "It lowered fever.", "relevance_score": "8/10"}', 8),
        ('{"summary": "It lowered fever.", "relevance_score": 8/10}', 8),
        ('{"summary": "It lowered fever.", "relevance_score": 7.5}', 7.5),
        ('{"summary": "It lowered fever.", "relevance_score": "4/5"}', 8),
        ('{"summary": "It lowered fever.", "relevance_score": "80 %"}', 8),
        ('{"summary": "It lowered fever.", "relevance_score": 8,}', 8),
        ('```json\n{"summary": "It lowered fever.", "relevance_score": 8}\n```', 8),
        ('<think>{"relevance_score": 1}</think>{"summary": "It lowered fever.", "relevance_score": 9}', 9),
        ('Here it is: {"summary": "It lowered fever.", "relevance_score": "9 out of 10"} Done.', 9),
        ('{"summary": "It lowered fever.", "score": 6}', 6),
        ('{"article_ref": "pmid:1", "summary": "It lowered fever.", "relevance_score": 3}', 3),
        ("It lowered fever.\nRelevance score: 7/10", 7),
        ("It lowered fever.\n**Score:** 7", 7),
        ('{"summary": "It lowered\nfever.", "relevance_score": 5}', 5),
    ],
)
def test_a_rating_in_a_damaged_form_is_read_with_its_summary(text, score):
    found = read(text)
    assert found.score == pytest.approx(score)
    assert found.summary == SUMMARY
    assert found.lenient


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot rate this.",
        '{"summary": "x", "relevance_score": 85}',
        '{"summary": "x", "relevance_score": -1}',
        '{"summary": "x", "relevance_score": "11/10"}',
        '{"summary": "x", "relevance_score": "1/0"}',
        '{"summary": "x", "relevance_score": "7,5"}',
        '{"summary": "x", "relevance_score": NaN}',
        '{"summary": "x", "relevance_score": true}',
        '{"summary": "x", "relevance_score": null}',
        '{"summary": "x", "relevance_score": "N/A"}',
        '{"summary": "x", "relevance_score": "high"}',
        '{"summary": "x"}',
        '{"summary": "x", "relevance_score": 1',
        "<think>relevance score: 8",
        "Score: 3\nno, score: 8",
        '{"article_ref": "pmid:2", "summary": "x", "relevance_score": 8}',
    ],
)
def test_what_holds_no_certain_rating_holds_none(text):
    assert read(text) is None


@pytest.mark.parametrize(
    "text", ["Not applicable", "N/A", '{"summary": "Not applicable", "relevance_score": null}']
)
def test_not_applicable_is_a_rating_of_nothing(text):
    assert read(text).score == 0


@pytest.mark.parametrize(
    "failure", [Failure.TRUNCATED, Failure.REFUSED, Failure.FILTERED, Failure.MISMATCHED]
)
def test_a_reply_that_failed_for_another_reason_than_its_shape_is_not_read(failure):
    assert read('{"summary": "x", "relevance_score": 8}', failure) is None


def test_a_failure_without_text_is_none():
    assert read_relevance(failed_reply(Failure.SCHEMA, "no"), reference="pmid:1") is None


def test_a_reply_in_the_right_form_is_not_called_lenient():
    reply = ChatReply(status="ok", parsed={"summary": SUMMARY, "relevance_score": "10"})
    assert read_relevance(reply, reference="pmid:1").lenient is False


@given(st.one_of(st.text(max_size=30), st.floats(), st.integers(), st.booleans(), st.none()))
def test_a_score_is_in_range_or_none(value):
    score = score_of(value)
    assert score is None or 0 <= score <= 10


@given(st.text(max_size=200))
def test_any_text_is_read_or_not_but_never_an_error(text):
    found = read(text)
    assert found is None or 0 <= found.score <= 10


def test_figures_that_the_article_does_not_have_are_told_whatever_their_notation():
    text = "Of 1,548 adults 4.6% died (RR 0·58)."
    assert figures_not_in("1548 adults, 4.6 % died, RR 0.58", text) == ()
    assert figures_not_in("1549 adults and 46%", text) == ("1549", "46")
