"""All that can be said of an article without a question."""

from __future__ import annotations

from metarag.design_registry import Registration, registrations
from metarag.effect_sizes import extract_effects
from metarag.pico_article import article_pico
from metarag.records import Article
from metarag.reported_reader import read_facts
from metarag.reporting_checks import checks_given
from metarag.retraction import retraction_status
from metarag.sample_size import extract_sample_size
from metarag.stems import ArticleStems
from metarag.study_design import classify
from metarag.study_names import study_names
from metarag.types import SYNTHESES, Appraisal, DesignFinding, EffectEstimate, StudyDesign

APPRAISAL_VERSION = "8"
"""Raised whenever a rule changes what an appraisal says, so that stored ones are known to be stale."""

# Their texts name the trials they speak of; those numbers would make them reports of these trials.
_ABOUT_OTHERS = SYNTHESES | {
    StudyDesign.EDITORIAL,
    StudyDesign.LETTER,
    StudyDesign.COMMENT,
    StudyDesign.NEWS,
    StudyDesign.ERRATUM,
    StudyDesign.NOTICE,
}


def appraise(article: Article) -> Appraisal:
    """Return what the record itself says of design, size, reporting, effects, people, money and standing.

    Pure and deterministic: the same article gives the same appraisal, whatever else is considered.
    """
    design = classify(article)
    size, known, effects = extract_sample_size(article), registrations(article), _effects(article)
    return Appraisal(
        version=APPRAISAL_VERSION,
        article_id=article.id,
        design=design,
        retraction=retraction_status(article),
        registry_ids=_registry_ids(article, design, known),
        # They tell which effects are of one study, so that nobody else's are looked for.
        study_names=tuple(sorted(study_names(article))) if effects else (),
        sample_size=size,
        checks=checks_given(article, design, known, size),
        effects=effects,
        pico=article_pico(article),
        facts=read_facts(article),
        stems=ArticleStems.of(article),
    )


def _registry_ids(
    article: Article, design: DesignFinding, known: tuple[Registration, ...]
) -> tuple[str, ...]:
    if design.design in _ABOUT_OTHERS:
        return tuple(dict.fromkeys(listed.id.upper() for listed in article.registry_ids))
    return tuple(dict.fromkeys(found.id for found in known))


def _effects(article: Article) -> tuple[EffectEstimate, ...]:
    return extract_effects(article.abstract, where="abstract") if article.abstract else ()
