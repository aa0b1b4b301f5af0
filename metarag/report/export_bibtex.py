"""The articles of a run as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final

from metarag.audit import Verdict
from metarag.generation.references import author_year_keys
from metarag.records import Article, Author, RecordKind
from metarag.report.export_ris import initials_words
from metarag.report.numbers import score
from metarag.report.plain import plain
from metarag.report.references import article_links
from metarag.runs import RunRecord

# A brace counts for BibTeX even after a backslash, so that braces have to be commands.
_ESCAPES: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "&%$#_"},
    }
)
_MONTHS: Final = MappingProxyType(
    dict(enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1))
)


def render_bibtex(run: RunRecord, *, kept_only: bool = False) -> str:
    """Return one entry an article under a unique key of author and year, in ASCII.

    Everything that means something to TeX or BibTeX is escaped.
    """
    reasons = {d.key: d.reason for d in run.ranking.audit.decisions if d.verdict is Verdict.EXCLUDED}
    noted = [
        (item.article, f"metarag run {run.id}: rank {rank}, score {score(item.score)}")
        for rank, item in enumerate(run.ranking, 1)
    ]
    if not kept_only:
        noted += [
            (item.article, f"metarag run {run.id}: left out. {reasons.get(item.key, '')}")
            for item in run.ranking.excluded
        ]
    keys = unique_keys([article for article, _ in noted])
    return "\n".join(_entry(key, *pair) for key, pair in zip(keys, noted, strict=True))


def escaped(text: str) -> str:
    """Return a text as BibTeX reads it back, on one line."""
    return plain(text).translate(_ESCAPES)


def unique_keys(articles: Sequence[Article]) -> list[str]:
    """Return a key of ASCII letters and digits for each article, no two the same in any case."""
    taken: set[str] = set()
    keys = []
    for name in author_year_keys(articles):
        plain_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        bare = "".join(c for c in plain_name if c.isalnum()) or "article"
        key, number = bare, 1
        while key.casefold() in taken:
            number += 1
            key = f"{bare}x{number}"
        taken.add(key.casefold())
        keys.append(key)
    return keys


def _entry(key: str, article: Article, note: str) -> str:
    kind = "book" if article.kind is RecordKind.BOOK else "article"
    fields = "".join(f"  {name} = {value},\n" for name, value in _fields(article, note))
    return f"@{kind}{{{key},\n{fields}}}\n"


def _fields(article: Article, note: str) -> Iterator[tuple[str, str]]:
    journal = article.journal
    values = {
        "title": f"{{{escaped(article.title)}}}" if article.title.strip() else "",
        "author": " and ".join(_name(author) for author in article.authors if author.short_name),
        "journal": escaped(journal.title or journal.abbreviation or ""),
        "year": str(article.year or ""),
        "volume": escaped(journal.volume or ""),
        "number": escaped(journal.issue or ""),
        "pages": re.sub("-+", "--", escaped(journal.pages or "")),
        "doi": escaped(article.doi or ""),
        "pmid": article.pmid or "",
        "url": next((link.href.replace("%", r"\%") for link in article_links(article) if link.href), ""),
        "note": escaped(note),
        "abstract": escaped(article.abstract or ""),
    }
    yield from ((name, f"{{{value}}}") for name, value in values.items() if value)
    if article.print_date and article.print_date.month:
        yield "month", _MONTHS[article.print_date.month]


def _name(author: Author) -> str:
    """Return ``{Group}`` or ``{Last}, First``: an "and" inside a name would make two authors of it."""
    if author.collective or not author.last:
        return f"{{{escaped(author.short_name)}}}"
    first = escaped(author.fore or initials_words(author.initials or ""))
    return f"{{{escaped(author.last)}}}" + (f", {{{first}}}" if first else "")
