"""Finds the tags of PubMed records in a stream of bytes, without parsing what stands between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from metarag.retrieval.byte_source import MAX_RECORD_BYTES

DELETION = "DeleteCitation"
SETS = ("PubmedArticleSet", "PubmedBookArticleSet")
_RECORDS = ("PubmedArticle", "PubmedBookArticle", DELETION)
_NAMES = "|".join((*SETS, *_RECORDS)).encode()
_ANY_PREFIX = rb"(?:[A-Za-z_][\w.\-]{0,63}:)?"
_LONGEST_NAME = 128
_LONGEST_TAG = 64 * 1024

# Where a stretch that is not markup ends; the second alternative shows that its end is damaged, because
# a comment holds no "--" and nobody nests the others. Reading then goes on behind the opening.
_CLOSINGS = {
    b"!--": re.compile(rb"--(?:(>)|[^>])", re.DOTALL),
    b"![CDATA[": re.compile(rb"(\]\]>)|<!\[CDATA\["),
    b"?": re.compile(rb"(\?>)|<\?"),
    b"!DOCTYPE": re.compile(rb"(>|\[(?=\s{0,99}(?:<[!?]|%|\])))|[<\[]"),
}
# In the internal subset of a DOCTYPE, strings and comments may hold anything.
_SUBSET_PART = re.compile(rb"(\]\s{0,64}>|[\"']|<!--)|<!DOCTYPE")
_STRING_ENDS = {b'"': re.compile(rb"(\")"), b"'": re.compile(rb"(')"), b"<!--": _CLOSINGS[b"!--"]}
_ANGLE = re.compile(rb"[<>]")


class Tag(NamedTuple):
    """A tag of a record or a set; ``start`` and ``end`` count bytes from the beginning of the stream."""

    start: int
    end: int
    name: str
    prefix: bytes
    closes: bool
    is_empty: bool


class Hidden(NamedTuple):
    """A comment, CDATA section, processing instruction or DOCTYPE."""

    start: int
    end: int


class Backlog(NamedTuple):
    """More than :data:`MAX_RECORD_BYTES` are held and no tag came; there is none before ``end``."""

    end: int


class _Hit(NamedTuple):
    start: int
    end: int
    groups: tuple[bytes, ...]


def holds_records(data: bytes) -> bool:
    """Tell whether a set or a record begins in these bytes."""
    return re.search(rb"</?" + _ANY_PREFIX + rb"(?:" + _NAMES + rb")[\s/>]", data) is not None


def _tag_pattern(prefix: bytes | None = None) -> re.Pattern[bytes]:
    """Match record and set tags, and openings of what may hide such; a known prefix is thrice as fast."""
    # A literal first character lets the search run from one "<" to the next; one look at what follows
    # rules out nearly all other tags.
    glance = rb"(?=[!?PD]|/[PD])" if prefix == b"" else b""
    any_or_known = _ANY_PREFIX if prefix is None else re.escape(prefix)
    openings = rb"!--|!\[CDATA\[|\?|!DOCTYPE"
    tag = rb"(/?)(" + any_or_known + rb")(" + _NAMES + rb")(?=[\s/>])"
    return re.compile(rb"<" + glance + rb"(?:(" + openings + rb")|" + tag + rb")")


class TagScanner:
    """Walks through a stream from tag to tag.

    Parameters
    ----------
    blocks : iterator of bytes
        UTF-8 or another encoding that holds ASCII as it is.

    Attributes
    ----------
    keep_from : int
        Bytes from here on stay readable through :meth:`cut`; the user moves it on.

    Notes
    -----
    Linear in the size of the stream, whatever it holds: a search for the end of something stops at the
    next opening of the same kind.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.keep_from = 0
        self._blocks = blocks
        self._data = bytearray()
        self._base = 0  # position of the first byte that is held
        self._scan = 0
        self._any_prefix = self._pattern = _tag_pattern()

    @property
    def end(self) -> int:
        """Position after the last byte that was loaded."""
        return self._base + len(self._data)

    def cut(self, start: int, end: int) -> bytes:
        """Return a stretch that does not begin before ``keep_from``."""
        return bytes(self._data[start - self._base : end - self._base])

    def expect(self, prefix: bytes | None) -> None:
        """Look for tags with this prefix only (such as ``b""`` or ``b"p:"``), or with any."""
        if prefix is None:
            self._pattern = self._any_prefix
        elif self._pattern is self._any_prefix:
            self._pattern = _tag_pattern(prefix)

    def events(self) -> Iterator[Tag | Hidden | Backlog]:
        """Yield what comes next, to the end of the stream."""
        while True:
            hit = self._find(self._pattern, self._scan)
            if hit is None:
                self._scan = max(self._scan, self.end - _LONGEST_NAME)
                if self._scan - self.keep_from > MAX_RECORD_BYTES:
                    yield Backlog(self._scan)
                if not self._grow():
                    return
                continue
            opening, slash, prefix, name = hit.groups
            if not opening:
                yield self._tag(hit, bool(slash), prefix, name.decode())
            elif (close := self._closing(opening, hit.end)) is not None:
                self._scan = close
                yield Hidden(hit.start, close)
            else:
                self._scan = hit.end

    def _tag(self, hit: _Hit, closes: bool, prefix: bytes, name: str) -> Tag:
        """Find the end of the tag; a damaged one reaches to the next."""
        end, is_empty = hit.end, False
        if self.cut(end, end + 1) == b">":
            end += 1
        elif (angle := self._search(_ANGLE, end, hit.start + _LONGEST_TAG)) is not None:
            inside, is_whole = self.cut(end, angle.start), self.cut(angle.start, angle.end) == b">"
            is_empty = is_whole and not closes and inside.endswith(b"/")
            end = angle.end if is_whole else angle.start
        self._scan = end
        return Tag(hit.start, end, name, prefix, closes, is_empty)

    def _closing(self, opening: bytes, start: int) -> int | None:
        hit = self._search(_CLOSINGS[opening], start, start + MAX_RECORD_BYTES)
        if hit is None or not hit.groups[0]:
            return None
        return self._subset_end(hit.end) if hit.groups[0] == b"[" else hit.end

    def _subset_end(self, start: int) -> int | None:
        """Find the end of a DOCTYPE that declares things."""
        position, limit = start, start + MAX_RECORD_BYTES
        while (hit := self._search(_SUBSET_PART, position, limit)) is not None:
            part = hit.groups[0]
            if part.startswith(b"]"):
                return hit.end
            end = self._search(_STRING_ENDS[part], hit.end, limit) if part else None
            if end is None or not end.groups[0]:
                return None
            position = end.end
        return None

    def _search(self, pattern: re.Pattern[bytes], start: int, limit: int) -> _Hit | None:
        """Find a match that begins before ``limit``, loading what is needed."""
        while (hit := self._find(pattern, start)) is None:
            start = max(start, self.end - _LONGEST_NAME)
            if self.end > limit or not self._grow():
                return None
        # A look ahead that meets the end of a block would decide by where the block happens to end.
        while hit.end > self.end - _LONGEST_NAME and self._grow():
            hit = self._find(pattern, start) or hit
        return hit if hit.start < limit else None

    def _find(self, pattern: re.Pattern[bytes], start: int) -> _Hit | None:
        match = pattern.search(self._data, start - self._base)
        if match is None:
            return None
        # Taken out at once: a match looks its groups up in data that change with the next block.
        groups = tuple(bytes(group) for group in match.groups(b""))
        return _Hit(match.start() + self._base, match.end() + self._base, groups)

    def _grow(self) -> bool:
        block = next(self._blocks, None)
        if block is None:
            return False
        del self._data[: self.keep_from - self._base]
        self._base = self.keep_from
        self._data += block
        return True
