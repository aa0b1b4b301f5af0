"""What PubMed's publication types and correction links say of an article's design.

The table is closed: a type that is not in it gives no signal, because a new name is no evidence of
a low level. ``Journal Article``, ``Multicenter Study``, ``Comparative Study``, ``Validation Study``,
``Evaluation Study`` and ``Research Support ...`` are left out on purpose: they are not designs.

References
----------
Publication types with their unique identifiers: MeSH 2024, https://meshb.nlm.nih.gov.
Weights of Randomized Controlled Trial, Clinical Trial, Observational Study, Case Reports, Systematic
Review, Meta-Analysis and Clinical Trial Protocol are the tags' precisions against 8,308 judged works
(github.com/ourresearch/openalex-study-designs). The other weights are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from metarag.design_reasons import Claim, Reasons, plain
from metarag.records import Article, PublicationType
from metarag.retraction import CONCERN_NOTICE_TYPES, ERRATUM_TYPES, RETRACTION_NOTICE_TYPES
from metarag.types import SignalSource
from metarag.types import StudyDesign as D

_TYPES: Final = (
    (RETRACTION_NOTICE_TYPES, Claim(D.NOTICE, 0.99, ("retraction_notice",))),
    (CONCERN_NOTICE_TYPES, Claim(D.NOTICE, 0.95, ("concern_notice",))),
    (ERRATUM_TYPES, Claim(D.ERRATUM, 0.99)),
    (("D016449", "Randomized Controlled Trial"), Claim(D.RANDOMIZED_TRIAL, 0.63)),
    (("D065007", "Pragmatic Clinical Trial"), Claim(D.RANDOMIZED_TRIAL, 0.60, ("pragmatic",))),
    (("D000073843", "Equivalence Trial"), Claim(D.RANDOMIZED_TRIAL, 0.60, ("equivalence",))),
    (("D018848", "Controlled Clinical Trial"), Claim(D.CLINICAL_TRIAL, 0.65, ("controlled",))),
    (("D000076362", "Adaptive Clinical Trial"), Claim(D.CLINICAL_TRIAL, 0.65, ("adaptive",))),
    (("D016430", "Clinical Trial"), Claim(D.CLINICAL_TRIAL, 0.645)),
    (("D017426", "Clinical Trial, Phase I"), Claim(D.CLINICAL_TRIAL, 0.65, ("phase_1",))),
    (("D017427", "Clinical Trial, Phase II"), Claim(D.CLINICAL_TRIAL, 0.65, ("phase_2",))),
    (("D017428", "Clinical Trial, Phase III"), Claim(D.CLINICAL_TRIAL, 0.65, ("phase_3",))),
    (("D017429", "Clinical Trial, Phase IV"), Claim(D.CLINICAL_TRIAL, 0.65, ("phase_4",))),
    (("D000078325", "Clinical Trial Protocol"), Claim(D.PROTOCOL, 0.986)),
    (("D000081262", "Randomized Controlled Trial, Veterinary"), Claim(D.ANIMAL, 0.95, ("veterinary",))),
    (("D000077522", "Clinical Trial, Veterinary"), Claim(D.ANIMAL, 0.95, ("veterinary",))),
    (("D000078323", "Observational Study, Veterinary"), Claim(D.ANIMAL, 0.95, ("veterinary",))),
    (("D064888", "Observational Study"), Claim(D.OBSERVATIONAL, 0.893)),
    (("D000078182", "Systematic Review"), Claim(D.SYSTEMATIC_REVIEW, 0.91)),
    (("D017418", "Meta-Analysis"), Claim(D.META_ANALYSIS, 0.879)),
    (("D000071076", "Network Meta-Analysis"), Claim(D.NETWORK_META_ANALYSIS, 0.90)),
    (("Scoping Review",), Claim(D.SCOPING_REVIEW, 0.90)),
    (("D016454", "Review"), Claim(D.NARRATIVE_REVIEW, 0.80)),
    (("D017065", "Practice Guideline"), Claim(D.GUIDELINE, 0.90)),
    (("D016431", "Guideline"), Claim(D.GUIDELINE, 0.85)),
    (("D016446", "Consensus Development Conference"), Claim(D.CONSENSUS_STATEMENT, 0.90)),
    (("D016447", "Consensus Development Conference, NIH"), Claim(D.CONSENSUS_STATEMENT, 0.90)),
    (("Consensus Statement",), Claim(D.CONSENSUS_STATEMENT, 0.90)),
    (("D002363", "Case Reports"), Claim(D.CASE_REPORT, 0.889)),
    (("D018486", "Twin Study"), Claim(D.OBSERVATIONAL, 0.60, ("twin",))),
    (("D016421", "Editorial"), Claim(D.EDITORIAL, 0.95)),
    (("D016420", "Comment"), Claim(D.COMMENT, 0.80)),
    (("D016422", "Letter"), Claim(D.LETTER, 0.85, ("letter",))),
    (("D016433", "News"), Claim(D.NEWS, 0.90)),
    (("Newspaper Article",), Claim(D.NEWS, 0.90)),
    (("D000076942", "Preprint"), Claim(None, labels=("preprint",))),
)

# The link stands on the notice itself; "...In" stands on the article it is about and says nothing here.
_LINKS: Final = MappingProxyType(
    {
        "RetractionOf": Claim(D.NOTICE, 0.95, ("retraction_notice",)),
        "ExpressionOfConcernFor": Claim(D.NOTICE, 0.95, ("concern_notice",)),
        "ErratumFor": Claim(D.ERRATUM, 0.95),
        # Half only: a trial that replies to another one carries the link, too.
        "CommentOn": Claim(D.COMMENT, 0.50),
    }
)


def _index() -> Mapping[str, Claim]:
    return MappingProxyType({plain(key): claim for keys, claim in _TYPES for key in keys})


_BY_KEY: Final = _index()


def type_claim(publication_type: PublicationType) -> Claim | None:
    """Return what a type says: by its UI, else by its name in any case; ``None`` when it says nothing.

    The UI wins where both are known, because names change and UIs do not.
    """
    by_ui = _BY_KEY.get(plain(publication_type.ui or ""))
    return by_ui or _BY_KEY.get(plain(publication_type.name))


def type_reasons(article: Article, trust: float = 1.0) -> Reasons:
    """Return what the publication types say.

    Parameters
    ----------
    trust : float
        In [0, 1]; multiplies each weight (an automated indexer is less sure than a person).
    """
    parts: list[Reasons] = []
    for publication_type in article.publication_types:
        claim = type_claim(publication_type)
        if claim:
            parts.append(claim.trusted(trust).reasons(SignalSource.PUBLICATION_TYPE, publication_type.name))
    return Reasons.gather(*parts)


def link_reasons(article: Article) -> Reasons:
    """Return what the correction links say, e.g. that the record is itself a retraction notice."""
    parts: list[Reasons] = []
    for link in article.corrections:
        claim = _LINKS.get(link.type)
        if claim:
            evidence = f"{link.type}: PMID {link.pmid}" if link.pmid else link.type
            parts.append(claim.reasons(SignalSource.CORRECTION_LINK, evidence))
    return Reasons.gather(*parts)
