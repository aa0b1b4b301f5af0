"""One term of a query as the local index runs it: words, a fact of the record, or a condition on a number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final, TypeAlias

from metarag.errors import UnsupportedQueryError
from metarag.retrieval.corpus_facets import HAS_ABSTRACT, LANGUAGES, NARROWER_TYPES, token
from metarag.retrieval.free_text import FUNCTION_WORDS, fold
from metarag.retrieval.query_fields import BY_TAG, FieldKind
from metarag.retrieval.query_tree import Range, Term
from metarag.retrieval.word_stems import endings_of

FILTER_TAGS: Final = frozenset({"filter", "sb"})
HEADING_TAGS: Final = frozenset({"mh", "sh", "nm", "ot"})
"""Tags whose words are looked for among headings, substances and keywords."""

_COLUMNS: Final = MappingProxyType(
    {
        **dict.fromkeys((None, "all", "tw"), ""),
        "ti": "{title} : ",
        "tiab": "{title abstract} : ",
        **dict.fromkeys(HEADING_TAGS, "{terms} : "),
    }
)
_FACETS: Final = MappingProxyType(
    {"la": "la", "ta": "ta", "jid": "jid", "aid": "id", "lid": "id", "si": "id"}
)
_DAYS: Final = MappingProxyType(
    {
        "dp": ("published_print", "published_online"),
        "ppdat": ("published_print",),
        "epdat": ("published_online",),
        "lr": ("revised",),
    }
)
_REASONS: Final = MappingProxyType(
    {
        "majr": "the local index does not know which headings are major ([majr]); use [mh]",
        "pa": "the local index does not know what substances do ([pa]); name the substances, or use [mh]",
        "edat": "the local index does not know when a record came into PubMed ([edat]); use [dp]",
        "crdt": "the local index does not know when a record was made ([crdt]); use [dp]",
    }
)
_LINKED: Final = re.compile(r"has[a-z]{4,24}(?:in|on|of|for|from|dataset|publication)", re.ASCII)
"""PubMed's words for records with a correction or comment, e.g. ``haserratumin``."""
_STAR_AT_END: Final = "the local index knows * only at the end of a word or phrase"
_WORD: Final = re.compile(r"[^\W_]+")


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
    tag = term.tag
    if term.text.lower() == "hasabstract" and tag in (None, "tw", "all", *FILTER_TAGS):
        return Match(Table.FACETS, f'"{HAS_ABSTRACT}"')
    if tag in FILTER_TAGS:
        return _filter(term, text)
    if tag in _COLUMNS:
        return Match(Table.WORDS, _words(term, text))
    if tag == "pt" or tag in _FACETS:
        return Match(Table.FACETS, _facet(term, text))
    if tag == "pmid":
        numbers = [int(number) for number in term.text.replace(",", " ").split()]
        return Condition("record.pmid IN (SELECT value FROM json_each(?))", (json.dumps(numbers),))
    if tag in _DAYS:
        return range_part(Range(term.text, term.text, str(tag), term.start), text)
    raise _no_field(str(tag), term.start, text)


def range_part(asked: Range, text: str) -> Condition:
    """Return what finds a range of dates or PMIDs; a record of unknown date is in none.

    Raises
    ------
    UnsupportedQueryError
        The index does not know this date, or the date is relative to today.
    """
    if asked.tag == "pmid":
        return Condition(f"coalesce(record.pmid BETWEEN {int(asked.low)} AND {int(asked.high)}, 0)")
    columns = _DAYS.get(asked.tag)
    if columns is None:
        raise _no_field(asked.tag, asked.start, text)
    if asked.low.lower().startswith("last"):
        problem = "the local index knows no today; write the dates, e.g. 2020:2024[dp]"
        raise UnsupportedQueryError(problem, text=text, position=asked.start)
    low, high = _day(asked.low, missing=0), _day(asked.high, missing=99)
    tests = " OR ".join(f"coalesce(record.{column} BETWEEN {low} AND {high}, 0)" for column in columns)
    return Condition(f"({tests})")


def _words(term: Term, text: str) -> str:
    """Return the FTS5 expression of words, with the columns they are looked for in."""
    if term.tag is None and _LINKED.fullmatch(term.text):
        raise _no_filter(term, text)
    columns = _COLUMNS[term.tag]
    if term.distance is not None:
        near = " ".join(_phrase(word) for word in fold(term.text).split())
        return f"{columns}NEAR({near}, {term.distance})"
    if term.tag in ("mh", "sh"):
        pieces = [piece for piece in term.text.split("/") if _WORD.search(piece)]
    elif term.quoted or term.tag:
        pieces = [term.text]
    else:
        words = [word for word in term.text.split() if _WORD.search(word)]
        pieces = [word for word in words if word.lower() not in FUNCTION_WORDS] or words
    found = [_phrase_or_beginning(fold(piece), term, text) for piece in pieces]
    joined = " AND ".join(found)
    return f"{columns}({joined})" if columns or len(found) > 1 else joined


def _phrase_or_beginning(piece: str, term: Term, text: str) -> str:
    if "*" not in piece:
        return _phrase(piece)
    beginning, _, rest = piece.partition("*")
    if rest.strip() or not _WORD.search(beginning[-1:]):
        raise UnsupportedQueryError(_STAR_AT_END, text=text, position=term.start)
    *before, last = _WORD.findall(beginning.lower())
    others = [_phrase(" ".join((*before, word))) for word in endings_of(last)]
    return f"({' OR '.join((f'{_phrase(beginning)} *', *others))})"


def _phrase(text: str) -> str:
    return f'"{text}"'


def _facet(term: Term, text: str) -> str:
    value, star, rest = term.text.lower().partition("*")
    if star and rest.strip():
        raise UnsupportedQueryError(_STAR_AT_END, text=text, position=term.start)
    field = "pt" if term.tag == "pt" else _FACETS[term.tag or ""]
    if field == "la":
        value = LANGUAGES.get(value, value)
    if term.tag == "si":
        value = value.rpartition("/")[2]
    if field == "pt" and not star:
        names = _narrower(value) if term.explode else (value,)
        return " OR ".join(_phrase(token(field, name)) for name in names)
    return _phrase(token(field, value)) + (" *" if star else "")


def _narrower(name: str) -> Iterator[str]:
    """Yield a publication type and all that it holds."""
    yield name
    for narrower in NARROWER_TYPES.get(" ".join(_WORD.findall(name)), ()):
        yield from _narrower(narrower)


def _filter(term: Term, text: str) -> Match:
    name = term.text.lower()
    if name in LANGUAGES:
        return Match(Table.FACETS, _phrase(token("la", LANGUAGES[name])))
    if name in ("humans", "animals", "female", "male"):
        return Match(Table.WORDS, f'{{terms}} : "{name}"')
    raise _no_filter(term, text)


def _no_filter(term: Term, text: str) -> UnsupportedQueryError:
    advice = '; use "systematic review"[pt]' if term.text.lower().startswith("systematic") else ""
    problem = f"the local index has no filter {term.text}{advice}"
    return UnsupportedQueryError(problem, text=text, position=term.start)


def _day(said: str, *, missing: int) -> int:
    year, month, day = (*map(int, said.split("/")), missing, missing)[:3]
    return year * 10_000 + month * 100 + day


def _no_field(tag: str, start: int, text: str) -> UnsupportedQueryError:
    field = BY_TAG[tag]
    thing = "date" if field.kind is FieldKind.DATE else "field"
    problem = _REASONS.get(tag, f"the local index has no {thing} [{tag}] ({field.name})")
    return UnsupportedQueryError(problem, text=text, position=start)
