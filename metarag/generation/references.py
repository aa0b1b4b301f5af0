"""The list of references of an answer: numbered, and under keys of author and year."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence

from metarag.generation.answer_parts import AnswerReference
from metarag.generation.citations import citation_of, url_of
from metarag.records import Article

MOST_AUTHORS = 3
"""Named before "et al."; ours, as in the Vancouver style of several journals."""


def references_of(citations: Iterable[str], articles: Iterable[Article]) -> tuple[AnswerReference, ...]:
    """Return one reference for each citation, in order of first citation.

    Parameters
    ----------
    citations : iterable of str
        As in :attr:`~metarag.generation.base.AnswerBody.citations`; repeats are ignored.
    articles : iterable of Article
        Those that may be cited; of several under one citation the first counts.
    """
    by_citation: dict[str, Article] = {}
    for article in articles:
        by_citation.setdefault(citation_of(article), article)
    cited = [by_citation[citation] for citation in dict.fromkeys(citations) if citation in by_citation]
    return tuple(
        AnswerReference(
            number=number,
            key=key,
            citation=citation_of(article),
            text=reference_text(article),
            url=url_of(article),
        )
        for number, (article, key) in enumerate(zip(cited, author_year_keys(cited), strict=True), 1)
    )


def author_year_keys(articles: Sequence[Article]) -> tuple[str, ...]:
    """Return ``Smith2020`` for each article; the second of the same name is ``Smith2020a``, then ``b``.

    Without an author the first long word of the title stands in, without a year ``nd`` (no date).
    """
    taken: set[str] = set()
    left: dict[str, Iterator[str]] = {}
    keys = []
    for article in articles:
        bare = f"{_name(article)}{article.year or 'nd'}"
        # Goes on where the last of the same name stopped: thousands without author and year have one.
        suffixes = left.setdefault(bare, _suffixes())
        key = next(k for k in (f"{bare}{suffix}" for suffix in suffixes) if k not in taken)
        taken.add(key)
        keys.append(key)
    return tuple(keys)


def reference_text(article: Article) -> str:
    """Return authors, title, journal, year and identifier in one line."""
    names = [author.short_name for author in article.authors if author.short_name]
    authors = ", ".join(names[:MOST_AUTHORS]) + (", et al" if len(names) > MOST_AUTHORS else "")
    journal = article.journal.abbreviation or article.journal.title
    where = ", ".join(str(part) for part in (journal, article.year) if part)
    identifier = f"PMID {article.pmid}" if article.pmid else f"doi:{article.doi}" if article.doi else None
    parts = (authors, article.title.rstrip("."), where, identifier)
    return " ".join(" ".join(f"{part}." for part in parts if part).split())


def _name(article: Article) -> str:
    first = article.authors[0] if article.authors else None
    name = (first.last or first.collective or "") if first else ""
    words = re.findall(r"[^\W\d_]+", name) or [
        w for w in re.findall(r"[^\W\d_]+", article.title) if len(w) > 3
    ]
    if first and first.last:
        return "".join(words) or "Anon"
    return words[0] if words else "Anon"


def _suffixes() -> Iterator[str]:
    """Yield nothing, a, b, ... z, aa, ab and so on."""
    yield ""
    yield from string.ascii_lowercase
    for before in _suffixes():
        if before:
            yield from (f"{before}{letter}" for letter in string.ascii_lowercase)
