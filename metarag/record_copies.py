"""Which records are one: copies of an article that came from several files or databases."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from metarag.records import Article, PartialDate
from metarag.retraction_text import unmarked_title
from metarag.types import Evidence

_WORD: Final = re.compile(r"[^\W_]+")


def copies(evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    """Return groups of records that are one: the same id, or the same DOI unless two PMIDs say that they are two.

    Two PMIDs with one DOI do occur (a supplement and its article); they are one only when they also
    have the same title.
    """
    root_of: dict[str, str] = {}
    members: dict[str, list[Evidence]] = defaultdict(list)
    for item in sorted(_sharing(evidence), key=preference):
        article = item.article
        doi = _doi(article)
        names = [article.id] + ([f"{doi} {bare_title(article)}"] if doi else [])
        # Records with a PMID sort first, so a DOI alone is looked up by those without one only.
        looked_up = names + ([f"doi:{doi}"] if doi and article.pmid is None else [])
        root = next((root_of[name] for name in looked_up if name in root_of), item.key)
        for name in [*names, f"doi:{doi}"] if doi else names:
            root_of.setdefault(name, root)
        members[root].append(item)
    return [group for group in members.values() if len(group) > 1]


def _sharing(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the few that share an id or a DOI with another; only they can be one."""
    ids = Counter([item.article.id for item in evidence])
    dois = Counter([_doi(item.article) for item in evidence])
    return [
        item
        for item in evidence
        if ids[item.article.id] > 1 or ((doi := _doi(item.article)) and dois[doi] > 1)
    ]


def _doi(article: Article) -> str | None:
    return article.doi.lower() if article.doi else None


def bare_title(article: Article) -> str:
    """Return the title's words in lower case, without marks such as ``RETRACTED:``."""
    return " ".join(_WORD.findall(unmarked_title(article).casefold()))


def preference(item: Evidence) -> tuple[bool, int, tuple[int, int, int], int, str, str, str, str]:
    """Sort key: which of two records of one article stays. Independent of the order they came in."""
    article = item.article
    revised = article.date_revised or PartialDate()
    when = (-(revised.year or 0), -(revised.month or 0), -(revised.day or 0))
    text = article.abstract or ""
    types = "|".join(t.name for t in article.publication_types)
    size = len(article.title) + len(text)
    return (article.pmid is None, -article.version, when, -size, article.id, article.title, text, types)
