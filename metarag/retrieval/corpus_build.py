"""Build a local index from files of records, and bring it up to date by the same call.

Each file is one transaction. A build that is killed loses the files it was reading and nothing
else; the same build again goes on from there, because a file already indexed is known by its content.
"""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from metarag.errors import MetaragError
from metarag.retrieval.base import Record
from metarag.retrieval.build_progress import BuildPace, Tell
from metarag.retrieval.corpus_prepare import PreparedSource, SourceReading
from metarag.retrieval.corpus_report import BuildReport, SourceReport
from metarag.retrieval.corpus_schema import Clock, utc_now
from metarag.retrieval.corpus_store import CorpusStore
from metarag.retrieval.index_store import Engine, IndexStore, open_store
from metarag.retrieval.parsing import Parsing, Reader, parsing
from metarag.retrieval.source_files import SourceFile, source_files

WRITE_WAIT: Final = 30.0
"""Seconds that a build waits for another one to finish the file it is at."""


def build_index(
    index: str | Path,
    sources: Sequence[str | Path],
    *,
    reader: Reader | None = None,
    appraisals: bool = True,
    engine: Engine | str | None = None,
    jobs: int = 1,
    wait: float = WRITE_WAIT,
    progress: Tell | None = None,
    clock: Clock = utc_now,
) -> BuildReport:
    """Add files of records to ``index``, which is made if need be, and return what was done.

    Parameters
    ----------
    index : str or pathlib.Path
        The index: a file, or of the tantivy engine a folder. Readers may go on using it; each file's records
        appear to them all at once.
    sources : sequence of str or pathlib.Path
        Oldest first: deletions, and revisions without a date, count in this order. PubMed's own files
        (``pubmed26n0001.xml.gz``) are put in order by their numbers, and a folder stands for those in it. A file
        with another MD5 than the ``.md5`` file beside it is reported and not indexed. With none, an
        index of an older version is brought up to date.
    reader : callable or None
        Makes records of a file; ``None`` reads PubMed XML, MEDLINE, RIS and JSONL. With ``jobs`` it has to be a
        function of a module.
    appraisals : bool
        Appraise each article now instead of at every question.
    engine : Engine, str or None
        For a new index: ``sqlite``, the default, or ``tantivy``. An index stays with the engine that made it.
    jobs : int
        Processes that read and appraise, each a file of its own; the order in which files count is the same, and
        memory does not grow with the files. With 1 all is done in this one. A script that asks for
        more has to start below ``if __name__ == "__main__":``.
    wait : float
        Seconds to wait for another process that is writing.

    Raises
    ------
    InputError
        A source is missing, or is a pipe or device; nothing was written.
    IndexUnusableError
        The index cannot be written: disk, rights, another writer, or the file is something else.
        Files finished before that are in.
    MissingExtraError
        tantivy is asked for and not installed.
    ValueError
        ``jobs`` is less than 1, there is no such engine, or ``reader`` cannot be sent to another process.
    """
    started = time.perf_counter()
    files = source_files(sources)
    path = Path(index)
    with open_store(path, Engine(engine) if engine else None, wait=wait, clock=clock) as store:
        reading = parsing(jobs, reader, appraisals=appraisals, analyses=store.analyses, folder=path.parent)
        with reading as ahead:
            reports = _add_all(store, files, ahead, BuildPace(files, progress))
        store.forget_unfinished()
        renewed = store.renew_appraisals() if appraisals else 0
    return BuildReport(
        sources=tuple(reports), appraisals_renewed=renewed, seconds=time.perf_counter() - started
    )


def index_source(
    connection: sqlite3.Connection,
    records: Iterable[Record],
    *,
    name: str,
    appraisals: bool = True,
    progress: Callable[[int], None] | None = None,
    clock: Clock = utc_now,
) -> SourceReport:
    """Index one source, which will not be known again, in one transaction of an SQLite index."""
    source = SourceReading(records, appraisals=appraisals)
    return CorpusStore(connection, clock=clock).add(source, name=name, progress=progress)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A file whose turn it is: being read, in the index already, or not to be read for a reason."""

    file: SourceFile
    digest: str = ""
    source: PreparedSource | None = None
    error: str | None = None


def _add_all(
    store: IndexStore, files: Sequence[SourceFile], ahead: Parsing, pace: BuildPace
) -> list[SourceReport]:
    reports: list[SourceReport] = []
    names = [file.name for file in files]
    for number, opened in enumerate(_in_turn(store, files, ahead), 1):
        file, source = opened.file, opened.source
        if source is None or store.is_complete(opened.digest):
            pace.skip(file)
            told = SourceReport(source=file.name, skipped=opened.error is None, error=opened.error)
            reports.append(told)
            continue
        pace.begin()
        store.note_unfinished(names[number - 1 :])
        within = pace.within(number)
        report = store.add(
            source,
            name=file.name,
            digest=opened.digest,
            remaining=names[number:],
            progress=within,
        )
        pace.finish(file, report.read)
        reports.append(report)
    return reports


def _in_turn(store: IndexStore, files: Sequence[SourceFile], ahead: Parsing) -> Iterator[_Opened]:
    """Yield the files in order, while others after them are read already."""
    waiting: deque[_Opened] = deque()
    for file in files:
        waiting.append(_open(store, file, ahead))
        while waiting and (waiting[0].source is None or _reading(waiting) >= ahead.jobs):
            yield waiting.popleft()
    yield from waiting


def _reading(opened: Iterable[_Opened]) -> int:
    return sum(each.source is not None for each in opened)


def _open(store: IndexStore, file: SourceFile, ahead: Parsing) -> _Opened:
    try:
        digest = file.digest()
    except (MetaragError, OSError) as error:
        return _Opened(file, error=str(error))
    if store.is_complete(digest):
        return _Opened(file, digest)
    return _Opened(file, digest, ahead.read(file))
