"""Whether the files of a tantivy index are as tantivy wrote them.

A file of a segment ends in a footer: JSON with the CRC-32 of what stands before it, the length of that JSON, and a
number by which it is known as a footer (tantivy's index format 7).
"""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Final

from metarag.errors import IndexUnusableError
from metarag.retrieval.tantivy_schema import DAMAGED
from metarag.retrieval.verify_report import REBUILD, Findings

_END: Final = struct.Struct("<II")
_MAGIC: Final = 1337
_MAX_FOOTER: Final = 4096
_BLOCK: Final = 1024 * 1024


def check_files(index: Path, findings: Findings) -> None:
    """Compare each file of the last commit with the checksum in it.

    Raises
    ------
    IndexUnusableError
        The list of files cannot be read, or a build is changing it.
    """
    segments = _segments(index)
    try:
        for file in sorted(index.iterdir()):
            if file.name.partition(".")[0] not in segments:
                continue
            try:
                fault = _fault(file)
            except FileNotFoundError:
                if _segments(index) != segments:
                    raise IndexUnusableError(
                        f"local index {index} is being written to: check it when the build has ended"
                    ) from None
                fault = "is missing"
            if fault:
                findings.add(f"The file {file.name} of the index {fault}.", REBUILD)
    except OSError as error:
        raise IndexUnusableError(f"local index {index} cannot be read: {error.strerror or error}") from error


def _segments(index: Path) -> frozenset[str]:
    """Return what the files of the last commit begin with."""
    try:
        listed = json.loads((index / "meta.json").read_bytes())["segments"]
        return frozenset(str(segment["segment_id"]).replace("-", "") for segment in listed)
    except FileNotFoundError:
        return frozenset()
    except (ValueError, LookupError, TypeError) as error:
        raise IndexUnusableError(f"local index {index} cannot be used: {DAMAGED} (meta.json)") from error


def _fault(file: Path) -> str | None:
    size = file.stat().st_size
    with file.open("rb") as stream:
        stream.seek(max(0, size - _END.size))
        end = stream.read(_END.size)
        length, magic = _END.unpack(end) if len(end) == _END.size else (0, 0)
        body = size - _END.size - length
        if magic != _MAGIC or length > _MAX_FOOTER or body < 0:
            return "has no checksum where it should be"
        stream.seek(body)
        try:
            told = json.loads(stream.read(length))["crc"]
        except (ValueError, LookupError, TypeError):
            return "has no checksum where it should be"
        stream.seek(0)
        found, left = 0, body
        while left and (block := stream.read(min(_BLOCK, left))):
            found, left = zlib.crc32(block, found), left - len(block)
    return None if found == told and not left else "is not as it was written"
