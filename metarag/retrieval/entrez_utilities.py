"""The E-utilities one by one: each call is one request, or one a batch of ids."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from metarag.errors import ConfigurationError, PubMedHistoryError, PubMedIdError, PubMedOverloadError
from metarag.records import Article
from metarag.retrieval.base import Record
from metarag.retrieval.entrez_answers import (
    History,
    LinkKind,
    LinkResult,
    LinkSet,
    SearchField,
    Spelling,
    Summary,
    SummaryResult,
    read_einfo,
    read_elink,
    read_epost,
    read_espell,
    read_esummary,
)
from metarag.retrieval.entrez_dates import DateLimits
from metarag.retrieval.entrez_faults import Utility
from metarag.retrieval.entrez_fetch import BATCH, batches
from metarag.retrieval.entrez_search import MAX_REACHABLE, Sort
from metarag.retrieval.entrez_send import Sender
from metarag.retrieval.esearch_json import read_esearch
from metarag.retrieval.esearch_xml import EsearchAnswer
from metarag.retrieval.pmids import Id, sort_out
from metarag.retrieval.pubmed_xml import read_pubmed_xml

_ESEARCH: Final = Utility("esearch.fcgi", "eSearchResult", takes_json=True)
_EFETCH: Final = Utility("efetch.fcgi", "PubmedArticleSet")
_ESUMMARY: Final = Utility("esummary.fcgi", None, takes_json=True)
_EPOST: Final = Utility("epost.fcgi", "ePostResult")
_ELINK: Final = Utility("elink.fcgi", None, takes_json=True)
_ESPELL: Final = Utility("espell.fcgi", "eSpellResult")
_EINFO: Final = Utility("einfo.fcgi", None, takes_json=True)
_DATABASE: Final = ("db", "pubmed")
MAX_POSTED: Final = 10_000
"""PMIDs that EPost takes at once (NBK25499)."""
MAX_SUMMARIES: Final = 500
"""Summaries that ESummary gives at once as JSON (its own error text)."""


class Utilities:
    """The E-utilities, each as one method; :class:`~metarag.retrieval.entrez.EntrezClient` is made of it.

    Parameters
    ----------
    sender : Sender
        What sends their requests.
    """

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def esearch(
        self,
        query: str,
        *,
        start: int = 0,
        count: int = 20,
        sort: Sort | str = Sort.RELEVANCE,
        dates: DateLimits | None = None,
    ) -> tuple[EsearchAnswer, History]:
        """Return one page of a search, and the set that PubMed's history server keeps of all hits.

        Raises
        ------
        RetrievalError
            PubMed did not answer, or refused, or keeps no set.
        """
        answer = self._page(
            checked_query(query), start=start, count=count, sort=Sort.of(sort), dates=dates, keep=True
        )
        if not answer.webenv or not answer.query_key:
            raise PubMedHistoryError("PubMed keeps no set of the hits; use search and fetch instead")
        return answer, History(webenv=answer.webenv, query_key=answer.query_key)

    def efetch(self, ids: Sequence[str]) -> tuple[Record, ...]:
        """Return what one request for these PMIDs brings, in the order of the answer.

        Raises
        ------
        RetrievalError
            PubMed did not answer, or refused.
        """
        fields = (_DATABASE, ("retmode", "xml"), ("id", ",".join(ids)))
        return tuple(read_pubmed_xml(self._sender.send(_EFETCH, fields)))

    def efetch_history(
        self,
        history: History,
        *,
        total: int,
        batch: int = BATCH,
        renew: Callable[[], History] | None = None,
    ) -> Iterator[Record]:
        """Yield the records of a set on the history server, of which PubMed gives out the first 9,999.

        Parameters
        ----------
        renew : callable or None
            Makes the set again when it has expired, once. The new set may have another order, so that it is
            read from its beginning, and what was yielded before is passed over.

        Raises
        ------
        PubMedHistoryError
            The set has expired, and could not be made again.
        ConfigurationError
            ``total`` is larger than 9,999, or ``batch`` smaller than 1.
        """
        if total > MAX_REACHABLE:
            raise ConfigurationError(
                f"a set of {total:,} cannot be fetched whole: PubMed gives out {MAX_REACHABLE:,} of it; use search_all"
            )
        yielded: set[tuple[str, int]] = set()
        todo = deque(batches(range(total), batch))
        while todo:
            places = todo[0]
            try:
                page = self._history_page(history, places[0], len(places))
            except PubMedHistoryError:
                if renew is None:
                    raise
                history, renew = renew(), None
                todo = deque(batches(range(total), batch))
                continue
            # Ahead by what was asked for: a page is short when a record has gone, not when fewer were taken.
            todo.popleft()
            for record in read_pubmed_xml(page):
                key = (record.pmid or "", record.version) if isinstance(record, Article) else None
                if key is None or key not in yielded:
                    yield record
                if key is not None:
                    yielded.add(key)

    def epost(self, ids: Iterable[Id]) -> History:
        """Put up to 10,000 PMIDs on the history server.

        Raises
        ------
        ConfigurationError
            There are none, too many, or one is no PMID.
        RetrievalError
            PubMed did not answer, or refused.
        """
        pmids, invalid = sort_out(ids)
        if invalid or not 0 < len(pmids) <= MAX_POSTED:
            raise ConfigurationError(
                f"epost takes 1 to {MAX_POSTED:,} PMIDs, got {len(pmids):,} and {len(invalid):,} that are none"
            )
        return read_epost(self._sender.send(_EPOST, (_DATABASE, ("id", ",".join(pmids)))))

    def esummary(self, ids: Iterable[Id] | Id, *, batch: int = BATCH) -> SummaryResult:
        """Return titles and the like, without abstracts; an id that PubMed does not know costs no other.

        Raises
        ------
        ConfigurationError
            ``batch`` is not from 1 to 500.
        RetrievalError
            PubMed did not answer, or refused.
        """
        if batch > MAX_SUMMARIES:
            raise ConfigurationError(f"PubMed gives {MAX_SUMMARIES} summaries at a time, got batch={batch}")
        pmids, invalid = sort_out(ids)
        found: dict[str, Summary] = {}

        def ask(some: Sequence[str]) -> None:
            fields = (_DATABASE, ("retmode", "json"), ("version", "2.0"), ("id", ",".join(some)))
            found.update(read_esummary(self._sender.send(_ESUMMARY, fields)))

        for some in batches(pmids, batch):
            _in_parts(ask, some)
        return SummaryResult(
            summaries=tuple(found[pmid] for pmid in pmids if pmid in found),
            missing=tuple(pmid for pmid in pmids if pmid not in found),
            invalid=invalid,
        )

    def elink(
        self,
        ids: Iterable[Id] | Id,
        kind: LinkKind | str = LinkKind.SIMILAR,
        *,
        batch: int = BATCH,
    ) -> LinkResult:
        """Return the similar, citing or cited articles of each PMID, one set each.

        Raises
        ------
        ConfigurationError
            There is no such kind of link, or ``batch`` is smaller than 1.
        RetrievalError
            PubMed did not answer, or refused.
        """
        asked, (pmids, invalid) = LinkKind.of(kind), sort_out(ids)
        command = "neighbor_score" if asked is LinkKind.SIMILAR else "neighbor"
        found: dict[str, LinkSet] = {}

        def ask(some: Sequence[str]) -> None:
            # One id each: joined by commas they would come back as one set for all.
            each = tuple(("id", pmid) for pmid in some)
            fields = (_DATABASE, ("dbfrom", "pubmed"), ("linkname", asked.value), ("cmd", command))
            found.update(read_elink(self._sender.send(_ELINK, (*fields, ("retmode", "json"), *each)), asked))

        for some in batches(pmids, batch):
            _in_parts(ask, some)
        return LinkResult(
            links=tuple(found[pmid] for pmid in pmids if pmid in found),
            missing=tuple(pmid for pmid in pmids if pmid not in found),
            invalid=invalid,
        )

    def espell(self, query: str) -> Spelling:
        """Return another spelling of a query, where PubMed knows one."""
        term = checked_query(query)
        return read_espell(self._sender.send(_ESPELL, (_DATABASE, ("term", term))), term)

    def einfo_fields(self) -> tuple[SearchField, ...]:
        """Return the fields that a query can name."""
        fields = (_DATABASE, ("version", "2.0"), ("retmode", "json"))
        return read_einfo(self._sender.send(_EINFO, fields))

    def _page(
        self,
        term: str,
        *,
        start: int = 0,
        count: int,
        sort: Sort,
        dates: DateLimits | None,
        keep: bool = False,
    ) -> EsearchAnswer:
        fields = [
            *(_DATABASE, ("term", term), ("retmode", "xml"), ("sort", sort.parameter)),
            *(("retstart", str(start)), ("retmax", str(count))),
            *(dates.parameters if dates else ()),
            *([("usehistory", "y")] if keep else []),
        ]
        return read_esearch(self._sender.send(_ESEARCH, fields))

    def _history_page(self, history: History, start: int, count: int) -> bytes:
        fields = (
            *(_DATABASE, ("WebEnv", history.webenv), ("query_key", history.query_key), ("retmode", "xml")),
            *(("retstart", str(start)), ("retmax", str(count))),
        )
        return self._sender.send(_EFETCH, fields)


def _in_parts(ask: Callable[[Sequence[str]], None], pmids: Sequence[str]) -> None:
    """Ask about PMIDs, and in halves where PubMed refuses for one of them; that one brings nothing."""
    try:
        ask(pmids)
    except (PubMedIdError, PubMedOverloadError) as error:
        middle = len(pmids) // 2
        if isinstance(error, PubMedIdError) and (error.of_all or not middle):
            return
        if not middle:
            raise
        _in_parts(ask, pmids[:middle])
        _in_parts(ask, pmids[middle:])


def checked_query(query: str) -> str:
    """Return a query that can be sent.

    Raises
    ------
    ConfigurationError
        It is empty, or holds what is no text.
    """
    term = " ".join(query.split())
    if not term:
        raise ConfigurationError("the query is empty; PubMed would find nothing, which would mean nothing")
    if any(unicodedata.category(character) == "Cc" for character in term):
        raise ConfigurationError("the query holds a control character; delete it")
    try:
        term.encode()
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"the query is not valid Unicode at character {error.start + 1}") from error
    return term
