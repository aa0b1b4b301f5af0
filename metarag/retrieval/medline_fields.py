"""From the fields of a MEDLINE record to the keyword arguments of :class:`metarag.records.Article`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from metarag.retrieval.pubmed_dates import parse_date_text, parse_numeric_date
from metarag.retrieval.pubmed_fields import Fields, is_data_repository, normal_orcid, title_fields
from metarag.retrieval.text_lines import abstract_sections
from metarag.retrieval.xml_text import collapse

# NLM, "MEDLINE/PubMed Data Element (Field) Descriptions", Comments/Corrections.
_LINKS = {
    "CIN": "CommentIn",
    "CON": "CommentOn",
    "CRF": "CorrectedandRepublishedFrom",
    "CRI": "CorrectedandRepublishedIn",
    "DDIN": "AssociatedDataset",
    "DRIN": "AssociatedPublication",
    "ECF": "ExpressionOfConcernFor",
    "ECI": "ExpressionOfConcernIn",
    "EFR": "ErratumFor",
    "EIN": "ErratumIn",
    "ORI": "OriginalReportIn",
    "PRIN": "PartialRetractionIn",
    "PROF": "PartialRetractionOf",
    "RIN": "RetractionIn",
    "ROF": "RetractionOf",
    "RPF": "RepublishedFrom",
    "RPI": "RepublishedIn",
    "RRF": "RetractedandRepublishedFrom",
    "RRI": "RetractedandRepublishedIn",
    "SPIN": "SummaryForPatientsIn",
    "UIN": "UpdateIn",
    "UOF": "UpdateOf",
}
_PMID = re.compile(r"0{0,9}([1-9]\d{0,9})\.?", re.ASCII)
_YEAR = re.compile(r"\b(?:1[4-9]|20)\d\d\b", re.ASCII)
_OTHER_ABSTRACT = re.compile(r"(AAMC|AIDS|KIE|PIP|NASA|Publisher|plain-language-summary): ")
_CONCERN_TYPE = "Expression of Concern"

Line = tuple[str, str]
"""A field tag and its value, continuation lines joined."""


def medline_fields(record: Mapping[str, Any], lines: Sequence[Line]) -> Fields:
    """Map a record; its PMID is the reader's affair.

    Parameters
    ----------
    record : mapping of str to str or list of str
        What ``Bio.Medline`` gives: by tag, text for fields that occur once, lists for the others.
    lines : sequence of (tag, value)
        The fields in the order of the file. Which affiliation is whose, and where a group stands among
        the persons, shows in the order only; and repeated fields that ``record`` has as one text.
    """
    title, book_title = _text(record, "TI"), _text(record, "BTI")
    languages = _all(record, "LA")
    located = _located(lines)
    return {
        "kind": "book" if book_title else "article",
        "doi": located.get("doi"),
        "pii": located.get("pii"),
        "pmcid": _text(record, "PMC"),
        **title_fields(title or book_title, _text(record, "TT"), languages),
        "abstract_sections": abstract_sections(_text(record, "AB")),
        "other_abstracts": _other_abstracts(record),
        "copyright": _text(record, "CI"),
        "publication_types": [{"name": name} for name in _all(record, "PT")],
        "mesh": [_mesh(heading) for heading in _all(record, "MH")],
        "supplementary_mesh": [{"name": name} for name in _all(record, "NM")],
        "chemicals": [_chemical(substance) for substance in _all(record, "RN")],
        "keywords": [word.removeprefix("*") for word in _all(record, "OT")],
        "journal": {
            "title": _text(record, "JT") or (book_title if title else None),
            "abbreviation": _text(record, "TA"),
            "issn": _issn(lines),
            "nlm_id": _text(record, "JID"),
            "volume": _text(record, "VI"),
            "issue": _text(record, "IP"),
            "pages": _text(record, "PG"),
        },
        "print_date": _date(record, "DP"),
        "electronic_date": _date(record, "DEP"),
        "date_revised": _date(record, "LR"),
        "authors": _authors(lines),
        "languages": languages,
        "registry_ids": _registry_ids(record),
        "grants": [_grant(grant) for grant in _all(record, "GR")],
        "conflict_of_interest": _text(record, "COIS"),
        "corrections": _corrections(record, lines),
        "status": _text(record, "STAT"),
    }


def _text(record: Mapping[str, Any], tag: str) -> str | None:
    value = record.get(tag)
    return collapse(" ".join(value) if isinstance(value, list) else value)


def _all(record: Mapping[str, Any], tag: str) -> list[str]:
    values = record.get(tag) or []
    return [text for value in ([values] if isinstance(values, str) else values) if (text := collapse(value))]


def _date(record: Mapping[str, Any], tag: str) -> Fields | None:
    text = _text(record, tag)
    if text is None:
        return None
    return parse_numeric_date(text) if tag in ("DEP", "LR") else parse_date_text(text)


def _located(lines: Sequence[Line]) -> dict[str, str]:
    """Return the first id of each kind from ``10.1000/x [doi]``; a DOI may hold brackets of its own."""
    ids: dict[str, str] = {}
    for tag, value in lines:
        number, bracket, kind = value.rpartition(" [")
        if tag in ("LID", "AID") and bracket:
            ids.setdefault(kind.rstrip("] "), number.strip())
    return ids


def _issn(lines: Sequence[Line]) -> str | None:
    values = [value for tag, value in lines if tag == "IS" and value]
    own = [value for value in values if not value.endswith("(Linking)")]
    return next((value.split()[0] for value in own or values), None)


def _chemical(substance: str) -> str:
    number, opening, name = substance.partition(" (")
    return name.removesuffix(")") if opening else number


def _mesh(heading: str) -> Fields:
    descriptor, *qualifiers = heading.split("/")
    return {
        "descriptor": descriptor.removeprefix("*").strip(),
        "descriptor_major": descriptor.startswith("*"),
        "qualifiers": [{"name": q.removeprefix("*").strip(), "major": q.startswith("*")} for q in qualifiers],
    }


def _authors(lines: Sequence[Line]) -> list[Fields]:
    authors: list[Fields] = []
    for tag, value in lines:
        if not value:
            continue
        if tag == "FAU":
            last, _, fore = value.partition(", ")
            authors.append({"last": last, "fore": fore or None, "affiliations": []})
        elif tag == "CN":
            authors.append({"collective": value, "affiliations": []})
        elif tag == "AU":
            _add_short_name(authors, value)
        elif authors and tag == "AUID":
            authors[-1]["orcid"] = normal_orcid(value) or authors[-1].get("orcid")
        elif authors and tag == "AD":
            authors[-1]["affiliations"].append(value)
    return authors


def _add_short_name(authors: list[Fields], name: str) -> None:
    """Take initials and suffix from ``King ML Jr``; where no full name came before, the last name too."""
    last = authors[-1].get("last") if authors else None
    if last is not None and "initials" not in authors[-1] and name.startswith(last):
        rest = name.removeprefix(last).split()
    else:
        last, _, initials = name.rpartition(" ")
        rest = [initials] if last else []
        authors.append({"last": last or name, "affiliations": []})
    authors[-1]["initials"] = rest[0] if rest else None
    authors[-1]["suffix"] = " ".join(rest[1:]) or None


def _other_abstracts(record: Mapping[str, Any]) -> list[Fields]:
    text = _text(record, "OAB")
    if text is None:
        return []
    kind = _OTHER_ABSTRACT.match(text)
    return [
        {
            "text": text[kind.end() :] if kind else text,
            "type": kind[1] if kind else None,
            "language": _text(record, "OABL"),
        }
    ]


def _registry_ids(record: Mapping[str, Any]) -> list[Fields]:
    pairs = (value.partition("/") for value in _all(record, "SI"))
    return [
        {"registry": bank, "id": number}
        for bank, _, number in pairs
        if number and not is_data_repository(bank)
    ]


def _grant(value: str) -> Fields:
    """Read ``number/acronym/agency/country``; the number may hold slashes, and parts may be missing."""
    parts = [part.strip() or None for part in value.rsplit("/", 3)]
    if len(parts) == 1:
        return {"id": parts[0]}
    number = parts[0] if len(parts) > 2 else None
    return {"id": number, "agency": parts[-2], "country": parts[-1]}


def _corrections(record: Mapping[str, Any], lines: Sequence[Line]) -> list[Fields]:
    links = []
    for tag, value in lines:
        if tag not in _LINKS or not value:
            continue
        source, _, number = value.rpartition("PMID:")
        pmid = _PMID.fullmatch(number.strip())
        source = source if pmid else value
        is_reversed = tag == "ECF" and _is_about_this_article(record, source)
        kind = "ExpressionOfConcernIn" if is_reversed else _LINKS[tag]
        links.append({"type": kind, "source": collapse(source), "pmid": pmid[1] if pmid else None})
    return links


def _is_about_this_article(record: Mapping[str, Any], source: str) -> bool:
    """Tell whether an ``ECF`` names the notice instead of its target.

    Exports of about 2015 print ``ECF`` on the article that the concern is about. A notice cannot be about
    a later article, so a later year shows the mistake.
    """
    own, linked = _YEAR.search(_text(record, "DP") or ""), _YEAR.search(source)
    if _CONCERN_TYPE in _all(record, "PT") or own is None or linked is None:
        return False
    return int(linked[0]) > int(own[0])
