"""How far a record's publication types and MeSH headings can be trusted: who gave them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from metarag.records import Article

CURATED: Final = "curated"
AUTOMATED: Final = "automated"
NOT_INDEXED: Final = "not_indexed"
UNKNOWN: Final = "unknown"

_INDEXED = frozenset({"medline", "oldmedline", "completed"})
_NOT_INDEXED = frozenset(
    {"pubmed-not-medline", "in-process", "in-data-review", "publisher", "pubmednotmedline"}
)

TAG_TRUST: Final = MappingProxyType({CURATED: 1.0, UNKNOWN: 1.0, AUTOMATED: 0.9, NOT_INDEXED: 0.85})
"""What a tag's weight is multiplied by, in [0, 1]; ours.

Trialstreamer (Marshall 2020) trusts a type only on a MEDLINE record that was not indexed automatically;
here it counts less, and the text decides where it speaks.
"""


def indexing_state(article: Article) -> str:
    """Return ``curated``, ``automated``, ``not_indexed`` or ``unknown``.

    An absent indexing method on an indexed record means that a person indexed it (NLM used the
    attribute from 2018 on for the others).

    References
    ----------
    PubMed DTD, attributes ``Status`` and ``IndexingMethod`` of ``MedlineCitation``.
    """
    status = (article.status or "").strip().casefold()
    if status in _NOT_INDEXED:
        return NOT_INDEXED
    if (article.indexing_method or "").strip().casefold() == "automated":
        return AUTOMATED
    return CURATED if status in _INDEXED else UNKNOWN
