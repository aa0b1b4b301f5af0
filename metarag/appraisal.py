"""All that can be said of an article without a question."""

from __future__ import annotations

from metarag.records import Article
from metarag.retraction import retraction_status
from metarag.study_design import classify
from metarag.types import Appraisal

APPRAISAL_VERSION = "1"
"""Raised whenever a rule changes what an appraisal says, so that stored ones are known to be stale."""


def appraise(article: Article) -> Appraisal:
    """Return what the record itself says of its design and standing; pure and deterministic."""
    return Appraisal(
        version=APPRAISAL_VERSION,
        article_id=article.id,
        design=classify(article),
        retraction=retraction_status(article),
        registry_ids=tuple(dict.fromkeys(r.id.upper() for r in article.registry_ids)),
    )
