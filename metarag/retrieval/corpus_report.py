"""What a build of a local index says of itself, while it runs and when it is done."""

from __future__ import annotations

from metarag.records import Frozen
from metarag.retrieval.base import ReadFailure
from metarag.retrieval.corpus_write import Outcome, SourceWriter


class BuildProgress(Frozen):
    """How far a build is.

    Attributes
    ----------
    file, files : int
        The file that is being written, from 1, of how many.
    records : int
        Read of that file.
    total : int
        Read since the build began, of all files.
    seconds : float
        Since the first file was begun that was not in the index already.
    share : float or None
        Of the bytes that had to be read then, in [0, 1]; ``None`` while that cannot be told.
    """

    source: str
    file: int
    files: int
    records: int
    total: int
    seconds: float
    share: float | None

    @property
    def rate(self) -> float | None:
        """Records a second, over the whole build; ``None`` in its first moment."""
        return self.total / self.seconds if self.seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end, if the rest goes as what was read; ``None`` while that cannot be told."""
        return self.seconds * (1 - self.share) / self.share if self.share else None


class SourceReport(Frozen):
    """What one source did to the index.

    Attributes
    ----------
    skipped : bool
        The very same content is in the index already; nothing was read.
    added, replaced, unchanged, older : int
        Articles by what became of them; ``older`` ones met a newer revision in the index, or a withdrawal
        by a later one of PubMed's own files.
    deleted : int
        Records removed because the source says that they were withdrawn.
    failures : tuple of ReadFailure
        Records that could not be read or stored; the others stand.
    error : str or None
        Why reading stopped early. What came before stands, and the next build reads the file again.
    """

    source: str
    skipped: bool = False
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    older: int = 0
    deleted: int = 0
    failures: tuple[ReadFailure, ...] = ()
    error: str | None = None

    @property
    def read(self) -> int:
        """Records read, articles and failures; withdrawals are not counted."""
        return self.added + self.replaced + self.unchanged + self.older + len(self.failures)


class BuildReport(Frozen):
    """What a build did, source by source; the totals count records.

    Attributes
    ----------
    appraisals_renewed : int
        Stored appraisals that older rules had made, or that were missing.
    seconds : float
        Wall-clock time.
    """

    sources: tuple[SourceReport, ...]
    appraisals_renewed: int = 0
    seconds: float

    @property
    def added(self) -> int:
        """Articles that the index did not have."""
        return sum(source.added for source in self.sources)

    @property
    def replaced(self) -> int:
        """Articles of which the index had another revision."""
        return sum(source.replaced for source in self.sources)

    @property
    def unchanged(self) -> int:
        """Articles that the index had just so; those of skipped sources are not counted."""
        return sum(source.unchanged for source in self.sources)

    @property
    def older(self) -> int:
        """Articles left out because the index has a newer revision."""
        return sum(source.older for source in self.sources)

    @property
    def deleted(self) -> int:
        """Records removed."""
        return sum(source.deleted for source in self.sources)

    @property
    def failed(self) -> int:
        """Records that could not be read or stored."""
        return sum(len(source.failures) for source in self.sources)


def source_report(writer: SourceWriter, name: str, error: str | None) -> SourceReport:
    """Return what a writer did with a source, and why that could not be read on."""
    return SourceReport(
        source=name,
        added=writer.outcomes[Outcome.ADDED],
        replaced=writer.outcomes[Outcome.REPLACED],
        unchanged=writer.outcomes[Outcome.UNCHANGED],
        older=writer.outcomes[Outcome.OLDER],
        deleted=writer.deleted,
        failures=tuple(writer.failures),
        error=error,
    )
