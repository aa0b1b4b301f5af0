"""A record's standing, from its publication types, its correction links and what its text says of itself."""

from __future__ import annotations

from functools import lru_cache

from metarag.records import Article, Correction, TextOrigin
from metarag.retraction_text import standing_said
from metarag.types import RetractionState, RetractionStatus

# Publication types by UI, with the names for records that carry none
# (MeSH 2024; "Retraction of Publication" became "Retraction Notice" in 2026).
RETRACTED_TYPES = ("D016441", "Retracted Publication")
RETRACTION_NOTICE_TYPES = ("D016440", "Retraction of Publication", "Retraction Notice")
# The type marks the notice; the affected article only carries the link.
CONCERN_NOTICE_TYPES = ("D000075742", "Expression of Concern")
ERRATUM_TYPES = ("D016425", "Published Erratum")

# "...In" stands on the affected article, "...Of", "...For" and "...From" on the notice or successor.
_LINKS = (
    ("RetractionIn", RetractionState.RETRACTED),
    ("RetractedandRepublishedIn", RetractionState.RETRACTED),
    ("RetractionOf", RetractionState.RETRACTION_NOTICE),
    ("UpdateIn", RetractionState.SUPERSEDED),
    ("ExpressionOfConcernIn", RetractionState.EXPRESSION_OF_CONCERN),
    ("ExpressionOfConcernFor", RetractionState.CONCERN_NOTICE),
    ("CorrectedandRepublishedIn", RetractionState.CORRECTED),
    ("ErratumIn", RetractionState.CORRECTED),
    ("ErratumFor", RetractionState.CORRECTION_NOTICE),
)
_SOURCES = {
    TextOrigin.ABSTRACT: "the record itself",
    TextOrigin.SUMMARY: "the facts that the summary was written from",
    TextOrigin.HOST_TEXT: "metadata handed over with the text",
}


def retraction_status(article: Article) -> RetractionStatus:
    """Return the gravest state that the record itself shows.

    A record without a PMID was not looked up anywhere, so nothing seen there is ``NOT_CHECKED``.
    The date is the record's last revision: what PubMed knew then.
    """
    shown = _shown(article)
    if shown is not None and shown.state in (RetractionState.RETRACTED, RetractionState.RETRACTION_NOTICE):
        return shown
    said = standing_said(article)
    if said is not None:
        return RetractionStatus(
            state=said.state,
            source=f"its {said.where} says so",
            as_of=article.date_revised,
            detail=said.detail,
        )
    if shown is not None:
        return shown
    if article.pmid is None or not article.publication_types:
        return RetractionStatus(state=RetractionState.NOT_CHECKED)
    return _status(article, RetractionState.NONE_SEEN, None)


def _shown(article: Article) -> RetractionStatus | None:
    """Return the state by types and links; ``None`` where they show none."""
    if article.has_type(*RETRACTED_TYPES):
        return _status(article, RetractionState.RETRACTED, _link_detail(article, "RetractionIn"))
    if article.has_type(*RETRACTION_NOTICE_TYPES):
        return _status(article, RetractionState.RETRACTION_NOTICE, _link_detail(article, "RetractionOf"))
    present = {link_kind(link) for link in article.corrections}
    for name, state in _LINKS:
        if name.casefold() in present:
            return _status(article, state, _link_detail(article, name))
    if article.has_type(*CONCERN_NOTICE_TYPES):
        return _status(article, RetractionState.CONCERN_NOTICE, None)
    if article.has_type(*ERRATUM_TYPES):
        return _status(article, RetractionState.CORRECTION_NOTICE, None)
    return None


def link_kind(link: Correction) -> str:
    """Return the kind of a link to compare by: PubMed's pages write ``Retraction in`` for ``RetractionIn``."""
    return _bare(link.type)


@lru_cache(maxsize=1_024)
def _bare(kind: str) -> str:
    return "".join(filter(str.isalpha, kind)).casefold()


def _status(article: Article, state: RetractionState, detail: str | None) -> RetractionStatus:
    return RetractionStatus(
        state=state, source=_SOURCES[article.text_origin], as_of=article.date_revised, detail=detail
    )


def _link_detail(article: Article, name: str) -> str | None:
    link = next((c for c in article.corrections if link_kind(c) == name.casefold()), None)
    if link is None:
        return None
    parts = [link.source or "", f"PMID {link.pmid}" if link.pmid else ""]
    return ", ".join(part for part in parts if part) or None
