"""What SQL can ask of a stored article or source, so that a migration can derive new columns from it."""

from __future__ import annotations

import sqlite3

from metarag.records import Article
from metarag.retrieval.corpus_facets import day, facet_text
from metarag.retrieval.corpus_rows import unpack
from metarag.retrieval.source_files import Release


def register(connection: sqlite3.Connection) -> None:
    """Give the connection functions of a packed article, and of a source's name.

    ``facets_of``, ``print_day_of`` and ``online_day_of``; ``release_year_of`` and ``release_number_of``.
    """
    connection.create_function("facets_of", 1, _facets_of, deterministic=True)
    connection.create_function("print_day_of", 1, _print_day_of, deterministic=True)
    connection.create_function("online_day_of", 1, _online_day_of, deterministic=True)
    connection.create_function("release_year_of", 1, _release_year_of, deterministic=True)
    connection.create_function("release_number_of", 1, _release_number_of, deterministic=True)


def _facets_of(packed: bytes) -> str:
    return facet_text(unpack(Article, packed))


def _print_day_of(packed: bytes) -> int | None:
    return day(unpack(Article, packed).print_date)


def _online_day_of(packed: bytes) -> int | None:
    return day(unpack(Article, packed).electronic_date)


def _release_year_of(name: str) -> int | None:
    release = Release.of(name)
    return release.year if release else None


def _release_number_of(name: str) -> int | None:
    release = Release.of(name)
    return release.number if release else None
