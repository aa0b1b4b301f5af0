"""The tables of a local index, and how an older index becomes a newer one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from metarag.errors import IndexUnusableError
from metarag.retrieval.corpus_functions import register

APPLICATION_ID: Final = 0x6D726167
"""``mrag``, in the file's header: tells a local index from any other SQLite database."""

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time, in UTC and aware of it."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from a schema to the next, never changed once released."""

    name: str
    statements: tuple[str, ...]


MIGRATIONS: Final = (
    Migration(
        "0001_records",
        (
            "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            """CREATE TABLE source (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                digest TEXT UNIQUE,
                records INTEGER NOT NULL DEFAULT 0,
                failures INTEGER NOT NULL DEFAULT 0,
                complete INTEGER NOT NULL DEFAULT 0,
                indexed_at TEXT NOT NULL)""",
            # Narrow, and the texts apart: counting, sorting and looking up never touch a text.
            """CREATE TABLE record (
                id INTEGER PRIMARY KEY,
                article_id TEXT NOT NULL UNIQUE,
                pmid INTEGER,
                version INTEGER NOT NULL,
                revised INTEGER NOT NULL,
                text_origin TEXT NOT NULL,
                digest BLOB NOT NULL,
                source_id INTEGER NOT NULL REFERENCES source)""",
            """CREATE TABLE article (
                record_id INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
                json BLOB NOT NULL)""",
            """CREATE TABLE appraisal (
                record_id INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
                version TEXT NOT NULL,
                json BLOB NOT NULL)""",
            "CREATE INDEX appraisal_version ON appraisal (version)",
            # Without the text itself, which the article holds: less than half the size.
            """CREATE VIRTUAL TABLE text_index USING fts5 (
                title, abstract, terms, content = '', tokenize = 'porter unicode61 remove_diacritics 2')""",
            # 16 MB of postings in memory before a segment is written; 1 MB makes a build a third slower.
            "INSERT INTO text_index (text_index, rank) VALUES ('hashsize', 16777216)",
        ),
    ),
    Migration(
        "0002_facets",
        (
            # Apart from the words, whose scores depend on how long the text of each record is.
            """CREATE VIRTUAL TABLE facet_index USING fts5 (
                facets, content = '', detail = 'none', tokenize = "unicode61 tokenchars '_'")""",
            "INSERT INTO facet_index (rowid, facets) SELECT record_id, facets_of(json) FROM article",
            "ALTER TABLE record ADD COLUMN published_print INTEGER",
            "ALTER TABLE record ADD COLUMN published_online INTEGER",
            """UPDATE record SET
                published_print = (SELECT print_day_of(json) FROM article WHERE record_id = record.id),
                published_online = (SELECT online_day_of(json) FROM article WHERE record_id = record.id)""",
        ),
    ),
    Migration(
        "0003_order_of_files",
        (
            # Of PubMed's own files, which count in the order of their numbers, also where one comes late.
            "ALTER TABLE source ADD COLUMN year INTEGER",
            "ALTER TABLE source ADD COLUMN number INTEGER",
            "UPDATE source SET year = release_year_of(name), number = release_number_of(name)",
            """CREATE TABLE withdrawal (
                article_id TEXT NOT NULL,
                source_id INTEGER NOT NULL REFERENCES source,
                version INTEGER,
                PRIMARY KEY (article_id, source_id)) WITHOUT ROWID""",
        ),
    ),
)
SCHEMA_VERSION: Final = len(MIGRATIONS)

# FTS5 keeps the length of each document in a table of its own.
_LAST_ROWS: Final = """
    SELECT (SELECT max(id) FROM record), (SELECT max(record_id) FROM article),
        (SELECT max(id) FROM text_index_docsize), (SELECT max(id) FROM facet_index_docsize)
"""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all of what the block writes, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # Not after a commit, nor where a full disk made SQLite roll back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def schema_version(connection: sqlite3.Connection) -> int:
    """Return how many migrations the database has seen; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_empty(connection: sqlite3.Connection) -> bool:
    """Return True for a database without a single table."""
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def check_is_index(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a database that is something else.

    Raises
    ------
    IndexUnusableError
        It does not carry the mark of a local index.
    """
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise IndexUnusableError(
            f"{name} is an SQLite database, but not a local index of metarag; name another file"
        )


def check_schema(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a schema that this version does not read.

    Raises
    ------
    IndexUnusableError
        The schema is newer or older; the message says what to do.
    """
    found = schema_version(connection)
    if found > SCHEMA_VERSION:
        raise IndexUnusableError(
            f"local index {name} has schema {found}, this metarag knows up to {SCHEMA_VERSION}: "
            "upgrade metarag-ebm, or build a new index"
        )
    if found < SCHEMA_VERSION:
        raise IndexUnusableError(
            f"local index {name} has schema {found}, this metarag reads {SCHEMA_VERSION}: "
            "build into it once (no source is needed) and it is brought up to date"
        )


def check_is_plausible(connection: sqlite3.Connection, name: str) -> None:
    """Refuse an index whose tables do not belong together; cheap, whatever the size.

    Raises
    ------
    IndexUnusableError
        A table is missing, or the last record, its text, words and facets are not of one number.
    """
    last = connection.execute(_LAST_ROWS).fetchone()
    if len(set(last)) != 1:
        raise IndexUnusableError(f"local index {name} is damaged: delete it and build it again")


def check_is_whole(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a damaged database; reads all of it, once, so that nothing is written into a ruin.

    Raises
    ------
    IndexUnusableError
        SQLite found damage.
    """
    found = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != ("ok",):
        raise IndexUnusableError(
            f"local index {name} is damaged: delete it and build it again; nothing was written to it"
        )


def migrate(
    connection: sqlite3.Connection,
    migrations: Sequence[Migration] = MIGRATIONS,
    *,
    clock: Clock = utc_now,
) -> tuple[str, ...]:
    """Run the migrations that the database has not seen and return their names.

    Each runs in one transaction together with the record of its having run, so that a crash
    leaves it done or not done.
    """
    done = []
    register(connection)
    for position, migration in enumerate(migrations, 1):
        with transaction(connection):
            # Asked inside the transaction: another process may have been quicker.
            if schema_version(connection) >= position:
                continue
            connection.execute(
                "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)"
            )
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (migration.name, clock().isoformat()))
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {position}")
        done.append(migration.name)
    return tuple(done)
