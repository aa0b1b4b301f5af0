"""What SQL can ask of a stored article, so that a migration can derive new columns from it."""

from __future__ import annotations

import sqlite3

from metarag.records import Article
from metarag.retrieval.corpus_facets import day, facet_text
from metarag.retrieval.corpus_rows import unpack


def register(connection: sqlite3.Connection) -> None:
    """Give the connection ``facets_of``, ``print_day_of`` and ``online_day_of``, each of a packed article."""
    connection.create_function("facets_of", 1, _facets_of, deterministic=True)
    connection.create_function("print_day_of", 1, _print_day_of, deterministic=True)
    connection.create_function("online_day_of", 1, _online_day_of, deterministic=True)


def _facets_of(packed: bytes) -> str:
    return facet_text(unpack(Article, packed))


def _print_day_of(packed: bytes) -> int | None:
    return day(unpack(Article, packed).print_date)


def _online_day_of(packed: bytes) -> int | None:
    return day(unpack(Article, packed).electronic_date)
