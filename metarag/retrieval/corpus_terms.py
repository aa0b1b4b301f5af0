"""One term of a query as SQLite runs it: words, a fact of the record, or a condition on a number."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from metarag.retrieval.query_tree import Range, Term
from metarag.retrieval.term_meaning import (
    COLUMNS,
    Between,
    Facts,
    Meaning,
    Near,
    Phrase,
    Pmids,
    Words,
    meaning_of_range,
    meaning_of_term,
)


class Table(Enum):
    """The full-text tables of the local index."""

    WORDS = "text_index"
    FACETS = "facet_index"


@dataclass(frozen=True, slots=True)
class Match:
    """An FTS5 expression on one table."""

    table: Table
    expression: str


@dataclass(frozen=True, slots=True)
class Condition:
    """SQL on ``record``, made of fixed words and whole numbers only; every text is a parameter.

    Numbers are no parameters, because SQLite compares each parameter with all others when it prepares a statement.
    """

    sql: str
    parameters: tuple[str, ...] = ()


Part: TypeAlias = Match | Condition


def term_part(term: Term, text: str) -> Part:
    """Return what finds a term; a filter that is a search is the caller's.

    Raises
    ------
    UnsupportedQueryError
        The index has no such field, or cannot search it in this way.
    """
    return _part(meaning_of_term(term, text))


def range_part(asked: Range, text: str) -> Part:
    """Return what finds a range of dates or PMIDs; a record of unknown date is in none.

    Raises
    ------
    UnsupportedQueryError
        The index does not know this date, or the date is relative to today.
    """
    return _part(meaning_of_range(asked, text))


def _part(meaning: Meaning) -> Part:
    if isinstance(meaning, Words):
        return Match(Table.WORDS, _words(meaning))
    if isinstance(meaning, Near):
        near = " ".join(_quoted(phrase) for phrase in meaning.phrases)
        return Match(Table.WORDS, f"{_columns(meaning.columns)}NEAR({near}, {meaning.distance})")
    if isinstance(meaning, Facts):
        star = " *" if meaning.is_beginning else ""
        return Match(Table.FACETS, " OR ".join(_quoted(token) + star for token in meaning.tokens))
    if isinstance(meaning, Pmids):
        pmids = json.dumps(meaning.pmids)
        return Condition("record.pmid IN (SELECT value FROM json_each(?))", (pmids,))
    return _between(meaning)


def _words(meaning: Words) -> str:
    """Return the FTS5 expression of words, with the columns they are looked for in."""
    found = [_phrase(phrase) for phrase in meaning.phrases]
    columns, joined = _columns(meaning.columns), " AND ".join(found)
    return f"{columns}({joined})" if columns or len(found) > 1 else joined


def _columns(columns: tuple[str, ...]) -> str:
    return "" if columns == COLUMNS else f"{{{' '.join(columns)}}} : "


def _phrase(phrase: Phrase) -> str:
    if not phrase.is_beginning:
        return _quoted(phrase.text)
    return f"({' OR '.join((f'{_quoted(phrase.text)} *', *map(_quoted, phrase.others)))})"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _between(meaning: Between) -> Condition:
    low, high = int(meaning.low), int(meaning.high)
    tests = " OR ".join(
        f"coalesce(record.{column} BETWEEN {low} AND {high}, 0)" for column in meaning.columns
    )
    return Condition(f"({tests})")
