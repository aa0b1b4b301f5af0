"""How an article is cited in an answer, and where it can be read."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from metarag.records import Article


def citation_of(article: Article) -> str:
    """Return what the article is cited by: its PMID, else its id."""
    return article.pmid or article.id


def cited(articles: Sequence[Article]) -> str:
    """Return the articles in brackets, as they are cited: ``[PMID 1; doi:10.1/x]``."""
    return f"[{'; '.join(article.label for article in articles)}]"


def url_of(article: Article) -> str | None:
    """Return the address of the record at PubMed, else that of its DOI; ``None`` without both."""
    if article.pmid:
        return f"https://pubmed.ncbi.nlm.nih.gov/{article.pmid}/"
    return f"https://doi.org/{quote(article.doi, safe='/')}" if article.doi else None
