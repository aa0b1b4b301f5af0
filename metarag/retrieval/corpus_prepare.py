"""Records made ready to be written, wherever that is done: in this process or in one that reads ahead."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Protocol, TypeAlias, TypeVar

from metarag.appraisal import appraise
from metarag.errors import MetaragError
from metarag.retrieval.base import Deletion, ReadFailure, Record
from metarag.retrieval.corpus_rows import Row
from metarag.retrieval.word_forms import WordForms

Item = TypeVar("Item")
Prepared: TypeAlias = Row | Deletion | ReadFailure

CUT_TOGETHER: Final = 100
"""Records whose words are cut and stemmed at once."""


class PreparedSource(Protocol):
    """All that a source holds, to be gone through once.

    Attributes
    ----------
    error : str or None
        Once gone through: why it could not be read to its end. What came before that stands.
    """

    error: str | None

    def __iter__(self) -> Iterator[Prepared]: ...


class SourceReading:
    """Records that are read and prepared while one goes through them.

    Parameters
    ----------
    records : iterable of Record
        As a reader makes them.
    appraisals : bool
        Appraise each article.
    words : WordForms or None
        Cuts and stems the texts, for an engine that does not do so itself.
    """

    def __init__(
        self, records: Iterable[Record], *, appraisals: bool, words: WordForms | None = None
    ) -> None:
        self.error: str | None = None
        self._records = records
        self._appraise = appraise if appraisals else None
        self._words = words

    def __iter__(self) -> Iterator[Prepared]:
        if self._words is None:
            yield from self._read()
            return
        for together in batches(self._read(), CUT_TOGETHER):
            rows = iter(cut_and_stemmed([each for each in together if isinstance(each, Row)], self._words))
            yield from (next(rows) if isinstance(each, Row) else each for each in together)

    def _read(self) -> Iterator[Prepared]:
        try:
            for position, record in enumerate(self._records, 1):
                yield self._prepared(record, position)
        except (MetaragError, OSError, EOFError, zlib.error) as error:
            self.error = str(error) or type(error).__name__

    def _prepared(self, record: Record, position: int) -> Prepared:
        if isinstance(record, Deletion | ReadFailure):
            return record
        try:
            return Row.of(record, self._appraise)
        except ValueError:
            reason = "its text is not valid Unicode and cannot be stored"
            return ReadFailure(position=position, pmid=record.pmid, reason=reason)


def cut_and_stemmed(rows: Sequence[Row], words: WordForms) -> list[Row]:
    """Return the rows with their texts cut into words and stemmed."""
    texts = iter(words.joined(*(text for row in rows for text in row.text)))
    return [replace(row, text=(next(texts), next(texts), next(texts))) for row in rows]


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Cut ``items`` into lists of ``size``, the last one shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
