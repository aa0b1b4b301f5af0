"""The articles of a run as RIS, for a reference manager."""

from __future__ import annotations

import re
from typing import Final

import rispy

from metarag.audit import Verdict
from metarag.records import Author, RecordKind
from metarag.report.articles import decisions_by_key
from metarag.report.numbers import score
from metarag.report.plain import plain
from metarag.report.references import article_links
from metarag.runs import RunRecord
from metarag.types import Evidence

_PAGES: Final = re.compile(r"\s*([^\s-]+)\s*-\s*([^\s-]+)\s*")
RisEntry = dict[str, str | list[str]]


class _Writer(rispy.RisWriter):
    """Without the number before each record, which is no RIS."""

    def set_header(self, count: int) -> str:
        return ""


def render_ris(run: RunRecord, *, kept_only: bool = False) -> str:
    """Return one record an article; a note says its rank and score, or why it was left out.

    Every value is put on one line without control characters: rispy writes a line break as it comes, and
    what follows it would be read as a field of its own.
    """
    decisions = decisions_by_key(run.ranking.audit.decisions)
    entries = [
        _entry(item, f"metarag run {run.id}: rank {rank} of {len(run.ranking)}, score {score(item.score)}")
        for rank, item in enumerate(run.ranking, 1)
    ]
    for item in () if kept_only else run.ranking.excluded:
        why = next((d.reason for d in decisions.get(item.key, ()) if d.verdict is Verdict.EXCLUDED), "")
        entries.append(_entry(item, f"metarag run {run.id}: left out. {why}"))
    return str(rispy.dumps(entries, implementation=_Writer))


def _entry(item: Evidence, note: str) -> RisEntry:
    article, journal = item.article, item.article.journal
    first, last = _pages(journal.pages)
    values: RisEntry = {
        "type_of_reference": "BOOK" if article.kind is RecordKind.BOOK else "JOUR",
        "title": article.title,
        "authors": [_name(author) for author in article.authors],
        "secondary_title": journal.title or journal.abbreviation or "",
        "alternate_title1": journal.abbreviation or "",
        "year": str(article.year or ""),
        "volume": journal.volume or "",
        "number": journal.issue or "",
        "start_page": first,
        "end_page": last,
        "issn": journal.issn or "",
        "doi": article.doi or "",
        "custom2": article.pmcid or "",
        "accession_number": article.pmid or "",
        "name_of_database": "PubMed" if article.pmid else "",
        "urls": [link.href for link in article_links(article) if link.href],
        "abstract": article.abstract or "",
        "keywords": [*article.keywords, *(heading.descriptor for heading in article.mesh)],
        "language": ", ".join(article.languages),
        "notes": [note, *(kind.name for kind in article.publication_types)],
    }
    flat = {name: _flat(value) for name, value in values.items()}
    return {name: value for name, value in flat.items() if value}


def _flat(value: str | list[str]) -> str | list[str]:
    if isinstance(value, str):
        return plain(value)
    return [text for text in map(plain, value) if text]


def _name(author: Author) -> str:
    if author.collective or not author.last:
        return author.short_name
    first = author.fore or initials_words(author.initials or "")
    parts = (author.last, first, author.suffix or "")
    return ", ".join(part.replace(",", " ") for part in parts if part)


def initials_words(initials: str) -> str:
    """Return ``H. S.`` for ``HS``, so that nobody takes two initials for a first name."""
    return " ".join(f"{letter}." for letter in initials if letter.isalpha())


def _pages(pages: str | None) -> tuple[str, str]:
    """Return first and last page; ``557-62`` is short for 557-562, which reference managers know."""
    match = _PAGES.fullmatch(pages or "")
    return (match[1], match[2]) if match else (pages or "", "")
