"""What MeSH headings say of an article's design.

A heading that ends in "as Topic" means that the article is *about* the design: it becomes a label,
never the design. Headings that stand on trials, reviews and observational studies alike (prospective,
retrospective, follow-up ...) are weak and mostly give labels.

References
----------
Unique identifiers: MeSH 2024, https://meshb.nlm.nih.gov. That PubMed has no publication type for cohort,
case-control and cross-sectional studies, so that MeSH is the only tag, follows MultiTagger-v2
(github.com/ScienceNLP-Lab/MultiTagger-v2). The weights are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from metarag.design_reasons import Claim, Reasons, plain
from metarag.records import Article
from metarag.types import SignalSource
from metarag.types import StudyDesign as D

_HEADINGS: Final = (
    (("D016022", "Case-Control Studies"), Claim(D.CASE_CONTROL, 0.55)),
    (("D015331", "Cohort Studies"), Claim(D.COHORT, 0.55)),
    (("D003430", "Cross-Sectional Studies"), Claim(D.CROSS_SECTIONAL, 0.60)),
    (("D016036", "Seroepidemiologic Studies"), Claim(D.CROSS_SECTIONAL, 0.50)),
    (("D065187", "Controlled Before-After Studies"), Claim(D.BEFORE_AFTER, 0.70, ("controlled",))),
    (("D065386", "Historically Controlled Study"), Claim(D.BEFORE_AFTER, 0.50, ("historical_control",))),
    (("D065186", "Interrupted Time Series Analysis"), Claim(D.INTERRUPTED_TIME_SERIES, 0.70)),
    (("D057182", "Mendelian Randomization Analysis"), Claim(D.MENDELIAN_RANDOMIZATION, 0.70)),
    (("D055106", "Genome-Wide Association Study"), Claim(D.OBSERVATIONAL, 0.40, ("genome_wide",))),
    (("D036301", "Qualitative Research"), Claim(D.QUALITATIVE, 0.65)),
    (("D017144", "Focus Groups"), Claim(D.QUALITATIVE, 0.45)),
    (("D057216", "Propensity Score"), Claim(D.OBSERVATIONAL, 0.55, ("propensity_score",))),
    (("D016555", "Matched-Pair Analysis"), Claim(D.OBSERVATIONAL, 0.15, ("matched",))),
    (("D012042", "Registries"), Claim(D.REGISTRY, 0.25)),
    (("D011446", "Prospective Studies"), Claim(D.OBSERVATIONAL, 0.20, ("prospective",))),
    (("D012189", "Retrospective Studies"), Claim(D.OBSERVATIONAL, 0.45, ("retrospective",))),
    (("D008137", "Longitudinal Studies"), Claim(D.OBSERVATIONAL, 0.25, ("longitudinal",))),
    (("D005500", "Follow-Up Studies"), Claim(D.OBSERVATIONAL, 0.10)),
    (("D012680", "Sensitivity and Specificity"), Claim(D.DIAGNOSTIC_ACCURACY, 0.20)),
    (("D012372", "ROC Curve"), Claim(D.DIAGNOSTIC_ACCURACY, 0.15)),
    # These say how a trial was done; they stand on articles about trials, too.
    (("D016449", "Randomized Controlled Trial"), Claim(D.RANDOMIZED_TRIAL, 0.60)),
    (("D011897", "Random Allocation"), Claim(D.RANDOMIZED_TRIAL, 0.45)),
    (("D004311", "Double-Blind Method"), Claim(D.RANDOMIZED_TRIAL, 0.70, ("double_blind",))),
    (("D016037", "Single-Blind Method"), Claim(D.RANDOMIZED_TRIAL, 0.45, ("single_blind",))),
    (("D018592", "Cross-Over Studies"), Claim(D.RANDOMIZED_TRIAL, 0.45, ("cross_over",))),
    (("D010919", "Placebos"), Claim(D.RANDOMIZED_TRIAL, 0.30)),
    (("D057194", "Intention to Treat Analysis"), Claim(D.RANDOMIZED_TRIAL, 0.45)),
    (("D057239", "Early Termination of Clinical Trials"), Claim(D.CLINICAL_TRIAL, 0.30)),
    (("D010865", "Pilot Projects"), Claim(None, labels=("pilot",))),
    (("D005240", "Feasibility Studies"), Claim(None, labels=("pilot",))),
    (("D016032", "Randomized Controlled Trials as Topic"), Claim(None, labels=("about_trials",))),
    (("D002986", "Clinical Trials as Topic"), Claim(None, labels=("about_trials",))),
    (("Controlled Clinical Trials as Topic",), Claim(None, labels=("about_trials",))),
    (("D065228", "Non-Randomized Controlled Trials as Topic"), Claim(None, labels=("about_trials",))),
    (("D015201", "Meta-Analysis as Topic"), Claim(None, labels=("about_syntheses",))),
    (("D000078202", "Systematic Reviews as Topic"), Claim(None, labels=("about_syntheses",))),
    (("Review Literature as Topic",), Claim(None, labels=("about_syntheses",))),
    (("D017410", "Practice Guidelines as Topic"), Claim(None, labels=("about_guidelines",))),
    (("Guidelines as Topic",), Claim(None, labels=("about_guidelines",))),
    (("D012180", "Retraction of Publication as Topic"), Claim(None, labels=("about_retraction",))),
    (("D004195", "Disease Models, Animal"), Claim(D.ANIMAL, 0.60)),
    (("Animals, Laboratory",), Claim(D.ANIMAL, 0.60)),
    (("Animals, Newborn",), Claim(D.ANIMAL, 0.60)),
    (("D066298", "In Vitro Techniques"), Claim(D.IN_VITRO, 0.50)),
)

TOPIC_TRUST: Final = 0.4
"""What "Double-Blind Method" and the like count on an article *about* trials; ours."""

_ANIMALS: Final = frozenset({"d000818", "animals"})
_HUMANS: Final = frozenset({"d006801", "humans", "human"})
_ANIMALS_ONLY: Final = Claim(D.ANIMAL, 0.75)


def _index() -> Mapping[str, Claim]:
    return MappingProxyType({plain(key): claim for keys, claim in _HEADINGS for key in keys})


_BY_KEY: Final = _index()


class _Known(NamedTuple):
    claim: Claim | None
    is_animals: bool
    is_humans: bool


@lru_cache(maxsize=4096)
def _known(ui: str | None, descriptor: str) -> _Known:
    """Look a heading up, by its UI before its descriptor; the same few hundred come again and again."""
    keys = (plain(ui or ""), plain(descriptor))
    return _Known(
        claim=_BY_KEY.get(keys[0]) or _BY_KEY.get(keys[1]),
        is_animals=not _ANIMALS.isdisjoint(keys),
        is_humans=not _HUMANS.isdisjoint(keys),
    )


def mesh_reasons(article: Article, trust: float = 1.0) -> Reasons:
    """Return what the MeSH headings say of the design.

    Parameters
    ----------
    trust : float
        In [0, 1]; multiplies each weight (an automated indexer is less sure than a person).
    """
    known = [(heading.descriptor, _known(heading.ui, heading.descriptor)) for heading in article.mesh]
    humans = any(facts.is_humans for _, facts in known)
    about_trials = any(facts.claim is not None and "about_trials" in facts.claim.labels for _, facts in known)
    parts: list[Reasons] = []
    for descriptor, facts in known:
        claim = facts.claim
        if claim and about_trials and claim.design is D.RANDOMIZED_TRIAL:
            claim = claim.trusted(TOPIC_TRUST)
        # "Disease Models, Animal" beside "Humans" is as often a review or a patient study with mice.
        if claim and not (humans and claim.design is D.ANIMAL):
            parts.append(claim.trusted(trust).reasons(SignalSource.MESH, descriptor))
    if not humans and any(facts.is_animals for _, facts in known):
        parts.append(_ANIMALS_ONLY.trusted(trust).reasons(SignalSource.MESH, "Animals without Humans"))
    return Reasons.gather(*parts)


def is_about_humans(article: Article) -> bool:
    """Return whether the record carries the check tag Humans."""
    return any(_known(heading.ui, heading.descriptor).is_humans for heading in article.mesh)
