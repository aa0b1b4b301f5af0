"""The bibliographic record: what a database says of an article, and nothing that metarag thinks of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)


class Frozen(BaseModel):
    """Immutable and strict: an unknown field is an error, not a shrug."""

    # Any limit of length makes pydantic look whether a text can be written at all: half a surrogate pair cannot.
    model_config = ConfigDict(frozen=True, extra="forbid", str_min_length=0)


def _in_utc(value: datetime) -> datetime:
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("lies beyond the years 1 to 9999") from error


UtcTime = Annotated[datetime, AfterValidator(_in_utc)]
"""A moment; one that names no zone is in UTC, so that any two can be compared."""

Stripped = Annotated[str, StringConstraints(strip_whitespace=True)]
"""A name that others compare; blanks around it are no part of it."""

EARLIEST_YEAR: Final = 1500
"""Older than anything a bibliographic database lists by its year."""
YEARS_AHEAD: Final = 2
"""Print issues are dated ahead, by months and seldom by more than a year."""
_SURELY_PAST: Final = 2025
"""Up to here no clock is asked, which would take as long as all else about a date."""
_LONGEST_RAW_YEAR: Final = 40
_NO_YEAR: Final = re.compile(r"-?\d{3,}|\A-\d+|\A\d+\Z")


def can_be_year(number: int) -> bool:
    """Return True for a year from 1500 to two years from now, in which an article can have appeared."""
    if EARLIEST_YEAR <= number <= _SURELY_PAST:
        return True
    return _SURELY_PAST < number <= datetime.now(UTC).year + YEARS_AHEAD


class AbstractSection(Frozen):
    """One paragraph of an abstract.

    Parameters
    ----------
    text : str
        Plain text; inline markup resolved, never empty.
    label : str or None
        The heading as printed, in any language.
    nlm_category : str or None
        BACKGROUND, OBJECTIVE, METHODS, RESULTS, CONCLUSIONS or UNASSIGNED.
    """

    text: str
    label: str | None = None
    nlm_category: str | None = None


class OtherAbstract(Frozen):
    """A translation or a plain-language summary; never mixed into the abstract."""

    text: str
    type: str | None = None
    language: str | None = None


class PublicationType(Frozen):
    """A publication type. Compare by ``ui`` where there is one: names change."""

    name: Stripped
    ui: Stripped | None = None


class MeshQualifier(Frozen):
    """A MeSH subheading with its own major-topic flag."""

    name: str
    ui: str | None = None
    major: bool = False


class MeshHeading(Frozen):
    """A MeSH descriptor with its qualifiers."""

    descriptor: str
    ui: str | None = None
    descriptor_major: bool = False
    qualifiers: tuple[MeshQualifier, ...] = ()

    @property
    def major(self) -> bool:
        """True when the descriptor or any of its qualifiers is a major topic."""
        return self.descriptor_major or any(q.major for q in self.qualifiers)


class SupplementaryConcept(Frozen):
    """A MeSH supplementary concept (disease, protocol, organism ...)."""

    name: str
    ui: str | None = None
    type: str | None = None


class Author(Frozen):
    """A person, or a group in ``collective``."""

    last: str | None = None
    fore: str | None = None
    initials: str | None = None
    suffix: str | None = None
    collective: str | None = None
    orcid: str | None = None
    affiliations: tuple[str, ...] = ()

    @property
    def short_name(self) -> str:
        """``Preiser JC`` or the name of the group."""
        if self.collective:
            return self.collective
        return " ".join(part for part in (self.last, self.initials or self.fore) if part)


class PartialDate(Frozen):
    """A date as far as it is known. Parts are never borrowed from another date."""

    raw: str | None = None
    year: int | None = None
    month: int | None = Field(default=None, ge=1, le=12)
    day: int | None = Field(default=None, ge=1, le=31)
    season: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_absurd_month(cls, given: Any) -> Any:
        """Drop a month or a day that no calendar has: it must not lose the record; ``raw`` keeps it."""
        if not isinstance(given, dict):
            return given
        parts = (given.get("year"), given.get("month"), given.get("day"))
        wrong = [
            name
            for name, value, last in zip(("month", "day"), parts[1:], (12, 31), strict=True)
            if isinstance(value, int) and not 1 <= value <= last
        ]
        if not wrong:
            return given
        raw = "-".join(str(part)[:_LONGEST_RAW_YEAR] for part in parts if part is not None)
        # A day is one of its month.
        return {**given, **dict.fromkeys((*wrong, "day")), "raw": given.get("raw") or raw}

    @model_validator(mode="before")
    @classmethod
    def _no_absurd_year(cls, given: Any) -> Any:
        """Drop a year such as 20200: it must neither decide nor lose the record; ``raw`` keeps it."""
        if not isinstance(given, dict) or not isinstance(year := given.get("year"), (int, float, str)):
            return given
        try:
            number = int(year)
        except (ValueError, OverflowError):
            return given
        if can_be_year(number):
            return given
        return {**given, "year": None, "raw": given.get("raw") or str(year)[:_LONGEST_RAW_YEAR]}

    @property
    def absurd_year(self) -> str | None:
        """The number that was given as the year and can be none: ``20200``."""
        found = _NO_YEAR.search((self.raw or "").strip()) if self.year is None else None
        return found[0][:_LONGEST_RAW_YEAR] if found else None


class Journal(Frozen):
    """Where the article stands."""

    title: str | None = None
    abbreviation: str | None = None
    issn: str | None = None
    nlm_id: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None


class Correction(Frozen):
    """A comments-and-corrections link, e.g. ``RetractionIn``."""

    type: Stripped
    source: str | None = None
    pmid: Stripped | None = None


class Reference(Frozen):
    """A cited work."""

    citation: str | None = None
    pmid: str | None = None
    doi: str | None = None


class Grant(Frozen):
    """Funding as listed by PubMed."""

    id: str | None = None
    agency: str | None = None
    country: str | None = None


class RegistryId(Frozen):
    """A trial registration, e.g. ``("ClinicalTrials.gov", "NCT00000500")``."""

    registry: str | None = None
    id: str


class RecordKind(StrEnum):
    """What sort of record it is."""

    ARTICLE = "article"
    BOOK = "book"


class TextOrigin(StrEnum):
    """Whose words the title and abstract are."""

    ABSTRACT = "abstract"
    """The record's own, as a database delivers it."""
    SUMMARY = "summary"
    """A summary written for this project from published facts; not the authors' words."""
    HOST_TEXT = "host_text"
    """Text that another system handed over; may be a fragment."""


class Article(Frozen):
    """A bibliographic record, unchanged by anything metarag concludes about it.

    Attributes
    ----------
    id : str
        Identity: ``pmid:...``, else ``doi:...`` (lower case), else ``text:`` and 16 hex digits of a
        SHA-256 over title and abstract, because many RAG stacks hand over text without a PMID.
    status, indexing_method : str or None
        PubMed's processing state (``MEDLINE``, ``Publisher`` ...) and ``Automated``/``Curated``;
        ``None`` when the source does not say.
    publication_types_inferred : bool
        True when nobody displayed the types and they follow from the described design.
    """

    kind: RecordKind = RecordKind.ARTICLE
    pmid: str | None = Field(default=None, pattern=r"^[1-9]\d{0,9}$")
    version: int = Field(default=1, ge=1)
    doi: str | None = None
    pmcid: str | None = None
    pii: str | None = None
    title: str = ""
    vernacular_title: str | None = None
    title_translated: bool = False
    abstract_sections: tuple[AbstractSection, ...] = ()
    other_abstracts: tuple[OtherAbstract, ...] = ()
    copyright: str | None = None
    publication_types: tuple[PublicationType, ...] = ()
    publication_types_inferred: bool = False
    mesh: tuple[MeshHeading, ...] = ()
    supplementary_mesh: tuple[SupplementaryConcept, ...] = ()
    chemicals: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    journal: Journal = Journal()
    print_date: PartialDate | None = None
    electronic_date: PartialDate | None = None
    date_revised: PartialDate | None = None
    authors: tuple[Author, ...] = ()
    languages: tuple[str, ...] = ()
    registry_ids: tuple[RegistryId, ...] = ()
    grants: tuple[Grant, ...] = ()
    conflict_of_interest: str | None = None
    corrections: tuple[Correction, ...] = ()
    references: tuple[Reference, ...] = ()
    status: str | None = None
    indexing_method: str | None = None
    text_origin: TextOrigin = TextOrigin.ABSTRACT

    @field_validator("doi")
    @classmethod
    def _bare_doi(cls, value: str | None) -> str | None:
        """Keep the DOI itself: resolvers and ``doi:`` prefixes are ways of writing it."""
        if value is None:
            return None
        bare = value.strip()
        for prefix in (
            "https://doi.org/",
            "http://doi.org/",
            "https://dx.doi.org/",
            "http://dx.doi.org/",
            "doi:",
        ):
            if bare.lower().startswith(prefix):
                bare = bare[len(prefix) :].strip()
        return bare or None

    @cached_property
    def id(self) -> str:
        """Identity of the article; see the class."""
        if self.pmid:
            return f"pmid:{self.pmid}"
        if self.doi:
            return f"doi:{self.doi.lower()}"
        digest = hashlib.sha256(f"{self.title}\0{self.abstract or ''}".encode()).hexdigest()
        return f"text:{digest[:16]}"

    @cached_property
    def abstract(self) -> str | None:
        """All sections as plain text, ``LABEL: text``, one to a line; ``None`` when there is none.

        Spans with ``where="abstract"`` index this string.
        """
        if not self.abstract_sections:
            return None
        return "\n".join(f"{s.label}: {s.text}" if s.label else s.text for s in self.abstract_sections)

    @property
    def year(self) -> int | None:
        """Year of the earlier of the electronic and the print date."""
        years = [d.year for d in (self.electronic_date, self.print_date) if d and d.year]
        return min(years, default=None)

    @property
    def label(self) -> str:
        """What a person is shown as its name: ``PMID 123``, ``doi:10...``, author and year, or the title."""
        if self.pmid:
            return f"PMID {self.pmid}"
        if self.doi:
            return f"doi:{self.doi}"
        if self.authors and self.year:
            return f"{self.authors[0].short_name} {self.year}"
        return self.title[:60] or self.id

    def __iter__(self) -> Iterator[tuple[str, Any]]:  # type: ignore[override]  # as pydantic's own
        """Yield the fields only: a text that was put together from them must not pass for one."""
        return ((name, getattr(self, name)) for name in type(self).model_fields)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy without what was derived from the fields, which may be others now."""
        copied = super().model_copy(update=update, deep=deep)
        for derived in ("id", "abstract"):
            copied.__dict__.pop(derived, None)
        return copied

    def has_type(self, *names_or_uis: str) -> bool:
        """True when any publication type has one of these names (any case) or UIs."""
        wanted = {n.casefold() for n in names_or_uis}
        return any(
            t.name.casefold() in wanted or (t.ui or "").casefold() in wanted for t in self.publication_types
        )

    @model_validator(mode="after")
    def _is_something(self) -> Self:
        if not (self.pmid or self.doi or self.title.strip() or self.abstract_sections):
            raise ValueError("an article needs a pmid, a doi, a title or an abstract")
        return self
