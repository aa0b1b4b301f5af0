"""Cuts a stream of PubMed XML into records before any of it is parsed, so that damage stays in its record.

A parser gives up at the first fault, and a batch or a file of 30,000 records with it. Here only the tags
that begin and end a record are looked for, in the bytes; each record is then parsed on its own.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from metarag.retrieval.byte_source import MAX_RECORD_BYTES
from metarag.retrieval.xml_scan import SETS, Backlog, Hidden, Tag, TagScanner

_KEPT_OF_DAMAGED = 64 * 1024
_BYTE_ORDER_MARK = codecs.BOM_UTF8
_ENCODING = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._\-]{0,39})[\"']")
_TAG = re.compile(rb"<[^<>]*>")


class Fault(StrEnum):
    """What the cutting already shows to be wrong."""

    NO_END = "its end tag is missing or damaged"
    NO_START = "its start tag is missing or damaged"
    CUT = "the file ends in the middle of this record"
    CUT_BETWEEN = "the file ends in the middle: the set has no end, and records may be missing"
    TOO_LARGE = f"it is larger than {MAX_RECORD_BYTES // 2**20} MB"
    STRAY = "text between the records that is no record"


@dataclass(frozen=True, slots=True)
class Chunk:
    """The bytes of one record, or of what may have been one.

    Parameters
    ----------
    data : bytes
        From the start tag to the end tag; of a record that is too large and of stray text the beginning.
    offset : int
        Where it begins in the (decompressed) stream.
    name : str
        Local name of the element; empty for stray text.
    declarations : bytes
        Start tag of the set, with its namespace declarations.
    encoding : str
        As the XML declaration says.
    """

    data: bytes
    offset: int
    name: str
    fault: Fault | None
    declarations: bytes
    encoding: str


class RecordSplitter:
    """Iterates over the chunks of a stream.

    Parameters
    ----------
    blocks : iterator of bytes
        UTF-8 or another encoding that holds ASCII as it is.

    Attributes
    ----------
    found : bool
        True once a set or a record has begun.

    Notes
    -----
    Memory is at most about twice :data:`MAX_RECORD_BYTES`. Records do not nest: a start tag ends the
    record before it.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.found = False
        self._scanner = TagScanner(blocks)
        self._declarations = b""
        self._encoding = "utf-8"
        self._set_is_open = False
        self._name = ""  # of the record that is open
        self._prefix = b""
        self._offset = 0  # of the record or of the stray text
        self._kept = bytearray()  # of stray text, or of a record that is too large

    def __iter__(self) -> Iterator[Chunk]:
        for event in self._scanner.events():
            if isinstance(event, Tag):
                self.found = True
                yield from self._take(event)
            elif isinstance(event, Backlog):
                self._keep(event.end)
            elif not self._name:
                self._pass_over(event)
        if self._name:
            yield from self._close(self._scanner.end, Fault.CUT)
        else:
            yield from self._stray(self._scanner.end, Fault.CUT_BETWEEN if self._set_is_open else Fault.STRAY)

    def _take(self, tag: Tag) -> Iterator[Chunk]:
        if tag.name in SETS:
            yield from self._take_set(tag)
        elif not tag.closes:
            yield from self._leave(tag.start, Fault.STRAY)
            self._name, self._prefix, self._offset = tag.name, tag.prefix, tag.start
            if tag.is_empty:
                yield from self._close(tag.end, None)
        elif self._name:
            if tag.prefix == self._prefix:
                # Two tags agree: the one of a single tag may be damage.
                self._scanner.expect(tag.prefix)
            yield from self._close(tag.end, None)
        else:
            yield from self._stray(tag.end, Fault.NO_START)

    def _take_set(self, tag: Tag) -> Iterator[Chunk]:
        is_cut = self._set_is_open and not tag.closes
        yield from self._leave(tag.start, Fault.CUT_BETWEEN if is_cut else Fault.STRAY)
        self._set_is_open = not (tag.closes or tag.is_empty)
        self._declarations = self._scanner.cut(tag.start, tag.end) if self._set_is_open else b""
        self._scanner.expect(None)
        self._scanner.keep_from = tag.end

    def _leave(self, end: int, stray_fault: Fault) -> Iterator[Chunk]:
        """End what was before: a record without its end, or what stands between the records."""
        yield from self._close(end, Fault.NO_END) if self._name else self._stray(end, stray_fault)

    def _close(self, end: int, fault: Fault | None) -> Iterator[Chunk]:
        if self._kept or end - self._scanner.keep_from > MAX_RECORD_BYTES:
            fault = Fault.TOO_LARGE
            self._keep(end)
        data = bytes(self._kept) or self._scanner.cut(self._scanner.keep_from, end)
        # An end tag that lost its slash looks like the start of a record that holds nothing.
        if not (fault is Fault.NO_END and not _TAG.sub(b"", data, count=1).strip()):
            yield self._chunk(data, fault)
        self._go_on(end)

    def _stray(self, end: int, fault: Fault) -> Iterator[Chunk]:
        self._keep(end)
        data = bytes(self._kept)
        # Tags alone, an unknown wrapper or a damaged root, are no lost record.
        if fault is Fault.CUT_BETWEEN or _TAG.sub(b"", data).replace(_BYTE_ORDER_MARK, b"").strip():
            yield self._chunk(data, fault)
        self._go_on(end)

    def _chunk(self, data: bytes, fault: Fault | None) -> Chunk:
        return Chunk(data, self._offset, self._name, fault, self._declarations, self._encoding)

    def _go_on(self, end: int) -> None:
        self._name = ""
        self._kept.clear()
        self._scanner.keep_from = end

    def _keep(self, end: int) -> None:
        """Keep the beginning of what stands before ``end`` and let go of the bytes."""
        start = self._scanner.keep_from
        if not (self._name or self._kept):
            self._offset = start
        self._kept += self._scanner.cut(start, end).strip()[: _KEPT_OF_DAMAGED - len(self._kept)]
        self._scanner.keep_from = end

    def _pass_over(self, hidden: Hidden) -> None:
        self._keep(hidden.start)
        self._scanner.keep_from = hidden.end
        found = _ENCODING.match(self._scanner.cut(hidden.start, min(hidden.end, hidden.start + 200)))
        if found:
            self._encoding = _usable(found[1].decode())


def _usable(name: str) -> str:
    """Return the codec when its ASCII is ASCII, else UTF-8: PubMed writes nothing else."""
    ascii_text = bytes(range(0x20, 0x7F))
    try:
        is_usable = ascii_text.decode(name).encode(name) == ascii_text == ascii_text.decode(name).encode()
    except (LookupError, UnicodeError):
        return "utf-8"
    codec = codecs.lookup(name).name if is_usable else "utf-8"
    return "utf-8" if codec == "ascii" else codec
