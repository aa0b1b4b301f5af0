"""How an article is cited in an answer."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.records import Article


def citation_of(article: Article) -> str:
    """Return what the article is cited by: its PMID, else its id."""
    return article.pmid or article.id


def cited(articles: Sequence[Article]) -> str:
    """Return the articles in brackets, as they are cited: ``[PMID 1; doi:10.1/x]``."""
    return f"[{'; '.join(article.label for article in articles)}]"
