"""Records by PMID, many at a time: what came, what PubMed does not have, what could not be had."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from metarag.errors import ConfigurationError, PubMedIdError, PubMedOverloadError, RetrievalError
from metarag.records import Article, Frozen
from metarag.retrieval.base import ReadFailure, Record
from metarag.retrieval.corpus_rows import Revision
from metarag.retrieval.pmids import Id, sort_out

T = TypeVar("T")

BATCH: Final = 200
"""PMIDs in one request. NCBI asks for no more than about this many at a time."""
MOST_IN_VAIN: Final = 3
"""Single records in a row that PubMed cannot make, after which it is not the records that are to blame (ours)."""


class FetchResult(Frozen):
    """Records in the order of the ids asked for, and each id that has none, with the reason.

    Attributes
    ----------
    failures : tuple of ReadFailure
        Records that came and cannot be read; ``position`` is the place of the id among those asked for.
    missing : tuple of str
        PubMed has no such record: the PMID was withdrawn, merged, or never existed.
    invalid : tuple of str
        What is no PMID; never sent.
    unfetched : tuple of str
        Not had because of ``problems``; may be there another time.
    problems : tuple of str
        Why ids are unfetched.
    notes : tuple of str
        What else a reader has to know.
    """

    articles: tuple[Article, ...] = ()
    failures: tuple[ReadFailure, ...] = ()
    missing: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()
    unfetched: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """True when every id that was asked for has its article."""
        return not (self.failures or self.missing or self.invalid or self.unfetched)

    @property
    def messages(self) -> tuple[str, ...]:
        """What is not there, one sentence each."""
        lists = (
            ("no PMID", self.invalid),
            ("PubMed has no record for", self.missing),
            (f"not fetched ({'; '.join(self.problems) or 'unknown'})", self.unfetched),
        )
        unread = [f"could not be read: {failure}" for failure in self.failures]
        return (*(f"{what}: {listed(ids)}" for what, ids in lists if ids), *unread, *self.notes)


def listed(ids: Sequence[str]) -> str:
    """Return ids for a message: all of a few, else the first twenty and how many more there are."""
    more = f" and {len(ids) - 20:,} more" if len(ids) > 20 else ""
    return ", ".join(ids[:20]) + more


@dataclass(slots=True)
class BatchedFetch:
    """Fetches ids batch by batch, and a batch that PubMed cannot answer in halves, down to the id that is to blame.

    Parameters
    ----------
    request : callable
        Takes PMIDs, returns the records of one answer.
    progress : callable or None
        Told after each batch how many ids are done, and of how many.
    arrived : callable or None
        Given the articles of each answer, so that they can be kept whatever comes next.
    """

    request: Callable[[Sequence[str]], Sequence[Record]]
    batch: int = BATCH
    progress: Callable[[int, int], None] | None = None
    arrived: Callable[[Sequence[Article]], None] | None = None
    _articles: dict[str, Article] = field(default_factory=dict)
    _failures: list[ReadFailure] = field(default_factory=list)
    _nameless: list[ReadFailure] = field(default_factory=list)
    _unfetched: list[str] = field(default_factory=list)
    _doubtful: set[str] = field(default_factory=set)
    _problems: list[str] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)
    _answers: int = 0
    _in_vain: int = 0
    _last: RetrievalError | None = None

    def run(self, ids: Iterable[Id] | Id) -> FetchResult:
        """Return what the ids brought.

        Raises
        ------
        RetrievalError
            No request was answered, so that there is nothing to return.
        """
        pmids, invalid = sort_out(ids)
        done = 0
        for batch in batches(pmids, self.batch):
            try:
                self._fetch(batch)
            except RetrievalError as error:
                if not self._answers:
                    raise
                # Whatever it is, it stays so for the next batches: asking on would only keep waiting.
                self._problems.append(str(error))
                self._unfetched += self._still_open(pmids[done:])
                break
            done += len(batch)
            if self.progress is not None:
                self.progress(done, len(pmids))
        if self._last is not None and not self._answers:
            raise self._last
        return self._result(pmids, invalid)

    def _fetch(self, pmids: Sequence[str]) -> None:
        try:
            records = self.request(pmids)
        except PubMedIdError as error:
            # Of a single id, too, it says that there is no such record.
            self._answers += 1
            if not error.of_all:
                self._fetch_halves(pmids)
        except PubMedOverloadError as error:
            if len(pmids) == 1:
                self._leave_out(pmids[0], error)
            self._fetch_halves(pmids)
        else:
            self._answers += 1
            self._in_vain = 0
            self._take_all(records, set(pmids))

    def _fetch_halves(self, pmids: Sequence[str]) -> None:
        middle = len(pmids) // 2
        if middle:
            self._fetch(pmids[:middle])
            self._fetch(pmids[middle:])

    def _leave_out(self, pmid: str, error: PubMedOverloadError) -> None:
        """Go on without a record that PubMed cannot make, unless it seems to make none at all."""
        self._in_vain += 1
        if self._in_vain >= MOST_IN_VAIN:
            raise error
        self._problems.append(str(error))
        self._unfetched.append(pmid)
        self._last = error

    def _take_all(self, records: Sequence[Record], wanted: set[str]) -> None:
        for record in records:
            if isinstance(record, Article):
                self._take(record, wanted)
            elif isinstance(record, ReadFailure):
                (self._failures if record.pmid in wanted else self._nameless).append(record)
                if record.pmid not in wanted:
                    self._doubtful |= wanted
        if self.arrived is not None:
            self.arrived([self._articles[pmid] for pmid in wanted if pmid in self._articles])

    def _still_open(self, pmids: Sequence[str]) -> list[str]:
        known = {*self._articles, *self._unfetched, *(failure.pmid for failure in self._failures)}
        return [pmid for pmid in pmids if pmid not in known]

    def _take(self, article: Article, wanted: set[str]) -> None:
        pmid = article.pmid or ""
        if pmid not in wanted:
            self._notes.append(
                f"PubMed sent PMID {pmid}, which was not asked for, perhaps for one that became part of it; left out"
            )
            return
        other = self._articles.get(pmid)
        # Some records come in all their versions.
        if other is None or Revision.of(article) > Revision.of(other):
            self._articles[pmid] = article

    def _result(self, pmids: tuple[str, ...], invalid: tuple[str, ...]) -> FetchResult:
        places = {pmid: place for place, pmid in enumerate(pmids, 1)}
        unread = [f.model_copy(update={"position": places[f.pmid or ""]}) for f in self._failures]
        absent = self._still_open(pmids)
        # A record that cannot be read may not even show its PMID: which of the absent ones it is stays open.
        doubtful = [pmid for pmid in absent if pmid in self._doubtful]
        self._problems += [
            f"a record that does not show its PMID cannot be read: {f.reason}" for f in self._nameless
        ]
        return FetchResult(
            articles=tuple(self._articles[pmid] for pmid in pmids if pmid in self._articles),
            failures=tuple(sorted(unread, key=lambda f: f.position)),
            missing=tuple(pmid for pmid in absent if pmid not in self._doubtful),
            invalid=invalid,
            unfetched=(*self._unfetched, *doubtful),
            problems=tuple(dict.fromkeys(self._problems)),
            notes=tuple(dict.fromkeys(self._notes)),
        )


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the items in groups of ``size``, in order.

    Raises
    ------
    ConfigurationError
        ``size`` is smaller than 1.
    """
    if size < 1:
        raise ConfigurationError(f"batch must be 1 or more, got {size}")
    for start in range(0, len(items), size):
        yield items[start : start + size]
