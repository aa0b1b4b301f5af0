"""An index grows from schema to schema, each step whole or not at all."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from metarag.records import Article, MeshHeading, MeshQualifier, SupplementaryConcept
from metarag.retrieval.corpus_rows import indexed_text
from metarag.retrieval.corpus_schema import (
    MIGRATIONS,
    SCHEMA_VERSION,
    Migration,
    migrate,
    schema_version,
    transaction,
)

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
NEXT = Migration("9998_notes", ("CREATE TABLE note (x TEXT)", "INSERT INTO note VALUES ('a')"))
BROKEN = Migration("9999_broken", ("CREATE TABLE half (x TEXT)", "INSERT INTO nowhere VALUES (1)"))


@pytest.fixture
def connection():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        yield opened


def tables(connection):
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_a_migration_runs_once_and_is_recorded(connection):
    assert migrate(connection, clock=lambda: NOON) == tuple(m.name for m in MIGRATIONS)
    assert migrate(connection) == ()
    assert schema_version(connection) == SCHEMA_VERSION
    recorded = connection.execute("SELECT name, applied_at FROM migration").fetchall()
    assert recorded == [(m.name, NOON.isoformat()) for m in MIGRATIONS]


def test_an_older_index_is_brought_up_to_date(connection):
    migrate(connection)
    assert migrate(connection, (*MIGRATIONS, NEXT)) == ("9998_notes",)
    assert schema_version(connection) == SCHEMA_VERSION + 1
    assert connection.execute("SELECT x FROM note").fetchall() == [("a",)]


def test_a_migration_that_fails_leaves_nothing_of_itself(connection):
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(connection, (*MIGRATIONS, NEXT, BROKEN))
    assert schema_version(connection) == SCHEMA_VERSION + 1
    assert "half" not in tables(connection)
    assert "note" in tables(connection)
    assert not connection.in_transaction


def test_a_transaction_is_undone_by_any_exception(connection):
    connection.execute("CREATE TABLE t (x)")

    def stopped():
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_what_is_indexed_of_an_article_is_fixed_by_the_schema():
    """The index holds no copy of it: another result here without a migration would corrupt every index."""
    article = Article(
        title="TNF-α in CO₂",
        vernacular_title="Titre",
        mesh=(
            MeshHeading(descriptor="Asthma", qualifiers=(MeshQualifier(name="therapy"),)),
            MeshHeading(descriptor="Zinc", qualifiers=(MeshQualifier(name="therapy"),)),
        ),
        supplementary_mesh=(SupplementaryConcept(name="Invented disease"),),
        chemicals=("Zinc", "Water"),
        keywords=("naïve",),
    )
    assert indexed_text(article) == (
        "TNF- alpha  in CO2",
        "",
        "Asthma\nZinc\ntherapy\nInvented disease\nWater\nnaïve",
    )
    assert SCHEMA_VERSION == 3
