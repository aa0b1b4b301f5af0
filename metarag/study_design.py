"""Design of an article from publication types, MeSH headings, links and text, with provenance."""

from __future__ import annotations

from collections.abc import Mapping

from metarag.design_fusion import ENOUGH, combine, decide
from metarag.design_mesh import mesh_reasons
from metarag.design_reasons import Reasons
from metarag.design_text_reports import HUMAN_PARTICIPANTS
from metarag.design_text_rules import article_text_reasons
from metarag.design_text_syntheses import OWN_DATA
from metarag.design_types import link_reasons, type_reasons
from metarag.indexing import TAG_TRUST, indexing_state
from metarag.records import Article
from metarag.types import DesignFinding, StudyDesign

_PARTS = (StudyDesign.SECONDARY_ANALYSIS, StudyDesign.PROTOCOL)
_RANDOMISED = (StudyDesign.RANDOMIZED_TRIAL, StudyDesign.N_OF_1_TRIAL)
BACKGROUND = 0.5



def classify(article: Article) -> DesignFinding:
    """Return the design of an article, how sure that is, and every reason with its source.

    ``UNKNOWN`` with confidence 0 when nothing says anything; it is never the lowest level.
    """
    state = indexing_state(article)
    reasons = Reasons.gather(
        type_reasons(article, TAG_TRUST[state]),
        mesh_reasons(article, TAG_TRUST[state]),
        link_reasons(article),
        article_text_reasons(article),
    )
    scores = combine(reasons.signals)
    if HUMAN_PARTICIPANTS in reasons.labels:
        for design in (StudyDesign.ANIMAL, StudyDesign.IN_VITRO):
            scores[design] = scores.get(design, 0.0) * BACKGROUND
    if OWN_DATA in reasons.labels:
        for design in (StudyDesign.NARRATIVE_REVIEW, StudyDesign.CASE_REPORT):
            scores[design] = scores.get(design, 0.0) * 0.7
    design, confidence = decide(scores)
    return DesignFinding(
        design=design,
        confidence=confidence,
        labels=_labels(design, scores, reasons),
        signals=reasons.signals,
        indexing_state=state,
    )


def _labels(design: StudyDesign, scores: Mapping[StudyDesign, float], reasons: Reasons) -> tuple[str, ...]:
    labels = set(reasons.labels) - {HUMAN_PARTICIPANTS, OWN_DATA}
    if design in _PARTS:
        said = any("random" in s.evidence.lower() for s in reasons.signals if s.design is design)
        if said or scores.get(StudyDesign.RANDOMIZED_TRIAL, 0.0) >= ENOUGH:
            labels.add("of_randomized_trial")
        if scores.get(StudyDesign.CLINICAL_TRIAL, 0.0) >= ENOUGH:
            labels.add("of_trial")
    if design in _RANDOMISED and not any("random" in signal.evidence.lower() for signal in reasons.signals):
        labels.add("randomization_not_stated")
    return tuple(sorted(labels))
