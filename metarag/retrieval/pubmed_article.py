"""From a ``PubmedArticle`` element to the keyword arguments of :class:`metarag.records.Article`."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from metarag.retrieval import pubmed_fields as parts
from metarag.retrieval.pubmed_dates import date_of
from metarag.retrieval.pubmed_fields import Fields, child, children, text_of, texts_of
from metarag.retrieval.xml_text import plain_text


def article_fields(record: Element) -> Fields:
    """Map a journal article. The PMID is the citation's own; ``None`` there when it has none."""
    citation = record.find("MedlineCitation")
    article = child(citation, "Article")
    data = record.find("PubmedData")
    pmid = child(citation, "PMID")
    languages = texts_of(article, "Language")
    fields: Fields = {
        "kind": "article",
        "pmid": parts.pmid_of(pmid),
        "version": parts.version_of(pmid),
        "languages": languages,
        "publication_types": parts.named_items(child(article, "PublicationTypeList"), "PublicationType"),
        "journal": _journal(citation, article),
        "print_date": date_of(child(child(child(article, "Journal"), "JournalIssue"), "PubDate")),
        "electronic_date": _electronic_date(article),
        "authors": parts.authors_of(child(article, "AuthorList")),
        "grants": parts.grants_of(article),
        "references": parts.references_of(data),
    }
    if article is not None:
        fields["registry_ids"] = parts.registry_ids_of(article)
    title, vernacular = text_of(article, "ArticleTitle"), text_of(article, "VernacularTitle")
    fields |= parts.title_fields(title, vernacular, languages)
    fields |= parts.abstract_fields(child(article, "Abstract"))
    fields |= _ids(article, data)
    return fields | (_citation_fields(citation) if citation is not None else {})


def _citation_fields(citation: Element) -> Fields:
    """Map what stands in the citation beside the article."""
    return {
        "status": citation.get("Status"),
        "indexing_method": citation.get("IndexingMethod"),
        "date_revised": date_of(citation.find("DateRevised")),
        "mesh": [m for e in children(citation.find("MeshHeadingList"), "MeshHeading") if (m := _mesh(e))],
        "supplementary_mesh": [
            {"name": name, "ui": e.get("UI"), "type": e.get("Type")}
            for e in children(citation.find("SupplMeshList"), "SupplMeshName")
            if (name := plain_text(e))
        ],
        "chemicals": [
            name
            for e in children(citation.find("ChemicalList"), "Chemical")
            if (name := text_of(e, "NameOfSubstance"))
        ],
        "keywords": parts.keywords_of(citation),
        "other_abstracts": [o for e in children(citation, "OtherAbstract") if (o := parts.other_abstract(e))],
        "corrections": [
            {"type": kind, "source": text_of(e, "RefSource"), "pmid": parts.pmid_of(e.find("PMID"))}
            for e in children(citation.find("CommentsCorrectionsList"), "CommentsCorrections")
            if (kind := e.get("RefType"))
        ],
        "conflict_of_interest": text_of(citation, "CoiStatement"),
    }


def _journal(citation: Element | None, article: Element | None) -> Fields:
    journal, info = child(article, "Journal"), child(citation, "MedlineJournalInfo")
    issue = child(journal, "JournalIssue")
    return {
        "title": text_of(journal, "Title"),
        "abbreviation": text_of(journal, "ISOAbbreviation") or text_of(info, "MedlineTA"),
        "issn": text_of(journal, "ISSN") or text_of(info, "ISSNLinking"),
        "nlm_id": text_of(info, "NlmUniqueID"),
        "volume": text_of(issue, "Volume"),
        "issue": text_of(issue, "Issue"),
        "pages": pages_of(child(article, "Pagination")),
    }


def pages_of(pagination: Element | None) -> str | None:
    """Return the pages as printed (``101-9``), else first and last page."""
    first, last = text_of(pagination, "StartPage"), text_of(pagination, "EndPage")
    joined = f"{first}-{last}" if first and last and first != last else first
    return text_of(pagination, "MedlinePgn") or joined


def _electronic_date(article: Element | None) -> Fields | None:
    dates = list(children(article, "ArticleDate"))
    electronic = [date for date in dates if date.get("DateType", "Electronic") == "Electronic"]
    return date_of(electronic[0]) if electronic else None


def _ids(article: Element | None, data: Element | None) -> Fields:
    ids = parts.article_ids(child(data, "ArticleIdList"))
    located = {
        kind: text
        for e in reversed(list(children(article, "ELocationID")))
        if e.get("ValidYN") != "N" and (kind := e.get("EIdType")) and (text := plain_text(e))
    }
    return {
        "doi": located.get("doi") or ids.get("doi"),
        "pii": located.get("pii") or ids.get("pii"),
        "pmcid": parts.pmcid_of(ids),
    }


def _mesh(heading: Element) -> Fields | None:
    descriptor = heading.find("DescriptorName")
    name = plain_text(descriptor)
    if descriptor is None or name is None:
        return None
    return {
        "descriptor": name,
        "ui": descriptor.get("UI"),
        "descriptor_major": descriptor.get("MajorTopicYN") == "Y",
        "qualifiers": [
            {"name": text, "ui": q.get("UI"), "major": q.get("MajorTopicYN") == "Y"}
            for q in children(heading, "QualifierName")
            if (text := plain_text(q))
        ],
    }
