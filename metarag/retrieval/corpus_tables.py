"""Write records into the tables of an SQLite index, inside the caller's transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from metarag.records import Article
from metarag.retraction import retraction_status
from metarag.retrieval.corpus_facets import facet_text
from metarag.retrieval.corpus_rows import Appraise, Revision, Row, indexed_text, pack, to_json, unpack
from metarag.retrieval.corpus_write import Place, SourceWriter, Stored, Withdrawal
from metarag.retrieval.source_files import Release
from metarag.types import RetractionState

_STORED = """
    SELECT article_id, record.id, version, revised, record.digest, source_id, year, number
    FROM record JOIN source ON source.id = source_id
    WHERE article_id IN (SELECT value FROM json_each(?))
"""
_WITHDRAWN = """
    SELECT article_id, version, source_id, year, number
    FROM withdrawal JOIN source ON source.id = source_id
    WHERE article_id IN (SELECT value FROM json_each(?))
"""


class TableWriter(SourceWriter):
    """Writes into SQLite's tables.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction that the caller ends.
    place : Place
        Of the source, whose row exists.
    """

    def __init__(self, connection: sqlite3.Connection, place: Place) -> None:
        super().__init__(place)
        self._connection = connection
        self._next_id: int = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM record").fetchone()[0]

    def _stored(self, article_ids: Sequence[str]) -> dict[str, Stored]:
        rows = self._connection.execute(_STORED, (json.dumps(article_ids),))
        return {
            article_id: Stored(row_id, Revision(version, revised), digest, place_from(*place))
            for article_id, row_id, version, revised, digest, *place in rows
        }

    def _standing(self, article_id: str, stored: Stored) -> RetractionState:
        (packed,) = self._connection.execute(
            "SELECT json FROM article WHERE record_id = ?", (stored.row_id,)
        ).fetchone()
        return retraction_status(unpack(Article, packed)).state

    def _withdrawn(self, article_ids: Sequence[str]) -> dict[str, list[Withdrawal]]:
        found: dict[str, list[Withdrawal]] = {}
        for article_id, version, *place in self._connection.execute(_WITHDRAWN, (json.dumps(article_ids),)):
            found.setdefault(article_id, []).append(Withdrawal(version, place_from(*place)))
        return found

    def _insert(self, rows: Sequence[Row]) -> None:
        numbered = list(enumerate(rows, self._next_id))
        self._next_id += len(rows)
        self._connection.executemany(
            "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    n,
                    row.article_id,
                    row.pmid,
                    row.revision.version,
                    row.revision.revised,
                    row.text_origin,
                    row.digest,
                    self.place.source_id,
                    row.published_print,
                    row.published_online,
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
        self._connection.executemany(
            "INSERT OR REPLACE INTO appraisal VALUES (?, ?, ?)",
            ((n, row.appraisal_version, row.appraisal) for n, row in numbered if row.appraisal),
        )

    def _remove(self, stored: Mapping[str, Stored]) -> None:
        for row_id in sorted(found.row_id for found in stored.values()):
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
            self._connection.execute("DELETE FROM record WHERE id = ?", (row_id,))

    def _confirm(self, rows: Sequence[tuple[Stored, Row]]) -> None:
        self._connection.executemany(
            "UPDATE record SET source_id = ? WHERE id = ?",
            ((self.place.source_id, stored.row_id) for stored, _ in rows),
        )

    def _note_withdrawals(self, deletions: Mapping[str, int | None]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO withdrawal VALUES (?, ?, ?)",
            ((article_id, self.place.source_id, version) for article_id, version in deletions.items()),
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


def place_from(source_id: int, year: int | None, number: int | None) -> Place:
    """Return a source's place from its row."""
    return Place(source_id, Release(year, number) if year and number else None)
