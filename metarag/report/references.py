"""Links of a report: to PubMed and DOI, and from whatever names an article to its place in the report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

from metarag.audit import QueryRecord
from metarag.generation.citations import citation_of
from metarag.records import Article
from metarag.types import Evidence

PUBMED: Final = "https://pubmed.ncbi.nlm.nih.gov/"
MOST_ADDED: Final = 20
"""Links added to a sentence for articles that it does not name; the exports mark every one that is cited."""
_DOI: Final = re.compile(r"10\.\d{4,9}/\S+", re.ASCII)
_PMCID: Final = re.compile(r"PMC\d{1,10}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text and where it leads; an empty address is no link."""

    text: str
    href: str = ""


def article_links(article: Article) -> tuple[Piece, ...]:
    """Return the links of a record to PubMed, to its DOI and to PubMed Central, as far as it has them.

    What is no DOI or PMCID by its form is shown and not linked: a record may hold anything.
    """
    links = []
    if article.pmid:
        links.append(Piece(f"PMID {article.pmid}", f"{PUBMED}{article.pmid}/"))
    if article.doi:
        is_doi = _DOI.fullmatch(article.doi) is not None
        address = f"https://doi.org/{quote(article.doi, safe='/()')}" if is_doi else ""
        links.append(Piece("DOI" if article.pmid and is_doi else f"doi:{article.doi}", address))
    if article.pmcid and _PMCID.fullmatch(article.pmcid):
        links.append(Piece(article.pmcid, f"https://pmc.ncbi.nlm.nih.gov/articles/{article.pmcid}/"))
    return tuple(links)


def search_link(query: QueryRecord) -> str:
    """Return the address that runs a PubMed search again; empty for another source."""
    if "pubmed" not in query.source.casefold() or "index" in query.source.casefold():
        return ""
    return f"{PUBMED}?{urlencode({'term': query.query})}"


class References:
    """Where each article of a run stands in its report.

    Parameters
    ----------
    items : iterable of Evidence
        All evidence of the run, ranked before left out.
    anchors : mapping of str to str
        Evidence key to the anchor of its row, for those that have one.
    """

    def __init__(self, items: Iterable[Evidence], anchors: Mapping[str, str]) -> None:
        self.anchors = dict(anchors)
        self.items: dict[str, Evidence] = {}
        self.keys: dict[str, str] = {}
        for item in items:
            self.items[item.key] = item
            for name in (citation_of(item.article), item.article.id, item.key):
                self.keys.setdefault(name, item.key)

    def to(self, key: str) -> Piece:
        """Return the name of an article that leads to its row, or else out to PubMed or its DOI."""
        item = self.items.get(key)
        if item is None:
            return Piece(key)
        return Piece(item.article.label, self._address(item))

    def cited(self, citation: str) -> str | None:
        """Return the key of what is cited so; ``None`` for what the run does not hold."""
        return self.keys.get(citation)

    def linked(self, text: str, citations: Iterable[str], *, also: Iterable[str] = ()) -> tuple[Piece, ...]:
        """Return a text cut so that the names of the cited articles lead to their rows.

        A cited article that the text does not name is added at its end, of many the first 20 with the number of
        the others; those of ``also`` are links where the text names them.
        """
        keys = list(dict.fromkeys(key for c in citations if (key := self.cited(c))))
        known = dict.fromkeys([*keys, *(key for c in also if (key := self.cited(c)))])
        # Only what occurs, because a run may cite thousands and a pattern of all of them takes seconds.
        labels = {
            label: self.to(key)
            for key in reversed(known)
            if (label := self.items[key].article.label) and label in text
        }
        names = "|".join(re.escape(name) for name in sorted(labels, key=len, reverse=True))
        parts = re.split(rf"(?<!\w)({names})(?!\w)", text) if names else [text]
        pieces = [labels[part] if number % 2 else Piece(part) for number, part in enumerate(parts) if part]
        named = {piece.text for piece in pieces if piece.href}
        missing = [key for key in keys if self.items[key].article.label not in named]
        added = [part for key in missing[:MOST_ADDED] for part in (Piece(" "), self.to(key))]
        if len(missing) > MOST_ADDED:
            added.append(Piece(f" and {len(missing) - MOST_ADDED:,} more"))
        return (*pieces, *added)

    def _address(self, item: Evidence) -> str:
        if anchor := self.anchors.get(item.key):
            return f"#{anchor}"
        return next((link.href for link in article_links(item.article) if link.href), "")
