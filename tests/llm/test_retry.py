from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.errors import ModelUnavailableError
from metarag.llm.retry import Deadline, Gate, RetryPolicy, full_jitter, retry_after

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "1"}, 1.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:07 GMT"}, 7.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:59:00 GMT"}, 0.0),
        ({"retry-after": "Mon, 30 Nov 2026 08:00:07 GMT", "date": "Mon, 30 Nov 2026 08:00:00 GMT"}, 7.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_the_wait_is_read_in_every_form_and_against_the_servers_own_clock(headers, seconds):
    assert retry_after(headers, now=NOW) == seconds


@given(st.text(max_size=40), st.text(max_size=40))
@settings(deadline=None, max_examples=100)
def test_any_header_gives_a_wait_or_none(value, date):
    wait = retry_after({"retry-after": value, "date": date})
    assert wait is None or wait >= 0


@given(st.integers(1, 10_000))
@settings(deadline=None, max_examples=50)
def test_waits_are_bounded_and_do_not_shrink(attempt):
    policy = RetryPolicy(base=0.5, cap=20.0)
    assert 0.5 <= policy.longest_wait(attempt) <= policy.longest_wait(attempt + 1) <= 20.0


def test_jitter_uses_the_whole_range():
    waits = [full_jitter(2.0) for _ in range(400)]
    assert all(0 <= w <= 2.0 for w in waits)
    assert min(waits) < 0.4
    assert max(waits) > 1.6


@pytest.mark.parametrize(
    "wrong", [{"deadline": 0}, {"deadline": float("inf")}, {"attempts": 0}, {"give_up_after": 0}]
)
def test_an_impossible_policy_is_refused(wrong):
    with pytest.raises(ValueError, match="retry policy"):
        RetryPolicy(**wrong)


class Sleeper:
    """Sleeps are written down, and the time passes on the gate's own terms: it is asked again."""

    def __init__(self):
        self.slept = []

    def __call__(self, seconds):
        self.slept.append(seconds)
        time.sleep(min(seconds, 0.05))


def test_a_paused_gate_adds_its_spread_to_the_wait():
    sleeper = Sleeper()
    gate = Gate(sleep=sleeper, jitter=lambda upper: upper / 2, policy=RetryPolicy(spread=0.4))
    gate.pause(0.04)
    assert gate.enter(Deadline(60)) is None
    assert sleeper.slept[0] == pytest.approx(0.24, abs=0.02)


def test_a_shorter_pause_does_not_end_a_longer_one():
    gate = Gate()
    gate.pause(50)
    gate.pause(1)
    assert gate.enter(Deadline(2)) == pytest.approx(50, abs=0.5)


def test_an_open_gate_does_not_wait():
    sleeper = Sleeper()
    assert Gate(sleep=sleeper).enter(Deadline(1)) is None
    assert sleeper.slept == []


def test_requests_are_spaced_to_the_limit_per_minute():
    sleeper = Sleeper()
    gate = Gate(requests_per_minute=600, sleep=sleeper)
    for _ in range(4):
        assert gate.enter(Deadline(60)) is None
    assert len(sleeper.slept) == 3
    assert all(0 < s <= 0.3 for s in sleeper.slept)


def test_tokens_used_push_the_next_request_back():
    gate = Gate(tokens_per_minute=6000)
    assert gate.enter(Deadline(60)) is None
    gate.answered(3000)
    assert gate.enter(Deadline(1)) == pytest.approx(30, abs=0.5)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_per_minute_is_refused(limit):
    with pytest.raises(ValueError, match="per minute"):
        Gate(requests_per_minute=limit)


def test_an_answer_ends_the_count_of_calls_in_vain():
    gate = Gate(policy=RetryPolicy(give_up_after=2))
    for _ in range(3):
        gate.in_vain("no route")
        gate.answered(0)
    assert gate.enter(Deadline(1)) is None
    gate.in_vain("no route")
    gate.in_vain("no route")
    with pytest.raises(ModelUnavailableError, match="no route"):
        gate.enter(Deadline(1))


def test_a_jump_of_the_clock_does_not_move_a_deadline(monkeypatch):
    deadline = Deadline(10)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 9 < deadline.left <= 10
