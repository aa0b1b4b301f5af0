"""Keep the articles that a question was made from out of its evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from metarag.evaluation.items import Item
from metarag.records import Article
from metarag.types import Retrieved


@dataclass(frozen=True, slots=True)
class WithoutSources:
    """Candidates for a question that do not give it away.

    Attributes
    ----------
    removed : tuple of str
        PMIDs of those that were taken out.
    """

    articles: tuple[Article | Retrieved, ...]
    removed: tuple[str, ...] = ()


def without_sources(item: Item, articles: Iterable[Article | Retrieved]) -> WithoutSources:
    """Return the candidates without the articles that the question was made from.

    A question of PubMedQA is the title of an article, and its answer is that article's conclusion: a
    retriever finds it first, and the number then measures looking up.
    """
    given = tuple(articles)
    sources = set(item.source_pmids)
    kept = tuple(found for found in given if _article(found).pmid not in sources)
    removed = [pmid for found in given if (pmid := _article(found).pmid) and pmid in sources]
    return WithoutSources(kept, tuple(dict.fromkeys(removed)))


def _article(found: Article | Retrieved) -> Article:
    return found.article if isinstance(found, Retrieved) else found
