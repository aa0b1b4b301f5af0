"""What a local index knows of a record beside its words: types, language, journal, identifiers, dates.

Each fact is one token such as ``pt_meta_analysis`` in a second full-text table, which keeps lists of numbers
only. The words' own table stays as it is, so that its scores do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from metarag.records import Article, PartialDate
from metarag.retrieval.free_text import fold

HAS_ABSTRACT: Final = "is_hasabstract"
MAX_FACET_LENGTH: Final = 120
"""Characters of a token; longer names are cut, in the index and in a query alike."""

_SEPARATORS: Final = re.compile(r"[\W_]+")

_LANGUAGE_NAMES: Final = """
    afr afrikaans ara arabic bul bulgarian cat catalan chi chinese cze czech dan danish dut dutch eng english
    est estonian fin finnish fre french geo georgian ger german gre greek heb hebrew hin hindi hrv croatian
    hun hungarian ice icelandic ind indonesian ita italian jpn japanese kor korean lav latvian lit lithuanian
    mac macedonian may malay nor norwegian per persian pol polish por portuguese rum romanian rus russian
    slo slovak slv slovenian spa spanish srp serbian swe swedish tha thai tur turkish ukr ukrainian
    vie vietnamese
""".split()
LANGUAGES: Final = MappingProxyType(dict(zip(_LANGUAGE_NAMES[1::2], _LANGUAGE_NAMES[::2], strict=True)))
"""English names of languages to their codes (ISO 639-2/B, which MEDLINE uses)."""

NARROWER_TYPES: Final = MappingProxyType(
    {
        "clinical study": ("clinical trial", "observational study"),
        "clinical trial": (
            "adaptive clinical trial",
            "clinical trial phase i",
            "clinical trial phase ii",
            "clinical trial phase iii",
            "clinical trial phase iv",
            "controlled clinical trial",
            "pragmatic clinical trial",
            "equivalence trial",
        ),
        "controlled clinical trial": ("randomized controlled trial",),
        "guideline": ("practice guideline",),
        "meta analysis": ("network meta analysis",),
    }
)
"""Publication types that another one holds, as PubMed explodes them (MeSH 2024, category V03)."""


@lru_cache(maxsize=16_384)
def token(field: str, value: str) -> str:
    """Return the token that stands for a value of a field, e.g. ``pt_meta_analysis``; empty for no value."""
    name = "_".join(part for part in _SEPARATORS.split(fold(value).lower()) if part)
    return f"{field}_{name}"[:MAX_FACET_LENGTH] if name else ""


def facet_text(article: Article) -> str:
    """Return the tokens of an article as they are indexed.

    The index keeps no copy: a change here needs a migration that indexes all anew.
    """
    return " ".join(sorted(set(filter(None, _facets(article)))))


def day(date: PartialDate | None) -> int | None:
    """Return a date as ``yyyymmdd``, for a missing month or day the first, as PubMed files it; ``None`` if unknown."""
    if date is None or date.year is None:
        return None
    return date.year * 10_000 + (date.month or 1) * 100 + (date.day or 1)


def _facets(article: Article) -> Iterator[str]:
    for kind in article.publication_types:
        yield token("pt", kind.name)
    for language in article.languages:
        yield token("la", language)
    journal = article.journal
    for name in (journal.title, journal.abbreviation, journal.issn):
        yield token("ta", name or "")
    yield token("jid", journal.nlm_id or "")
    for identifier in (article.doi, article.pmcid, article.pii, *(r.id for r in article.registry_ids)):
        yield token("id", identifier or "")
    yield HAS_ABSTRACT if article.abstract else ""
