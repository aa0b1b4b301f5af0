"""The stems of an article, for terms that the vocabulary does not know."""

from __future__ import annotations

from metarag.records import Article
from metarag.relevance import stem, words


def article_stems(article: Article) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of title, headings and keywords, and those of the abstract."""
    headings = " ".join((*(h.descriptor for h in article.mesh), *article.keywords))
    prominent = frozenset(stem(word) for word in words(f"{article.title} {headings}"))
    return prominent, frozenset(stem(word) for word in words(article.abstract or ""))
