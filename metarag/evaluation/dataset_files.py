"""Files of questions as bytes, text and rows, with the line that each row stands in."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from metarag.errors import InputError
from metarag.evaluation.dataset_rows import RowError
from metarag.evaluation.items import Dataset, DatasetProblem, Item, checked
from metarag.files import read_small_file

LARGEST = 1_000_000_000
"""Bytes of a file. MedMCQA's training set, the largest, has some 150 million."""
_GZIP = b"\x1f\x8b"

Rows = Iterable[tuple[int | None, Item | DatasetProblem]]
"""Line and what stands in it."""


def read_content(path: Path) -> bytes:
    """Return the content of a regular file, unpacked.

    Raises
    ------
    InputError
        It cannot be read.
    """
    try:
        content = read_small_file(path, limit=LARGEST)
        return gzip.decompress(content) if content[:2] == _GZIP else content
    except (OSError, EOFError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def text_of(content: bytes, path: Path) -> str:
    """Return the content as text.

    Raises
    ------
    InputError
        It is not UTF-8; the message names the line.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: it is not UTF-8; convert the file") from error


# Any: whatever a JSON file holds; each row is checked where it is read.
def json_object(content: bytes, path: Path) -> dict[str, Any]:
    """Return the one object of a JSON file.

    Raises
    ------
    InputError
        It is no JSON, or something else than an object.
    """
    try:
        value = json.loads(text_of(content, path))
    except RecursionError as error:
        raise InputError(f"{path} is no JSON of questions: brackets nested too deeply") from error
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise InputError(f"{path} is no JSON object of questions by id")
    return value


def line_rows(content: bytes, path: Path, make: Callable[..., Item], *, name: str) -> Rows:
    """Yield the item of each line; empty lines are none."""
    # Not splitlines: U+2028 inside a text ends no line of JSON.
    for number, line in enumerate(text_of(content, path).split("\n"), 1):
        if line.strip():
            item = partial(_line_item, line, make, id=f"{name}-{number}", dataset=name)
            yield number, read_row(item, number)


def object_rows(
    rows: dict[str, Any], make: Callable[..., Item], content: bytes, *, start: int = 0
) -> Iterator[tuple[int | None, Item | DatasetProblem]]:
    """Yield the item of each member of an object that begins behind byte ``start``."""
    line, position = content.count(b"\n", 0, start) + 1, start
    for id, row in rows.items():
        found = _key_at(content, id, position)
        line += content.count(b"\n", position, found)
        position = found
        if isinstance(row, dict):
            yield line, read_row(partial(make, row, id=id), line, id)
        else:
            yield line, _invalid(line, id, "it is no JSON object")


def key_end(content: bytes, key: str, start: int = 0) -> int:
    """Return where a key of an object ends, behind ``start``; ``start`` when it is written in another way."""
    return _key_at(content, key, start) + len(key)


def read_row(make: Callable[[], Item], line: int | None, id: str | None = None) -> Item | DatasetProblem:
    """Return the item, or the problem that a row is."""
    try:
        return make()
    except RowError as error:
        return _invalid(line, id, str(error))


def dataset_of(rows: Rows, *, name: str, content: bytes, path: Path) -> Dataset:
    """Return a data set of what was read.

    Raises
    ------
    InputError
        There is no usable question.
    """
    read = list(rows)
    items, odd = checked((line, item) for line, item in read if isinstance(item, Item))
    problems = [found for _, found in read if isinstance(found, DatasetProblem)] + odd
    if not items:
        first = f": line {problems[0].line}: {problems[0].message}" if problems else ""
        raise InputError(f"{path} holds no usable question{first}")
    ordered = sorted(problems, key=lambda problem: problem.line or 0)
    return Dataset(name=name, sha256=digest(content), items=tuple(items), problems=tuple(ordered))


def digest(content: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _line_item(line: str, make: Callable[..., Item], *, id: str, dataset: str) -> Item:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RowError("it is no JSON; write one object a line") from error
    if not isinstance(row, dict):
        raise RowError("it is no JSON object")
    return make(row, id=id, dataset=dataset)


def _invalid(line: int | None, id: str | None, reason: str) -> DatasetProblem:
    return DatasetProblem(line=line, item=id, kind="invalid", message=reason, left_out=True)


def _key_at(content: bytes, key: str, start: int) -> int:
    """Return where a key stands; ``start`` when it is written in another way than usual."""
    for written in {json.dumps(key), json.dumps(key, ensure_ascii=False)}:
        found = re.compile(re.escape(written.encode(errors="replace")) + rb"\s{0,9}:").search(content, start)
        if found:
            return found.start()
    return start
