"""The folder of a tantivy index: its mark, its fields, and tantivy's errors in plain words.

Everything is in tantivy: records, appraisals, sources, withdrawals and what is still to do are documents of one index.
So one commit makes all of a source visible at once, and a process that is killed leaves the commit before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import tantivy

from metarag.errors import IndexUnusableError, MetaragError
from metarag.files import read_small_file, write_text_atomically
from metarag.report.plain import shorten
from metarag.retrieval.corpus_rows import Row
from metarag.retrieval.index_store import MARKER

SCHEMA_VERSION: Final = 1
"""Raised with any change of fields, of what is indexed in them or of how words are cut: the index is then built anew."""

DAMAGED: Final = "it is damaged: delete it and build it again"
_WORDS: Final = "whitespace"
"""Words come cut and stemmed (:mod:`metarag.retrieval.word_forms`), with blanks between."""
NUMBERS: Final = (
    "pmid",
    "version",
    "revised",
    "published_print",
    "published_online",
    "source",
    "digest",
)
"""Columns, which are read without reading the documents; 0 stands for what is not known."""

_DIGEST_BYTES: Final = 8
_MARKER_BYTES: Final = 4096
_ADVICE: Final = (
    ("LockBusy", "another process is writing to it: try again when that has ended"),
    ("No space left", "the disk is full: make room and try again; what was indexed before stands"),
    ("File too large", "the disk or a quota is full: what was indexed before stands"),
    # tantivy does not pass on what its writing threads met.
    (
        "writer was killed",
        "nothing could be written, most likely for want of space: what was indexed before stands",
    ),
    ("Permission denied", "you have no right to it: check the folder and your rights"),
    ("Read-only file system", "it is read-only: choose a folder that you may write to"),
)


class Kind(StrEnum):
    """What a document of the index is."""

    RECORD = "record"
    SOURCE = "source"
    WITHDRAWAL = "withdrawal"
    STATE = "state"


def make_schema() -> tantivy.Schema:
    """Return the fields of the index; columns of numbers are read without reading the documents."""
    builder = tantivy.SchemaBuilder()
    for name in ("title", "abstract", "terms"):
        builder.add_text_field(name, tokenizer_name=_WORDS)
    builder.add_text_field("facets", tokenizer_name=_WORDS, index_option="basic")
    for name in ("kind", "text_origin", "appraisal_version", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("article_id", tokenizer_name="raw", index_option="basic", stored=True)
    for name in NUMBERS:
        builder.add_unsigned_field(name, fast=True)
    # Searched by its list of terms and no column: a range of it is to cost what it holds, not the whole index.
    builder.add_unsigned_field("row", indexed=True)
    for name in ("article", "appraisal", "content"):
        builder.add_bytes_field(name, stored=True)
    return builder.build()


def record_document(row: Row, number: int, source_id: int) -> tantivy.Document:
    """Return the document of an article.

    Parameters
    ----------
    row : Row
        With its texts cut into stems.
    number : int
        No other record ever had it.
    """
    document = tantivy.Document()
    for name, text in zip(("title", "abstract", "terms"), row.text, strict=True):
        document.add_text(name, text)
    document.add_text("facets", row.facets)
    document.add_text("kind", Kind.RECORD)
    document.add_text("text_origin", row.text_origin)
    document.add_text("article_id", row.article_id)
    for name, value in zip(NUMBERS, numbers_of(row, source_id), strict=True):
        document.add_unsigned(name, value)
    document.add_unsigned("row", number)
    document.add_bytes("article", row.packed)
    if row.appraisal:
        document.add_bytes("appraisal", row.appraisal)
        document.add_text("appraisal_version", row.appraisal_version)
    return document


def numbers_of(row: Row, source_id: int) -> tuple[int, ...]:
    """Return the columns of an article, in the order of :data:`NUMBERS`."""
    return (
        row.pmid or 0,
        row.revision.version,
        row.revision.revised,
        row.published_print or 0,
        row.published_online or 0,
        source_id,
        int.from_bytes(row.digest[:_DIGEST_BYTES], "big"),
    )


def digest_bytes(column: int) -> bytes:
    """Return the beginning of a record's digest, of which the index holds no more."""
    return column.to_bytes(_DIGEST_BYTES, "big")


def note_document(kind: Kind, key: str, content: object) -> tantivy.Document:
    """Return a document that is no record; ``key`` is unique among those of all kinds."""
    document = tantivy.Document()
    document.add_text("kind", kind)
    document.add_text("key", key)
    document.add_bytes("content", json.dumps(content, ensure_ascii=False).encode())
    return document


def note_content(document: tantivy.Document) -> Any:
    """Return what :func:`note_document` was given; it is checked by whoever reads it."""
    return json.loads(document.get_first("content"))


def count(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    """Return how many documents match."""
    return int(searcher.search(query, limit=1, count=True, order_by_field="pmid").count)


def addresses(searcher: tantivy.Searcher, query: tantivy.Query) -> list[tantivy.DocAddress]:
    """Return where all documents that match are; the caller knows them to be few."""
    # Room for the limit is made in advance, so that it has to be the number found.
    found = searcher.search(query, limit=max(1, count(searcher, query)), count=False)
    return [address for _, address in found.hits]


def rows_query(schema: tantivy.Schema, first: int, last: int) -> tantivy.Query:
    """Return the query of the records in some rows; it costs what it finds."""
    kind = tantivy.FieldType.Unsigned
    return tantivy.Query.range_query(schema, "row", kind, first, last, use_inverted_index=True)


def write_marker(index: Path) -> None:
    """Make the folder and mark it as an index, or check the mark that it has.

    Raises
    ------
    IndexUnusableError
        The folder cannot be written, or the index is of another schema.
    """
    if (index / MARKER).is_file():
        check_marker(index)
        return
    mark = {"format": "metarag local index", "engine": "tantivy", "schema": SCHEMA_VERSION}
    try:
        index.mkdir(parents=True, exist_ok=True)
        write_text_atomically(index / MARKER, json.dumps(mark) + "\n")
    except OSError as error:
        raise IndexUnusableError(f"local index {index} cannot be written: {error.strerror}") from error


def check_marker(index: Path) -> None:
    """Refuse an index of another schema.

    Raises
    ------
    IndexUnusableError
        The schema is another one, or cannot be told.
    """
    try:
        mark = json.loads(read_small_file(index / MARKER, limit=_MARKER_BYTES))
        found = mark["schema"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise IndexUnusableError(f"local index {index} cannot be used: {DAMAGED} ({MARKER})") from error
    if found != SCHEMA_VERSION:
        raise IndexUnusableError(
            f"local index {index} has schema {str(found)[:20]}, this metarag knows {SCHEMA_VERSION}:"
            " build a new index, or use the metarag that made it"
        )


@contextmanager
def tantivy_errors(name: str) -> Iterator[None]:
    """Turn tantivy's errors, and what comes of reading damaged files, into :class:`IndexUnusableError`.

    Parameters
    ----------
    name : str
        The index, as the message shall call it.
    """
    try:
        yield
    except MetaragError:
        raise
    except (ValueError, OSError, LookupError, TypeError, ArithmeticError) as error:
        raise _unusable(name, error) from error
    except BaseException as error:
        # What Rust calls a panic derives from no other exception, and is no class that could be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise _unusable(name, error) from error


def _unusable(name: str, error: BaseException) -> IndexUnusableError:
    said = str(error)
    advice = next((advice for sign, advice in _ADVICE if sign in said), DAMAGED)
    return IndexUnusableError(f"local index {name} cannot be used: {advice} ({shorten(said, 160)})")
