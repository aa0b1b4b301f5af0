"""Files read and appraised in processes of their own, ahead of the one that writes.

A process reads one file. While its turn has not come, its records wait in a file without a name, which is gone with the
process; from then on they go straight to the writer, which is waited for. So memory stays at a few hundred records a
process, and the disk holds at most as many parsed files as there are processes.
"""

from __future__ import annotations

import os
import signal
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self, TypeAlias

from metarag.retrieval.corpus_prepare import Prepared, PreparedSource, SourceReading, batches
from metarag.retrieval.parsing import Reader, lazily
from metarag.retrieval.source_files import SourceFile
from metarag.retrieval.word_forms import WordForms

SENT_TOGETHER: Final = 200
"""Records in one message: about 1 MB, which is what waits in a pipe and at its two ends."""

_GO: Final = b"go"
_LENGTH: Final = struct.Struct(">Q")
_Message: TypeAlias = list[Prepared] | str | None
"""Records; then, once, the end: why the file could not be read on, or ``None``."""


@dataclass(frozen=True, slots=True)
class _Task:
    path: Path
    reader: Reader
    appraisals: bool
    analyses: bool
    folder: Path


class ParseJobs:
    """Starts a process for each file, and ends those that are left.

    They also end when this process is killed. Fresh ones are started, not copies of this one: a copy would have the
    engine's threads and locks in an unknown state.
    """

    def __init__(self, jobs: int, reader: Reader, *, appraisals: bool, analyses: bool, folder: Path) -> None:
        self.jobs = jobs
        self._reader = reader
        self._appraisals = appraisals
        self._analyses = analyses
        self._folder = folder
        self._running: list[_ParsedElsewhere] = []

    def read(self, file: SourceFile) -> PreparedSource:
        """Start to read a file; its records come when they are asked for."""
        task = _Task(file.path, self._reader, self._appraisals, self._analyses, self._folder)
        self._running = [source for source in self._running if not source.is_done]
        self._running.append(_ParsedElsewhere(task))
        return self._running[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for source in self._running:
            source.stop()


class _ParsedElsewhere:
    """The records of a file that another process reads."""

    def __init__(self, task: _Task) -> None:
        self.error: str | None = None
        self.is_done = False
        context = get_context("spawn")
        self._here, there = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_parse, args=(task, there), daemon=True)
        self._process.start()
        there.close()

    def __iter__(self) -> Iterator[Prepared]:
        try:
            self._here.send_bytes(_GO)
            while isinstance(message := self._receive(), list):
                yield from message
            self.error = message
        except (EOFError, OSError):
            self.error = self._how_it_ended()
        finally:
            self.stop()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        if not self.is_done:
            self.is_done = True
            self._process.kill()
            self._process.join()
            self._process.close()
            self._here.close()

    def _receive(self) -> _Message:
        received: _Message = self._here.recv()
        return received

    def _how_it_ended(self) -> str:
        self._process.join()
        code = self._process.exitcode or 0
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        why = "; out of memory, perhaps: use fewer jobs" if code == -signal.SIGKILL else ""
        return f"the process that read it {how}{why}. Build again to read the rest"


def _parse(task: _Task, writer: Connection) -> None:
    """Read a file, in a process of its own."""
    # Ctrl-C reaches all processes of a terminal; the one that writes decides what becomes of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with (
        WordForms() if task.analyses else nullcontext() as words,
        tempfile.TemporaryFile(dir=task.folder) as waiting,
    ):
        source = SourceReading(lazily(task.reader, task.path), appraisals=task.appraisals, words=words)
        line = _Line(writer, waiting)
        for message in chain(batches(source, SENT_TOGETHER), _end(source)):
            line.send(message)
        line.finish()


def _end(source: SourceReading) -> Iterator[str | None]:
    yield source.error


class _Line:
    """Messages to the writer, which wait in a file until it says that their turn has come."""

    def __init__(self, writer: Connection, waiting: IO[bytes]) -> None:
        self._writer = writer
        self._waiting = waiting
        self._is_open = False

    def send(self, message: _Message) -> None:
        content = bytes(ForkingPickler.dumps(message))
        if not self._is_open and self._writer.poll():
            self._open()
        if self._is_open:
            self._writer.send_bytes(content)
        else:
            self._waiting.write(_LENGTH.pack(len(content)))
            self._waiting.write(content)

    def finish(self) -> None:
        if not self._is_open:
            self._open()

    def _open(self) -> None:
        """Wait for the word, then send what has waited."""
        self._writer.recv_bytes()
        self._is_open = True
        self._waiting.seek(0)
        while header := self._waiting.read(_LENGTH.size):
            self._writer.send_bytes(self._waiting.read(*_LENGTH.unpack(header)))
        self._waiting.truncate(0)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
