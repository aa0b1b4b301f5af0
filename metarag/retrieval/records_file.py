"""Reads a file of records, whichever of the known formats it is in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from metarag.errors import InputError
from metarag.records import Article
from metarag.retrieval.base import ReadFailure, Record
from metarag.retrieval.byte_source import ByteSource, Source, peek, utf8_blocks
from metarag.retrieval.foreign_content import kind_of
from metarag.retrieval.medline import looks_like_medline, read_medline
from metarag.retrieval.pubmed_xml import read_pubmed_xml
from metarag.retrieval.ris import looks_like_ris, read_ris
from metarag.retrieval.text_lines import numbered_lines
from metarag.retrieval.validation import faults_of
from metarag.retrieval.xml_scan import holds_records

ACCEPTED_FORMATS = "PubMed XML, MEDLINE text (.nbib), RIS, or JSON Lines with one article a line"
"""For messages; each may be gzip-compressed."""

_PMID = re.compile(rb'"pmid"\s{0,9}:\s{0,9}"([1-9]\d{0,9})"')


def read_records(path: str | Path) -> Iterator[Record]:
    """Yield every record of a file; the format is told by the content, never by the name.

    Parameters
    ----------
    path : str or pathlib.Path
        PubMed XML, MEDLINE text, RIS, or JSON Lines; each may be gzip-compressed.

    Raises
    ------
    InputError
        The file cannot be read, or is in none of the formats.
    """
    source = ByteSource(path)
    head, _ = peek(utf8_blocks(source.blocks()))
    start = head.lstrip()
    if start.startswith(b"{"):
        return read_jsonl(path)
    if holds_records(head):
        return read_pubmed_xml(path)
    if looks_like_ris(head):
        return read_ris(path)
    if looks_like_medline(head):
        return read_medline(path)
    raise InputError(f"{source.name} is {kind_of(head)}. Give {ACCEPTED_FORMATS}; gzip is fine")


def read_jsonl(source: Source) -> Iterator[Record]:
    """Yield the article of every line; a line that holds none is a ``ReadFailure`` with its number.

    A line is an article, or an object with one under ``article``, as in the demo corpus. Empty lines are
    no records.

    Raises
    ------
    InputError
        The path cannot be read.
    """
    return _articles(ByteSource(source))


def _articles(source: ByteSource) -> Iterator[Record]:
    position = 0
    for number, line in numbered_lines(utf8_blocks(source.blocks())):
        if line.strip():
            position += 1
            yield _article(line, position, number)
    yield from source.failure_after(position)


def _article(line: bytes, position: int, number: int) -> Article | ReadFailure:
    try:
        content = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return _failure(line, position, number, "it holds bytes that are not UTF-8")
    except (ValueError, RecursionError):
        return _failure(line, position, number, "it is no JSON")
    if not isinstance(content, dict):
        return _failure(line, position, number, "it is no JSON object")
    try:
        return Article.model_validate(content.get("article", content))
    except ValidationError as error:
        return _failure(line, position, number, faults_of(error))


def _failure(line: bytes, position: int, number: int, reason: str) -> ReadFailure:
    pmid = _PMID.search(line)
    return ReadFailure(
        position=position,
        pmid=pmid[1].decode() if pmid else None,
        offset=number,
        reason=f"line {number}: {reason}",
    )
