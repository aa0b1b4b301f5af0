"""A host's metadata as fields of an article: any usual key, in any case, as text, list or JSON.

Nothing here raises on a value: what cannot be read is left out and named, because one odd record must not
cost a request its other documents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final

Fields = dict[str, Any]

_KEYS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "pmid": ("pmid", "pubmedid", "pubmed", "medlineid"),
        "pmcid": ("pmcid", "pmc"),
        "doi": ("doi", "articledoi"),
        "title": ("title", "articletitle", "papertitle", "documenttitle"),
        "abstract": ("abstract", "abstracttext"),
        "publication_types": (
            *("publicationtypes", "publicationtype", "publicationtypelist", "pubtypes", "pubtype"),
            *("articletype", "studytype", "studydesign", "documenttype"),
        ),
        "mesh": ("mesh", "meshterms", "meshheadings", "meshheadinglist", "meshtags"),
        "keywords": ("keywords", "keyword"),
        "year": (
            *("year", "pubyear", "publicationyear", "pubdate", "publicationdate", "publisheddate"),
            *("datepublished", "published", "publishedat", "dateofpublication"),
        ),
        "journal": ("journal", "journaltitle", "journalname", "venue"),
        "authors": ("authors", "author", "authorlist"),
        "languages": ("language", "languages", "lang"),
        "registry_ids": ("nct", "nctid", "registryid", "registryids", "trialregistration"),
        "retracted": ("retracted", "isretracted"),
    }
)
"""Field to the keys it is found under, folded: lower case, letters and digits only; the first that is there wins."""

_TYPES: Final = (
    "Case Reports|Clinical Trial|Clinical Trial Protocol|Clinical Trial, Phase I|Clinical Trial, Phase II|"
    "Clinical Trial, Phase III|Clinical Trial, Phase IV|Comment|Comparative Study|Consensus Statement|"
    "Controlled Clinical Trial|Editorial|Equivalence Trial|Evaluation Study|Expression of Concern|Guideline|"
    "Journal Article|Letter|Meta-Analysis|Multicenter Study|Network Meta-Analysis|News|Observational Study|"
    "Practice Guideline|Pragmatic Clinical Trial|Preprint|Published Erratum|Randomized Controlled Trial|"
    "Retracted Publication|Retraction of Publication|Review|Scoping Review|Systematic Review|Twin Study|"
    "Validation Study"
).split("|")
_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "rct": "Randomized Controlled Trial",
        "randomizedtrial": "Randomized Controlled Trial",
        "randomizedclinicaltrial": "Randomized Controlled Trial",
        "casereport": "Case Reports",
        "erratum": "Published Erratum",
    }
)
_COMMA: Final = re.compile(r",(?!\s*(?:Phase\b|Veterinary\b|Non-U|U\.S|N\.I\.H|Extramural))")
_YEAR: Final = re.compile(r"(?<!\d)(1[6-9]\d\d|20\d\d)(?!\d)")
_PMID_IN_URL: Final = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/([1-9]\d{0,9})\b"
)
_PMID: Final = re.compile(r"(?:PMID|PubMed)?[:\s]*([1-9]\d{0,9})(?:\.0)?", re.IGNORECASE)
_SHORT_NAME: Final = re.compile(r"(?P<last>.+?),? (?P<initials>[A-Z]{1,3})\.?")
_MAX_ITEMS: Final = 2_000


def fields_of(metadata: Mapping[Any, Any]) -> tuple[Fields, tuple[str, ...]]:
    """Return the fields of :class:`metarag.Article` that a host's metadata hold, and the keys left out.

    Parameters
    ----------
    metadata : mapping
        Of any keys and values; it is never changed.

    Returns
    -------
    tuple of dict and tuple of str
        Plain values by field (``abstract`` and ``year`` among them), and the names of fields whose value
        could not be read.
    """
    folded = _folded(metadata)
    found: Fields = {}
    unread = []
    for field, keys in _KEYS.items():
        value = next((folded[key] for key in keys if key in folded), None)
        if value is None or _is_empty(value):
            continue
        read = _READERS[field](value)
        if read is None or read == ():
            unread.append(field)
        else:
            found[field] = read
    if found.pop("retracted", False):
        found["publication_types"] = (*found.get("publication_types", ()), {"name": "Retracted Publication"})
    if "pmid" not in found and (pmid := _pmid_of_links(folded.values())):
        found["pmid"] = pmid
    return found, tuple(unread)


def publication_type(name: str) -> str:
    """Return PubMed's name of a publication type, however it is spelt (``RCT``, ``MetaAnalysis``)."""
    folded = _fold(name).replace("randomised", "randomized")
    known = {_fold(each): each for each in _TYPES} | dict(_ALIASES)
    return known.get(folded, name)


def _fold(key: str) -> str:
    return "".join(c for c in key.casefold() if c.isalnum())


def _folded(metadata: Mapping[Any, Any]) -> dict[str, Any]:
    folded: dict[str, Any] = {}
    for key, value in metadata.items():
        if isinstance(key, str):
            folded.setdefault(_fold(key), value)
    return folded


def _is_empty(value: object) -> bool:
    return isinstance(value, (str, list, tuple, dict, set)) and not value


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().casefold() in {"true", "yes", "1"})


def _items(value: object) -> list[object]:
    """Return the members of a list, of a list written as JSON, or of text set apart by semicolons or bars."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)[:_MAX_ITEMS]
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, str):
        return []
    if value.lstrip().startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, list):
            return parsed[:_MAX_ITEMS]
    return list(re.split(r"[;|\n]", value))[:_MAX_ITEMS]


def _names(value: object) -> tuple[str, ...]:
    names = []
    for item in _items(value):
        if isinstance(item, dict):
            item = next((item[k] for k in ("name", "term", "descriptor", "value", "text") if k in item), None)
        if isinstance(item, str) and (name := " ".join(item.split())):
            names.append(name)
    return tuple(names)


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _id(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return _id(value.item()) if hasattr(value, "item") and not isinstance(value, bool) else None
    match = _PMID.fullmatch(str(value).strip())
    return match[1] if match else None


def _pmid(value: object) -> str | None:
    return _id(value) or (_pmid_of_links([value]) if isinstance(value, str) else None)


def _types(value: object) -> tuple[Fields, ...]:
    parts = [part for name in _names(value) for part in _COMMA.split(name) if part]
    return tuple({"name": publication_type(part.strip())} for part in parts)


def _mesh(value: object) -> tuple[Fields, ...]:
    headings = []
    for name in _names(value):
        descriptor, *qualifiers = name.split("/")
        headings.append(
            {
                "descriptor": descriptor.strip("* "),
                "descriptor_major": descriptor.strip().endswith("*") or name.startswith("*"),
                "qualifiers": tuple(
                    {"name": q.strip("* "), "major": "*" in q} for q in qualifiers if q.strip("* ")
                ),
            }
        )
    return tuple(heading for heading in headings if heading["descriptor"])


def _year(value: object) -> int | None:
    if isinstance(value, date):
        return value.year
    match = None if isinstance(value, bool) else _YEAR.search(str(value)[:100])
    return int(match[1]) if match else None


def _authors(value: object) -> tuple[Fields, ...]:
    authors = []
    for name in _names(value):
        match = _SHORT_NAME.fullmatch(name)
        last, fore = (match["last"], match["initials"]) if match else (name.split()[-1], None)
        authors.append({"last": last, "initials": fore or None})
    return tuple(authors)


def _registry(value: object) -> tuple[Fields, ...]:
    return tuple({"id": name} for name in _names(value))


def _journal(value: object) -> Fields | None:
    names = _names(value if isinstance(value, dict) else [value])
    return {"title": names[0]} if names else None


def _pmid_of_links(values: Iterable[object]) -> str | None:
    found = {m[1] for v in values if isinstance(v, str) and len(v) < 2_000 for m in _PMID_IN_URL.finditer(v)}
    return found.pop() if len(found) == 1 else None


_READERS: Final[Mapping[str, Callable[[object], Any]]] = MappingProxyType(
    {
        "pmid": _pmid,
        "pmcid": _text,
        "doi": _text,
        "title": _text,
        "abstract": _text,
        "publication_types": _types,
        "mesh": _mesh,
        "keywords": _names,
        "year": _year,
        "journal": _journal,
        "authors": _authors,
        "languages": _names,
        "registry_ids": _registry,
        "retracted": _is_true,
    }
)
