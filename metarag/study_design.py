"""Design of an article from publication types, MeSH headings, links and text, with provenance."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from metarag.design_fusion import DOMINANCE, ENOUGH, combine, decide
from metarag.design_labels import final_labels
from metarag.design_mesh import is_about_humans, mesh_reasons
from metarag.design_prose import RULE_SCORES, load_model, review_probability
from metarag.design_prose_record import record_signs
from metarag.design_reasons import Reasons
from metarag.design_registry import registry_reasons
from metarag.design_text import fold
from metarag.design_text_laboratory import HUMAN_PARTICIPANTS
from metarag.design_text_reviews import OWN_DATA
from metarag.design_text_rules import article_text_reasons
from metarag.design_text_trials import DENIAL, RANDOMISATION_DENIED
from metarag.design_types import link_reasons, type_reasons
from metarag.indexing import TAG_TRUST, indexing_state
from metarag.records import Article
from metarag.types import DesignFinding, DesignSignal, SignalSource, Span
from metarag.types import StudyDesign as D

BACKGROUND: Final = 0.5
"""What animals and cells count beside people: most often they are the introduction's."""

OWN_WORK: Final = 0.7
"""What the phrases of reviews and case reports count beside own measurements."""

OBSERVED: Final = 0.5
"""What "not randomised" counts for a non-randomised trial beside an observational study and no trial."""

MISTAGGED: Final = 0.5
"""What the type Meta-Analysis counts on a record that tells of one randomised trial and of no other study."""

READS_LIKE_A_REVIEW: Final = "reads like a review"

_TEXT: Final = frozenset({SignalSource.TITLE, SignalSource.ABSTRACT})
_SYNTHESES: Final = frozenset(
    {D.META_ANALYSIS, D.NETWORK_META_ANALYSIS, D.SYSTEMATIC_REVIEW, D.UMBRELLA_REVIEW, D.SCOPING_REVIEW}
)
_OBSERVATIONAL: Final = (
    D.OBSERVATIONAL,
    D.COHORT,
    D.CASE_CONTROL,
    D.NESTED_CASE_CONTROL,
    D.CROSS_SECTIONAL,
    D.REGISTRY,
)
_OF_SEVERAL_STUDIES: Final = re.compile(
    r"\b(?:meta-?\s?analy|review|overview|pool|systematic|literature|search|(?:studies|trials|cohorts)\b)"
)
STATED: Final = 0.8
"""Weight from which a phrase says plainly that the article is a randomised trial."""

_RULE_DESIGNS: Final = (
    (D.NARRATIVE_REVIEW,),
    (D.SYSTEMATIC_REVIEW, D.META_ANALYSIS),
    (D.CASE_REPORT, D.CASE_SERIES),
    (D.RANDOMIZED_TRIAL, D.CLINICAL_TRIAL),
    (D.OBSERVATIONAL, D.COHORT, D.CASE_CONTROL, D.CROSS_SECTIONAL),
    (D.ANIMAL, D.IN_VITRO),
)
"""The designs behind each of the prose model's ``RULE_SCORES``."""


def classify(article: Article) -> DesignFinding:
    """Return the design of an article, how sure that is, and every reason with its source.

    ``UNKNOWN`` with confidence 0 when nothing says enough; it is never the lowest level.
    """
    state = indexing_state(article)
    text = article_text_reasons(article)
    tags = Reasons.gather(
        type_reasons(article, TAG_TRUST[state]),
        mesh_reasons(article, TAG_TRUST[state]),
        link_reasons(article),
        registry_reasons(article),
    )
    prose = _prose_signals(article, text, combine((*tags.signals, *text.signals)))
    reasons = Reasons.gather(tags, text, Reasons(signals=prose or ()))
    scores = _scores(reasons, prose_was_read=prose is not None)
    if _is_one_trial(article, text, reasons):
        scores[D.META_ANALYSIS] *= MISTAGGED
    design, confidence = decide(scores)
    return DesignFinding(
        design=design,
        confidence=confidence,
        labels=final_labels(design, reasons.labels, scores, reasons.signals),
        signals=reasons.signals,
        indexing_state=state,
    )


def _scores(reasons: Reasons, *, prose_was_read: bool) -> dict[D, float]:
    """Return the score of each design; prose that was read speaks for the review's phrases, too."""
    scores = combine(signal for signal in reasons.signals if not (prose_was_read and _is_phrase(signal)))
    discounts: list[tuple[D, float]] = []
    if HUMAN_PARTICIPANTS in reasons.labels:
        discounts += [(D.ANIMAL, BACKGROUND), (D.IN_VITRO, BACKGROUND)]
    if OWN_DATA in reasons.labels:
        discounts.append((D.CASE_REPORT, OWN_WORK))
        if not prose_was_read:
            discounts.append((D.NARRATIVE_REVIEW, OWN_WORK))
    if _was_only_observed(reasons, scores):
        discounts.append((D.NON_RANDOMIZED_TRIAL, OBSERVED))
    for design, factor in discounts:
        if design in scores:
            scores[design] *= factor
    return scores


def _was_only_observed(reasons: Reasons, scores: Mapping[D, float]) -> bool:
    """Return whether "not randomised" is all that speaks for a trial: cohorts say it of themselves, too."""
    if RANDOMISATION_DENIED not in reasons.labels or scores.get(D.CLINICAL_TRIAL, 0.0) >= ENOUGH:
        return False
    trial = max(s.weight for s in reasons.signals if s.design is D.NON_RANDOMIZED_TRIAL)
    return trial <= DENIAL and any(scores.get(design, 0.0) >= ENOUGH for design in _OBSERVATIONAL)


def _is_one_trial(article: Article, text: Reasons, reasons: Reasons) -> bool:
    """Return whether only the type says meta-analysis, and the text is of one randomised trial."""
    sources = {signal.source for signal in reasons.signals if signal.design in _SYNTHESES}
    if sources != {SignalSource.PUBLICATION_TYPE}:
        return False
    stated = max((s.weight for s in text.signals if s.design is D.RANDOMIZED_TRIAL), default=0.0)
    words = f"{article.title}\n{article.abstract or ''}"
    return stated >= STATED and not _OF_SEVERAL_STUDIES.search(fold(words))


def _is_phrase(signal: DesignSignal) -> bool:
    """Return whether it is a phrase of a review: the prose model has weighed those already."""
    return (
        signal.design is D.NARRATIVE_REVIEW
        and signal.source in _TEXT
        and not signal.evidence.startswith(READS_LIKE_A_REVIEW)
    )


def _prose_signals(
    article: Article, text: Reasons, scores: dict[D, float]
) -> tuple[DesignSignal, ...] | None:
    """Return what the prose says, or ``None`` where it was not read: no abstract, or a clear design."""
    settled = max(
        (score for design, score in scores.items() if design is not D.NARRATIVE_REVIEW), default=0.0
    )
    if article.abstract is None or settled >= DOMINANCE:
        return None
    folded = fold(article.abstract)
    probability, word = review_probability(
        load_model(),
        fold(article.title),
        folded,
        rule_scores=prose_rule_scores(text),
        humans=is_about_humans(article),
        signs=record_signs(article),
        enough=ENOUGH,
    )
    if probability < ENOUGH or not word:
        return ()
    start = folded.find(word)
    quote = article.abstract[start : start + len(word)]
    signal = DesignSignal(
        design=D.NARRATIVE_REVIEW,
        source=SignalSource.ABSTRACT,
        evidence=f"{READS_LIKE_A_REVIEW}, most by {quote!r}",
        weight=round(probability, 4),
        span=Span(where="abstract", start=start, end=start + len(word), text=quote),
    )
    return (signal,)


def prose_rule_scores(text: Reasons) -> dict[str, float]:
    """Return the scores in [0, 1] that the phrases give, by the prose model's names."""
    scores = combine(text.signals)
    return {
        name: max(scores.get(design, 0.0) for design in designs)
        for name, designs in zip(RULE_SCORES, _RULE_DESIGNS, strict=True)
    }
