"""Reads a file of records, whichever of the known formats it is in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from metarag.errors import InputError
from metarag.records import Article
from metarag.retrieval.base import Deletion, ReadFailure, Record
from metarag.retrieval.byte_source import ByteSource, Source, utf8_blocks
from metarag.retrieval.foreign_content import kind_of
from metarag.retrieval.json_article import article_of
from metarag.retrieval.medline import looks_like_medline, read_medline
from metarag.retrieval.pubmed_xml import read_pubmed_xml
from metarag.retrieval.ris import looks_like_ris, read_ris
from metarag.retrieval.text_lines import numbered_lines
from metarag.retrieval.xml_scan import holds_records

ACCEPTED_FORMATS = "PubMed XML, MEDLINE text (.nbib), RIS, or JSON Lines with one article a line"
"""For messages; each may be gzip-compressed."""

_PMID = re.compile(rb'"pmid"\s{0,9}:\s{0,9}"([1-9]\d{0,9})"')


def read_records(source: Source | ByteSource) -> Iterator[Record]:
    """Yield every record of a file; the format is told by the content, never by the name.

    The source is read once, from its beginning to its end, so that it may be a pipe.

    Parameters
    ----------
    source : str, pathlib.Path, bytes or binary file
        PubMed XML, MEDLINE text, RIS, or JSON Lines; each may be gzip-compressed. A ``str`` is a path.

    Raises
    ------
    InputError
        The file cannot be read, or is in none of the formats.
    """
    opened = ByteSource.of(source)
    head = b"".join(utf8_blocks(iter([opened.head()])))
    start = head.lstrip()
    if start.startswith(b"{"):
        return read_jsonl(opened)
    if holds_records(head):
        return read_pubmed_xml(opened)
    if looks_like_ris(head):
        return read_ris(opened)
    if looks_like_medline(head):
        return read_medline(opened)
    kind = "one JSON array; write one object a line" if start.startswith(b"[") else kind_of(head)
    raise InputError(f"{opened.name} is {kind}. Give {ACCEPTED_FORMATS}; gzip is fine")


def read_jsonl(source: Source | ByteSource) -> Iterator[Record]:
    """Yield the article of every line; a line that holds none is a ``ReadFailure`` with its number.

    A line is an article, in full or in the plain forms of :func:`~metarag.retrieval.json_article.article_of`,
    or an object with one under ``article``, as in the demo corpus. Empty lines are no records.

    Raises
    ------
    InputError
        The path cannot be read.
    """
    return _articles(ByteSource.of(source))


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
    except RecursionError:
        return _failure(line, position, number, "it is no JSON of an article: brackets nested too deeply")
    except ValueError:
        return _failure(line, position, number, _no_json(line))
    if isinstance(content, list):
        return _failure(line, position, number, "it is no JSON object but an array; write one object a line")
    if not isinstance(content, dict):
        return _failure(line, position, number, "it is no JSON object")
    try:
        return article_of(content)
    except InputError as error:
        return _failure(line, position, number, str(error))


def _no_json(line: bytes) -> str:
    if line.strip() == b"{":
        return "it is no JSON: the object goes on in the next line; write each object in one line"
    return "it is no JSON"


def _failure(line: bytes, position: int, number: int, reason: str) -> ReadFailure:
    pmid = _PMID.search(line)
    return ReadFailure(
        position=position,
        pmid=pmid[1].decode() if pmid else None,
        offset=number,
        reason=f"line {number}: {reason}",
    )


@dataclass(frozen=True, slots=True)
class FileContent:
    """All records of a file, by what they are."""

    articles: tuple[Article, ...]
    deletions: tuple[Deletion, ...]
    failures: tuple[ReadFailure, ...]


def read_file(source: Source | ByteSource) -> FileContent:
    """Read a whole file: its articles in order, and beside them what was withdrawn or could not be read.

    Raises
    ------
    InputError
        As :func:`read_records`.
    """
    records = list(read_records(source))
    return FileContent(
        articles=tuple(r for r in records if isinstance(r, Article)),
        deletions=tuple(r for r in records if isinstance(r, Deletion)),
        failures=tuple(r for r in records if isinstance(r, ReadFailure)),
    )
