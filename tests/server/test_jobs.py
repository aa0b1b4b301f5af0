import json
import shutil
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from metarag.errors import ConfigurationError, RequestError, RunFileError
from metarag.rag import Progress, Step
from metarag.server.web.jobs import Jobs, State
from metarag.server.web.security import Pace, Sessions


def finished(jobs, job):
    deadline = time.monotonic() + 20
    while not jobs.get(job.id).state.is_over and time.monotonic() < deadline:
        time.sleep(0.005)
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


def test_a_folder_that_cannot_be_written_refuses_the_question_and_leaves_nothing_waiting(tmp_path):
    (tmp_path / "jobs").write_text("in the way")
    jobs = Jobs(tmp_path, lambda asked, tell: "x.json", size=1, max_waiting=0)
    for _ in range(3):
        with pytest.raises(RunFileError, match="make room there"):
            jobs.submit("Question?", {})
    assert jobs.newest(10) == []
    (tmp_path / "jobs").unlink()
    assert finished(jobs, jobs.submit("Question?", {})).state is State.DONE
    jobs.close()


def test_a_job_whose_file_cannot_be_written_any_more_still_ends_on_its_page(tmp_path):
    def work(asked, tell):
        shutil.rmtree(tmp_path / "jobs")
        (tmp_path / "jobs").write_text("in the way")
        return "x.json"

    jobs = Jobs(tmp_path, work)
    assert finished(jobs, jobs.submit("Question?", {})).state is State.DONE
    jobs.close()


def test_a_second_server_on_the_folder_tells_what_became_of_the_jobs_of_the_first(tmp_path):
    begun, go_on = threading.Event(), threading.Event()

    def work(asked, tell):
        begun.set()
        go_on.wait(20)
        return "x.json"

    first = Jobs(tmp_path, work)
    job = first.submit("Question?", {})
    begun.wait(20)
    second = Jobs(tmp_path, work)
    assert second.get(job.id).state is State.FAILED
    assert "another one that still does" in second.newest(1)[0].problem
    assert json.loads((tmp_path / "jobs" / job.id / "job.json").read_text())["state"] == "running"
    go_on.set()
    finished(first, job)
    assert second.get(job.id).state is State.DONE
    assert second.newest(1)[0].run == "x.json"
    first.close()
    second.close()


def test_places_in_the_queue_are_those_of_coming_even_where_the_clock_goes_backwards(tmp_path, monkeypatch):
    go_on = threading.Event()
    moments = iter(datetime(2026, 1, 1, 12, tzinfo=UTC) - timedelta(hours=n) for n in range(9))

    class Backwards(datetime):
        @classmethod
        def now(cls, tz=None):
            return next(moments)

    monkeypatch.setattr("metarag.server.web.jobs.datetime", Backwards)
    jobs = Jobs(tmp_path, lambda asked, tell: "x.json" if go_on.wait(20) else "", size=1)
    made = [jobs.submit(f"{n}?", {}) for n in range(4)]
    while jobs.get(made[0].id).state is State.WAITING:
        time.sleep(0.01)
    assert [jobs.position(job) for job in made[1:]] == [0, 1, 2]
    assert [job.title for job in jobs.newest(2)] == ["3?", "2?"]
    go_on.set()
    assert [finished(jobs, job).state for job in made] == [State.DONE] * 4
    jobs.close()


def test_a_server_that_ends_tells_the_running_job_that_it_was_stopped_by_nobody(tmp_path):
    begun = threading.Event()

    def work(asked, tell):
        begun.set()
        while True:
            time.sleep(0.01)
            tell(Progress(Step.RANK, False, 0))

    jobs = Jobs(tmp_path, work)
    job = jobs.submit("Question?", {})
    begun.wait(20)
    jobs.close()
    stored = json.loads((tmp_path / "jobs" / job.id / "job.json").read_text())
    assert stored["state"] == "failed"
    assert "ask again" in stored["problem"]
