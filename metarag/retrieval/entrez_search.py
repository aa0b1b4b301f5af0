"""A search of PubMed whose result says what was asked, what PubMed made of it, and what is missing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from pydantic import Field

from metarag.audit import QueryRecord
from metarag.errors import ConfigurationError, suggest
from metarag.records import Frozen
from metarag.retrieval.entrez_dates import DateLimits
from metarag.retrieval.esearch_xml import EsearchAnswer, EsearchWarnings

MAX_REACHABLE: Final = 9_999
"""Ids that one search gives out at most, whatever is asked for (ESearch's own error text, 2026)."""
_MOST_STALLED: Final = 2
"""Pages in a row without a new id, after which no other is asked for (ours)."""


class Sort(StrEnum):
    """In which order PubMed lists hits. Always sent: without it, hits come newest first."""

    RELEVANCE = "relevance"
    DATE = "date"
    AUTHOR = "author"
    JOURNAL = "journal"

    @property
    def parameter(self) -> str:
        """PubMed's name of it."""
        names = {"date": "pub_date", "author": "Author", "journal": "JournalName"}
        return names.get(self.value, self.value)

    @classmethod
    def of(cls, name: Sort | str) -> Sort:
        """Return the order of that name.

        Raises
        ------
        ConfigurationError
            There is none; PubMed itself would take the name and sort by something else.
        """
        try:
            return cls(name)
        except ValueError:
            raise ConfigurationError(
                f"hits cannot be sorted by {str(name)[:40]!r}{suggest(str(name), [s.value for s in cls])}"
            ) from None


class SearchSlice(Frozen):
    """A part of a search that was too large for one: the hits of these Entrez dates."""

    start: str
    end: str
    total: int = Field(ge=0)
    retrieved: int = Field(ge=0)

    def __str__(self) -> str:
        return f"Entrez date {self.start} to {self.end}: {self.retrieved:,} of {self.total:,}"


class SearchProgress(Frozen):
    """How far a search in slices is."""

    found: int
    total: int
    slices: int
    open_slices: int


class SearchResult(Frozen):
    """Ids, best first as PubMed sorts, and everything that PubMed said of the search.

    Attributes
    ----------
    query : str
        As it was sent.
    total : int
        Records that match.
    reachable : int
        Of these, how many this kind of search can give out: without slices 9,999 at most.
    start : int
        Hits before the first of ``ids``.
    query_translation : str or None
        The query as PubMed ran it.
    query_changed : bool
        True when PubMed left out a part of the query, so that the hits answer another one.
    slices : tuple of SearchSlice
        Of a search beyond 9,999. The first 9,999 ids are in the order asked for, the rest newest first.
    notes : tuple of str
        What is missing, or changed while the search ran.
    """

    query: str
    ids: tuple[str, ...] = ()
    total: int = Field(ge=0)
    reachable: int = Field(ge=0)
    start: int = Field(default=0, ge=0)
    query_translation: str | None = None
    warnings: EsearchWarnings = EsearchWarnings()
    query_changed: bool = False
    sort: Sort = Sort.RELEVANCE
    dates: DateLimits | None = None
    searched_at: datetime
    slices: tuple[SearchSlice, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[str, ...]:
        """What a reader has to know, one sentence each: what PubMed changed, and what is missing."""
        told = self.warnings
        lists = (
            ("PubMed did not find, and left out of the query", told.phrases_not_found),
            ("PubMed knows no such field, and changed the query", told.fields_not_found),
            ("PubMed does not have as a phrase, and searched the words", told.quoted_phrases_not_found),
            ("PubMed ignored", told.phrases_ignored),
        )
        spoken = [f"{what}: {', '.join(words)}" for what, words in lists if words]
        if self.query_changed and not self.total:
            spoken.append(
                "Nothing was found by a query that PubMed changed: that is not evidence of absence."
            )
        return (*spoken, *self.notes)

    def record(self, *, source: str, retrieved: int) -> QueryRecord:
        """Return the search as the audit trail keeps it."""
        told = {name: words for name, words in self.warnings.model_dump().items() if words}
        return QueryRecord(
            source=source,
            query=self.query,
            translation=self.query_translation,
            warnings=self.messages,
            total=self.total,
            reachable=self.reachable,
            retrieved=retrieved,
            sort=self.sort.value,
            searched_at=self.searched_at,
            changed=self.query_changed,
            source_warnings=told,
            date_limits=str(self.dates) if self.dates else None,
            slices=tuple(map(str, self.slices)),
        )


class Page(Protocol):
    """Asks for one page of a search."""

    def __call__(
        self, term: str, *, start: int = 0, count: int, sort: Sort, dates: DateLimits | None
    ) -> EsearchAnswer:
        """Return hits ``start`` to ``start + count``."""


def search_once(
    page: Page,
    term: str,
    *,
    start: int,
    limit: int,
    sort: Sort,
    dates: DateLimits | None,
    now: Callable[[], datetime],
) -> SearchResult:
    """Return hits ``start`` to ``start + limit`` of a search, of which the first 9,999 can be reached."""
    searched_at = now()
    first = page(term, start=start, count=min(limit, MAX_REACHABLE - start), sort=sort, dates=dates)
    ids = ids_from(page, first, term, start=start, limit=limit, sort=sort, dates=dates)
    reachable = min(first.count, MAX_REACHABLE)
    expected = max(0, min(limit, reachable - start))
    notes = []
    if len(ids) < expected:
        notes.append(f"PubMed counted {expected:,} hits here and gave out {len(ids):,}: the rest is missing.")
    if limit > reachable - start and first.count > reachable:
        notes.append(
            f"Only the first {reachable:,} of {first.count:,} hits can be reached; search_all reaches the others."
        )
    return SearchResult(
        query=term,
        ids=ids,
        total=first.count,
        reachable=reachable,
        start=start,
        query_translation=first.query_translation,
        warnings=first.warnings,
        query_changed=first.query_changed,
        sort=sort,
        dates=dates,
        searched_at=searched_at,
        notes=tuple(notes),
    )


def ids_from(
    page: Page,
    first: EsearchAnswer,
    term: str,
    *,
    start: int = 0,
    limit: int = MAX_REACHABLE,
    sort: Sort,
    dates: DateLimits | None,
) -> tuple[str, ...]:
    """Return the ids of a search, each once; a page that came short is followed by the next.

    A page that brings nothing new is asked for once more, and then taken for the end.
    """
    end = min(start + limit, first.count, MAX_REACHABLE)
    ids = dict.fromkeys(first.ids)
    position, stalled = start + len(first.ids), 0
    while position < end and stalled < _MOST_STALLED:
        more = page(term, start=position, count=end - position, sort=sort, dates=dates)
        stalled = 0 if set(more.ids) - ids.keys() else stalled + 1
        ids.update(dict.fromkeys(more.ids))
        position += len(more.ids)
    return tuple(ids)[: min(limit, MAX_REACHABLE - start)]
