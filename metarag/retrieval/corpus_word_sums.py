"""One number for all words of a record at their places: from a text index as it is, and from a text indexed anew.

The text index of a local index keeps no text, so that it can be compared with the records only in this way. Two
different sets of words have the same sum by chance in one of 10^19 cases.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Final, Self

from metarag.records import Article
from metarag.retrieval.corpus_facets import facet_text
from metarag.retrieval.corpus_rows import indexed_text

_MASK: Final = 2**64 - 1
_TABLES: Final = ("text_index", "facet_index")


def stored_sums(connection: sqlite3.Connection, last_id: int) -> tuple[array[int], int]:
    """Return the sums of the index by row id, from 0 to ``last_id``, and how many words are of other rows.

    Goes through every word of every record: some 75 million in 300,000 abstracts.
    """
    sums, strays = array("Q", bytes(8 * (last_id + 1))), 0
    for doc, number in _numbers(connection, "main"):
        if 0 < doc <= last_id:
            sums[doc] = (sums[doc] + number) & _MASK
        else:
            strays += 1
    return sums, strays


class WordSums:
    """Indexes texts anew, in memory, by the declarations of the index that they are compared with."""

    def __init__(self, like: sqlite3.Connection) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        for table in _TABLES:
            (declared,) = like.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            self._connection.execute(declared)

    def of(self, articles: Mapping[int, Article]) -> dict[int, int]:
        """Return the sum of each article by its row id."""
        execute = self._connection.execute
        for row_id, article in articles.items():
            execute(
                "INSERT INTO text_index (rowid, title, abstract, terms) VALUES (?, ?, ?, ?)",
                (row_id, *indexed_text(article)),
            )
            execute("INSERT INTO facet_index (rowid, facets) VALUES (?, ?)", (row_id, facet_text(article)))
        sums = dict.fromkeys(articles, 0)
        for doc, number in _numbers(self._connection, "main"):
            sums[doc] = (sums[doc] + number) & _MASK
        for table in _TABLES:
            execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")  # noqa: S608
        return sums

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()


def _numbers(connection: sqlite3.Connection, database: str) -> Iterator[tuple[int, int]]:
    """Yield the row and the number of each word in both tables."""
    for table in _TABLES:
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{table}_words"
            f" USING fts5vocab ('{database}', '{table}', 'instance')"
        )
        rows = connection.execute(f'SELECT term, doc, col, "offset" FROM temp.{table}_words')  # noqa: S608
        for term, doc, column, place in rows:
            yield doc, hash((table, term, column, place))
