"""How far a build is, told from the bytes of its files: how many records they hold is not known before."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from metarag.retrieval.corpus_report import BuildProgress
from metarag.retrieval.source_files import RECORDS_IN_A_FILE, SourceFile

Tell = Callable[[BuildProgress], None]


@dataclass(slots=True)
class BuildPace:
    """Counts files and records of one build and tells ``tell``, if there is one.

    Parameters
    ----------
    files : sequence of SourceFile
        All of the build.
    clock : callable
        Seconds, from any beginning.
    """

    files: Sequence[SourceFile]
    tell: Tell | None
    clock: Callable[[], float] = time.monotonic
    _to_do: int = field(init=False)
    _bytes: int = field(default=0, init=False)
    _records: int = field(default=0, init=False)
    _started: float | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._to_do = sum(file.size for file in self.files)

    def begin(self) -> None:
        """Note that there is something to read; the time counts from here."""
        if self._started is None:
            self._started = self.clock()

    def skip(self, file: SourceFile) -> None:
        """Leave out a file that needs no reading, or cannot be read."""
        self._to_do -= file.size

    def finish(self, file: SourceFile, records: int) -> None:
        """Count a file that was read."""
        self._bytes += file.size
        self._records += records

    def within(self, number: int) -> Callable[[int], None] | None:
        """Return what to call with the records read so far of the ``number``-th file, from 1."""
        tell, file = self.tell, self.files[number - 1]
        if tell is None:
            return None

        def told(records: int) -> None:
            tell(
                BuildProgress(
                    source=file.name,
                    file=number,
                    files=len(self.files),
                    records=records,
                    total=self._records + records,
                    seconds=self.clock() - (self._started or 0) if self._started is not None else 0.0,
                    share=self._share(file, records),
                )
            )

        return told

    def _share(self, file: SourceFile, records: int) -> float | None:
        """Return how much is read, taking records to be as large as those of the files before."""
        if self._bytes and self._records:
            expected = max(1.0, file.size * self._records / self._bytes)
        elif file.release:
            expected = float(RECORDS_IN_A_FILE)
        else:
            return None
        read = self._bytes + file.size * min(1.0, records / expected)
        return min(1.0, read / self._to_do) if self._to_do > 0 else None
