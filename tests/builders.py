"""Invented articles and evidence for tests, with only what a test cares for spelt out."""

from __future__ import annotations

from typing import Any

from metarag.appraisal import appraise
from metarag.records import AbstractSection, Article, Correction, PublicationType
from metarag.types import Appraisal, DesignFinding, Evidence, StudyDesign


def make_article(
    pmid: str | None = "90000001",
    title: str = "Imaginary tablets for invented fever",
    abstract: str | tuple[tuple[str | None, str], ...] = "Tablets were compared with placebo.",
    *,
    types: tuple[str, ...] = (),
    corrections: tuple[tuple[str, str | None], ...] = (),
    **fields: Any,
) -> Article:
    if isinstance(abstract, str):
        abstract = ((None, abstract),) if abstract else ()
    return Article(
        pmid=pmid,
        title=title,
        abstract_sections=tuple(AbstractSection(label=label, text=text) for label, text in abstract),
        publication_types=tuple(PublicationType(name=name) for name in types),
        corrections=tuple(Correction(type=kind, pmid=other) for kind, other in corrections),
        **fields,
    )


def make_evidence(article: Article | None = None, *, key: str | None = None, **fields: Any) -> Evidence:
    article = article or make_article()
    fields.setdefault("appraisal", appraise(article))
    return Evidence(key=key or article.id, article=article, **fields)


def appraisal_with_design(article: Article, design: StudyDesign, **finding: Any) -> Appraisal:
    finding.setdefault("confidence", 0.9)
    return appraise(article).model_copy(update={"design": DesignFinding(design=design, **finding)})
