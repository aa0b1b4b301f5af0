"""The field tags that PubMed knows: a closed table, because PubMed ignores others without a word.

References
----------
PubMed User Guide, "Search field tags", https://pubmed.ncbi.nlm.nih.gov/help/, as updated on 25 February 2025;
further spellings: EInfo (``einfo.fcgi?db=pubmed``) and the names that PubMed's own search builder writes.
Proximity: NLM Technical Bulletin 2022;449:e4. Compare with a live EInfo before adding to the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from types import MappingProxyType
from typing import Final

COPIED_ON: Final = "2025-02-25"
"""The state of the User Guide that the table follows."""

MAX_TAG_LENGTH: Final = 60
"""Characters up to which a similar tag is looked for; no tag is longer."""


class FieldKind(Enum):
    """What a field holds, and so how a value of it is written."""

    TEXT = "text"
    HEADING = "heading"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    FILTER = "filter"


@dataclass(frozen=True, slots=True)
class QueryField:
    """One field of PubMed.

    Attributes
    ----------
    tag : str
        The short tag, without brackets.
    name : str
        In words, as PubMed's search builder writes it.
    kind : FieldKind
        What it holds.
    aliases : tuple of str
        Other spellings, in lower case.
    """

    tag: str
    name: str
    kind: FieldKind
    aliases: tuple[str, ...] = ()


_K = FieldKind
FIELDS: Final = (
    QueryField("all", "All Fields", _K.TEXT, ("all field",)),
    QueryField("ti", "Title", _K.TEXT, ("titl",)),
    QueryField("tiab", "Title/Abstract", _K.TEXT, ("title abstract",)),
    QueryField("tw", "Text Word", _K.TEXT, ("text words", "word", "text")),
    QueryField("ot", "Other Term", _K.TEXT, ("otrm", "other terms")),
    QueryField("tt", "Transliterated Title", _K.TEXT),
    QueryField("ad", "Affiliation", _K.TEXT, ("affl",)),
    QueryField("cois", "Conflict of Interest Statement", _K.TEXT, ("conflict of interest statements",)),
    QueryField("mh", "MeSH Terms", _K.HEADING, ("mesh", "mesh term")),
    QueryField("majr", "MeSH Major Topic", _K.HEADING, ("mesh major topics",)),
    QueryField("sh", "MeSH Subheading", _K.HEADING, ("subh", "subheading", "mesh subheadings")),
    QueryField("nm", "Supplementary Concept", _K.HEADING, ("subs", "substance name", "supplementary concepts")),
    QueryField("pa", "Pharmacological Action", _K.HEADING, ("papx",)),
    QueryField("pt", "Publication Type", _K.HEADING, ("ptyp", "publication types")),
    QueryField("ps", "Personal Name as Subject", _K.NAME, ("subject - personal name",)),
    QueryField("au", "Author", _K.NAME, ("auth", "author name", "authors")),
    QueryField("1au", "Author - First", _K.NAME, ("faut", "first author", "first author name")),
    QueryField("lastau", "Author - Last", _K.NAME, ("laut", "last author", "last author name")),
    QueryField("fau", "Author - Full", _K.NAME, ("full", "full author name")),
    QueryField("auid", "Author - Identifier", _K.NAME, ("author identifier",)),
    QueryField("cn", "Author - Corporate", _K.NAME, ("coln", "corporate author")),
    QueryField("ir", "Investigator", _K.NAME, ("invr",)),
    QueryField("fir", "Investigator - Full", _K.NAME, ("finv", "full investigator name")),
    QueryField("ed", "Editor", _K.NAME),
    QueryField("ta", "Journal", _K.NAME, ("jour", "journal title", "is", "issn")),
    QueryField("jid", "NLM Unique ID", _K.NAME),
    QueryField("la", "Language", _K.NAME, ("lang",)),
    QueryField("pl", "Place of Publication", _K.NAME, ("cnty",)),
    QueryField("pubn", "Publisher", _K.NAME),
    QueryField("book", "Book", _K.NAME),
    QueryField("isbn", "ISBN", _K.NAME),
    QueryField("vi", "Volume", _K.NAME, ("vol",)),
    QueryField("ip", "Issue", _K.NAME, ("iss",)),
    QueryField("pg", "Pagination", _K.NAME, ("page",)),
    QueryField("pmid", "PMID", _K.NUMBER, ("uid",)),
    QueryField("aid", "Article Identifier", _K.NAME, ("doi", "pid", "publisher id")),
    QueryField("lid", "Location ID", _K.NAME),
    QueryField("si", "Secondary Source ID", _K.NAME),
    QueryField("gr", "Grants and Funding", _K.NAME, ("grnt", "grant number", "grant")),
    QueryField("rn", "EC/RN Number", _K.NAME, ("ecno",)),
    QueryField("dp", "Date - Publication", _K.DATE, ("pdat", "publication date")),
    QueryField("ppdat", "Date - Print Publication", _K.DATE, ("ppdt", "print publication date")),
    QueryField("epdat", "Date - Electronic Publication", _K.DATE, ("epdt", "electronic publication date")),
    QueryField("edat", "Date - Entry", _K.DATE, ("date - entrez", "entry date", "entrez date")),
    QueryField("crdt", "Date - Create", _K.DATE, ("create date",)),
    QueryField("mhda", "Date - MeSH", _K.DATE, ("mesh date",)),
    QueryField("dcom", "Date - Completion", _K.DATE, ("cdat", "completion date")),
    QueryField("lr", "Date - Modification", _K.DATE, ("mdat", "modification date")),
    QueryField("filter", "Filter", _K.FILTER, ("filt",)),
    QueryField("sb", "Subset", _K.FILTER),
)  # fmt: skip

BY_TAG: Final = MappingProxyType({field.tag: field for field in FIELDS})

PROXIMITY_TAGS: Final = frozenset({"ti", "tiab", "ad"})
"""Fields in which PubMed can look for words near each other."""

NOT_EXPLODED_TAGS: Final = frozenset({"mh", "majr", "sh", "pt"})
"""Fields in which ``:noexp`` leaves out the narrower headings."""

_BY_NAME: Final = MappingProxyType(
    {spelling: field for field in FIELDS for spelling in (field.tag, field.name.lower(), *field.aliases)}
)


def find_field(written: str) -> QueryField | None:
    """Return the field of a tag as written, in any case; ``None`` when PubMed has none of that name."""
    return _BY_NAME.get(" ".join(written.lower().split()))


def closest_tag(written: str) -> str | None:
    """Return the known tag most like an unknown one, or ``None``."""
    if len(written) > MAX_TAG_LENGTH:
        return None
    close = get_close_matches(" ".join(written.lower().split()), _BY_NAME, n=1, cutoff=0.6)
    return _BY_NAME[close[0]].tag if close else None
