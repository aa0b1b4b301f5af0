"""Records from the cache where they are fresh, else from PubMed; what is old is asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final, Protocol

from metarag.errors import RetrievalError
from metarag.records import Article
from metarag.retrieval.corpus_schema import Clock, utc_now
from metarag.retrieval.entrez_fetch import FetchResult, listed
from metarag.retrieval.pmids import Id, sort_out
from metarag.retrieval.record_cache import CachedRecord, RecordCache

MAX_AGE: Final = timedelta(days=7)
"""After which a record is asked for again (ours): a retraction that PubMed has known for a week is seen."""
CLOCK_DRIFT: Final = timedelta(minutes=10)
"""By which the clocks of two machines that share a cache may differ (ours)."""


class Fetcher(Protocol):
    """What fetches records by PMID, such as an :class:`~metarag.retrieval.entrez.EntrezClient`."""

    def fetch(
        self,
        ids: Iterable[Id],
        *,
        progress: Callable[[int, int], None] | None = None,
        arrived: Callable[[Sequence[Article]], None] | None = None,
    ) -> FetchResult:
        """Return the records, and a reason for each id that has none; ``arrived`` is given them as they come."""


class RecordStore:
    """Fetches records, and keeps them if it has a cache.

    A record older than ``max_age`` is fetched again, because retractions, corrections and updates come to
    PubMed as new revisions of a record. Where that fails, the old one is returned with a word on its age.

    Parameters
    ----------
    max_age : timedelta
        Zero asks every time.
    now : callable
        The time in UTC.
    """

    def __init__(
        self,
        client: Fetcher,
        cache: RecordCache | None = None,
        *,
        max_age: timedelta = MAX_AGE,
        now: Clock = utc_now,
    ) -> None:
        self.client = client
        self.cache = cache
        self.max_age = max_age
        self._now = now

    def fetch(
        self, ids: Iterable[Id] | Id, *, progress: Callable[[int, int], None] | None = None
    ) -> FetchResult:
        """Return records in the order of the ids; see :class:`~metarag.retrieval.entrez_fetch.FetchResult`.

        Raises
        ------
        RetrievalError
            Nothing could be fetched, and nothing is in the cache.
        """
        pmids, invalid = sort_out(ids)
        now = self._now()
        cached = self.cache.get(pmids) if self.cache is not None else {}
        ages = {pmid: now - record.checked_at for pmid, record in cached.items()}
        # A record of the future was kept by a clock that was wrong: nothing is known of its age.
        undated = [pmid for pmid, age in ages.items() if age < -CLOCK_DRIFT]
        fresh = {pmid for pmid, age in ages.items() if age < self.max_age} - set(undated)
        wanted = [pmid for pmid in pmids if pmid not in fresh]

        def keep(articles: Sequence[Article]) -> None:
            # Answer by answer, so that what has come is not lost with what comes after it.
            if self.cache is not None:
                self.cache.forget(a.pmid for a in articles if a.pmid in undated)
                self.cache.put(articles, checked_at=now)

        fetched = self._fetched(wanted, cached, progress, keep)
        if self.cache is not None:
            self.cache.forget(pmid for pmid in fetched.missing if pmid in cached)
        return self._together(pmids, invalid, fetched, cached)

    def _fetched(
        self,
        wanted: list[str],
        cached: Mapping[str, CachedRecord],
        progress: Callable[[int, int], None] | None,
        arrived: Callable[[Sequence[Article]], None],
    ) -> FetchResult:
        if not wanted:
            return FetchResult()
        try:
            return self.client.fetch(wanted, progress=progress, arrived=arrived)
        except RetrievalError as error:
            if not cached:
                raise
            return FetchResult(unfetched=tuple(wanted), problems=(str(error),))

    def _together(
        self,
        pmids: tuple[str, ...],
        invalid: tuple[str, ...],
        fetched: FetchResult,
        cached: Mapping[str, CachedRecord],
    ) -> FetchResult:
        gone = [pmid for pmid in fetched.missing if pmid in cached]
        unread = {failure.pmid for failure in fetched.failures}
        usable = {p: r.article for p, r in cached.items() if p not in gone and p not in unread}
        articles = usable | {article.pmid: article for article in fetched.articles}
        old = [pmid for pmid in fetched.unfetched if pmid in usable]
        notes = [*fetched.notes]
        if gone:
            notes.append(f"withdrawn from PubMed since they were fetched: {listed(gone)}")
        if old:
            since = min(cached[pmid].checked_at for pmid in old)
            why = "; ".join(fetched.problems) or "unknown"
            notes.append(
                f"not checked for retraction since {since:%Y-%m-%d} at the earliest ({why}): {listed(old)}"
            )
        if self.cache is not None and self.cache.trouble:
            notes.append(self.cache.trouble)
        places = {pmid: place for place, pmid in enumerate(pmids, 1)}
        return FetchResult(
            articles=tuple(articles[pmid] for pmid in pmids if pmid in articles),
            failures=tuple(f.model_copy(update={"position": places[f.pmid or ""]}) for f in fetched.failures),
            missing=fetched.missing,
            invalid=invalid,
            unfetched=tuple(pmid for pmid in fetched.unfetched if pmid not in usable),
            problems=fetched.problems,
            notes=tuple(notes),
        )
