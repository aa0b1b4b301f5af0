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
from typing import NamedTuple

MAX_RECORD_BYTES = 16 * 1024 * 1024
"""Longest record that is read. The longest ones known, with 15,000 named collaborators, have about 6 MB."""

DELETION = "DeleteCitation"
_SETS = ("PubmedArticleSet", "PubmedBookArticleSet")
_RECORDS = ("PubmedArticle", "PubmedBookArticle", DELETION)
_ANY_PREFIX = rb"(?:[A-Za-z_][\w.\-]{0,63}:)?"
_LONGEST_TAG = 128
_KEPT_OF_DAMAGED = 64 * 1024
_BYTE_ORDER_MARK = codecs.BOM_UTF8

# Where a stretch that is not markup ends; the second alternative shows that its end is damaged, because
# a comment holds no "--" and nobody nests the others. Reading then goes on behind the opening.
_CLOSINGS = {
    b"!--": re.compile(rb"--(?:(>)|[^>])", re.DOTALL),
    b"![CDATA[": re.compile(rb"(\]\]>)|<!\[CDATA\["),
    b"?": re.compile(rb"(\?>)|<\?"),
    b"!DOCTYPE": re.compile(rb"(>|\[(?=\s{0,99}(?:<[!?]|%|\])))|[<\[]"),
}
_INTERNAL_SUBSET_END = re.compile(rb"(\]\s{0,64}>)|<!DOCTYPE")
_ENCODING = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._\-]{0,39})[\"']")
_TAG = re.compile(rb"<[^<>]*>")
_ANGLE = re.compile(rb"[<>]")


def tag_pattern(prefix: bytes | None = None) -> re.Pattern[bytes]:
    """Match the tags of records and sets, and the openings of what may hide such tags.

    With ``prefix`` (empty, or like ``b"p:"``) it is three times as fast as with any prefix.
    """
    names = "|".join((*_SETS, *_RECORDS)).encode()
    # A literal first character lets the search run from one "<" to the next; one look at what follows
    # rules out nearly all other tags.
    glance = rb"(?=[!?PD]|/[PD])" if prefix == b"" else b""
    any_or_known = _ANY_PREFIX if prefix is None else re.escape(prefix)
    openings = rb"!--|!\[CDATA\[|\?|!DOCTYPE"
    tag = rb"(/?)(" + any_or_known + rb")(" + names + rb")(?=[\s/>])"
    return re.compile(rb"<" + glance + rb"(?:(" + openings + rb")|" + tag + rb")")


def holds_records(data: bytes) -> bool:
    """Tell whether a set or a record begins in these bytes."""
    names = "|".join((*_SETS, *_RECORDS)).encode()
    return re.search(rb"</?" + _ANY_PREFIX + rb"(?:" + names + rb")[\s/>]", data) is not None


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
        From the start tag to the end tag; only the beginning when there is a fault.
    offset : int
        Where it begins in the (decompressed) stream.
    name : str
        Local name of the element; empty for a stray stretch.
    declarations : bytes
        Namespace declarations of the enclosing set.
    encoding : str
        As the XML declaration says.
    """

    data: bytes
    offset: int
    name: str
    fault: Fault | None
    declarations: bytes
    encoding: str


class _Tag(NamedTuple):
    start: int
    end: int
    closes: bool
    empty: bool
    prefix: bytes
    name: str


class _Window:
    """The part of the stream that is in memory, addressed by position in the stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._data = bytearray()
        self._base = 0

    @property
    def end(self) -> int:
        return self._base + len(self._data)

    def grow(self, keep_from: int) -> bool:
        """Load one more block and drop what stands before ``keep_from``; False at the end."""
        block = next(self._blocks, None)
        if block is None:
            return False
        del self._data[: keep_from - self._base]
        self._base = keep_from
        self._data += block
        return True

    def cut(self, start: int, end: int) -> bytes:
        return bytes(self._data[start - self._base : end - self._base])

    def find(self, pattern: re.Pattern[bytes], start: int) -> tuple[int, int, tuple[bytes, ...]] | None:
        match = pattern.search(self._data, start - self._base)
        if match is None:
            return None
        groups = tuple(bytes(group) for group in match.groups(b""))
        return match.start() + self._base, match.end() + self._base, groups


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
    Time is linear in the size of the stream whatever it holds, memory at most about twice
    :data:`MAX_RECORD_BYTES`. Records do not nest: a start tag ends the record before it.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.found = False
        self._window = _Window(blocks)
        self._any_prefix = self._pattern = tag_pattern()
        self._declarations = b""
        self._encoding = "utf-8"
        self._set_is_open = False
        self._scan = 0
        self._mark = 0  # everything before is dealt with
        self._name = ""  # of the record that is open
        self._prefix = b""
        self._offset = 0  # of the record or of the stray text
        self._kept = bytearray()  # of stray text, or of a record that is too large

    def __iter__(self) -> Iterator[Chunk]:
        while (tag := self._next_tag()) is not None:
            self.found = True
            if tag.name in _SETS:
                yield from self._take_set(tag)
            elif tag.closes:
                yield from self._take_end(tag)
            else:
                yield from self._take_start(tag)
        yield from self._finish()

    def _take_set(self, tag: _Tag) -> Iterator[Chunk]:
        if self._name:
            yield from self._close(tag.start, Fault.NO_END)
        elif self._set_is_open and not tag.closes:
            yield from self._stray(tag.start, Fault.CUT_BETWEEN)
        else:
            yield from self._stray(tag.start, Fault.STRAY)
        self._set_is_open = not (tag.closes or tag.empty)
        self._declarations = self._window.cut(tag.start, tag.end) if self._set_is_open else b""
        self._pattern = self._any_prefix
        self._mark = tag.end

    def _take_start(self, tag: _Tag) -> Iterator[Chunk]:
        yield from self._close(tag.start, Fault.NO_END) if self._name else self._stray(tag.start, Fault.STRAY)
        self._name, self._prefix, self._offset, self._mark = tag.name, tag.prefix, tag.start, tag.start
        if tag.empty:
            yield from self._close(tag.end, None)

    def _take_end(self, tag: _Tag) -> Iterator[Chunk]:
        if self._pattern is self._any_prefix and self._name and tag.prefix == self._prefix:
            # Two tags agree on the prefix; looking for any prefix takes three times as long.
            self._pattern = tag_pattern(tag.prefix)
        yield from self._close(tag.end, None) if self._name else self._stray(tag.end, Fault.NO_START)

    def _finish(self) -> Iterator[Chunk]:
        end = self._window.end
        if self._name:
            yield from self._close(end, Fault.CUT)
        else:
            yield from self._stray(end, Fault.CUT_BETWEEN if self._set_is_open else Fault.STRAY)

    def _close(self, end: int, fault: Fault | None) -> Iterator[Chunk]:
        if self._kept or end - self._mark > MAX_RECORD_BYTES:
            fault = Fault.TOO_LARGE
            self._keep(end)
        data = bytes(self._kept) or self._window.cut(self._mark, end)
        # An end tag that lost its slash looks like the start of a record that holds nothing.
        if not (fault in (Fault.NO_END, Fault.CUT) and not _TAG.sub(b"", data, count=1).strip()):
            yield self._chunk(data, fault)
        self._name = ""
        self._kept.clear()
        self._mark = end

    def _stray(self, end: int, fault: Fault) -> Iterator[Chunk]:
        self._set_aside(end)
        data = bytes(self._kept)
        # Tags alone, an unknown wrapper or a damaged root, are no lost record.
        if fault is Fault.CUT_BETWEEN or _TAG.sub(b"", data).replace(_BYTE_ORDER_MARK, b"").strip():
            yield self._chunk(data, fault)
        self._kept.clear()
        self._mark = end

    def _chunk(self, data: bytes, fault: Fault | None) -> Chunk:
        return Chunk(data, self._offset, self._name, fault, self._declarations, self._encoding)

    def _set_aside(self, end: int) -> None:
        if not self._kept:
            self._offset = self._mark
        self._keep(end)

    def _keep(self, end: int) -> None:
        room = _KEPT_OF_DAMAGED - len(self._kept)
        self._kept += self._window.cut(self._mark, end).strip()[:room]
        self._mark = end

    def _next_tag(self) -> _Tag | None:
        while True:
            hit = self._window.find(self._pattern, self._scan)
            if hit is None:
                self._scan = max(self._scan, self._window.end - _LONGEST_TAG)
                if self._scan - self._mark > MAX_RECORD_BYTES:
                    self._keep(self._scan) if self._name else self._set_aside(self._scan)
                if not self._window.grow(self._mark):
                    return None
                continue
            start, end, (opening, slash, prefix, name) = hit
            if not opening:
                return self._complete(start, end, bool(slash), prefix, name)
            self._skip(start, end, opening)

    def _complete(self, start: int, end: int, closes: bool, prefix: bytes, name: bytes) -> _Tag:
        """Find the end of the tag; a damaged one reaches to the next."""
        empty = False
        if self._window.cut(end, end + 1) == b">":
            end += 1
        elif (hit := self._search(_ANGLE, end, start + _KEPT_OF_DAMAGED)) is not None:
            inside, is_whole = self._window.cut(end, hit[0]), self._window.cut(hit[0], hit[1]) == b">"
            empty = is_whole and not closes and inside.endswith(b"/")
            end = hit[1] if is_whole else hit[0]
        self._scan = end
        return _Tag(start, end, closes, empty, prefix, name.decode())

    def _skip(self, start: int, end: int, opening: bytes) -> None:
        close = self._closing(opening, end)
        self._scan = end if close is None else close
        if close is None or self._name:
            return
        if opening == b"?" and (found := _ENCODING.match(self._window.cut(start, min(close, start + 200)))):
            self._encoding = _usable(found[1].decode())
        self._set_aside(start)
        self._mark = close

    def _closing(self, opening: bytes, start: int) -> int | None:
        hit = self._search(_CLOSINGS[opening], start, start + MAX_RECORD_BYTES)
        if hit is None or not hit[2][0]:
            return None
        if hit[2][0] == b"[":
            hit = self._search(_INTERNAL_SUBSET_END, hit[1], start + MAX_RECORD_BYTES)
        return hit[1] if hit and hit[2][0] else None

    def _search(
        self, pattern: re.Pattern[bytes], start: int, limit: int
    ) -> tuple[int, int, tuple[bytes, ...]] | None:
        while True:
            hit = self._window.find(pattern, start)
            if hit is not None:
                return hit
            start = max(start, self._window.end - _LONGEST_TAG)
            if self._window.end > limit or not self._window.grow(self._mark):
                return None


def _usable(name: str) -> str:
    """Return the codec when its ASCII is ASCII, else UTF-8: PubMed writes nothing else."""
    ascii_text = bytes(range(0x20, 0x7F))
    try:
        is_usable = ascii_text.decode(name).encode(name) == ascii_text == ascii_text.decode(name).encode()
    except (LookupError, UnicodeError):
        return "utf-8"
    return codecs.lookup(name).name if is_usable else "utf-8"
