import json
import threading

import pytest

from metarag.errors import ConfigurationError, RequestError
from metarag.rag import Progress, Step
from metarag.server.web.jobs import Jobs, State
from metarag.server.web.security import Pace, Sessions


def finished(jobs, job):
    jobs._futures[job.id].result(20)
    return jobs.get(job.id)


def test_a_job_is_done_and_its_state_is_on_disk(tmp_path):
    def work(asked, tell):
        tell(Progress(Step.RANK, False, 7))
        return f"{asked['n']}.json"

    jobs = Jobs(tmp_path, work)
    job = finished(jobs, jobs.submit("Question?", {"n": 3}))
    assert (job.state, job.run, job.step, job.articles) == (State.DONE, "3.json", "rank", 7)
    stored = json.loads((tmp_path / "jobs" / job.id / "job.json").read_text())
    assert stored["state"] == "done"
    jobs.close()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ConfigurationError("there is no setting 'x'"), "there is no setting 'x'"),
        (KeyError("secret words"), "ended unexpectedly (KeyError)"),
    ],
    ids=["ours", "any"],
)
def test_a_job_that_fails_says_why_and_the_log_never_holds_what_was_asked(tmp_path, caplog, error, told):
    def work(asked, tell):
        raise error

    jobs = Jobs(tmp_path, work)
    job = finished(jobs, jobs.submit("Question?", {"question": "secret words"}))
    assert job.state is State.FAILED
    assert told in job.problem
    assert "secret words" not in caplog.text
    jobs.close()


def test_a_waiting_job_is_cancelled_at_once_and_a_running_one_at_its_next_step(tmp_path):
    begun, go_on = threading.Event(), threading.Event()

    def work(asked, tell):
        begun.set()
        go_on.wait(20)
        tell(Progress(Step.ANSWER, False, 0))
        return "x.json"

    jobs = Jobs(tmp_path, work, size=1)
    running, waiting, last = (jobs.submit(f"{n}?", {}) for n in range(3))
    begun.wait(20)
    assert [jobs.position(j) for j in (waiting, last)] == [0, 1]
    assert jobs.cancel(waiting.id).state is State.CANCELLED
    assert jobs.cancel(running.id).state is State.RUNNING
    go_on.set()
    assert finished(jobs, running).state is State.CANCELLED
    assert finished(jobs, last).state is State.DONE
    jobs.close()


def test_a_full_queue_refuses_and_takes_again_later(tmp_path):
    go_on = threading.Event()
    jobs = Jobs(tmp_path, lambda asked, tell: "x.json" if go_on.wait(20) else "", size=1, max_waiting=1)
    first, second = jobs.submit("1?", {}), jobs.submit("2?", {})
    with pytest.raises(RequestError, match="too many questions are waiting"):
        jobs.submit("3?", {})
    go_on.set()
    finished(jobs, first)
    finished(jobs, second)
    assert finished(jobs, jobs.submit("4?", {})).state is State.DONE
    jobs.close()


def test_what_a_stopped_server_left_is_told_as_failed_and_damage_is_left_alone(tmp_path):
    jobs = Jobs(tmp_path, lambda asked, tell: "x.json")
    job = finished(jobs, jobs.submit("Question?", {}))
    jobs.close()
    path = tmp_path / "jobs" / job.id / "job.json"
    path.write_text(path.read_text().replace('"done"', '"running"'))
    (tmp_path / "jobs" / "broken").mkdir()
    (tmp_path / "jobs" / "broken" / "job.json").write_text("{")
    again = Jobs(tmp_path, lambda asked, tell: "x.json")
    assert again.get(job.id).state is State.FAILED
    assert "ask again" in again.get(job.id).problem
    assert len(again.newest(10)) == 1
    again.close()


def test_there_is_no_such_job(tmp_path):
    jobs = Jobs(tmp_path, lambda asked, tell: "x.json")
    with pytest.raises(RequestError, match="no such question"):
        jobs.get("0" * 16)
    jobs.close()


def test_a_session_is_known_only_with_the_token_and_cannot_be_made_up():
    sessions = Sessions("token")
    guest, known = sessions.new("wrong"), sessions.new("token")
    assert not sessions.is_known(guest)
    assert sessions.is_ours(guest)
    assert sessions.is_known(known)
    assert not sessions.is_known(guest.replace("guest", "known"))
    assert not sessions.is_ours(Sessions("token").new("token"))
    for odd in (None, "", "a.b", "a.known.b", "....", "é.known.x"):
        assert not sessions.is_ours(odd)


def test_the_pace_lets_through_so_many_a_minute_for_each_address():
    pace = Pace(2)
    pace.check("a", now=0)
    pace.check("a", now=1)
    pace.check("b", now=1)
    with pytest.raises(RequestError):
        pace.check("a", now=59)
    pace.check("a", now=61)
