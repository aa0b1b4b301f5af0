"""From a ``PubmedBookArticle`` element to the keyword arguments of :class:`metarag.records.Article`."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from metarag.retrieval import pubmed_fields as parts
from metarag.retrieval.pubmed_article import pages_of
from metarag.retrieval.pubmed_dates import date_of
from metarag.retrieval.pubmed_fields import Fields, child, children, text_of, texts_of


def book_fields(record: Element) -> Fields:
    """Map a book or a chapter. A chapter's journal title is the book it stands in.

    The first ``ArticleId`` of type ``pubmed`` may belong to a cited work: the PMID is the document's own.
    """
    document = record.find("BookDocument")
    book = child(document, "Book")
    pmid = child(document, "PMID")
    languages = texts_of(document, "Language")
    chapter, book_title = text_of(document, "ArticleTitle"), text_of(book, "BookTitle")
    own_ids = parts.article_ids(child(document, "ArticleIdList"))
    ids = parts.article_ids(child(record.find("PubmedBookData"), "ArticleIdList")) | own_ids
    fields: Fields = {
        "kind": "book",
        "pmid": parts.pmid_of(pmid),
        "version": parts.version_of(pmid),
        "languages": languages,
        "publication_types": parts.named_items(document, "PublicationType"),
        "journal": {
            "title": book_title if chapter else None,
            "volume": text_of(book, "Volume"),
            "pages": pages_of(child(document, "Pagination")),
        },
        "print_date": date_of(child(book, "PubDate")),
        "date_revised": date_of(child(document, "DateRevised")),
        "authors": _authors(document, book),
        "grants": parts.grants_of(document),
        "references": parts.references_of(document),
        "keywords": [] if document is None else parts.keywords_of(document),
        "doi": ids.get("doi"),
        "pii": ids.get("pii"),
        "pmcid": parts.pmcid_of(ids),
    }
    vernacular = text_of(document, "VernacularTitle")
    fields |= parts.title_fields(chapter or book_title, vernacular, languages)
    return fields | parts.abstract_fields(child(document, "Abstract"))


def _authors(document: Element | None, book: Element | None) -> list[Fields]:
    """Return the document's authors; the book's, then its editors, stand in where it names none."""
    lists = [*children(document, "AuthorList"), *children(book, "AuthorList")]
    lists.sort(key=lambda author_list: author_list.get("Type") == "editors")
    return next((authors for each in lists if (authors := parts.authors_of(each))), [])
