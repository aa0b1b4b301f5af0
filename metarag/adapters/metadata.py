"""A host's metadata as fields of an article: any usual key, in any case, as text, list, array or JSON.

Nothing here raises on a value: what cannot be read is left out and named, because one odd record must not
cost a request its other documents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from metarag.adapters import metadata_values as read
from metarag.adapters.metadata_values import Fields, publication_type
from metarag.adapters.plain_values import plain

__all__ = ["Fields", "fields_of", "publication_type"]

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
"""Field to the keys it is found under, folded; the first that can be read wins."""

_READERS: Final[Mapping[str, Callable[[object], Any]]] = MappingProxyType(
    {
        "pmid": read.read_pmid,
        "pmcid": read.read_pmcid,
        "doi": read.read_text,
        "title": read.read_text,
        "abstract": read.read_abstract,
        "publication_types": read.read_types,
        "mesh": read.read_mesh,
        "keywords": read.read_names,
        "year": read.read_year,
        "journal": read.read_journal,
        "authors": read.read_authors,
        "languages": read.read_names,
        "registry_ids": read.read_registry,
        "retracted": read.read_truth,
    }
)


def fields_of(metadata: Mapping[Any, Any] | None) -> tuple[Fields, tuple[str, ...]]:
    """Return the fields of :class:`metarag.Article` that a host's metadata hold, and the keys left out.

    Parameters
    ----------
    metadata : mapping or None
        Of any keys and values; it is never changed. ``None``, NaN and empty values count as absent.

    Returns
    -------
    tuple of dict and tuple of str
        Plain values by field (``abstract`` and ``year`` among them), and the names of fields whose value
        could not be read.
    """
    folded = _folded(metadata or {})
    found: Fields = {}
    unread = []
    for field, keys in _KEYS.items():
        given = [value for key in keys for raw in folded.get(key, ()) if not _is_empty(value := plain(raw))]
        values = [value for each in given if (value := _READERS[field](each)) not in (None, ())]
        if values:
            found[field] = values[0]
        elif given:
            unread.append(field)
    if found.pop("retracted", False):
        found["publication_types"] = (*found.get("publication_types", ()), {"name": "Retracted Publication"})
    if "pmid" not in found and (pmid := read.pmid_of_links(v for each in folded.values() for v in each)):
        found["pmid"] = pmid
    return found, tuple(unread)


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def _folded(metadata: Mapping[Any, Any]) -> Mapping[str, list[Any]]:
    folded = defaultdict(list)
    for key, value in metadata.items():
        if isinstance(key, str):
            folded[read.fold(key)].append(value)
    return folded
