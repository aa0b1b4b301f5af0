"""All that can be said of an article without a question."""

from __future__ import annotations

from metarag.design_registry import registrations
from metarag.effect_sizes import extract_effects
from metarag.records import Article
from metarag.reporting_checks import reporting_checks
from metarag.retraction import retraction_status
from metarag.sample_size import extract_sample_size
from metarag.study_design import classify
from metarag.types import Appraisal, DesignFinding, EffectEstimate, StudyDesign

APPRAISAL_VERSION = "1"
"""Raised whenever a rule changes what an appraisal says, so that stored ones are known to be stale."""

# Their texts name the trials they speak of; those numbers would make them reports of these trials.
_ABOUT_OTHERS = frozenset(
    {
        StudyDesign.SYSTEMATIC_REVIEW,
        StudyDesign.META_ANALYSIS,
        StudyDesign.NETWORK_META_ANALYSIS,
        StudyDesign.UMBRELLA_REVIEW,
        StudyDesign.SCOPING_REVIEW,
        StudyDesign.NARRATIVE_REVIEW,
        StudyDesign.GUIDELINE,
        StudyDesign.CONSENSUS_STATEMENT,
        StudyDesign.EDITORIAL,
        StudyDesign.LETTER,
        StudyDesign.COMMENT,
        StudyDesign.NEWS,
        StudyDesign.ERRATUM,
        StudyDesign.NOTICE,
    }
)


def appraise(article: Article) -> Appraisal:
    """Return what the record itself says of design, size, reporting, effects and standing.

    Pure and deterministic: the same article gives the same appraisal, whatever else is considered.
    """
    design = classify(article)
    return Appraisal(
        version=APPRAISAL_VERSION,
        article_id=article.id,
        design=design,
        retraction=retraction_status(article),
        registry_ids=_registry_ids(article, design),
        sample_size=extract_sample_size(article),
        checks=reporting_checks(article, design),
        effects=_effects(article),
    )


def _registry_ids(article: Article, design: DesignFinding) -> tuple[str, ...]:
    if design.design in _ABOUT_OTHERS:
        return tuple(dict.fromkeys(known.id.upper() for known in article.registry_ids))
    return tuple(dict.fromkeys(found.id for found in registrations(article)))


def _effects(article: Article) -> tuple[EffectEstimate, ...]:
    return extract_effects(article.abstract, where="abstract") if article.abstract else ()
