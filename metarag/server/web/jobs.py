"""Jobs: one question being answered in the background, in a folder of its own, until a page asks for it."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError

from metarag.errors import MetaragError, RequestError, RunFileError
from metarag.files import write_text_atomically
from metarag.rag import OnProgress, Progress
from metarag.records import Frozen, UtcTime
from metarag.server.last_resort import log_place

JOBS: Final = "jobs"
"""Folder inside the folder of runs; each job has a folder of its own in it."""
_STATE: Final = "job.json"
_LOG: Final = logging.getLogger(__name__)
_ID_BYTES: Final = 8
_STOPPED: Final = (
    "the server that worked on it was stopped before it was done, or it is another one that still does; look at"
    " the runs, or ask again"
)


class State(StrEnum):
    """Where a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """True when nothing more will happen."""
        return self not in (State.WAITING, State.RUNNING)


class Job(Frozen):
    """A job as its page shows it.

    Attributes
    ----------
    asked : dict
        What was asked for, as :class:`metarag.server.web.work.Wanted` or ``Changed`` reads it.
    title : str
        The question, for lists.
    step, articles : str or None and int
        What it is doing, and with how many articles.
    run : str or None
        Name of the run file, once it is done.
    problem : str or None
        Why it failed, and what to do.
    """

    id: str = Field(pattern=r"^[0-9a-f]{16}$")
    created_at: UtcTime
    title: str
    asked: dict[str, Any]
    state: State = State.WAITING
    step: str | None = None
    articles: int = 0
    run: str | None = None
    problem: str | None = None


class CancelledError(MetaragError):
    """The person who asked does not want the answer any more."""


Work = Callable[[dict[str, Any], OnProgress], str]
"""Does what was asked, telling its progress, and returns the name of the run file that it kept."""


class Jobs:
    """Runs jobs a few at a time, in the order they came; each survives a reload of its page.

    Parameters
    ----------
    folder : Path
        Of runs. Jobs that another server left there unfinished are told as failed, with what to do, until
        their file says something else.
    work : callable
        See :data:`Work`.
    size : int
        Jobs at the same time, at least 1.
    max_waiting : int
        Jobs that may wait.
    """

    def __init__(self, folder: Path, work: Work, *, size: int = 2, max_waiting: int = 50) -> None:
        self.folder = folder / JOBS
        self.work = work
        self.size = size
        self.max_waiting = max_waiting
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._closed = False
        self._foreign: set[str] = set()
        self._cancelled: set[str] = set()
        self._futures: dict[str, Future[None]] = {}
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="metarag-job")
        self._read_again()

    def submit(self, title: str, asked: dict[str, Any]) -> Job:
        """Put a job into the queue.

        Raises
        ------
        RequestError
            503: the queue is full.
        RunFileError
            The folder cannot be written.
        """
        with self._lock:
            if sum(not job.state.is_over for job in self._jobs.values()) >= self.size + self.max_waiting:
                raise RequestError(503, "too many questions are waiting; try again in a few minutes")
            job = Job(id=secrets.token_hex(_ID_BYTES), created_at=datetime.now(UTC), title=title, asked=asked)
            self._write(job)
            self._jobs[job.id] = job
            self._futures[job.id] = self._pool.submit(self._run, job.id)
        return job

    def get(self, job_id: str) -> Job:
        """Return a job.

        Raises
        ------
        RequestError
            404: there is none.
        """
        with self._lock:
            if job_id in self._foreign:
                self._look_again(job_id)
            job = self._jobs.get(job_id)
        if job is None:
            raise RequestError(
                404, "there is no such question here; the list of questions shows those there are"
            )
        return job

    def position(self, job: Job) -> int:
        """Return how many jobs come before it, 0 when it is next or running."""
        with self._lock:
            waiting = [each.id for each in self._jobs.values() if each.state is State.WAITING]
        return waiting.index(job.id) if job.id in waiting else 0

    def newest(self, limit: int) -> list[Job]:
        """Return the newest jobs, newest first."""
        with self._lock:
            for job_id in tuple(self._foreign):
                self._look_again(job_id)
            jobs = list(self._jobs.values())
        return jobs[::-1][:limit]

    def cancel(self, job_id: str) -> Job:
        """End a job at its next step; one that is over stays as it is.

        Raises
        ------
        RequestError
            404: there is none.
        """
        job = self.get(job_id)
        with self._lock:
            future = self._futures.get(job_id)
            if future is not None:
                self._cancelled.add(job_id)
        # Not under the lock: a worker that begins with the job at this moment needs it.
        if future is not None and future.cancel():
            self._update(job_id, state=State.CANCELLED)
        return self.get(job.id)

    def close(self) -> None:
        """Let the running jobs end at their next step, and take no more."""
        with self._lock:
            self._closed = True
            self._cancelled.update(self._futures)
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job_id: str) -> None:
        try:
            self._update(job_id, state=State.RUNNING)
            run = self.work(self.get(job_id).asked, lambda progress: self._tell(job_id, progress))
        except CancelledError:
            if self._closed:
                self._update(job_id, state=State.FAILED, problem=_STOPPED)
            else:
                self._update(job_id, state=State.CANCELLED)
        except MetaragError as error:
            self._update(job_id, state=State.FAILED, problem=str(error))
        except Exception as error:  # noqa: BLE001
            # Whatever happens in a thread, the page must not wait for it for ever. The log gets the place, not
            # the message, which may hold the question.
            log_place(error, f"job {job_id}")
            problem = f"it ended unexpectedly ({type(error).__name__}); the server's log has the place"
            self._update(job_id, state=State.FAILED, problem=problem)
        else:
            self._update(job_id, state=State.DONE, run=run)

    def _tell(self, job_id: str, progress: Progress) -> None:
        with self._lock:
            stop = job_id in self._cancelled
        if stop:
            raise CancelledError("cancelled")
        self._update(job_id, step=progress.step.value, articles=progress.articles)

    def _update(self, job_id: str, **values: object) -> None:
        with self._lock:
            self._keep(self._jobs[job_id].model_copy(update=values))
            if self._jobs[job_id].state.is_over:
                self._futures.pop(job_id, None)
                self._cancelled.discard(job_id)

    def _keep(self, job: Job) -> None:
        """Note a job's state. Where the folder cannot be written any more the page still tells it."""
        self._jobs[job.id] = job
        try:
            self._write(job)
        except RunFileError as error:
            _LOG.warning("%s", error)

    def _write(self, job: Job) -> None:
        path = self.folder / job.id / _STATE
        try:
            write_text_atomically(path, job.model_dump_json() + "\n")
        except OSError as error:
            raise RunFileError(
                f"the question cannot be kept in {path.parent}: {error.strerror or error}; make room there, or"
                " start the server with another --folder"
            ) from error

    def _read_again(self) -> None:
        """Take over what other servers left, oldest first."""
        found = [job for path in self.folder.glob(f"*/{_STATE}") if (job := _read(path))]
        for job in sorted(found, key=lambda job: (job.created_at, job.id)):
            self._take(job)

    def _look_again(self, job_id: str) -> None:
        """See whether another server has gone on with its job; this one is not told."""
        job = _read(self.folder / job_id / _STATE)
        if job is not None:
            self._take(job)

    def _take(self, job: Job) -> None:
        self._foreign.discard(job.id)
        if not job.state.is_over:
            self._foreign.add(job.id)
            job = job.model_copy(update={"state": State.FAILED, "problem": _STOPPED})
        self._jobs[job.id] = job


def _read(path: Path) -> Job | None:
    try:
        return Job.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        _LOG.warning("%s is no job and is left alone (%s)", path, type(error).__name__)
        return None
