"""A search beyond 9,999 hits: cut by the date of entry until each part can be given out whole."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from metarag.errors import RetrievalError
from metarag.retrieval.entrez_dates import DateField, DateLimits, Days, days_of
from metarag.retrieval.entrez_search import (
    MAX_REACHABLE,
    Page,
    SearchProgress,
    SearchResult,
    SearchSlice,
    Sort,
    ids_from,
)
from metarag.retrieval.entrez_state import SearchState, load_state, save_state
from metarag.retrieval.esearch_xml import EsearchAnswer

ORDER_NOTE: Final = (
    "The first 9,999 ids are in the order asked for; PubMed gives the others out by parts only, and they follow"
    " newest first."
)
CONTINUED: Final = "Continued a search that was begun on"
_PART_SORT: Final = Sort.DATE
"""Of the parts, whose pages must fit together: PubMed's order by relevance may change from one to the next."""


class SlicedSearch:
    """Gets all ids of a search.

    The parts are ranges of the Entrez date, of which every record has exactly one, so that halves tile.
    The publication date would not do: a record has two of them, and very many are given the first of
    January.

    Parameters
    ----------
    source : str
        Address of the E-utilities, so that a state is not taken for that of another one.
    state_file : Path or None
        Kept up to date after each part, read at the start if it is there, and deleted at the end.
    progress : callable or None
        Called after each part.
    """

    def __init__(
        self,
        page: Page,
        term: str,
        *,
        source: str,
        sort: Sort,
        dates: DateLimits | None,
        now: Callable[[], datetime],
        state_file: Path | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> None:
        self._page = page
        self._term = term
        self._source = source
        self._sort = sort
        self._dates = dates
        self._now = now
        self._state_file = state_file
        self._progress = progress
        # Parameters limit one date: the other limits go into the query.
        is_entrez = dates is None or dates.field is DateField.ENTREZ
        self._sliced_term = term if is_entrez or dates is None else dates.around(term)
        self._all_days = days_of(dates if is_entrez else None)

    def run(self) -> SearchResult:
        """Return all ids that can be reached, and what is missing.

        Raises
        ------
        InputError
            The state file cannot be used.
        RetrievalError
            PubMed failed; with a state file the next run goes on after the last whole part.
        """
        state = self._load() or self._begin()
        while state.open_days:
            state = self._step(state)
        result = self._reconciled(state)
        if self._state_file is not None:
            self._state_file.unlink(missing_ok=True)
        return result

    def _load(self) -> SearchState | None:
        if self._state_file is None:
            return None
        state = load_state(
            self._state_file, source=self._source, query=self._term, sort=self._sort, dates=self._dates
        )
        if state is None or any(CONTINUED in note for note in state.notes):
            return state
        begun = f"{state.searched_at:%Y-%m-%d %H:%M} UTC"
        return state.after(open_days=state.open_days, notes=(f"{CONTINUED} {begun}.",))

    def _begin(self) -> SearchState:
        begun = self._now()
        first = self._page(self._term, count=MAX_REACHABLE, sort=self._sort, dates=self._dates)
        ids = ids_from(self._page, first, self._term, sort=self._sort, dates=self._dates)
        parts = self._all_days.halves(begun.date()) if not self._all_days.is_one_day else (self._all_days,)
        state = SearchState(
            source=self._source,
            query=self._term,
            sort=self._sort,
            dates=self._dates,
            searched_at=begun,
            first=first.model_copy(update={"ids": ()}),
            ids=ids,
            open_days=parts if first.count > MAX_REACHABLE else (),
        )
        return self._kept(state)

    def _step(self, state: SearchState) -> SearchState:
        """Search the last range that is open, or put its halves in its place."""
        *others, days = state.open_days
        limits = days.limits
        answer = self._page(self._sliced_term, count=MAX_REACHABLE, sort=_PART_SORT, dates=limits)
        if answer.count > MAX_REACHABLE and not days.is_one_day:
            return self._kept(state.after(open_days=(*others, *days.halves(self._now().date()))))
        ids = ids_from(self._page, answer, self._sliced_term, sort=_PART_SORT, dates=limits)
        part, notes = self._part(days, answer, ids)
        return self._kept(state.after(open_days=others, ids=ids, part=part, notes=notes))

    def _part(
        self, days: Days, answer: EsearchAnswer, ids: tuple[str, ...]
    ) -> tuple[SearchSlice | None, tuple[str, ...]]:
        if not answer.count:
            return None, ()
        limits = days.limits
        part = SearchSlice(
            start=limits.start or "", end=limits.end or "", total=answer.count, retrieved=len(ids)
        )
        lost = answer.count - len(ids)
        notes = (f"{lost:,} hits cannot be reached: {part}.",) if lost > 0 else ()
        return part, notes

    def _kept(self, state: SearchState) -> SearchState:
        if self._state_file is not None:
            save_state(state, self._state_file)
        if self._progress is not None:
            self._progress(
                SearchProgress(
                    found=len(state.ids),
                    total=state.first.count,
                    slices=len(state.slices),
                    open_slices=len(state.open_days),
                )
            )
        return state

    def _reconciled(self, state: SearchState) -> SearchResult:
        total, notes = state.first.count, list(state.notes)
        if len(state.ids) != total:
            total, changed = self._counted_again(state)
            notes += changed
        if len(state.ids) < total:
            notes.append(f"{total - len(state.ids):,} of {total:,} hits are missing from this result.")
        if state.slices:
            notes.append(ORDER_NOTE)
        return SearchResult(
            query=self._term,
            ids=state.ids,
            total=total,
            reachable=len(state.ids),
            query_translation=state.first.query_translation,
            warnings=state.first.warnings,
            query_changed=state.first.query_changed,
            sort=self._sort,
            dates=self._dates,
            searched_at=state.searched_at,
            slices=state.slices,
            notes=tuple(notes),
        )

    def _counted_again(self, state: SearchState) -> tuple[int, list[str]]:
        """Return how many hits there are, now that the ids are another number, and what to say of it.

        New records come in every day, so that only what is counted now can be called missing. A count that is
        smaller than what was found says nothing; then the larger of the others stands.
        """
        counted, found = state.first.count, len(state.ids)
        try:
            now = self._page(self._term, count=0, sort=self._sort, dates=self._dates).count
        except RetrievalError as error:
            return max(counted, found), [f"The hits could not be counted again: {error}."]
        changed = (
            [] if now == counted else [f"PubMed changed during the search: {counted:,} hits, then {now:,}."]
        )
        return now if now >= found else max(counted, found), changed
