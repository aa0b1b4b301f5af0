"""Who reads the files of a build: this process, one file after the other, or several that read ahead."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from metarag.retrieval.base import Record
from metarag.retrieval.corpus_prepare import PreparedSource, SourceReading
from metarag.retrieval.source_files import SourceFile
from metarag.retrieval.word_forms import WordForms

Reader = Callable[[Path], Iterable[Record]]


class Parsing(Protocol):
    """Reads files.

    Attributes
    ----------
    jobs : int
        Files that may be read at once.
    """

    jobs: int

    def read(self, file: SourceFile) -> PreparedSource:
        """Begin to read a file, or get ready to; what is returned is to be gone through in the order of these calls."""


def parsing(
    jobs: int, reader: Reader | None, *, appraisals: bool, analyses: bool, folder: Path
) -> AbstractContextManager[Parsing]:
    """Return who reads: for one job this process, else as many others; to be used in a ``with`` block.

    Parameters
    ----------
    reader : callable or None
        ``None`` reads PubMed XML, MEDLINE, RIS and JSONL.
    analyses : bool
        The texts have to come cut into words and stemmed.
    folder : pathlib.Path
        Where records wait for their turn, in files without a name.

    Raises
    ------
    ValueError
        ``jobs`` is less than 1, or ``reader`` cannot be sent to another process.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be 1 or more, got {jobs}")
    if jobs == 1:
        return _in_this_process(reader or read_any, appraisals=appraisals, analyses=analyses)
    from metarag.retrieval.parse_jobs import ParseJobs

    try:
        pickle.dumps(reader)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError("with jobs the reader has to be a function of a module, or None") from error
    return ParseJobs(jobs, reader or read_any, appraisals=appraisals, analyses=analyses, folder=folder)


def read_any(path: Path) -> Iterable[Record]:
    """Return the records of a file; the format is told by the content."""
    # Here, because opening an index to search it should not load an XML parser.
    from metarag.retrieval.records_file import read_records

    return read_records(path)


class _InThisProcess:
    jobs = 1

    def __init__(self, reader: Reader, *, appraisals: bool, words: WordForms | None) -> None:
        self._reader = reader
        self._appraisals = appraisals
        self._words = words

    def read(self, file: SourceFile) -> PreparedSource:
        records = lazily(self._reader, file.path)
        return SourceReading(records, appraisals=self._appraisals, words=self._words)


@contextmanager
def _in_this_process(reader: Reader, *, appraisals: bool, analyses: bool) -> Iterator[Parsing]:
    with WordForms() if analyses else nullcontext() as words:
        yield _InThisProcess(reader, appraisals=appraisals, words=words)


def lazily(reader: Reader, path: Path) -> Iterator[Record]:
    """Yield the records of a file, of which nothing is read before the first is asked for."""
    yield from reader(path)
