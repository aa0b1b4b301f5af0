"""From the fields of a RIS record to the keyword arguments of :class:`metarag.records.Article`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from metarag.retrieval.pubmed_dates import parse_date_text, parse_numeric_date
from metarag.retrieval.pubmed_fields import Fields, title_fields
from metarag.retrieval.text_lines import abstract_sections
from metarag.retrieval.xml_text import collapse

RisRecord = Mapping[str, list[str]]
"""Lines by tag."""

_BOOK_TYPES = frozenset({"BOOK", "CHAP", "EBOOK", "ECHAP", "EDBOOK"})
_PMID_IN_ADDRESS = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/0{0,9}([1-9]\d{0,8})", re.ASCII
)
_PMID_IN_NOTE = re.compile(r"\bPMID: ?0*([1-9]\d{0,8})\b", re.ASCII | re.IGNORECASE)
_PMCID = re.compile(r"\bPMC[1-9]\d{0,9}\b", re.ASCII)
_ACCESSION = re.compile(r"(?:PMID: ?)?0*([1-9]\d{3,7})", re.ASCII)
_ADDRESS_OF_DOI = re.compile(r"https?://(?:dx\.)?doi\.org/(10\.\S+)", re.ASCII)
_PUBMED = ("nlm", "pubmed", "medline", "national library of medicine")
_SHORT_NAME = re.compile(r"(\S[^,]{0,80}) ([A-Z]{1,4})")

# EndNote's PubMed import puts publication types among the notes. Other lines there are no types.
_NOTED_TYPES = frozenset(
    (
        "Case Reports", "Clinical Study", "Clinical Trial", "Clinical Trial Protocol",
        "Clinical Trial, Phase I", "Clinical Trial, Phase II", "Clinical Trial, Phase III",
        "Clinical Trial, Phase IV", "Comment", "Comparative Study", "Controlled Clinical Trial",
        "Editorial", "Evaluation Study", "Expression of Concern", "Guideline", "Journal Article",
        "Letter", "Meta-Analysis", "Multicenter Study", "Network Meta-Analysis",
        "Observational Study", "Practice Guideline", "Pragmatic Clinical Trial",
        "Published Erratum", "Randomized Controlled Trial", "Retracted Publication",
        "Retraction Notice", "Retraction of Publication", "Review", "Scoping Review",
        "Systematic Review", "Validation Study",
    )
)  # fmt: skip


def ris_fields(record: RisRecord) -> Fields:
    """Map a record. Keywords stay as printed: the format does not tell MeSH headings from other words."""
    languages = _all(record, "LA")
    title = _first(record, "TI", "T1", "CT")
    return {
        "kind": "book" if (_first(record, "TY") or "").upper() in _BOOK_TYPES else "article",
        "pmid": _pmid(record),
        "doi": _doi(record),
        "pmcid": _pmcid(record),
        **title_fields(title or _first(record, "BT"), _first(record, "TT"), languages),
        "abstract_sections": abstract_sections(_joined(record, "AB") or _joined(record, "N2")),
        "publication_types": [{"name": name} for name in _publication_types(record)],
        "keywords": _all(record, "KW"),
        "journal": {
            "title": _first(record, "T2", "JF", "JO", "BT") if title else None,
            "abbreviation": _first(record, "J2", "JA"),
            "issn": (_first(record, "SN") or "").split(" ")[0] or None,
            "volume": _first(record, "VL"),
            "issue": _first(record, "IS"),
            "pages": _pages(record),
        },
        "print_date": _date(record),
        "authors": [_author(name) for tag in ("AU", "A1") for name in _all(record, tag)],
        "languages": languages,
    }


def _all(record: RisRecord, tag: str) -> list[str]:
    return [text for value in record.get(tag, ()) if (text := collapse(value))]


def _joined(record: RisRecord, tag: str) -> str | None:
    return collapse(" ".join(record.get(tag, ())))


def _first(record: RisRecord, *tags: str) -> str | None:
    return next((text for tag in tags if (text := _joined(record, tag))), None)


def _pmid(record: RisRecord) -> str | None:
    addresses = " ".join(value for tag in ("UR", "L1", "L2", "LK") for value in record.get(tag, ()))
    notes = " ".join(value for tag in ("N1", "M1", "ID", "C1") for value in record.get(tag, ()))
    if match := _PMID_IN_ADDRESS.search(addresses) or _PMID_IN_NOTE.search(notes):
        return match[1]
    provider = " ".join(value for tag in ("DP", "DB") for value in record.get(tag, ())).casefold()
    accession = _ACCESSION.fullmatch(_first(record, "AN") or "")
    # An accession number of Embase or Scopus is a number as well.
    is_pubmed = not provider or any(name in provider for name in _PUBMED)
    return accession[1] if accession and is_pubmed else None


def _doi(record: RisRecord) -> str | None:
    address = _ADDRESS_OF_DOI.search(_first(record, "UR") or "")
    return _first(record, "DO") or (address[1] if address else None)


def _pmcid(record: RisRecord) -> str | None:
    match = _PMCID.search(" ".join(value for tag in ("C2", "N1") for value in record.get(tag, ())))
    return match[0] if match else None


def _publication_types(record: RisRecord) -> list[str]:
    names = (*_all(record, "M3"), *_all(record, "N1"))
    return list(dict.fromkeys(name for name in names if name in _NOTED_TYPES))


def _pages(record: RisRecord) -> str | None:
    first, last = _first(record, "SP"), _first(record, "EP")
    return f"{first}-{last}" if first and last and first != last else first


def _date(record: RisRecord) -> Fields | None:
    """Return the date in ``DA``, which EndNote writes without the year that stands in ``PY``."""
    date, year = _first(record, "DA"), _first(record, "PY", "Y1")
    if date and re.match(r"\d{4}(?!\d)", date):
        return _slashed(date)
    if year is None:
        return parse_date_text(date) if date else None
    return parse_date_text(f"{year} {date}") if date and "/" not in year else _slashed(year)


def _slashed(text: str) -> Fields | None:
    """Read ``2019/10//undefined``, as Zotero writes it: year, month, day and other words."""
    parts = [part.strip() for part in text.split("/")[:3]]
    return parse_numeric_date("/".join(part for part in parts if part.isdecimal()) or text)


def _author(name: str) -> Fields:
    """Read ``Last, First, Suffix`` or ``Last FM``; a name of another form is a group's."""
    last, comma, rest = name.partition(",")
    if comma:
        fore, _, suffix = (part.strip() for part in rest.partition(","))
        initials = "".join(word[0] for word in re.split(r"[\s.\-]+", fore) if word)
        return {
            "last": last.strip(),
            "fore": fore or None,
            "initials": initials or None,
            "suffix": suffix or None,
        }
    short = _SHORT_NAME.fullmatch(name)
    return {"last": short[1], "initials": short[2]} if short else {"collective": name}
