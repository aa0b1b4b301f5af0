"""Reads PubMed XML: an efetch answer, a baseline or update file, or any other set of records."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import ValidationError

from metarag.errors import PubMedRecordError
from metarag.records import Article
from metarag.retrieval.base import Deletion, ReadFailure, Record
from metarag.retrieval.byte_source import ByteSource, Source, peek, utf8_blocks
from metarag.retrieval.foreign_content import describe
from metarag.retrieval.pubmed_article import article_fields
from metarag.retrieval.pubmed_book import book_fields
from metarag.retrieval.pubmed_fields import children, pmid_of, version_of
from metarag.retrieval.validation import faults_of
from metarag.retrieval.xml_chunks import Chunk, Fault, RecordSplitter
from metarag.retrieval.xml_fragment import FragmentError, parse_fragment
from metarag.retrieval.xml_scan import DELETION, holds_records
from metarag.retrieval.xml_text import plain_text

_PMID = rb"<(?:[\w.\-]+:)?PMID\b[^<>]{0,99}>\s{0,99}0{0,9}([1-9]\d{0,9})\s{0,99}</(?:[\w.\-]+:)?PMID\b"
_OWN_PMID = re.compile(rb"<(?:[\w.\-]+:)?(?:MedlineCitation|BookDocument)\b[^<>]{0,999}>\s{0,99}" + _PMID)
_ANY_PMID = re.compile(_PMID)
_OWN_ARTICLE_ID = re.compile(rb"IdType=[\"']pubmed[\"']\s{0,9}>\s{0,99}([1-9]\d{0,9})\s{0,99}<")
# From here on a PMID may be another article's.
_FOREIGN_PMIDS = re.compile(rb"<(?:[\w.\-]+:)?(?:CommentsCorrections|ReferenceList|Reference\b)")


def read_pubmed_xml(source: Source | ByteSource) -> Iterator[Record]:
    """Yield every record of a ``PubmedArticleSet`` in document order.

    Articles and books become :class:`~metarag.records.Article`, each PMID of a ``DeleteCitation`` a
    :class:`~metarag.retrieval.base.Deletion`, and a record that cannot be read a
    :class:`~metarag.retrieval.base.ReadFailure` with its PMID, as far as that can still be seen, and the
    byte where it begins in the decompressed stream. Damage costs the record it is in and no other; a
    file that ends in the middle yields what is whole, then a failure that says so.

    Parameters
    ----------
    source : str, pathlib.Path, bytes or binary file
        A ``str`` is a path. gzip is told by its content. UTF-8, UTF-16 or an 8-bit encoding that the
        XML declaration names; several documents one after the other are read as one.

    Notes
    -----
    Streams: memory does not grow with the file. No DTD is loaded, nothing is fetched, no entity is
    expanded. A record of more than 16 MB or a million tags is reported and skipped. An empty set is
    empty, not an error. ``print_date`` is the date of the issue (``PubDate``), ``electronic_date`` the
    ``ArticleDate``.

    Raises
    ------
    InputError
        The path is missing, is a folder or cannot be read.
    PubMedRecordError
        While iterating: the source is no PubMed XML (an error answer, a web page, JSON, empty ...).
    """
    return _records(ByteSource.of(source))


def _records(source: ByteSource) -> Iterator[Record]:
    head, blocks = peek(utf8_blocks(source.blocks()))
    if not holds_records(head):
        raise PubMedRecordError(describe(head, source.name, source.damage))
    splitter = RecordSplitter(blocks)
    position, is_cut = 0, False
    for chunk in splitter:
        is_cut = chunk.fault in (Fault.CUT, Fault.CUT_BETWEEN)
        position += chunk.name != DELETION
        if chunk.fault is not None:
            cause = f" ({source.damage})" if is_cut and source.damage else ""
            yield _failure(chunk, position, chunk.fault + cause)
        elif chunk.name == DELETION:
            yield from _deletions(chunk, position + 1)
        else:
            yield _article(chunk, position)
    if not splitter.found:
        raise PubMedRecordError(describe(head, source.name, source.damage))
    if not is_cut:
        yield from source.failure_after(position)


def _article(chunk: Chunk, position: int) -> Article | ReadFailure:
    try:
        record = parse_fragment(chunk.data, declarations=chunk.declarations, encoding=chunk.encoding)
        fields = book_fields(record) if chunk.name == "PubmedBookArticle" else article_fields(record)
        if fields["pmid"] is None:
            return _failure(chunk, position, "it has no PMID, or one that is no number")
        return Article.model_validate(fields)
    except FragmentError as error:
        return _failure(chunk, position, str(error))
    except ValidationError as error:
        return _failure(chunk, position, faults_of(error))


def _deletions(chunk: Chunk, position: int) -> Iterator[Deletion | ReadFailure]:
    try:
        element = parse_fragment(chunk.data, declarations=chunk.declarations, encoding=chunk.encoding)
    except FragmentError as error:
        # The list may hold hundreds of PMIDs; those that stand whole in it are still good.
        for match in _ANY_PMID.finditer(chunk.data):
            yield Deletion(pmid=match[1].decode())
        yield _failure(chunk, position, f"the list of deleted records is not whole: {error}")
        return
    for entry in children(element, "PMID"):
        pmid = pmid_of(entry)
        if pmid is not None:
            yield Deletion(pmid=pmid, version=version_of(entry))
        elif plain_text(entry):
            yield _failure(chunk, position, "a PMID in the list of deleted records is no number")


def _failure(chunk: Chunk, position: int, reason: str) -> ReadFailure:
    pmid = None if chunk.name == DELETION else _pmid_in(chunk.data)
    return ReadFailure(position=position, pmid=pmid, offset=chunk.offset, reason=reason)


def _pmid_in(data: bytes) -> str | None:
    """Find the PMID of a damaged record: its own or none, never that of a cited or correcting article."""
    match = _OWN_PMID.search(data)
    if match is None:
        foreign = _FOREIGN_PMIDS.search(data)
        match = _ANY_PMID.search(data, 0, foreign.start() if foreign else len(data))
    if match is None:
        references = data.find(b"<ReferenceList")
        match = _OWN_ARTICLE_ID.search(data, 0, references if references >= 0 else len(data))
    return match[1].decode() if match else None
