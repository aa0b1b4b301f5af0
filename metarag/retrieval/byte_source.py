"""The bytes of a file, a ``bytes`` object or a binary stream, block by block, gunzipped where needed."""

from __future__ import annotations

import codecs
import os
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from metarag.errors import InputError
from metarag.retrieval.base import ReadFailure

Source = str | Path | bytes | BinaryIO
"""A path, the bytes themselves, or a file opened in binary mode."""

MAX_RECORD_BYTES = 16 * 1024 * 1024
"""Longest record that is read, in any format; a longer one is reported and skipped.

A record with 15,000 named collaborators, as a few articles have them, takes about 6 MB.
"""

BLOCK_BYTES = 256 * 1024
SNIFFED_BYTES = 1024 * 1024
"""Within the first megabyte a source has to show that it is what it should be."""

_GZIP_MAGIC = b"\x1f\x8b"
_STREAM_NAMES = MappingProxyType({"<stdin>": "standard input"})


class ByteSource:
    """Where the bytes come from, and whether they came to an end as they should.

    Parameters
    ----------
    source : str, pathlib.Path, bytes or binary file
        A ``str`` is a path, never the content. A file object is read from where it stands and is
        not closed.

    Attributes
    ----------
    name : str
        What to call it in a message.
    damage : str or None
        After the last block: why the bytes ended early (cut or damaged gzip data), else ``None``.

    Raises
    ------
    InputError
        The path is missing, is a folder or cannot be opened; or the source is none of the above.
    """

    def __init__(self, source: Source) -> None:
        self.damage: str | None = None
        self._source = source
        self._begun: Iterator[bytes] | None = None
        if isinstance(source, bytes | bytearray | memoryview):
            self.name = "the data"
        elif isinstance(source, str | Path):
            self.name = _checked_path(source)
        elif callable(getattr(source, "read", None)):
            name = getattr(source, "name", None)
            self.name = _STREAM_NAMES.get(name, name) if isinstance(name, str) else "the file object"
        else:
            raise InputError(
                f"cannot read from {type(source).__name__}: give a path, bytes, or a file in mode 'rb'"
            )

    @classmethod
    def of(cls, source: Source | ByteSource) -> ByteSource:
        """Return the source itself, also one that somebody has looked into, or make one."""
        return source if isinstance(source, ByteSource) else cls(source)

    def head(self) -> bytes:
        """Return the beginning of the content, which :meth:`blocks` yields again.

        A pipe gives its bytes once: whoever tells the format must hand on what was read for that.

        Raises
        ------
        InputError
            As for :meth:`blocks`.
        """
        head, self._begun = peek(self.blocks())
        return head

    def blocks(self) -> Iterator[bytes]:
        """Yield the content; gzip is told by its first two bytes, never by the name.

        Raises
        ------
        InputError
            Reading failed, or the file object gives text.
        """
        if self._begun is not None:
            begun, self._begun = self._begun, None
            return begun
        return self._content()

    def _content(self) -> Iterator[bytes]:
        raw = self._raw_blocks()
        head = next(raw, b"")
        while 0 < len(head) < len(_GZIP_MAGIC) and (more := next(raw, b"")):
            head += more
        raw = chain([head], raw)
        yield from self._inflate(raw) if head.startswith(_GZIP_MAGIC) else raw

    def failure_after(self, position: int) -> Iterator[ReadFailure]:
        """Yield the report of damaged bytes, if there is any, as what comes after that record."""
        if self.damage:
            yield ReadFailure(position=position + 1, reason=f"{self.damage}; records may be missing")

    def _raw_blocks(self) -> Iterator[bytes]:
        source = self._source
        if isinstance(source, bytes | bytearray | memoryview):
            view = memoryview(source)
            for start in range(0, len(view), BLOCK_BYTES):
                yield bytes(view[start : start + BLOCK_BYTES])
        elif isinstance(source, str | Path):
            try:
                stream = Path(source).open("rb")  # noqa: SIM115 - closed below, also when the reader stops early
            except OSError as error:
                raise InputError(_cannot_read(self.name, error)) from error
            with stream:
                yield from self._stream_blocks(stream)
        else:
            yield from self._stream_blocks(source)

    def _stream_blocks(self, stream: BinaryIO) -> Iterator[bytes]:
        while True:
            try:
                block = stream.read(BLOCK_BYTES)
            except OSError as error:
                raise InputError(_cannot_read(self.name, error)) from error
            except ValueError as error:
                raise InputError(f"{self.name}: the file object is closed or in text mode") from error
            if not isinstance(block, bytes | bytearray):
                raise InputError(f"{self.name}: the file object gives text; open it with mode 'rb'")
            if not block:
                return
            yield bytes(block)

    def _inflate(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        decoder, ended = zlib.decompressobj(wbits=31), False
        for block in blocks:
            waiting = block
            while waiting:
                before = decoder.copy()
                try:
                    content = decoder.decompress(waiting, BLOCK_BYTES)
                except zlib.error:
                    self.damage = "the gzip data are damaged: structure or checksum is wrong"
                    yield from _until_the_damage(before, waiting)
                    return
                if content:
                    yield content
                waiting, ended = decoder.unconsumed_tail, decoder.eof
                if ended:
                    # Several members in a row are one file; some tools pad with zero bytes.
                    waiting = decoder.unused_data.lstrip(b"\0")
                    decoder = zlib.decompressobj(wbits=31)
        if not ended:
            self.damage = "the gzip data end too early: the file was cut"


def utf8_blocks(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Drop a byte order mark and turn UTF-16 into UTF-8; other encodings pass unchanged.

    What is no character in UTF-16 (half a surrogate pair) becomes bytes that are no UTF-8 either,
    so that the record it stands in fails, and no other.
    """
    head = next(blocks, b"")
    while 0 < len(head) < 4 and (more := next(blocks, b"")):
        head += more
    encoding = _utf16_form(head)
    if encoding is None:
        yield head.removeprefix(codecs.BOM_UTF8)
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    for block in chain([head], blocks):
        yield decoder.decode(block).removeprefix("\ufeff").encode("utf-8", "surrogatepass")


def peek(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first :data:`SNIFFED_BYTES` or all there is, and the blocks from the beginning again."""
    head = bytearray()
    for block in blocks:
        head += block
        if len(head) >= SNIFFED_BYTES:
            break
    return bytes(head), chain([bytes(head)], blocks)


def _utf16_form(head: bytes) -> str | None:
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return None
    # Without a mark, two ASCII characters in a row: one stray NUL does not make a file UTF-16.
    zeros = [byte == 0 for byte in head[:4]]
    if head.startswith(codecs.BOM_UTF16_LE) or (head[:1] == b"<" and zeros == [False, True, False, True]):
        return "utf-16-le"
    if head.startswith(codecs.BOM_UTF16_BE) or (head[1:2] == b"<" and zeros == [True, False, True, False]):
        return "utf-16-be"
    return None


def _until_the_damage(decoder: zlib._Decompress, waiting: bytes) -> Iterator[bytes]:
    """Decompress byte by byte: what stands before the damage in the same block is still good."""
    for index in range(len(waiting)):
        try:
            content = decoder.decompress(waiting[index : index + 1])
        except zlib.error:
            return
        if content:
            yield content


def _checked_path(source: str | Path) -> str:
    name = os.fspath(source)
    if isinstance(source, str) and name.lstrip().startswith(("<", '{"')):
        raise InputError("a str is taken as the path of a file; to read content, encode it to bytes")
    if not name or "\0" in name:
        raise InputError(f"{name!r} is not the path of a file")
    path = Path(source)
    try:
        if path.is_dir():
            raise InputError(f"{name} is a folder; name one file in it")
        if not path.exists():
            raise InputError(f"{name} does not exist; check the path")
    except OSError as error:
        raise InputError(_cannot_read(name, error)) from error
    return name


def _cannot_read(name: str, error: OSError) -> str:
    return f"{name} cannot be read: {error.strerror or type(error).__name__}"
