"""Evidence with an appraisal spelt out, and its reliability, for the tests of the reliability stage."""

from __future__ import annotations

from builders import make_article, make_evidence

from metarag.evidence_levels import load_hierarchies
from metarag.records import PartialDate
from metarag.reliability_terms import TERMS
from metarag.stages.reliability import ReliabilityOptions, ReliabilityStage
from metarag.types import (
    Appraisal,
    DesignFinding,
    Question,
    ReportingCheck,
    RetractionState,
    RetractionStatus,
    SampleSize,
    Span,
    StudyDesign,
)

D = StudyDesign
HIERARCHIES = load_hierarchies()
QUESTION = Question(text="Does aspirin reduce mortality after infarction?")


def size_of(total, kind="randomised"):
    words = f"{total}"
    return SampleSize(
        total=total, kind=kind, span=Span(where="abstract", start=0, end=len(words), text=words)
    )


def checks_of(*answers):
    return tuple(ReportingCheck(item=f"item_{i}", answer=answer) for i, answer in enumerate(answers))


def evidence(
    design=D.RANDOMIZED_TRIAL,
    *labels,
    confidence=0.9,
    size=None,
    checks=(),
    state=RetractionState.NONE_SEEN,
    types=("Journal Article",),
    year=None,
    **fields,
):
    date = PartialDate(year=year) if year else None
    article = make_article(types=types, electronic_date=date, **fields)
    appraisal = Appraisal(
        version="test",
        article_id=article.id,
        design=DesignFinding(design=design, confidence=confidence, labels=labels),
        retraction=RetractionStatus(state=state),
        sample_size=size_of(size) if isinstance(size, int) else size,
        checks=checks,
    )
    return make_evidence(article, appraisal=appraisal)


def judge(item, question=QUESTION, **options):
    stage = ReliabilityStage(ReliabilityOptions(**options), hierarchies=HIERARCHIES)
    report = stage.assess(question, [item])
    return report.evidence[0], report.decisions[0]


def reliability(item, **options):
    return judge(item, **options)[0].reliability


def recomputed(measurements):
    """Add the terms by hand, in the documented order."""
    total = 0.0
    for name in TERMS:
        if measurements[name] is not None:
            total += measurements[name]
    return total
