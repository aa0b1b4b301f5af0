"""A tantivy index, open for writing: sources go in one by one, each whole or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import tantivy

from metarag.appraisal import APPRAISAL_VERSION, appraise
from metarag.records import Article
from metarag.retrieval.corpus_info import SourceInfo
from metarag.retrieval.corpus_prepare import CUT_TOGETHER, PreparedSource, batches, cut_and_stemmed
from metarag.retrieval.corpus_report import SourceReport, source_report
from metarag.retrieval.corpus_rows import Row, unpack
from metarag.retrieval.corpus_schema import Clock, utc_now
from metarag.retrieval.tantivy_notes import (
    STATE_KEY,
    place_of,
    read_sources,
    read_state,
    source_document,
    source_key,
)
from metarag.retrieval.tantivy_schema import (
    Kind,
    addresses,
    count,
    make_schema,
    record_document,
    rows_query,
    tantivy_errors,
    write_marker,
)
from metarag.retrieval.tantivy_terms import every
from metarag.retrieval.tantivy_write import DocumentWriter
from metarag.retrieval.word_forms import WordForms

HEAP_BYTES: Final = 128_000_000
"""Postings in memory before a segment is written; a file of 30,000 records takes about 60 MB."""
RENEWED_TOGETHER: Final = 10_000
"""Appraisals renewed in one commit."""
_POLL: Final = 0.05


class TantivyStore:
    """Writes sources into a tantivy index; see :class:`~metarag.retrieval.index_store.IndexStore`."""

    analyses = True

    def __init__(
        self, index: tantivy.Index, writer: tantivy.IndexWriter, *, name: str, clock: Clock = utc_now
    ) -> None:
        self._index = index
        self._schema = index.schema
        self._writer = writer
        self._name = name
        self._clock = clock
        self._state = read_state(index.searcher(), self._schema)
        self._sources = read_sources(index.searcher(), self._schema)

    @classmethod
    @contextmanager
    def open(cls, index: Path, *, wait: float, clock: Clock) -> Iterator[TantivyStore]:
        """Open the folder ``index``, made if need be, for a block of code.

        Raises
        ------
        IndexUnusableError
            It cannot be written, is damaged or of another schema, or stays locked by another process.
        """
        write_marker(index)
        with tantivy_errors(str(index)):
            opened = tantivy.Index(make_schema(), path=str(index))
            writer = _writer(opened, wait)
            opened.reload()
            store = cls(opened, writer, name=str(index), clock=clock)
        try:
            yield store
        finally:
            with tantivy_errors(str(index)):
                # What was not committed is dropped; what runs in the background is waited for.
                writer.rollback()
                writer.wait_merging_threads()

    def is_complete(self, digest: str) -> bool:
        """Return True when a source of this content is in, to its end."""
        return any(source.digest == digest and source.complete for source in self._sources.values())

    def note_unfinished(self, names: Sequence[str]) -> None:
        """Say what is still to do before it is begun, so that a build that is killed leaves the note."""
        if self._state.unfinished != tuple(names):
            self._commit(unfinished=tuple(names))

    def forget_unfinished(self) -> None:
        """Take back the note of what remains, which the last source leaves when it was skipped."""
        self.note_unfinished(())

    def add(
        self,
        source: PreparedSource,
        *,
        name: str,
        digest: str | None = None,
        remaining: Sequence[str] = (),
        progress: Callable[[int], None] | None = None,
    ) -> SourceReport:
        """Index one source in one commit; see :meth:`~metarag.retrieval.index_store.IndexStore.add`."""
        known = next((n for n, s in self._sources.items() if digest and s.digest == digest), None)
        if known is not None and self._sources[known].complete:
            return SourceReport(source=name, skipped=True)
        source_id = known or self._state.next_source
        told = SourceInfo(
            name=name, digest=digest, records=0, failures=0, complete=False, indexed_at=self._clock()
        )
        sources = {**self._sources, source_id: self._sources.get(source_id, told)}
        writer = DocumentWriter(
            self._index,
            self._writer,
            place_of(source_id, sources),
            sources=sources,
            next_row=self._state.next_row,
            name=self._name,
        )
        with ExitStack() as failing:
            failing.callback(self._take_back)
            writer.write(source, progress=progress)
            counts = {"records": writer.seen, "failures": len(writer.failures), "complete": not source.error}
            if writer.seen or not source.error:
                self._keep_source(source_id, sources[source_id].model_copy(update=counts))
            self._commit(
                next_row=writer.next_row,
                next_source=max(self._state.next_source, source_id + 1),
                unfinished=tuple(remaining),
                built_at=self._clock().isoformat(),
            )
            failing.pop_all()
        return source_report(writer, name, source.error)

    def _take_back(self) -> None:
        self._writer.rollback()
        self._sources = read_sources(self._index.searcher(), self._schema)

    def renew_appraisals(self) -> int:
        """Appraise again what older rules appraised, or nobody; return how many."""
        renewed, is_stale = 0, _stale(self._schema)
        with WordForms() as words, tantivy_errors(self._name):
            if not count(self._index.searcher(), is_stale):
                return 0
            # A renewed record gets a new row, beyond these.
            for first in range(0, self._state.next_row, RENEWED_TOGETHER):
                rows = rows_query(self._schema, first, first + RENEWED_TOGETHER - 1)
                if stale := addresses(self._index.searcher(), every([rows, is_stale])):
                    self._renew(stale, words)
                    renewed += len(stale)
        return renewed

    def _renew(self, stale: Sequence[tantivy.DocAddress], words: WordForms) -> None:
        searcher = self._index.searcher()
        next_row = self._state.next_row
        for together in batches(
            zip(stale, searcher.fast_field_values("source", stale), strict=True), CUT_TOGETHER
        ):
            stored = [searcher.doc(address).get_first("article") or b"" for address, _ in together]
            rows = cut_and_stemmed([Row.of(unpack(Article, packed), appraise) for packed in stored], words)
            for row, (_, source_id) in zip(rows, together, strict=True):
                self._writer.delete_documents_by_term("article_id", row.article_id)
                self._writer.add_document(record_document(row, next_row, source_id))
                next_row += 1
        self._commit(next_row=next_row)

    def _keep_source(self, source_id: int, source: SourceInfo) -> None:
        with tantivy_errors(self._name):
            self._writer.delete_documents_by_term("key", source_key(source_id))
            self._writer.add_document(source_document(source_id, source))
        self._sources = {**self._sources, source_id: source}

    def _commit(self, **changes: object) -> None:
        state = self._state.model_copy(update=changes)
        with tantivy_errors(self._name):
            self._writer.delete_documents_by_term("key", STATE_KEY)
            self._writer.add_document(state.document())
            self._writer.commit()
            self._index.reload()
        self._state = state


def _stale(schema: tantivy.Schema) -> tantivy.Query:
    """Return the query of records without an appraisal by the rules of this version."""
    is_record = tantivy.Query.term_query(schema, "kind", Kind.RECORD)
    is_fresh = tantivy.Query.term_query(schema, "appraisal_version", APPRAISAL_VERSION)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, is_record), (tantivy.Occur.MustNot, is_fresh)])


def _writer(index: tantivy.Index, wait: float) -> tantivy.IndexWriter:
    """Return the one writer that an index can have, as soon as another process has ended."""
    until = time.monotonic() + wait
    while True:
        try:
            # One thread: records stand in the order in which they came, and a source is one segment.
            return index.writer(heap_size=HEAP_BYTES, num_threads=1)
        except ValueError as error:
            if "LockBusy" not in str(error) or time.monotonic() >= until:
                raise
        time.sleep(_POLL)
