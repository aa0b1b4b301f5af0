"""Parts of a record that articles and books share: from elements to the keyword arguments of ``Article``.

Only children are looked up, never descendants: ``ArticleId``, ``PMID``, ``Title`` and ``Year`` occur again in
references, corrections and bookkeeping, and would be taken for the record's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element

from metarag.retrieval.text_lines import abstract_sections
from metarag.retrieval.xml_text import collapse, plain_text

Fields = dict[str, Any]
"""Keyword arguments of a record type; pydantic checks them."""

# Values of DataBankName that hold sequences, structures or data sets; all others register trials or reviews.
# NLM, "MEDLINE/PubMed Data Element (Field) Descriptions", Databank/Accession Number.
_NOT_REGISTRIES = frozenset(
    (
        "bioproject", "biosample", "dbgap", "dbsnp", "dbvar", "dryad", "ega", "emdb", "figshare", "gdb",
        "genbank", "geo", "mendeley data", "omim", "pdb", "pir", "protein", "pubchem-bioassay",
        "pubchem-compound", "pubchem-substance", "refseq", "sra", "swissprot", "unimes", "uniparc",
        "uniprotkb", "uniref", "zenodo",
    )
)  # fmt: skip
_NAME_PARTS = {
    "LastName": "last",
    "ForeName": "fore",
    "FirstName": "fore",
    "Initials": "initials",
    "Suffix": "suffix",
    "CollectiveName": "collective",
}
_DIGITS = re.compile(r"0*([1-9]\d{0,9})", re.ASCII)
_PMCID = re.compile(r"(?:PMC)?0*([1-9]\d*)", re.ASCII | re.IGNORECASE)
_PMCID_IN_LIST = re.compile(r"PMC(\d+)", re.ASCII | re.IGNORECASE)
_ORCID = re.compile(r"(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dXx])/?$", re.ASCII)


def children(element: Element | None, name: str) -> Iterable[Element]:
    """Return the children of that name; none when there is no element."""
    return () if element is None else element.findall(name)


def child(element: Element | None, name: str) -> Element | None:
    """Return the first child of that name, if there is an element and a child."""
    return None if element is None else element.find(name)


def text_of(element: Element | None, name: str) -> str | None:
    """Return the plain text of the first child of that name."""
    return None if element is None else plain_text(element.find(name))


def texts_of(element: Element | None, name: str) -> list[str]:
    """Return the plain texts of all children of that name, without the empty ones."""
    return [text for item in children(element, name) if (text := plain_text(item))]


def pmid_of(element: Element | None) -> str | None:
    """Return the number in a ``PMID`` element; ``None`` when there is none that can be one."""
    match = _DIGITS.fullmatch(plain_text(element) or "")
    return match[1] if match else None


def version_of(element: Element | None) -> int:
    """Return the ``Version`` attribute of a ``PMID`` element, 1 when it does not say."""
    value = element.get("Version", "") if element is not None else ""
    return int(value) if re.fullmatch(r"[1-9]\d{0,3}", value, re.ASCII) else 1


def article_ids(id_list: Element | None) -> dict[str, str]:
    """Return the first id of each type in an ``ArticleIdList``."""
    ids: dict[str, str] = {}
    for item in children(id_list, "ArticleId"):
        if text := plain_text(item):
            ids.setdefault(item.get("IdType", "pubmed"), text)
    return ids


def pmcid_of(ids: dict[str, str]) -> str | None:
    """Return ``PMC...`` from the ids of a record, also from ``pmc-id: PMC...;manuscript-id: ...``."""
    match = _PMCID.match(ids.get("pmc", "")) or _PMCID_IN_LIST.search(ids.get("pmcid", ""))
    return f"PMC{match[1]}" if match else None


def abstract_fields(abstract: Element | None) -> Fields:
    """Return sections and copyright. ``UNLABELLED`` is NLM's word for no label, nobody printed it."""
    return {
        "abstract_sections": _in_sections(list(_sections(abstract))),
        "copyright": text_of(abstract, "CopyrightInformation"),
    }


def _in_sections(paragraphs: list[Fields]) -> list[Fields]:
    """Split a single paragraph without label in which the headings are part of the text."""
    if len(paragraphs) != 1 or paragraphs[0]["label"] or paragraphs[0]["nlm_category"]:
        return paragraphs
    sections = abstract_sections(paragraphs[0]["text"])
    return sections if len(sections) > 1 else paragraphs


def _sections(abstract: Element | None) -> Iterator[Fields]:
    for paragraph in children(abstract, "AbstractText"):
        text = plain_text(paragraph)
        if text:
            label = collapse(paragraph.get("Label"))
            category = collapse(paragraph.get("NlmCategory"))
            yield {
                "text": text,
                "label": None if label == "UNLABELLED" else label,
                "nlm_category": "UNASSIGNED" if category == "UNLABELLED" else category,
            }


def other_abstract(element: Element) -> Fields | None:
    """Return a translation or summary with its sections run together, labels before their text."""
    sections = list(_sections(element))
    if not sections:
        return None
    text = "\n".join(f"{s['label']}: {s['text']}" if s["label"] else s["text"] for s in sections)
    return {"text": text, "type": element.get("Type"), "language": element.get("Language")}


def authors_of(author_list: Element | None) -> list[Fields]:
    """Return persons and groups in their order.

    ``ValidYN="N"`` marks the misspelt form of a name that stands beside it in its correct form.
    """
    authors = list(children(author_list, "Author"))
    valid = [author for author in authors if author.get("ValidYN") != "N"] or authors
    return [fields for author in valid if (fields := _author(author))]


def _author(author: Element) -> Fields | None:
    fields: Fields = {}
    places: list[str] = []
    for item in author:
        part = _NAME_PARTS.get(item.tag)
        if part is not None:
            fields.setdefault(part, plain_text(item))
        elif item.tag == "AffiliationInfo":
            places += texts_of(item, "Affiliation")
        elif item.tag == "Affiliation" and (place := plain_text(item)):  # where it stood before 2015
            places.append(place)
        elif item.tag == "Identifier" and (orcid := _orcid(item)):
            fields.setdefault("orcid", orcid)
    fields["affiliations"] = places
    return fields if any(fields.get(part) for part in ("last", "collective", "fore", "initials")) else None


def _orcid(identifier: Element) -> str | None:
    is_orcid = identifier.get("Source", "").upper() == "ORCID"
    return normal_orcid(plain_text(identifier) or "") if is_orcid else None


def normal_orcid(text: str) -> str | None:
    """Return ``0000-0000-0000-000X`` from a bare number, an address, or 16 digits without hyphens."""
    match = _ORCID.search(text[-40:])
    return "-".join(match.groups()).upper() if match else None


def named_items(element: Element | None, name: str) -> list[Fields]:
    """Return name and UI of children such as ``PublicationType``."""
    return [{"name": text, "ui": e.get("UI")} for e in children(element, name) if (text := plain_text(e))]


def keywords_of(record: Element) -> list[str]:
    """Return the keywords of all lists, the authors' and the indexers'."""
    return [word for each in children(record, "KeywordList") for word in texts_of(each, "Keyword")]


def grants_of(element: Element | None) -> list[Fields]:
    """Return the funding that is listed."""
    grants = []
    for grant in children(child(element, "GrantList"), "Grant"):
        fields = {
            "id": text_of(grant, "GrantID"),
            "agency": text_of(grant, "Agency"),
            "country": text_of(grant, "Country"),
        }
        if any(fields.values()):
            grants.append(fields)
    return grants


def registry_ids_of(article: Element) -> list[Fields]:
    """Return trial and review registrations; accession numbers of sequences and data sets are left out."""
    return [
        {"registry": bank, "id": number}
        for data_bank in children(child(article, "DataBankList"), "DataBank")
        if not is_data_repository(bank := text_of(data_bank, "DataBankName"))
        for number in texts_of(child(data_bank, "AccessionNumberList"), "AccessionNumber")
    ]


def is_data_repository(bank: str | None) -> bool:
    """Tell whether a data bank holds sequences, structures or data sets instead of registrations."""
    return (bank or "").casefold() in _NOT_REGISTRIES


def references_of(element: Element | None) -> list[Fields]:
    """Return the cited works of all reference lists of a record, also of lists within lists."""
    waiting = list(children(element, "ReferenceList"))
    references: list[Fields] = []
    while waiting:
        reference_list = waiting.pop(0)
        references.extend(r for e in children(reference_list, "Reference") if (r := _reference(e)))
        waiting[:0] = children(reference_list, "ReferenceList")
    return references


def _reference(element: Element) -> Fields | None:
    ids = article_ids(element.find("ArticleIdList"))
    match = _DIGITS.fullmatch(ids.get("pubmed", ""))
    fields = {
        "citation": text_of(element, "Citation"),
        "pmid": match[1] if match else None,
        "doi": ids.get("doi"),
    }
    return fields if any(fields.values()) else None


def title_fields(title: str | None, vernacular: str | None, languages: list[str]) -> Fields:
    """Return the title as the record prints it and whether it is a translation.

    PubMed puts a translated title in brackets. Where no title was translated (empty, ``[Not Available].``)
    the one in the article's own language is the title.
    """
    is_missing = title is None or title.strip("[]. ").casefold() == "not available"
    shown = vernacular if is_missing else title
    return {
        "title": shown or "",
        "vernacular_title": vernacular,
        "title_translated": not is_missing and languages != ["eng"] and _is_bracketed(title or ""),
    }


def _is_bracketed(title: str) -> bool:
    bare = title.rstrip(". ")
    if not (bare.startswith("[") and bare.endswith("]")):
        return False
    depth = 0
    for index, character in enumerate(bare):
        depth += (character == "[") - (character == "]")
        if depth == 0:
            return index == len(bare) - 1
    return False
