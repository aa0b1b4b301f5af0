"""What becomes of each record of a source: added, replaced, left or removed. Engines only carry it out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from metarag.retraction_watch import forgets
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.corpus_prepare import Prepared, batches
from metarag.retrieval.corpus_rows import Revision, Row
from metarag.retrieval.source_files import Release
from metarag.types import RetractionState

BATCH: Final = 500
"""Records written together. FTS5 starts a segment whenever row ids go back, so removals come in one go."""


class Outcome(StrEnum):
    """What became of a record; each one read has exactly one."""

    ADDED = "added"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    OLDER = "older"
    FAILED = "failed"


class Place(NamedTuple):
    """A source's place in the order in which sources count; ``release`` of PubMed's own files."""

    source_id: int
    release: Release | None

    def precedes(self, other: Place) -> bool:
        """Return True where both are PubMed's own and the other's number is higher.

        Then the other counts although it was indexed before: this one was left out, or broken, at the time.
        """
        return bool(self.release and other.release and self.release < other.release)


@dataclass(frozen=True, slots=True)
class Stored:
    """A record that the index holds.

    Attributes
    ----------
    row_id : int
        The engine's own number for it; 0 if it has none.
    digest : bytes
        Of its JSON, or the first eight bytes of that.
    standing : RetractionState or None
        ``None`` where it has to be read from the article.
    """

    row_id: int
    revision: Revision
    digest: bytes
    place: Place
    standing: RetractionState | None = None


class Withdrawal(NamedTuple):
    """A deletion that some source told; ``version`` limits it to versions up to that."""

    version: int | None
    place: Place

    def covers(self, version: int) -> bool:
        """Return True when it deletes this version."""
        return self.version is None or self.version >= version

    def still_applies(self, version: int, place: Place) -> bool:
        """Return True when a record from ``place`` should not be here: it was withdrawn there or later."""
        later = self.place.source_id > place.source_id
        if self.place.release and place.release:
            later = place.precedes(self.place)
        return self.covers(version) and (later or self.place.source_id == place.source_id)


class _Floor(NamedTuple):
    """The revision that was there before the source; only newer ones pass a strict one."""

    revision: Revision
    is_strict: bool

    def admits(self, revision: Revision) -> bool:
        return revision > self.revision or (revision == self.revision and not self.is_strict)


class SourceWriter(ABC):
    """Add, replace and remove records of one source; one for each engine.

    A later source counts over an earlier one, but an older revision of a record never over a newer. Sources count
    in the order in which they are indexed; PubMed's own files by year and number, also where one of them
    comes late. In other files a copy that no revision date orders never hides a retraction, a notice or
    another link on the standing that the other copy tells.

    Attributes
    ----------
    outcomes : Counter of Outcome
        How many articles were added, replaced, unchanged, older or failed.
    seen : int
        Records read, of any kind.
    deleted : int
        Records removed because the source withdraws them.
    failures : list of ReadFailure
        As read, and articles that cannot be stored.
    """

    def __init__(self, place: Place) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.seen = 0
        self.deleted = 0
        self.failures: list[ReadFailure] = []
        self.place = place
        self._deletions: dict[str, int | None] = {}
        self._before: dict[str, _Floor] = {}

    def write(self, records: Iterable[Prepared], *, progress: Callable[[int], None] | None = None) -> None:
        """Write all ``records``, then carry out their deletions; ``progress`` is told how many were read."""
        for batch in batches(self._rows(records), BATCH):
            self._write_batch(batch)
            if progress:
                progress(self.seen)
        # Last, so that a deletion wins over the record it comes with, whatever their order in the file.
        for deletions in batches(self._deletions.items(), BATCH):
            self._delete(dict(deletions))

    def _rows(self, records: Iterable[Prepared]) -> Iterator[Row]:
        for record in records:
            self.seen += 1
            if isinstance(record, Deletion):
                self._deletions[f"pmid:{record.pmid}"] = record.version
            elif isinstance(record, ReadFailure):
                self.failures.append(record)
                self.outcomes[Outcome.FAILED] += 1
            else:
                yield record

    def _write_batch(self, batch: Sequence[Row]) -> None:
        ids = [row.article_id for row in batch]
        stored, withdrawn = self._stored(ids), self._withdrawn(ids) if self.place.release else {}
        fresh: dict[str, Row] = {}
        confirmed: dict[str, Row] = {}
        for row in batch:
            outcome = self._outcome(
                row,
                stored.get(row.article_id),
                fresh.get(row.article_id),
                withdrawn.get(row.article_id, ()),
            )
            self.outcomes[outcome] += 1
            if outcome in (Outcome.ADDED, Outcome.REPLACED):
                fresh[row.article_id] = row
            elif outcome is Outcome.UNCHANGED and row.article_id not in fresh:
                confirmed[row.article_id] = row
        self._remove({key: stored[key] for key in fresh if key in stored})
        self._insert(list(fresh.values()))
        later = {key: row for key, row in confirmed.items() if stored[key].place.precedes(self.place)}
        self._confirm([(stored[key], row) for key, row in later.items() if key not in fresh])

    def _outcome(
        self, row: Row, stored: Stored | None, fresh: Row | None, withdrawn: Sequence[Withdrawal]
    ) -> Outcome:
        if any(self.place.precedes(w.place) and w.covers(row.revision.version) for w in withdrawn):
            return Outcome.OLDER
        current = fresh or stored
        if current is None:
            return Outcome.ADDED
        floor = self._before.get(row.article_id)
        # Within one source the later record counts; revisions are compared with what was there before it.
        if floor is None and stored and stored.place.source_id != self.place.source_id:
            floor = _Floor(stored.revision, is_strict=self.place.precedes(stored.place))
        if row.digest.startswith(current.digest):
            if floor and stored and stored.place.precedes(self.place):
                self._before[row.article_id] = floor
            return Outcome.UNCHANGED
        known = self._known_standing(row, current, stored)
        if known is not None and forgets(row.standing, known):
            return Outcome.OLDER
        tells_more = known is not None and forgets(known, row.standing)
        if floor is not None and not tells_more and not floor.admits(row.revision):
            return Outcome.OLDER
        if floor is not None:
            self._before[row.article_id] = floor
        return Outcome.REPLACED

    def _known_standing(
        self, row: Row, current: Row | Stored, stored: Stored | None
    ) -> RetractionState | None:
        """Return the standing that the index knows; ``None`` where an order tells which copy counts."""
        if self.place.release or not row.revision.is_unordered(current.revision):
            return None
        if current.standing is None and stored is not None:
            return self._standing(row.article_id, stored)
        return current.standing

    def _delete(self, deletions: Mapping[str, int | None]) -> None:
        stored = self._stored(list(deletions))
        gone = {
            key: found
            for key, found in stored.items()
            if not self.place.precedes(found.place)
            and Withdrawal(deletions[key], self.place).covers(found.revision.version)
        }
        self._remove(gone)
        self.deleted += len(gone)
        self._note_withdrawals(deletions)

    @abstractmethod
    def _stored(self, article_ids: Sequence[str]) -> dict[str, Stored]:
        """Return what the index holds of these articles, what this source wrote included."""

    @abstractmethod
    def _standing(self, article_id: str, stored: Stored) -> RetractionState:
        """Return the standing of an article that the index holds and this source did not write."""

    @abstractmethod
    def _withdrawn(self, article_ids: Sequence[str]) -> dict[str, list[Withdrawal]]:
        """Return the deletions of these articles that sources told, also where nothing was there to delete."""

    @abstractmethod
    def _insert(self, rows: Sequence[Row]) -> None:
        """Add articles, none of which the index holds."""

    @abstractmethod
    def _remove(self, stored: Mapping[str, Stored]) -> None:
        """Remove articles, by their ids."""

    @abstractmethod
    def _confirm(self, rows: Sequence[tuple[Stored, Row]]) -> None:
        """Note of articles that the index holds unchanged that this source has them too."""

    @abstractmethod
    def _note_withdrawals(self, deletions: Mapping[str, int | None]) -> None:
        """Keep the deletions that this source tells, with the version each is limited to."""
