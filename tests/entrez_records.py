"""What the stand-in for PubMed holds: real records where they are at hand, else a few invented ones."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path

from pubmed_builders import abstract, record

REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "pubmed"
_RECORD = re.compile(r"<PubmedArticle>.*?</PubmedArticle>", re.DOTALL)
_TAG = re.compile(r"<[^<>]+>")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Entry:
    """A record as the stand-in knows it; ``entered`` is its Entrez date, ``year`` that of publication."""

    pmid: str
    entered: date
    year: int
    title: str
    text: str
    xml: str = ""

    @property
    def whole(self) -> str:
        return self.xml or record(self.pmid, title=f"<ArticleTitle>{self.title}</ArticleTitle>")


def entries() -> tuple[Entry, ...]:
    return real_entries() if REAL.is_dir() else invented_entries()


@cache
def real_entries() -> tuple[Entry, ...]:
    found: dict[str, Entry] = {}
    for path in sorted(REAL.glob("*.xml.gz")):
        for match in _RECORD.finditer(gzip.decompress(path.read_bytes()).decode()):
            entry = entry_of(match[0])
            found.setdefault(entry.pmid, entry)
    return tuple(found.values())


INVENTED = {
    "Zinc for invented fever: a randomised trial": "Zinc was compared with placebo in 400 adults with fever.",
    "Zinc and fever in children": "A cohort of 900 children with fever who took zinc or nothing.",
    "Fever without zinc": "A case report of fever.",
    "Copper for imaginary cough: a systematic review": "Twelve trials of copper in cough were reviewed.",
    "Zinc against cough": "Zinc did not shorten cough in adults.",
    "Copper and zinc in fictitious rash": "Copper was no better than zinc in rash.",
}


@cache
def invented_entries() -> tuple[Entry, ...]:
    made = []
    for number, (title, text) in enumerate(INVENTED.items()):
        pmid, year = 90000001 + number, 2015 + number
        history = (
            f'<History><PubMedPubDate PubStatus="entrez"><Year>{year}</Year><Month>6</Month>'
            "<Day>15</Day></PubMedPubDate></History>"
        )
        xml = record(
            pmid,
            title=f"<ArticleTitle>{title}</ArticleTitle>",
            article=abstract(text) + "<Language>eng</Language>",
            date=f"<Year>{year}</Year>",
            data=history,
        )
        made.append(entry_of(xml))
    return tuple(made)


def entry_of(xml: str) -> Entry:
    pmid = re.search(r"<PMID[^<>]*>(\d+)<", xml)
    assert pmid is not None
    year = re.search(r"<PubDate>.*?(\d{4})", xml, re.DOTALL)
    title = re.search(r"<ArticleTitle>(.*?)</ArticleTitle>", xml, re.DOTALL)
    entered = re.search(
        r'PubStatus="entrez">\s*<Year>(\d+)</Year>\s*<Month>(\d+)</Month>\s*<Day>(\d+)</Day>', xml
    )
    return Entry(
        pmid=pmid[1],
        entered=date(*map(int, entered.groups())) if entered else date(1990, 1, 1),
        year=int(year[1]) if year else 1990,
        title=_TAG.sub("", title[1]) if title else "",
        text=" ".join(_WORD.findall(_TAG.sub(" ", xml).lower())),
        xml=xml,
    )


def synthetic_entries(count: int, *, first: int = 1_000_001, days: int = 9_000) -> tuple[Entry, ...]:
    """Return many records without text, which came in evenly over ``days`` days from 2001 on."""
    start = date(2001, 1, 1)
    return tuple(
        Entry(
            pmid=str(first + i),
            entered=start + timedelta(days=i * days // count),
            year=2001 + i * days // count // 365,
            title=f"Record {i}",
            text="x",
        )
        for i in range(count)
    )
