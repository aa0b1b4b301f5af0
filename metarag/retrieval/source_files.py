"""Files that a local index is built from: which, in which order, and whether they came over whole."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from metarag.errors import InputError
from metarag.files import read_small_file
from metarag.report.plain import plain

RECORDS_IN_A_FILE: Final = 30_000
"""Of PubMed's baseline; the last one and update files hold fewer."""

_RELEASE: Final = re.compile(r"pubmed(\d\d)n(\d{4,6})\.xml(?:\.gz)?")
_MD5: Final = re.compile(r"\b[0-9a-fA-F]{32}\b")
_MD5_FILE_BYTES: Final = 64 * 1024
_BLOCK: Final = 1024 * 1024


class Release(NamedTuple):
    """Which of PubMed's own files: a year's baseline and its updates are numbered on from 1."""

    year: int
    number: int

    @classmethod
    def of(cls, name: str) -> Release | None:
        """Return what ``pubmed26n0001.xml.gz`` says; ``None`` for any other name."""
        found = _RELEASE.fullmatch(name)
        return cls(2000 + int(found[1]), int(found[2])) if found else None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to be indexed; ``name`` can be shown, ``size`` is in bytes."""

    path: Path
    name: str
    size: int

    @property
    def release(self) -> Release | None:
        """Which of PubMed's own files it is, by its name."""
        return Release.of(self.name)

    def digest(self) -> str:
        """Return the SHA-256 of the content, once its MD5 is the one of the ``.md5`` file beside it, if any.

        Raises
        ------
        InputError
            The MD5 is another one, or the ``.md5`` file holds none.
        OSError
            It cannot be read.
        """
        told = self._told_md5()
        content, check = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
        with self.path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                content.update(block)
                if told:
                    check.update(block)
        if told and check.hexdigest() != told:
            raise InputError(
                f"its MD5 is not the one in {self.name}.md5: it was cut or changed on its way; fetch both again."
                " Nothing of it was indexed"
            )
        return content.hexdigest()

    def _told_md5(self) -> str | None:
        """Return the digest that the file beside it tells, as NCBI or ``md5sum`` writes it."""
        beside = self.path.with_name(f"{self.path.name}.md5")
        if not beside.is_file():
            return None
        lines = read_small_file(beside, limit=_MD5_FILE_BYTES).decode("utf-8", "replace").splitlines()
        found = [(match[0].lower(), line) for line in lines for match in _MD5.finditer(line)]
        own = [digest for digest, line in found if self.name in line]
        told = set(own or (digest for digest, _ in found))
        if len(told) != 1:
            raise InputError(
                f"{self.name}.md5 beside it holds no MD5 of it: fetch both again, or delete the .md5 file."
                " Nothing of it was indexed"
            )
        return told.pop()


def source_files(paths: Sequence[str | Path]) -> list[SourceFile]:
    """Return the files in the order in which they count.

    A folder stands for PubMed's own files in it (``pubmed26n0001.xml.gz``). Those are put in the order of their
    years and numbers, in the places that they have among the others; the others stay where they are.

    Raises
    ------
    InputError
        One is missing, or is a pipe or device, which can be read only once: a file is known again by its
        content. Or a folder holds no file of PubMed's.
    """
    given = [Path(path) for path in paths]
    missing = [plain(str(path)) for path in given if not path.exists()]
    if missing:
        raise InputError(f"no such file: {', '.join(missing[:5])}; nothing was indexed")
    found = list(_unfolded(given))
    others = [plain(str(path)) for path in found if not path.is_file()]
    if others:
        raise InputError(
            f"not a regular file: {', '.join(others[:5])}; nothing was indexed. An index takes files, "
            "because it knows them again by their content: save what comes from a pipe to a file first"
        )
    files = [SourceFile(path, plain(path.name), path.stat().st_size) for path in found]
    numbered = iter(sorted((f for f in files if f.release), key=_order))
    return [next(numbered) if file.release else file for file in files]


def _order(file: SourceFile) -> Release:
    return file.release or Release(0, 0)


def _unfolded(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(each for each in path.iterdir() if Release.of(each.name) and each.is_file())
        if not inside:
            raise InputError(
                f"the folder {plain(str(path))} holds no file named as PubMed's are (pubmed26n0001.xml.gz);"
                " name the files themselves. Nothing was indexed"
            )
        yield from inside
