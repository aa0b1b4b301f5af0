"""Check a tantivy index from end to end: its files, every record, its words, every withdrawal.

The text index keeps no text. That its files are byte for byte as they were written is told by the checksum at the end
of each. That the words are those of the records is told by adding up a number for each word of each record, once from
the records and once from the index; and by searching for all words of some records at their places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import tantivy

from metarag.errors import IndexUnusableError
from metarag.records import Article
from metarag.retrieval.corpus_info import CorpusInfo
from metarag.retrieval.corpus_prepare import cut_and_stemmed
from metarag.retrieval.corpus_rows import Row, unpack
from metarag.retrieval.tantivy_corpus import TantivyCorpus
from metarag.retrieval.tantivy_files import check_files
from metarag.retrieval.tantivy_notes import withdrawal_of
from metarag.retrieval.tantivy_schema import NUMBERS, Kind, addresses, count, numbers_of, tantivy_errors
from metarag.retrieval.tantivy_search import stored_appraisal
from metarag.retrieval.tantivy_snapshot import Snapshot
from metarag.retrieval.tantivy_write import stored_records
from metarag.retrieval.term_meaning import COLUMNS
from metarag.retrieval.verify_report import REBUILD, Findings, check_appraisals
from metarag.retrieval.word_forms import WordForms

SAMPLED: Final = 1_000
"""Records (ours) that are searched for by all of their words; each such search takes milliseconds."""
_FIELDS: Final = (*COLUMNS, "facets")
_MASK: Final = 2**64 - 1


def verify_folder(
    index: Path, findings: Findings, progress: Callable[[int], None] | None = None
) -> CorpusInfo:
    """Check an index and return what it holds.

    Parameters
    ----------
    progress : callable or None
        Told now and then how many records have been read.

    Raises
    ------
    IndexUnusableError
        It is damaged so that it cannot be gone through, or is no local index; or a build is going on.
    """
    check_files(index, findings)
    with TantivyCorpus.open(index) as corpus, WordForms() as words:
        info, now = corpus.info(), corpus.snapshot()
        check = _Check(now, words, findings, step=max(1, info.records // SAMPLED))
        with tantivy_errors(corpus.name):
            for batch in now.places():
                check.records(batch)
                if progress:
                    progress(check.read)
            check.whole()
            check.withdrawals()
        check_appraisals(check.read, info.appraisals, check.appraised, findings)
    return info


class _Check:
    def __init__(self, now: Snapshot, words: WordForms, findings: Findings, *, step: int) -> None:
        self.read = 0
        self.appraised = 0
        self._now = now
        self._searcher, self._schema, self._sources = now.searcher, now.schema, now.sources
        self._words = words
        self._findings = findings
        self._step = step
        self._sums = Counter(dict.fromkeys(_FIELDS, 0))

    def records(self, places: Sequence[tantivy.DocAddress]) -> None:
        """Read records, compare them with their columns and add up their words."""
        documents = [self._searcher.doc(address) for address in places]
        ids = [str(document.get_first("article_id")) for document in documents]
        columns = [self._searcher.fast_field_values(name, list(places)) for name in NUMBERS]
        rows = [self._row(document, article_id) for document, article_id in zip(documents, ids, strict=True)]
        readable = iter(cut_and_stemmed([row for row in rows if row], self._words))
        for row, article_id, *numbers in zip(rows, ids, *columns, strict=True):
            self.read += 1
            if row:
                self._compare(next(readable), article_id, tuple(numbers))

    def _compare(self, row: Row, article_id: str, numbers: tuple[int, ...]) -> None:
        source = numbers[NUMBERS.index("source")]
        if row.article_id != article_id or numbers_of(row, source) != numbers:
            self._findings.add_record(article_id, "are not as they were stored")
        if source not in self._sources:
            self._findings.add_record(article_id, "are of no source that the index knows")
        for field, text in zip(_FIELDS, (*row.text, row.facets), strict=True):
            self._sums[field] = (self._sums[field] + sum(map(hash, set(text.split())))) & _MASK
        if self.read % self._step == 0 and count(self._searcher, self._all_of(row)) != 1:
            self._findings.add_record(article_id, "are not found by their words, or more than once")

    def whole(self) -> None:
        """Compare the sums of all records with those of the text index, and the numbers of records."""
        if self.read != self._now.records:
            told = f"{self._now.records:,} records are counted and {self.read:,} can be gone through"
            self._findings.add(f"The index is not of one piece: {told}.", REBUILD)
        is_record = tantivy.Query.term_query(self._schema, "kind", Kind.RECORD)
        for field in _FIELDS:
            terms = self._searcher.terms_with_prefix(field, "", is_record)
            if sum(hash(term) * found for term, found in terms) & _MASK != self._sums[field]:
                self._findings.add(f"The text index has other words in {field} than the records.", REBUILD)

    def withdrawals(self) -> None:
        """Look for records that a source withdrew and that no later source brought back."""
        query = tantivy.Query.term_query(self._schema, "kind", Kind.WITHDRAWAL)
        told = [withdrawal_of(self._searcher.doc(a), self._sources) for a in addresses(self._searcher, query)]
        here = stored_records(
            self._searcher, self._schema, [article_id for article_id, _ in told], self._sources
        )
        for article_id, withdrawal in told:
            stored = here.get(article_id)
            if stored and withdrawal.still_applies(stored.revision.version, stored.place):
                self._findings.add_record(article_id, "are here although a later file withdrew them")

    def _row(self, document: tantivy.Document, article_id: str) -> Row | None:
        """Return what a record should be stored as, if it can be read."""
        try:
            self.appraised += document.get_first("appraisal") is not None
            appraisal = stored_appraisal(document)
        except IndexUnusableError:
            # Of an older version perhaps, with other fields; that one is not used.
            self._findings.add_record(article_id, "have an appraisal that cannot be read")
        else:
            if appraisal and appraisal.article_id != article_id:
                self._findings.add_record(article_id, "have the appraisal of another article")
        try:
            return Row.of(unpack(Article, document.get_first("article") or b""))
        except IndexUnusableError:
            self._findings.add_record(article_id, "cannot be read")
            return None

    def _all_of(self, row: Row) -> tantivy.Query:
        """Return the query of a record by its id and all of its words at their places."""
        queries = [tantivy.Query.term_query(self._schema, "article_id", row.article_id)]
        for field, text in zip(COLUMNS, row.text, strict=True):
            words = text.split()
            if len(words) > 1:
                queries.append(tantivy.Query.phrase_query(self._schema, field, words))
            elif words:
                queries.append(tantivy.Query.term_query(self._schema, field, words[0]))
        queries += [tantivy.Query.term_query(self._schema, "facets", fact) for fact in row.facets.split()]
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])
