"""What a check of a local index found, and what it says of the sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from metarag.errors import MetaragError
from metarag.records import Frozen
from metarag.retrieval.corpus_info import SourceInfo
from metarag.retrieval.source_files import Release, SourceFile

SHOWN: Final = 5
"""Names in one sentence."""
REBUILD: Final = "delete the index and build it again from its files"


class IndexProblem(Frozen):
    """One thing that is wrong, in a sentence, and what to do about it."""

    what: str
    advice: str

    def __str__(self) -> str:
        return f"{self.what} {self.advice[:1].upper()}{self.advice[1:]}."


class VerifyReport(Frozen):
    """What a check found.

    Attributes
    ----------
    records : int
        Records that were read.
    problems : tuple of IndexProblem
        None for an index that is whole.
    notes : tuple of str
        What is not wrong, but good to know.
    files : int
        Source files that were compared with the index.
    """

    name: str
    engine: str
    records: int
    problems: tuple[IndexProblem, ...]
    notes: tuple[str, ...] = ()
    files: int = 0

    @property
    def is_whole(self) -> bool:
        """True where nothing is wrong."""
        return not self.problems


class Findings:
    """Gathers what a check finds, by kind, with the names of the first few."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._problems: list[IndexProblem] = []
        self._records: dict[tuple[str, str], list[str]] = {}

    def add(self, what: str, advice: str) -> None:
        """Note a problem."""
        self._problems.append(IndexProblem(what=what, advice=advice))

    def add_record(self, article_id: str, fault: str, advice: str = REBUILD) -> None:
        """Note what is wrong with a record; ``fault`` ends a sentence about records."""
        self._records.setdefault((fault, advice), []).append(article_id)

    def problems(self) -> tuple[IndexProblem, ...]:
        """Return all of them, those of records in one sentence for each kind."""
        of_records = (
            IndexProblem(what=f"{len(ids):,} records {fault}: {some(ids)}.", advice=advice)
            for (fault, advice), ids in self._records.items()
        )
        return (*self._problems, *of_records)


def check_sources(sources: Sequence[SourceInfo], unfinished: Sequence[str], findings: Findings) -> None:
    """Note what the index itself knows to be missing, and which of PubMed's numbered files are not in it."""
    if unfinished:
        findings.add(
            f"A build was not finished: {some(unfinished)}.", "run the same build again; it goes on there"
        )
    # A file that was bad and came again in order has the same name and another content.
    latest = {source.name: source for source in sources}.values()
    partial = [source.name for source in latest if not source.complete]
    if partial:
        findings.add(f"Only a part could be read of: {some(partial)}.", "fetch these again and build them in")
    failures = sum(source.failures for source in latest)
    if failures:
        findings.notes.append(f"{failures:,} records could not be read when the index was built.")
    releases = [release for source in latest if (release := Release.of(source.name))]
    missing = list(_missing(releases))
    if missing:
        findings.add(
            f"{len(missing):,} of PubMed's files between the others are not in: {some(missing)}.",
            "fetch them and build them in; they count in the order of their numbers, also late",
        )
    years = sorted({release.year for release in releases})
    if len(years) > 1:
        findings.notes.append(
            f"Files of several years are in ({', '.join(map(str, years))}). Each year's baseline replaces all before it,"
            " and records that PubMed dropped stay here: build a new index of the latest."
        )


def check_files(files: Sequence[SourceFile], sources: Sequence[SourceInfo], findings: Findings) -> int:
    """Compare files with what the index says of them, and with the ``.md5`` files beside them; return how many."""
    complete = {source.digest for source in sources if source.complete}
    names = {source.name for source in sources}
    for file in files:
        try:
            digest = file.digest()
        except (MetaragError, OSError) as error:
            findings.add(f"{file.name}: {error}.", "fetch it again")
            continue
        if digest in complete:
            continue
        what = (
            "has another content than what is in the index" if file.name in names else "is not in the index"
        )
        findings.add(f"{file.name} {what}.", "build it in")
    return len(files)


def check_appraisals(records: int, current: int, any_version: int, findings: Findings) -> None:
    """Note where appraisals are missing: of all is a choice, of some is not.

    Parameters
    ----------
    current, any_version : int
        Records with an appraisal by the rules of this version, and by those of any.
    """
    renew = "run `metarag index build` with this index and no file"
    if any_version and any_version < records:
        findings.add(f"{records - any_version:,} of {records:,} records have no appraisal.", renew)
    elif not any_version and records:
        findings.notes.append("No record has a stored appraisal; each is appraised when it is found.")
    if current < any_version:
        findings.notes.append(
            f"{any_version - current:,} appraisals are by older rules and are not used; to renew them, {renew}."
        )


def some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"


def _missing(releases: Iterable[Release]) -> Iterator[str]:
    """Yield the names of the files whose numbers lie between others of their year."""
    numbers: dict[int, set[int]] = {}
    for release in releases:
        numbers.setdefault(release.year, set()).add(release.number)
    for year, present in sorted(numbers.items()):
        for number in range(min(present), max(present)):
            if number not in present:
                yield f"pubmed{year % 100:02d}n{number:04d}.xml.gz"
