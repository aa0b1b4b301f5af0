"""Records made ready to be written, wherever that is done: in this process or in one that reads ahead."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol, TypeAlias

from metarag.appraisal import appraise
from metarag.errors import MetaragError
from metarag.records import Article
from metarag.retrieval.base import Deletion, ReadFailure, Record
from metarag.retrieval.corpus_rows import Appraise, Row
from metarag.retrieval.word_forms import WordForms

Prepared: TypeAlias = Row | Deletion | ReadFailure


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
        try:
            for position, record in enumerate(self._records, 1):
                yield self._prepared(record, position)
        except (MetaragError, OSError, EOFError, zlib.error) as error:
            self.error = str(error) or type(error).__name__

    def _prepared(self, record: Record, position: int) -> Prepared:
        if isinstance(record, Deletion | ReadFailure):
            return record
        try:
            return prepared_row(record, self._appraise, self._words)
        except ValueError:
            reason = "its text is not valid Unicode and cannot be stored"
            return ReadFailure(position=position, pmid=record.pmid, reason=reason)


def prepared_row(article: Article, appraise: Appraise | None, words: WordForms | None) -> Row:
    """Return an article as a row, with its texts cut and stemmed where there are ``words`` to do so.

    Raises
    ------
    ValueError
        Its text is not valid Unicode.
    """
    row = Row.of(article, appraise)
    if words is None:
        return row
    title, abstract, terms = map(words.joined, row.text)
    return replace(row, text=(title, abstract, terms))
