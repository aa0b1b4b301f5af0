"""What a term of a query asks of a local index, whichever engine is to look for it.

What the index does not hold, or cannot search in this way, is refused here by name, for all engines alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
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

COLUMNS: Final = ("title", "abstract", "terms")
"""Where words are looked for."""

_COLUMNS: Final = MappingProxyType(
    {
        **dict.fromkeys((None, "all", "tw"), COLUMNS),
        "ti": ("title",),
        "tiab": ("title", "abstract"),
        **dict.fromkeys(HEADING_TAGS, ("terms",)),
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


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand next to each other, as they are indexed (:func:`~metarag.retrieval.free_text.fold`).

    Attributes
    ----------
    is_beginning : bool
        The last word may go on.
    others : tuple of str
        Phrases that will do as well: of a word that goes on, the forms whose stem begins otherwise.
    """

    text: str
    is_beginning: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Words:
    """All of the phrases, each in any of the columns."""

    columns: tuple[str, ...]
    phrases: tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """Phrases in one of the columns, in any order, each with at most ``distance`` words to the last."""

    columns: tuple[str, ...]
    phrases: tuple[str, ...]
    distance: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Any of the tokens of :func:`~metarag.retrieval.corpus_facets.facet_text`; they may go on where they begin."""

    tokens: tuple[str, ...]
    is_beginning: bool = False


@dataclass(frozen=True, slots=True)
class Pmids:
    """Any of these PMIDs."""

    pmids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """Any of these numbers of the record is from ``low`` to ``high``; what is not known is in no range.

    Attributes
    ----------
    columns : tuple of str
        Of ``published_print``, ``published_online``, ``revised`` (as ``yyyymmdd``) and ``pmid``.
    """

    columns: tuple[str, ...]
    low: int
    high: int


Meaning: TypeAlias = Words | Near | Facts | Pmids | Between


def meaning_of_term(term: Term, text: str) -> Meaning:
    """Return what a term asks for; a filter that is a search itself is the caller's.

    Raises
    ------
    UnsupportedQueryError
        The index has no such field, or cannot search it in this way.
    """
    tag = term.tag
    if term.text.lower() == "hasabstract" and tag in (None, "tw", "all", *FILTER_TAGS):
        return Facts((HAS_ABSTRACT,))
    if tag in FILTER_TAGS:
        return _filter(term, text)
    if tag in _COLUMNS:
        return _words(term, text)
    if tag == "pt" or tag in _FACETS:
        return _facts(term, text)
    if tag == "pmid":
        return Pmids(tuple(int(number) for number in term.text.replace(",", " ").split()))
    if tag in _DAYS:
        return meaning_of_range(Range(term.text, term.text, str(tag), term.start), text)
    raise _no_field(str(tag), term.start, text)


def meaning_of_range(asked: Range, text: str) -> Between:
    """Return what a range of dates or PMIDs asks for.

    Raises
    ------
    UnsupportedQueryError
        The index does not know this date, or the date is relative to today.
    """
    if asked.tag == "pmid":
        return Between(("pmid",), int(asked.low), int(asked.high))
    columns = _DAYS.get(asked.tag)
    if columns is None:
        raise _no_field(asked.tag, asked.start, text)
    if asked.low.lower().startswith("last"):
        problem = "the local index knows no today; write the dates, e.g. 2020:2024[dp]"
        raise UnsupportedQueryError(problem, text=text, position=asked.start)
    return Between(columns, _day(asked.low, missing=0), _day(asked.high, missing=99))


def _words(term: Term, text: str) -> Words | Near:
    if term.tag is None and _LINKED.fullmatch(term.text):
        raise _no_filter(term, text)
    columns = _COLUMNS[term.tag]
    if term.distance is not None:
        return Near(columns, tuple(fold(term.text).split()), term.distance)
    if term.tag in ("mh", "sh"):
        pieces = [piece for piece in term.text.split("/") if _WORD.search(piece)]
    elif term.quoted or term.tag:
        pieces = [term.text]
    else:
        words = [word for word in term.text.split() if _WORD.search(word)]
        pieces = [word for word in words if word.lower() not in FUNCTION_WORDS] or words
    return Words(columns, tuple(_phrase(fold(piece), term, text) for piece in pieces))


def _phrase(piece: str, term: Term, text: str) -> Phrase:
    if "*" not in piece:
        return Phrase(piece)
    beginning, _, rest = piece.partition("*")
    if rest.strip() or not _WORD.search(beginning[-1:]):
        raise UnsupportedQueryError(_STAR_AT_END, text=text, position=term.start)
    *before, last = _WORD.findall(beginning.lower())
    others = tuple(" ".join((*before, word)) for word in endings_of(last))
    return Phrase(beginning, is_beginning=True, others=others)


def _facts(term: Term, text: str) -> Facts:
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
        return Facts(tuple(token(field, name) for name in names))
    return Facts((token(field, value),), is_beginning=bool(star))


def _narrower(name: str) -> Iterator[str]:
    """Yield a publication type and all that it holds."""
    yield name
    for narrower in NARROWER_TYPES.get(" ".join(_WORD.findall(name)), ()):
        yield from _narrower(narrower)


def _filter(term: Term, text: str) -> Facts | Words:
    name = term.text.lower()
    if name in LANGUAGES:
        return Facts((token("la", LANGUAGES[name]),))
    if name in ("humans", "animals", "female", "male"):
        return Words(("terms",), (Phrase(name),))
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
