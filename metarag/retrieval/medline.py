"""Reads MEDLINE text, as in the ``.nbib`` files that PubMed exports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from metarag.errors import InputError
from metarag.records import Article
from metarag.retrieval.base import ReadFailure, Record
from metarag.retrieval.byte_source import MAX_RECORD_BYTES, ByteSource, Source, peek, utf8_blocks
from metarag.retrieval.medline_fields import medline_fields
from metarag.retrieval.text_lines import numbered_lines
from metarag.retrieval.validation import faults_of

_USUAL_LINE = re.compile(rb"(?:^|[\r\n])(?:PMID|OWN |STAT|DCOM)- ")
# A byte that took the place of the line end before it does not hide where a record begins.
_PMID = re.compile(rb".{0,3}PMID- {0,9}0{0,9}([1-9]\d{0,9}) {0,99}", re.DOTALL)
_TAG = re.compile(r"([A-Z][A-Z0-9]{0,3}) {0,3}- ?")
_CONTINUATION = b"      "


def read_medline(source: Source | ByteSource) -> Iterator[Record]:
    """Yield every record of a MEDLINE file in its order; one that cannot be read is a ``ReadFailure``.

    A record begins with ``PMID-``, or after an empty line. ``AB`` is split into sections where it has
    labels in capitals. The format has neither UIs of publication types and MeSH headings nor the NLM
    categories of sections, so those stay unknown.

    Parameters
    ----------
    source : str, pathlib.Path, bytes or binary file
        A ``str`` is a path. gzip is told by its content.

    Raises
    ------
    InputError
        The path cannot be read; or, while iterating, the content is no MEDLINE text.
    """
    return _records(ByteSource.of(source))


def looks_like_medline(head: bytes) -> bool:
    """Tell whether a file that begins like this is MEDLINE text."""
    return _USUAL_LINE.search(head) is not None


def _records(source: ByteSource) -> Iterator[Record]:
    head, blocks = peek(utf8_blocks(source.blocks()))
    if not looks_like_medline(head):
        raise InputError(f"{source.name} is no MEDLINE text: no line is like 'PMID- 12345678'")
    position = 0
    for position, (number, lines) in enumerate(_split(numbered_lines(blocks)), start=1):
        yield _article(lines, position, number)
    yield from source.failure_after(position)


def _split(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the number of the first line and the lines of each record."""
    first, size, after_gap = 0, 0, False
    record: list[bytes] = []
    for number, line in lines:
        if not line.strip():
            # Some programs strip the blanks of an empty line inside an abstract: see what comes next.
            after_gap = True
            continue
        is_first_line = line.startswith(b"PMID-") or _PMID.fullmatch(line) is not None
        begins = is_first_line or (after_gap and not line.startswith(_CONTINUATION))
        if begins and record:
            yield first, record
            record, size = [], 0
        if not record:
            first = number
        # One line more than the limit shows that there were more.
        if size <= MAX_RECORD_BYTES:
            record.append(line)
            size += len(line)
        after_gap = False
    if record:
        yield first, record


def _article(lines: list[bytes], position: int, number: int) -> Article | ReadFailure:
    def failure(reason: str, pmid: str | None) -> ReadFailure:
        return ReadFailure(position=position, pmid=pmid, offset=number, reason=reason)

    pmid = next((match[1].decode() for line in lines if (match := _PMID.fullmatch(line))), None)
    if sum(map(len, lines)) > MAX_RECORD_BYTES:
        return failure(f"it is larger than {MAX_RECORD_BYTES // 2**20} MB", pmid)
    try:
        fields = _field_lines([line.decode("utf-8") for line in lines])
    except UnicodeDecodeError:
        return failure("it holds bytes that are not UTF-8", pmid)
    if fields is None:
        return failure("a line has neither a tag such as 'TI  - ' nor belongs to one", pmid)
    if pmid is None:
        return failure("it has no PMID, or one that is no number", None)
    try:
        return Article.model_validate(medline_fields(_by_tag(fields), fields) | {"pmid": pmid})
    except ValidationError as error:
        return failure(faults_of(error), pmid)


def _field_lines(lines: list[str]) -> list[tuple[str, str]] | None:
    """Join continuation lines to their field; ``None`` when a line is neither."""
    fields: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("      "):
            if not fields:
                return None
            fields[-1][1].append(line.strip())
        elif tag := _TAG.match(line[:8]):
            fields.append((tag[1], [line[tag.end() :].strip()]))
        else:
            return None
    return [(name, " ".join(parts)) for name, parts in fields]


def _by_tag(fields: list[tuple[str, str]]) -> Mapping[str, Any]:
    # Imported here: most uses of metarag read no MEDLINE text. The lines go in joined, because
    # Bio.Medline makes a value of its own of each continuation line of a repeated field.
    from Bio import Medline

    read: Callable[[list[str]], Mapping[str, Any]] = Medline.read
    return read([f"{name:<4}- {value}\n" for name, value in fields])
