"""Reads RIS, the exchange format of reference managers, as EndNote, Zotero, Ovid and others write it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from metarag.errors import InputError
from metarag.records import Article
from metarag.retrieval.base import ReadFailure, Record
from metarag.retrieval.byte_source import MAX_RECORD_BYTES, ByteSource, Source, peek, utf8_blocks
from metarag.retrieval.ris_fields import ris_fields
from metarag.retrieval.text_lines import numbered_lines
from metarag.retrieval.validation import faults_of

_BEGINNING = re.compile(rb"(?:^|[\r\n])TY  ? ?- ")
_TAG = re.compile(r"([A-Z][A-Z0-9]) {1,3}-(?: |$)")


def read_ris(source: Source | ByteSource) -> Iterator[Record]:
    """Yield every record of a RIS file in its order; one that cannot be read is a ``ReadFailure``.

    A PMID is taken from ``AN`` where the record comes from PubMed or MEDLINE or does not say, from a
    PubMed address, or from a note ``PMID: ...``. A missing ``ER`` ends no other record.

    Parameters
    ----------
    source : str, pathlib.Path, bytes or binary file
        A ``str`` is a path. gzip is told by its content. UTF-8 or UTF-16; a record that is not UTF-8 is
        taken for Windows-1252, which the format's definition names.

    Raises
    ------
    InputError
        The path cannot be read; or, while iterating, the content is no RIS.
    """
    return _records(ByteSource.of(source))


def looks_like_ris(head: bytes) -> bool:
    """Tell whether a file that begins like this is RIS."""
    return _BEGINNING.search(head) is not None


def _records(source: ByteSource) -> Iterator[Record]:
    head, blocks = peek(utf8_blocks(source.blocks()))
    if not looks_like_ris(head):
        raise InputError(f"{source.name} is no RIS: no line begins with 'TY  - '")
    position = 0
    for position, (number, lines) in enumerate(_split(numbered_lines(blocks)), start=1):
        yield _article(lines, position, number)
    yield from source.failure_after(position)


def _split(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the number of the first line and the lines of each record, from ``TY`` to ``ER``."""
    first, size = 0, 0
    record: list[bytes] = []
    for number, line in lines:
        tag = line[:6].replace(b" ", b"")
        if tag.startswith(b"TY-") and record:
            yield first, record
            record, size = [], 0
        if not record and not line.strip():
            continue
        first = number if not record else first
        if size <= MAX_RECORD_BYTES:
            record.append(line)
            size += len(line)
        if tag.startswith(b"ER-"):
            yield first, record
            record, size = [], 0
    if record:
        yield first, record


def _article(lines: list[bytes], position: int, number: int) -> Article | ReadFailure:
    def failure(reason: str) -> ReadFailure:
        return ReadFailure(position=position, offset=number, reason=reason)

    if sum(map(len, lines)) > MAX_RECORD_BYTES:
        return failure(f"it is larger than {MAX_RECORD_BYTES // 2**20} MB")
    try:
        fields = _by_tag(_decoded(b"\n".join(lines)).split("\n"))
    except UnicodeDecodeError:
        return failure("it holds bytes that are neither UTF-8 nor Windows-1252")
    if "TY" not in fields:
        return failure("its first line, which begins with 'TY  - ', is missing or damaged")
    try:
        return Article.model_validate(ris_fields(fields))
    except ValidationError as error:
        return failure(faults_of(error))


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def _by_tag(lines: list[str]) -> dict[str, list[str]]:
    """Return the lines of each tag; a line without one belongs to the tag before it."""
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        if tag := _TAG.match(line[:8]):
            current = fields.setdefault(tag[1], [])
            current.append(line[tag.end() :].strip())
        elif line.strip():
            current.append(line.strip())
    return fields
