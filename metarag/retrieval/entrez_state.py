"""A search in slices on disk, so that one that was killed goes on where it was."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, ValidationError

from metarag.errors import InputError
from metarag.files import read_small_file, write_text_atomically
from metarag.records import Frozen
from metarag.retrieval.entrez_dates import DateLimits, Days
from metarag.retrieval.entrez_search import SearchSlice, Sort
from metarag.retrieval.esearch_xml import EsearchAnswer

FORMAT: Final = "metarag-search/2"
MAX_BYTES: Final = 2**30
"""Of a state file. The ids of all that is in PubMed are half of it."""

Pmid = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,11}$")]


class SearchState(Frozen):
    """What is known of a search, and what is still to be searched. Holds no key.

    Attributes
    ----------
    source : str
        Address of the E-utilities that was asked.
    first : EsearchAnswer
        The search as a whole, with the first ids.
    open_days : tuple of Days
        Still to be searched, the last one first.
    """

    format: str = FORMAT
    source: str
    query: str
    sort: Sort
    dates: DateLimits | None
    searched_at: datetime
    first: EsearchAnswer
    ids: tuple[Pmid, ...]
    open_days: tuple[Days, ...]
    slices: tuple[SearchSlice, ...] = ()
    notes: tuple[str, ...] = ()

    def after(
        self,
        *,
        open_days: Iterable[Days],
        ids: Iterable[str] = (),
        part: SearchSlice | None = None,
        notes: Iterable[str] = (),
    ) -> SearchState:
        """Return the state after one more step."""
        changes = {
            "open_days": tuple(open_days),
            "ids": tuple(dict.fromkeys((*self.ids, *ids))),
            "slices": (*self.slices, part) if part else self.slices,
            "notes": (*self.notes, *notes),
        }
        return self.model_copy(update=changes)


def save_state(state: SearchState, path: Path) -> None:
    """Replace the file in one step.

    Raises
    ------
    InputError
        It cannot be written.
    """
    try:
        write_text_atomically(path, state.model_dump_json() + "\n")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"the state of the search cannot be written to {path}: {reason}") from error


def load_state(
    path: Path, *, source: str, query: str, sort: Sort, dates: DateLimits | None
) -> SearchState | None:
    """Return the state of this search; ``None`` when there is no such file.

    Raises
    ------
    InputError
        The file is no state, or that of another search.
    """
    try:
        content = read_small_file(path, limit=MAX_BYTES)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"the state of the search cannot be read from {path}: {reason}") from error
    try:
        state = SearchState.model_validate_json(content)
    except ValidationError as error:
        raise InputError(
            f"{path} is not the state of a search of this metarag; delete it, or name another file"
        ) from error
    asked = (FORMAT, source, query, sort, dates)
    if (state.format, state.source, state.query, state.sort, state.dates) != asked:
        raise InputError(
            f"{path} is the state of another search; name another file, or delete it to begin anew"
        )
    return state
