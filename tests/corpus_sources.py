"""Files of invented records in a format that needs no parser, for tests of the local index."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from builders import make_article

from metarag.errors import PubMedRecordError
from metarag.records import Article
from metarag.retrieval.base import Deletion, ReadFailure, Record
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.corpus_report import BuildReport

KINDS = {kind.__name__: kind for kind in (Article, Deletion, ReadFailure)}
BREAK = "BREAK"


def write_source(path: Path, *records: Record | str) -> Path:
    """Write one record a line; ``BREAK`` is where reading will fail."""
    lines = [
        json.dumps({"kind": BREAK})
        if isinstance(record, str)
        else json.dumps({"kind": type(record).__name__, "fields": record.model_dump(mode="json")})
        for record in records
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def read_source(path: Path) -> Iterator[Record]:
    for line in path.read_text(encoding="utf-8").splitlines():
        parsed = json.loads(line)
        if parsed["kind"] == BREAK:
            raise PubMedRecordError("the file ends in the middle of a record")
        yield KINDS[parsed["kind"]].model_validate(parsed["fields"])


def bulky_article(number: int) -> Article:
    """Return an article that does not compress: some hundred of them overflow the writer's page cache."""
    return make_article(str(number), "Iron", Random(number).randbytes(30_000).hex())


def build(index: str | Path, *sources: str | Path, appraisals: bool = False, **options: Any) -> BuildReport:
    """Build without appraisals, which are most of the time and another module's business.

    What ends in ``.tantivy`` is of that engine.
    """
    if Path(index).suffix == ".tantivy":
        options.setdefault("engine", "tantivy")
    return build_index(index, sources, reader=read_source, appraisals=appraisals, **options)


def crash(path: Path) -> Iterator[Record]:
    """Read one record, then end the process as a fault in C code does."""
    yield make_article("1")
    os.kill(os.getpid(), signal.SIGSEGV)


def slow_source(path: Path) -> Iterator[Record]:
    """Read a file; from that on which the environment names, wait after its first record until killed."""
    is_slow = path.name >= os.environ["SLOW_FROM"]
    for record in read_source(path):
        yield record
        if is_slow:
            time.sleep(600)
