"""Bring the records of one source into a local index, inside the caller's transaction."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final, TypeVar

from metarag.records import Article
from metarag.retrieval.base import Deletion, ReadFailure, Record
from metarag.retrieval.corpus_facets import day, facet_text
from metarag.retrieval.corpus_rows import Revision, Row, indexed_text, pack, to_json, unpack
from metarag.types import Appraisal

BATCH: Final = 500
"""Records written together. FTS5 starts a segment whenever row ids go back, so removals come in one go."""

Appraise = Callable[[Article], Appraisal]
Item = TypeVar("Item")


class Outcome(StrEnum):
    """What became of a record; each one read has exactly one."""

    ADDED = "added"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    OLDER = "older"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class _Stored:
    row_id: int
    revision: Revision
    digest: bytes
    source_id: int


class RecordWriter:
    """Add, replace and remove records of one source.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction that the caller ends.
    source_id : int
        The source's row.
    appraise : callable or None
        ``None`` stores no appraisals.

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

    def __init__(
        self, connection: sqlite3.Connection, *, source_id: int, appraise: Appraise | None = None
    ) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.seen = 0
        self.deleted = 0
        self.failures: list[ReadFailure] = []
        self._connection = connection
        self._source_id = source_id
        self._appraise = appraise
        self._deletions: dict[str, int | None] = {}
        self._before: dict[str, Revision] = {}
        self._next_id: int = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM record").fetchone()[0]

    def write(self, records: Iterable[Record], *, progress: Callable[[int], None] | None = None) -> None:
        """Write all ``records``, then carry out their deletions; ``progress`` is told how many were read."""
        rows = self._rows(records)
        for batch in batches(rows, BATCH):
            self._write_batch(batch)
            if progress:
                progress(self.seen)
        # Last, so that a deletion wins over the record it comes with, whatever their order in the file.
        self._delete()

    def _rows(self, records: Iterable[Record]) -> Iterator[Row]:
        for record in records:
            self.seen += 1
            if isinstance(record, Deletion):
                self._deletions[f"pmid:{record.pmid}"] = record.version
            elif isinstance(record, ReadFailure):
                self._fail(record)
            else:
                try:
                    row = Row.of(record)
                except ValueError:
                    reason = "its text is not valid Unicode and cannot be stored"
                    self._fail(ReadFailure(position=self.seen, pmid=record.pmid, reason=reason))
                else:
                    yield row

    def _fail(self, failure: ReadFailure) -> None:
        self.failures.append(failure)
        self.outcomes[Outcome.FAILED] += 1

    def _write_batch(self, batch: Sequence[Row]) -> None:
        stored = self._stored([row.article_id for row in batch])
        fresh: dict[str, Row] = {}
        for row in batch:
            outcome = self._outcome(row, stored.get(row.article_id), fresh.get(row.article_id))
            self.outcomes[outcome] += 1
            if outcome in (Outcome.ADDED, Outcome.REPLACED):
                fresh[row.article_id] = row
        self._remove(stored[article_id].row_id for article_id in fresh if article_id in stored)
        self._insert(list(fresh.values()))

    def _outcome(self, row: Row, stored: _Stored | None, fresh: Row | None) -> Outcome:
        if stored is None and fresh is None:
            return Outcome.ADDED
        if row.digest == (fresh.digest if fresh else stored.digest if stored else None):
            return Outcome.UNCHANGED
        floor = self._before.get(row.article_id)
        # Within one source the later record counts; revisions are compared with what was there before it.
        if floor is None and stored and stored.source_id != self._source_id:
            floor = stored.revision
        if floor is not None and row.revision < floor:
            return Outcome.OLDER
        if floor is not None:
            self._before[row.article_id] = floor
        return Outcome.REPLACED

    def _stored(self, article_ids: Sequence[str]) -> dict[str, _Stored]:
        rows = self._connection.execute(
            "SELECT article_id, id, version, revised, digest, source_id FROM record "
            "WHERE article_id IN (SELECT value FROM json_each(?))",
            (json.dumps(article_ids),),
        )
        return {
            article_id: _Stored(row_id, Revision(version, revised), digest, source_id)
            for article_id, row_id, version, revised, digest, source_id in rows
        }

    def _insert(self, rows: Sequence[Row]) -> None:
        numbered = list(enumerate(rows, self._next_id))
        self._next_id += len(rows)
        self._connection.executemany(
            "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    n,
                    row.article_id,
                    int(row.article.pmid) if row.article.pmid else None,
                    row.revision.version,
                    row.revision.revised,
                    row.article.text_origin.value,
                    row.digest,
                    self._source_id,
                    day(row.article.print_date),
                    day(row.article.electronic_date),
                )
                for n, row in numbered
            ),
        )
        self._connection.executemany(
            "INSERT INTO article VALUES (?, ?)", ((n, row.packed) for n, row in numbered)
        )
        self._connection.executemany(
            "INSERT INTO text_index (rowid, title, abstract, terms) VALUES (?, ?, ?, ?)",
            ((n, *row.text) for n, row in numbered),
        )
        self._connection.executemany(
            "INSERT INTO facet_index (rowid, facets) VALUES (?, ?)", ((n, row.facets) for n, row in numbered)
        )
        if self._appraise:
            store_appraisals(self._connection, ((n, row.article) for n, row in numbered), self._appraise)

    def _remove(self, row_ids: Iterable[int]) -> int:
        removed = sorted(row_ids)
        for row_id in removed:
            (packed,) = self._connection.execute(
                "SELECT json FROM article WHERE record_id = ?", (row_id,)
            ).fetchone()
            article = unpack(Article, packed)
            self._connection.execute(
                "INSERT INTO text_index (text_index, rowid, title, abstract, terms) "
                "VALUES ('delete', ?, ?, ?, ?)",
                (row_id, *indexed_text(article)),
            )
            self._connection.execute(
                "INSERT INTO facet_index (facet_index, rowid, facets) VALUES ('delete', ?, ?)",
                (row_id, facet_text(article)),
            )
        self._connection.executemany("DELETE FROM record WHERE id = ?", ((row_id,) for row_id in removed))
        return len(removed)

    def _delete(self) -> None:
        for batch in batches(self._deletions.items(), BATCH):
            stored = self._stored([article_id for article_id, _ in batch])
            self.deleted += self._remove(
                stored[article_id].row_id
                for article_id, version in batch
                if article_id in stored
                and (version is None or version >= stored[article_id].revision.version)
            )


def store_appraisals(
    connection: sqlite3.Connection, articles: Iterable[tuple[int, Article]], appraise: Appraise
) -> None:
    """Appraise articles, given with their row ids, and store the result."""
    appraised = ((row_id, appraise(article)) for row_id, article in articles)
    connection.executemany(
        "INSERT OR REPLACE INTO appraisal VALUES (?, ?, ?)",
        ((row_id, appraisal.version, pack(to_json(appraisal))) for row_id, appraisal in appraised),
    )


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Cut ``items`` into lists of ``size``, the last one shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
