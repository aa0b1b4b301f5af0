"""Write records into a tantivy index, up to the commit that is the caller's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tantivy

from metarag.records import Article
from metarag.retraction import retraction_status
from metarag.retrieval.corpus_info import SourceInfo
from metarag.retrieval.corpus_rows import Revision, Row, unpack
from metarag.retrieval.corpus_write import Place, SourceWriter, Stored, Withdrawal
from metarag.retrieval.tantivy_notes import place_of, withdrawal_document, withdrawal_key, withdrawal_of
from metarag.retrieval.tantivy_schema import addresses, digest_bytes, record_document, tantivy_errors
from metarag.types import RetractionState


class DocumentWriter(SourceWriter):
    """Writes documents.

    What was written is seen by a searcher only after the commit, so that the records of the source itself are
    remembered until then: about 250 bytes each.

    Parameters
    ----------
    index : tantivy.Index
    writer : tantivy.IndexWriter
    place : Place
        Of the source.
    sources : mapping of int to SourceInfo
        All others.
    next_row : int
        Number of the next record.
    name : str
        The index, as a message shall call it.

    Attributes
    ----------
    next_row : int
        Number of the next record.
    """

    def __init__(
        self,
        index: tantivy.Index,
        writer: tantivy.IndexWriter,
        place: Place,
        *,
        sources: Mapping[int, SourceInfo],
        next_row: int,
        name: str,
    ) -> None:
        super().__init__(place)
        self._name = name
        self.next_row = next_row
        self._schema = index.schema
        self._searcher = index.searcher()
        self._writer = writer
        self._sources = sources
        self._written: dict[str, Stored | None] = {}

    def _write_batch(self, batch: Sequence[Row]) -> None:
        # Around tantivy only: an error of the source is no damage of the index.
        with tantivy_errors(self._name):
            super()._write_batch(batch)

    def _delete(self, deletions: Mapping[str, int | None]) -> None:
        with tantivy_errors(self._name):
            super()._delete(deletions)

    def _stored(self, article_ids: Sequence[str]) -> dict[str, Stored]:
        committed = [article_id for article_id in article_ids if article_id not in self._written]
        found = stored_records(self._searcher, self._schema, committed, self._sources)
        for article_id in article_ids:
            written = self._written.get(article_id)
            if written is not None:
                found[article_id] = written
        return found

    def _standing(self, article_id: str, stored: Stored) -> RetractionState:
        # What this source wrote carries its standing; the rest is committed and can be read.
        query = tantivy.Query.term_query(self._schema, "article_id", article_id)
        (address,) = addresses(self._searcher, query)
        packed = self._searcher.doc(address).get_first("article")
        return retraction_status(unpack(Article, packed or b"")).state

    def _withdrawn(self, article_ids: Sequence[str]) -> dict[str, list[Withdrawal]]:
        query = tantivy.Query.term_set_query(self._schema, "key", list(article_ids))
        found: dict[str, list[Withdrawal]] = {}
        for address in addresses(self._searcher, query):
            article_id, withdrawal = withdrawal_of(self._searcher.doc(address), self._sources)
            found.setdefault(article_id, []).append(withdrawal)
        return found

    def _insert(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self._writer.add_document(record_document(row, self.next_row, self.place.source_id))
            self._written[row.article_id] = Stored(
                self.next_row, row.revision, row.digest, self.place, row.standing
            )
            self.next_row += 1

    def _remove(self, stored: Mapping[str, Stored]) -> None:
        for article_id in stored:
            self._writer.delete_documents_by_term("article_id", article_id)
            self._written[article_id] = None

    def _confirm(self, rows: Sequence[tuple[Stored, Row]]) -> None:
        # A document is never changed in place.
        self._remove({row.article_id: stored for stored, row in rows})
        self._insert([row for _, row in rows])

    def _note_withdrawals(self, deletions: Mapping[str, int | None]) -> None:
        for article_id, version in deletions.items():
            key = withdrawal_key(self.place.source_id, article_id)
            self._writer.delete_documents_by_term("key", key)
            self._writer.add_document(withdrawal_document(self.place.source_id, article_id, version))


def stored_records(
    searcher: tantivy.Searcher,
    schema: tantivy.Schema,
    article_ids: Sequence[str],
    sources: Mapping[int, SourceInfo],
) -> dict[str, Stored]:
    """Return what the index holds of these articles, from its columns of numbers."""
    if not article_ids:
        return {}
    query = tantivy.Query.term_set_query(schema, "article_id", list(article_ids))
    found = addresses(searcher, query)
    if not found:
        return {}
    names = ("pmid", "version", "revised", "digest", "source")
    columns = (searcher.fast_field_values(name, found) for name in names)
    stored = {}
    for address, pmid, version, revised, digest, source in zip(found, *columns, strict=True):
        article_id = f"pmid:{pmid}" if pmid else str(searcher.doc(address).get_first("article_id"))
        place = place_of(source, sources)
        stored[article_id] = Stored(0, Revision(version, revised), digest_bytes(digest), place)
    return stored
