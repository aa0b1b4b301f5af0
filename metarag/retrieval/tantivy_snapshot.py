"""One state of a tantivy index, as some commit left it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import tantivy

from metarag.retrieval.corpus_info import SourceInfo
from metarag.retrieval.tantivy_notes import IndexState, read_sources, read_state
from metarag.retrieval.tantivy_schema import Kind, addresses, count, rows_query

_ROWS_TOGETHER: Final = 1_000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a commit left: it stays searchable, whatever is written later.

    Attributes
    ----------
    sources : dict of int to SourceInfo
        By their numbers.
    """

    searcher: tantivy.Searcher
    schema: tantivy.Schema
    state: IndexState
    sources: dict[int, SourceInfo]

    @classmethod
    def of(cls, index: tantivy.Index) -> Snapshot:
        """Return the state that the last commit left.

        Raises
        ------
        ValueError
            The index is damaged.
        """
        index.reload()
        searcher, schema = index.searcher(), index.schema
        return cls(searcher, schema, read_state(searcher, schema), read_sources(searcher, schema))

    @property
    def records(self) -> int:
        """Number of records."""
        return self.count("kind", Kind.RECORD)

    def count(self, field: str, value: str) -> int:
        """Return how many documents have this value."""
        return count(self.searcher, tantivy.Query.term_query(self.schema, field, value))

    def places(self) -> Iterator[list[tantivy.DocAddress]]:
        """Yield where the records are, at most a thousand at a time, about in the order in which they came in."""
        for first in range(0, self.state.next_row, _ROWS_TOGETHER):
            rows = rows_query(self.schema, first, first + _ROWS_TOGETHER - 1)
            yield addresses(self.searcher, rows)
