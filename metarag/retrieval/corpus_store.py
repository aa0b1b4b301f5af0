"""An SQLite index, open for writing: sources go in one by one, each whole or not at all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from metarag.appraisal import APPRAISAL_VERSION, appraise
from metarag.records import Article
from metarag.retrieval.corpus_connection import open_for_writing
from metarag.retrieval.corpus_info import BUILT_AT, UNFINISHED
from metarag.retrieval.corpus_prepare import PreparedSource, batches
from metarag.retrieval.corpus_report import SourceReport, source_report
from metarag.retrieval.corpus_rows import unpack
from metarag.retrieval.corpus_schema import Clock, transaction, utc_now
from metarag.retrieval.corpus_tables import TableWriter, store_appraisals
from metarag.retrieval.corpus_write import BATCH, Place
from metarag.retrieval.source_files import Release


class CorpusStore:
    """Writes sources into an SQLite index; see :class:`~metarag.retrieval.index_store.IndexStore`."""

    analyses = False

    def __init__(self, connection: sqlite3.Connection, *, clock: Clock = utc_now) -> None:
        self._connection = connection
        self._clock = clock

    @classmethod
    @contextmanager
    def open(cls, index: Path, *, wait: float, clock: Clock) -> Iterator[CorpusStore]:
        """Open ``index``, made or brought up to date as needed, for a block of code.

        Raises
        ------
        IndexUnusableError
            As :func:`~metarag.retrieval.corpus_connection.open_for_writing`.
        """
        with open_for_writing(index, wait=wait, clock=clock) as connection:
            yield cls(connection, clock=clock)

    def is_complete(self, digest: str) -> bool:
        """Return True when a source of this content is in, to its end."""
        row = self._connection.execute("SELECT complete FROM source WHERE digest = ?", (digest,)).fetchone()
        return bool(row and row[0])

    def note_unfinished(self, names: Sequence[str]) -> None:
        """Say what is still to do before it is begun, so that a build that is killed leaves the note."""
        with transaction(self._connection):
            self._set(UNFINISHED, json.dumps(list(names)))

    def forget_unfinished(self) -> None:
        """Take back the note of what remains, which the last source leaves when it was skipped."""
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE setting SET value = '[]' WHERE name = ? AND value != '[]'", (UNFINISHED,)
            )

    def add(
        self,
        source: PreparedSource,
        *,
        name: str,
        digest: str | None = None,
        remaining: Sequence[str] = (),
        progress: Callable[[int], None] | None = None,
    ) -> SourceReport:
        """Index one source in one transaction.

        Parameters
        ----------
        digest : str or None
            Of the content, by which the source is known again; ``None`` is never known again.
        remaining : sequence of str
            What the same build still has to do; kept until it is done, so that a reader can be warned.
        """
        with transaction(self._connection):
            source_id = self._register(name, digest)
            if source_id is None:
                return SourceReport(source=name, skipped=True)
            writer = TableWriter(self._connection, Place(source_id, Release.of(name)))
            writer.write(source, progress=progress)
            self._connection.execute(
                "UPDATE source SET records = ?, failures = ?, complete = ? WHERE id = ?",
                (writer.seen, len(writer.failures), source.error is None, source_id),
            )
            if source.error and not writer.seen:
                # Nothing of it is here, so that the index need not remember it as a part that is missing.
                self._connection.execute("DELETE FROM source WHERE id = ? AND records = 0", (source_id,))
            self._set(UNFINISHED, json.dumps(list(remaining)))
            self._set(BUILT_AT, self._clock().isoformat())
        return source_report(writer, name, source.error)

    def renew_appraisals(self) -> int:
        """Appraise again what older rules appraised, or nobody; return how many."""
        stale = self._connection.execute(
            "SELECT id FROM record WHERE NOT EXISTS "
            "(SELECT 1 FROM appraisal WHERE appraisal.version = ? AND appraisal.record_id = record.id)",
            (APPRAISAL_VERSION,),
        ).fetchall()
        for batch in batches([row_id for (row_id,) in stale], BATCH):
            with transaction(self._connection):
                rows = self._connection.execute(
                    "SELECT record_id, json FROM article WHERE record_id IN (SELECT value FROM json_each(?))",
                    (json.dumps(batch),),
                ).fetchall()
                articles = ((row_id, unpack(Article, packed)) for row_id, packed in rows)
                store_appraisals(self._connection, articles, appraise)
        return len(stale)

    def _register(self, name: str, digest: str | None) -> int | None:
        """Return the source's row, new or left incomplete by an earlier build; ``None`` when it is all in."""
        known = self._connection.execute(
            "SELECT id, complete FROM source WHERE digest = ?", (digest,)
        ).fetchone()
        if known:
            source_id, complete = known
            return None if complete else int(source_id)
        release = Release.of(name)
        return self._connection.execute(
            "INSERT INTO source (name, digest, indexed_at, year, number) VALUES (?, ?, ?, ?, ?)",
            (name, digest, self._clock().isoformat(), *(release or (None, None))),
        ).lastrowid

    def _set(self, name: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))
