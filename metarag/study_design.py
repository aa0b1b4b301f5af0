"""Design of an article from publication types, MeSH headings, links and text, with provenance."""

from __future__ import annotations

from typing import Final

from metarag.design_fusion import DOMINANCE, ENOUGH, combine, decide
from metarag.design_labels import final_labels
from metarag.design_mesh import is_about_humans, mesh_reasons
from metarag.design_prose import MAX_CHARACTERS, RULE_SCORES, load_model, review_probability
from metarag.design_reasons import Reasons
from metarag.design_text import fold
from metarag.design_text_reports import HUMAN_PARTICIPANTS
from metarag.design_text_rules import article_text_reasons
from metarag.design_text_syntheses import OWN_DATA
from metarag.design_types import link_reasons, type_reasons
from metarag.indexing import TAG_TRUST, indexing_state
from metarag.records import Article
from metarag.types import DesignFinding, DesignSignal, SignalSource, Span
from metarag.types import StudyDesign as D

BACKGROUND: Final = 0.5
"""What animals and cells count beside people: most often they are the introduction's."""

OWN_WORK: Final = 0.7
"""What the phrases of reviews and case reports count beside own measurements."""

_TEXT: Final = frozenset({SignalSource.TITLE, SignalSource.ABSTRACT})
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
    )
    prose = _prose_signal(article, text, combine((*tags.signals, *text.signals)))
    reasons = Reasons.gather(tags, text, Reasons(signals=prose))
    scores = _scores(reasons, prose)
    design, confidence = decide(scores)
    return DesignFinding(
        design=design,
        confidence=confidence,
        labels=final_labels(design, reasons.labels, scores, reasons.signals),
        signals=reasons.signals,
        indexing_state=state,
    )


def _scores(reasons: Reasons, prose: tuple[DesignSignal, ...]) -> dict[D, float]:
    """Return the score of each design; where the prose was read, it speaks for the review's phrases."""
    signals = [
        signal
        for signal in reasons.signals
        if not (prose and signal.design is D.NARRATIVE_REVIEW and signal.source in _TEXT)
    ]
    scores = combine([*signals, *(signal for signal in prose if signal.weight >= ENOUGH)])
    discounts: list[tuple[D, float]] = []
    if HUMAN_PARTICIPANTS in reasons.labels:
        discounts += [(D.ANIMAL, BACKGROUND), (D.IN_VITRO, BACKGROUND)]
    if OWN_DATA in reasons.labels:
        discounts.append((D.CASE_REPORT, OWN_WORK))
        if not prose:
            discounts.append((D.NARRATIVE_REVIEW, OWN_WORK))
    for design, factor in discounts:
        if design in scores:
            scores[design] *= factor
    return scores


def _prose_signal(article: Article, text: Reasons, scores: dict[D, float]) -> tuple[DesignSignal, ...]:
    """Return what the prose says, where no other design is clear; empty when it was not asked."""
    settled = max(
        (score for design, score in scores.items() if design is not D.NARRATIVE_REVIEW), default=0.0
    )
    if article.abstract is None or settled >= DOMINANCE:
        return ()
    folded = fold(article.abstract)
    probability, word = review_probability(
        load_model(),
        fold(article.title),
        folded,
        rule_scores=prose_rule_scores(text),
        humans=is_about_humans(article),
    )
    start = folded.find(word, 0, MAX_CHARACTERS)
    quote = article.abstract[start : start + len(word)]
    span = Span(where="abstract", start=start, end=start + len(word), text=quote) if word else None
    signal = DesignSignal(
        design=D.NARRATIVE_REVIEW,
        source=SignalSource.ABSTRACT,
        evidence=f"reads like a review, {quote!r} most" if word else "reads like a review",
        weight=round(probability, 4),
        span=span,
    )
    return (signal,)


def prose_rule_scores(text: Reasons) -> dict[str, float]:
    """Return the scores in [0, 1] that the phrases give, by the prose model's names."""
    scores = combine(text.signals)
    return {
        name: max(scores.get(design, 0.0) for design in designs)
        for name, designs in zip(RULE_SCORES, _RULE_DESIGNS, strict=True)
    }
