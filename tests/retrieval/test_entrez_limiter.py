"""The pace is kept for all threads, at the server and not only here."""

import threading
import time

import pytest
from clocks import VirtualClock
from entrez_server import limits
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.errors import PubMedRateLimitError, PubMedTimeoutError
from metarag.retrieval.entrez import RateLimiter
from metarag.retrieval.entrez_limiter import Deadline


def most_in_a_second(times):
    ordered = sorted(times)
    return max(sum(start <= t < start + 1.0 for t in ordered) for start in ordered)


def in_threads(count, work):
    errors = []

    def run():
        try:
            work()
        except Exception as error:  # noqa: BLE001 - shown by the assertion below
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert errors == []
    assert not any(thread.is_alive() for thread in threads)


@given(
    per_second=st.integers(1, 10),
    takes=st.lists(st.floats(0, 3, allow_nan=False), min_size=2, max_size=40),
)
@settings(max_examples=60, deadline=None)
def test_no_second_ever_holds_more_requests_than_allowed(per_second, takes):
    clock = VirtualClock()
    limiter = RateLimiter(per_second, clock=clock, sleep=clock.sleep)
    arrivals = []
    for seconds in takes:
        with limiter.slot(Deadline(1000, clock)):
            arrivals.append(clock())  # the earliest that it can arrive
            clock.sleep(seconds)
            arrivals[-1] = (arrivals[-1], clock())  # the latest
    for index in range(len(arrivals) - per_second):
        latest, earliest = arrivals[index][1], arrivals[index + per_second][0]
        assert earliest - latest >= 1.0 - 1e-9


def test_threads_share_the_limit_on_a_clock_of_their_own():
    clock = VirtualClock()
    limiter = RateLimiter(3, clock=clock, sleep=clock.sleep)
    times = []

    def work():
        for _ in range(5):
            with limiter.slot(Deadline(1000, clock)):
                times.append(clock())

    in_threads(8, work)
    assert len(times) == 40
    assert most_in_a_second(times) <= 3


def test_eight_threads_never_send_more_than_three_requests_in_a_second_and_wait_out_a_refusal(
    pubmed, talk_to
):
    server = pubmed()
    server.fail("esearch", limits("0.5"))
    client = talk_to(server, limiter=RateLimiter(3), clock=time.monotonic, sleep=time.sleep)
    in_threads(8, lambda: client.search("zinc"))
    times = [seen.at for seen in server.seen]
    assert len(times) == 9
    assert most_in_a_second(times) <= 3


def test_a_pause_holds_every_thread():
    clock = VirtualClock()
    limiter = RateLimiter(10, clock=clock, sleep=clock.sleep)
    limiter.pause(4)
    times = []

    def work():
        with limiter.slot(Deadline(1000, clock)):
            times.append(clock())

    in_threads(8, work)
    assert min(times) >= 4


def test_a_pause_longer_than_the_deadline_is_an_error_that_says_how_long():
    clock = VirtualClock()
    limiter = RateLimiter(3, clock=clock, sleep=clock.sleep)
    limiter.pause(60)
    with pytest.raises(PubMedRateLimitError, match="60 s more") as caught, limiter.slot(Deadline(10, clock)):
        pass
    assert caught.value.retry_after == 60
    assert clock() == 0


def test_a_turn_that_comes_too_late_is_an_error():
    clock = VirtualClock()
    limiter = RateLimiter(1, clock=clock, sleep=clock.sleep)
    with limiter.slot(Deadline(1, clock)):
        pass
    with pytest.raises(PubMedTimeoutError, match="others were waiting"), limiter.slot(Deadline(0.5, clock)):
        pass


def test_who_waits_for_an_answer_of_another_thread_gives_up_at_the_deadline():
    limiter = RateLimiter(1)
    with (
        limiter.slot(Deadline(5)),
        pytest.raises(PubMedTimeoutError),
        limiter.slot(Deadline(0.05)),
    ):
        pass


def test_a_failed_request_frees_its_place():
    clock = VirtualClock()
    limiter = RateLimiter(1, clock=clock, sleep=clock.sleep)
    with pytest.raises(KeyError), limiter.slot(Deadline(5, clock)):
        raise KeyError("x")
    with limiter.slot(Deadline(5, clock)):
        assert clock() >= 1


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="1 or more"):
        RateLimiter(0)
