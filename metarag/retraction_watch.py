"""A second source on retractions: the Retraction Watch table, as a CSV file that the user has."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from io import TextIOWrapper
from pathlib import Path

from metarag.errors import InputError
from metarag.files import open_regular
from metarag.records import Article, PartialDate
from metarag.types import RetractionState, RetractionStatus

DOI, PMID, NATURE, DATE = "OriginalPaperDOI", "OriginalPaperPubMedID", "RetractionNature", "RetractionDate"
NOTICE_DOI, REASON = "RetractionDOI", "Reason"
_NATURES = {
    "retraction": RetractionState.RETRACTED,
    "expression of concern": RetractionState.EXPRESSION_OF_CONCERN,
    "correction": RetractionState.CORRECTED,
}
_REINSTATEMENT = "reinstatement"
# The table writes "Unavailable" for an unknown DOI and 0 for an unknown PMID.
_NO_VALUE = frozenset({"", "0", "unavailable"})
_DATE_FORMATS = ("%m/%d/%Y %H:%M", "%m/%d/%Y", "%Y-%m-%d")
_GRAVITY = (
    RetractionState.RETRACTED,
    RetractionState.RETRACTION_NOTICE,
    RetractionState.SUPERSEDED,
    RetractionState.EXPRESSION_OF_CONCERN,
    RetractionState.CONCERN_NOTICE,
    RetractionState.CORRECTED,
    RetractionState.CORRECTION_NOTICE,
    RetractionState.NONE_SEEN,
    RetractionState.NOT_CHECKED,
)
"""Gravest first."""


@dataclass(frozen=True, slots=True)
class RetractionWatch:
    """What the table says, by DOI (lower case) and by PMID.

    Attributes
    ----------
    by_doi, by_pmid : mapping of str to RetractionStatus
        The gravest entry of each article; one that was reinstated later is left out.
    as_of : PartialDate or None
        Date of the newest entry: what is younger than the file it cannot know.
    entries : int
        Rows read.
    source : str
        How the table is named in a decision.
    """

    by_doi: Mapping[str, RetractionStatus]
    by_pmid: Mapping[str, RetractionStatus]
    as_of: PartialDate | None
    entries: int
    source: str

    @classmethod
    def from_csv(cls, path: Path | str) -> RetractionWatch:
        """Read the table in UTF-8.

        Raises
        ------
        InputError
            The file cannot be read, or lacks a column that is needed.
        """
        path = Path(path)
        try:
            with TextIOWrapper(
                open_regular(path), encoding="utf-8-sig", newline="", errors="replace"
            ) as stream:
                rows = list(_rows(csv.DictReader(stream), path))
        except OSError as error:
            raise InputError(f"Retraction Watch file {path} cannot be read: {error.strerror}") from error
        except csv.Error as error:
            raise InputError(f"Retraction Watch file {path} is not CSV: {error}") from error
        newest = max((row.date for row in rows if row.date), default=None)
        as_of = _partial(newest)
        source = f"Retraction Watch ({path.name})"
        return cls(
            by_doi=_gravest(rows, "doi", source, as_of),
            by_pmid=_gravest(rows, "pmid", source, as_of),
            as_of=as_of,
            entries=len(rows),
            source=source,
        )

    def status(self, article: Article) -> RetractionStatus | None:
        """Return what the table says of an article; ``None`` when the article has no identifier.

        One that the table does not list is ``NONE_SEEN``, as of the table's newest entry.
        """
        if not (article.doi or article.pmid):
            return None
        found = [self.by_doi.get((article.doi or "").lower()), self.by_pmid.get(article.pmid or "")]
        unlisted = RetractionStatus(state=RetractionState.NONE_SEEN, source=self.source, as_of=self.as_of)
        return gravest(*(status for status in found if status), unlisted)


def gravest(*statuses: RetractionStatus) -> RetractionStatus | None:
    """Return the gravest of several statuses, the first on a tie; ``None`` for none."""
    return min(statuses, key=lambda status: _GRAVITY.index(status.state), default=None)


def forgets(copy: RetractionState, known: RetractionState) -> bool:
    """Return True when a copy of a record in one state does not say what another copy says, or less."""
    said = known not in (RetractionState.NONE_SEEN, RetractionState.NOT_CHECKED)
    return said and _GRAVITY.index(known) < _GRAVITY.index(copy)


@dataclass(frozen=True, slots=True)
class _Row:
    doi: str
    pmid: str
    nature: str
    date: date | None
    detail: str


def _rows(reader: csv.DictReader[str], path: Path) -> Iterator[_Row]:
    missing = {DOI, PMID, NATURE} - set(reader.fieldnames or ())
    if missing:
        raise InputError(
            f"{path} is not a Retraction Watch table: column {', '.join(sorted(missing))} is missing"
        )
    for row in reader:
        cells = {name: (value or "").strip() for name, value in row.items() if isinstance(value, str)}
        doi, pmid = cells.get(DOI, "").lower(), cells.get(PMID, "")
        parts = [cells.get(REASON, "").strip("+;").replace(";+", "; "), cells.get(NOTICE_DOI, "")]
        yield _Row(
            doi="" if doi in _NO_VALUE else doi,
            pmid="" if pmid in _NO_VALUE else pmid,
            nature=cells.get(NATURE, "").casefold(),
            date=_date(cells.get(DATE, "")),
            detail=", ".join(part for part in parts if part.casefold() not in _NO_VALUE)[:300],
        )


def _date(text: str) -> date | None:
    for form in _DATE_FORMATS:
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 - a calendar day, no moment in time
        except ValueError:
            continue
    return None


def _partial(day: date | None) -> PartialDate | None:
    return PartialDate(year=day.year, month=day.month, day=day.day) if day else None


def _gravest(
    rows: list[_Row], field: str, source: str, as_of: PartialDate | None
) -> dict[str, RetractionStatus]:
    found: dict[str, RetractionStatus] = {}
    reinstated = {getattr(row, field): row.date or date.min for row in rows if row.nature == _REINSTATEMENT}
    for row in rows:
        key, state = getattr(row, field), _NATURES.get(row.nature)
        if not key or state is None or (key in reinstated and (row.date or date.min) <= reinstated[key]):
            continue
        when = f"{row.date:%Y-%m-%d}: " if row.date else ""
        status = RetractionStatus(
            state=state,
            source=source,
            as_of=as_of,
            detail=f"{when}{row.detail}" or None,
        )
        found[key] = gravest(status, *([found[key]] if key in found else [])) or status
    return found
