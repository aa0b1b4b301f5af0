"""What a local index holds, where that came from, and what is known to be missing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from metarag.appraisal import APPRAISAL_VERSION
from metarag.records import Frozen
from metarag.retrieval.corpus_schema import schema_version

UNFINISHED: Final = "unfinished"
"""Setting: JSON list of the sources that a build has still to do."""
BUILT_AT: Final = "built_at"
"""Setting: when a source was last indexed."""

# A file that was bad and came again in order has the same name and another content.
_LATEST: Final = """
    SELECT name, failures, complete FROM source
    WHERE id IN (SELECT max(id) FROM source GROUP BY name) ORDER BY id
"""


class SourceInfo(Frozen):
    """A source as the index knows it.

    Attributes
    ----------
    digest : str or None
        SHA-256 of the file, by which it is known again; ``None`` when it was not a file.
    records, failures : int
        Read, of any kind; and those of them that could not be read or stored.
    complete : bool
        False when it could not be read to its end.
    """

    name: str
    digest: str | None
    records: int
    failures: int
    complete: bool
    indexed_at: datetime


class CorpusInfo(Frozen):
    """What an index holds.

    Attributes
    ----------
    text_origins : dict of str to int
        Records by whose words they hold: ``abstract``, ``summary``, ``host_text``.
    appraisals : int
        Records with an appraisal by the rules of this version.
    unfinished : tuple of str
        Sources that the last build had not finished when it stopped, or has not finished yet.
    size : int
        Bytes.
    engine : str
        ``sqlite`` or ``tantivy``.
    """

    name: str
    records: int
    sources: tuple[SourceInfo, ...]
    text_origins: dict[str, int]
    appraisals: int
    schema_version: int
    built_at: datetime | None
    unfinished: tuple[str, ...]
    size: int
    engine: str = "sqlite"


def corpus_info(connection: sqlite3.Connection, *, name: str) -> CorpusInfo:
    """Return what the index holds; counts every record."""
    origins = dict(connection.execute("SELECT text_origin, count(*) FROM record GROUP BY 1 ORDER BY 1"))
    sources = connection.execute(
        "SELECT name, digest, records, failures, complete, indexed_at FROM source ORDER BY id"
    )
    appraised = connection.execute("SELECT count(*) FROM appraisal WHERE version = ?", (APPRAISAL_VERSION,))
    built_at = _setting(connection, BUILT_AT)
    return CorpusInfo(
        name=name,
        records=sum(origins.values()),
        sources=tuple(
            SourceInfo(
                name=source,
                digest=digest,
                records=records,
                failures=failures,
                complete=bool(complete),
                indexed_at=datetime.fromisoformat(indexed_at),
            )
            for source, digest, records, failures, complete, indexed_at in sources
        ),
        text_origins=origins,
        appraisals=appraised.fetchone()[0],
        schema_version=schema_version(connection),
        built_at=datetime.fromisoformat(built_at) if built_at else None,
        unfinished=_unfinished(connection),
        size=_pragma(connection, "page_count") * _pragma(connection, "page_size"),
    )


def corpus_gaps(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return a sentence for each thing known to be missing; cheap enough for every search."""
    latest = connection.execute(_LATEST).fetchall()
    return gaps_of(
        is_empty=_is_empty(connection),
        unfinished=_unfinished(connection),
        partial=[name for name, _, complete in latest if not complete],
        failures=sum(failed for _, failed, _ in latest),
    )


def gaps_of(
    *, is_empty: bool, unfinished: Sequence[str], partial: Sequence[str], failures: int
) -> tuple[str, ...]:
    """Return a sentence for each thing known to be missing.

    Parameters
    ----------
    unfinished, partial : sequence of str
        Sources that a build has still to do, and sources that could not be read to their end.
    failures : int
        Records that could not be read.
    """
    gaps = []
    if is_empty:
        gaps.append("The local index holds no record.")
    if unfinished:
        gaps.append(f"The local index is not finished; its build has still to do: {_some(unfinished)}.")
    if partial:
        gaps.append(f"The local index holds only a part of: {_some(partial)}.")
    if failures:
        gaps.append(f"Records that could not be read when the local index was built: {failures:,}.")
    return tuple(gaps)


def emptiness(connection: sqlite3.Connection) -> str | None:
    """Return what to do about an index without a single record; ``None`` for one that has some."""
    return advice_on_emptiness(_unfinished(connection)) if _is_empty(connection) else None


def advice_on_emptiness(unfinished: Sequence[str]) -> str:
    """Return what to do about an index without a single record."""
    if unfinished:
        return f"its build was not finished ({_some(unfinished)}); run it again"
    return "add files to it with `metarag index build`"


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT EXISTS (SELECT 1 FROM record)").fetchone()[0]


def _setting(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else None


def _unfinished(connection: sqlite3.Connection) -> tuple[str, ...]:
    return tuple(json.loads(_setting(connection, UNFINISHED) or "[]"))


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
