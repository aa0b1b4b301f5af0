"""What the smaller E-utilities answer: summaries, links, spelling, fields, and sets of posted ids."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from metarag.errors import ConfigurationError, PubMedRecordError, suggest
from metarag.records import Frozen
from metarag.retrieval.answer_xml import small_root
from metarag.retrieval.entrez_bodies import load_json
from metarag.retrieval.foreign_content import safe_detail
from metarag.retrieval.pmids import pmid_in
from metarag.retrieval.pubmed_fields import child, text_of, texts_of


class History(Frozen):
    """A set of ids that PubMed's history server holds for a while."""

    webenv: str
    query_key: str


class Summary(Frozen):
    """What a list of hits shows of a record; abstract and MeSH come with the record itself only."""

    pmid: str
    title: str = ""
    journal: str | None = None
    date: str | None = None
    authors: tuple[str, ...] = ()
    publication_types: tuple[str, ...] = ()
    doi: str | None = None


class SummaryResult(Frozen):
    """Summaries in the order of the ids asked for, and the ids that have none."""

    summaries: tuple[Summary, ...] = ()
    missing: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()


class LinkKind(StrEnum):
    """Which articles are linked to one; the values are PubMed's names of the links."""

    SIMILAR = "pubmed_pubmed"
    CITED_IN = "pubmed_pubmed_citedin"
    """From PMC's articles only, so it counts too few."""
    REFERENCES = "pubmed_pubmed_refs"

    @classmethod
    def of(cls, name: LinkKind | str) -> LinkKind:
        """Return the link of that name.

        Raises
        ------
        ConfigurationError
            There is none.
        """
        try:
            return cls(name)
        except ValueError:
            raise ConfigurationError(
                f"PubMed has no links called {str(name)[:40]!r}{suggest(str(name), [kind.value for kind in cls])}"
            ) from None


class LinkSet(Frozen):
    """The articles linked to one, in PubMed's order.

    Attributes
    ----------
    scores : tuple of int
        Of similar articles, one for each of ``linked``; to be compared within this set only. Else empty.
    """

    pmid: str
    kind: LinkKind
    linked: tuple[str, ...] = ()
    scores: tuple[int, ...] = ()


class LinkResult(Frozen):
    """Links in the order of the ids asked for, and the ids that PubMed said nothing of."""

    links: tuple[LinkSet, ...] = ()
    missing: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()


class Spelling(Frozen):
    """``corrected`` is ``None`` when PubMed suggests no other spelling."""

    query: str
    corrected: str | None = None


class SearchField(Frozen):
    """A field of PubMed that a query can name, as PubMed lists it at this moment."""

    tag: str
    name: str
    description: str = ""
    is_date: bool = False
    is_hidden: bool = False
    terms: int | None = None


def read_epost(data: bytes) -> History:
    """Return the set that posted ids became.

    Raises
    ------
    PubMedRecordError
        The answer names no set.
    """
    root = small_root(data, "ePostResult")
    webenv, key = text_of(root, "WebEnv"), text_of(root, "QueryKey")
    refused = texts_of(child(root, "InvalidIdList"), "Id")
    if not webenv or not key or refused:
        raise PubMedRecordError(
            f"PubMed took {len(refused)} of the posted ids for invalid: {', '.join(refused[:10])}"
            if refused
            else "the answer to the posted ids names no set; post them again"
        )
    return History(webenv=webenv, query_key=key)


def read_espell(data: bytes, query: str) -> Spelling:
    """Return PubMed's suggestion for a query."""
    corrected = text_of(small_root(data, "eSpellResult"), "CorrectedQuery")
    return Spelling(query=query, corrected=corrected if corrected and corrected != query else None)


def read_einfo(data: bytes) -> tuple[SearchField, ...]:
    """Return the fields that PubMed can be searched by.

    Raises
    ------
    PubMedRecordError
        The answer lists none.
    """
    info = _dict(_dict(load_json(data)).get("einforesult")).get("dbinfo")
    listed = _dict(info[0] if isinstance(info, list) and info else info).get("fieldlist")
    fields = tuple(_field(_dict(each)) for each in listed) if isinstance(listed, list) else ()
    if not fields:
        raise PubMedRecordError("PubMed's answer lists no search fields; try again")
    return fields


def _field(each: Mapping[str, Any]) -> SearchField:
    terms = str(each.get("termcount", ""))
    return SearchField(
        tag=str(each.get("name", "")),
        name=str(each.get("fullname", "")),
        description=str(each.get("description", "")),
        is_date=each.get("isdate") == "Y",
        is_hidden=each.get("ishidden") == "Y",
        terms=int(terms) if terms.isascii() and terms.isdigit() else None,
    )


def read_esummary(data: bytes) -> dict[str, Summary]:
    """Return the summaries by PMID; an id that PubMed does not know is left out."""
    result = _dict(_dict(load_json(data)).get("result"))
    if not isinstance(result.get("uids"), list):
        raise PubMedRecordError("PubMed's answer holds no summaries; try again")
    entries = {str(uid): _dict(result.get(str(uid))) for uid in result["uids"]}
    return {
        pmid: _summary(pmid, entry)
        for pmid, entry in entries.items()
        if entry and "error" not in entry and pmid_in(pmid)
    }


def _summary(pmid: str, entry: Mapping[str, Any]) -> Summary:
    ids = {
        str(_dict(each).get("idtype")): str(_dict(each).get("value")) for each in _list(entry, "articleids")
    }
    return Summary(
        pmid=pmid,
        title=_text(entry, "title") or _text(entry, "booktitle") or "",
        journal=_text(entry, "fulljournalname") or _text(entry, "source"),
        date=_text(entry, "pubdate") or _text(entry, "epubdate"),
        authors=tuple(str(_dict(each).get("name") or "") for each in _list(entry, "authors")),
        publication_types=tuple(map(str, _list(entry, "pubtype"))),
        doi=ids.get("doi"),
    )


def read_elink(data: bytes, kind: LinkKind) -> dict[str, LinkSet]:
    """Return the links of each article that was asked about, by its PMID."""
    answer = _dict(load_json(data))
    found: dict[str, LinkSet] = {}
    for each in _list(answer, "linksets"):
        linkset = _dict(each)
        pmids = [pmid for uid in _list(linkset, "ids") if (pmid := pmid_in(str(uid)))]
        # A set with an error in it is no word on what the article is linked to.
        if len(pmids) == 1 and not linkset.get("ERROR"):
            found[pmids[0]] = _link_set(pmids[0], kind, linkset)
    if not found:
        said = safe_detail(str(answer.get("ERROR") or "no set of links for one article each"))
        raise PubMedRecordError(f"PubMed's answer holds no links as asked for: {said}")
    return found


def _link_set(pmid: str, kind: LinkKind, linkset: Mapping[str, Any]) -> LinkSet:
    databases = [_dict(each) for each in _list(linkset, "linksetdbs")]
    links = next((_list(each, "links") for each in databases if each.get("linkname") == kind), [])
    pairs = [(_dict(link).get("id", link), _dict(link).get("score")) for link in links]
    linked = [(number, score) for uid, score in pairs if (number := pmid_in(str(uid))) and number != pmid]
    scores = [int(str(score)) for _, score in linked if str(score).isdigit()]
    return LinkSet(
        pmid=pmid,
        kind=kind,
        linked=tuple(number for number, _ in linked),
        scores=tuple(scores) if len(scores) == len(linked) else (),
    )


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(parts: Mapping[str, Any], name: str) -> list[Any]:
    value = parts.get(name)
    return value if isinstance(value, list) else []


def _text(parts: Mapping[str, Any], name: str) -> str | None:
    value = parts.get(name)
    return " ".join(value.split()) or None if isinstance(value, str) else None
