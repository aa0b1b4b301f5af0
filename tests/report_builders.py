"""Invented runs for the tests of the report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser
from xml.etree import ElementTree

from builders import make_article

from metarag.appraisal import appraise
from metarag.audit import AuditTrail, Decision, RunSignature, Verdict
from metarag.generation.extractive import ExtractiveGenerator
from metarag.pipeline import Pipeline, Ranking
from metarag.presets import build_pipeline
from metarag.records import Article
from metarag.runs import RunRecord
from metarag.types import DesignFinding, EffectEstimate, Evidence, Question, Retrieved, Span, StudyDesign

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
QUESTION = Question(text="Do zinc tablets lower mortality in adults with invented fever?")
ABSTRACT = "Adults were randomised to zinc tablets or placebo. OR 0.7 for death. Zinc lowered mortality."
SVG = "{http://www.w3.org/2000/svg}"


def trial(number: int, effect: float, standard_error: float = 0.2, **fields: object) -> Retrieved:
    """Return a randomised trial of zinc with one poolable log odds ratio of death."""
    fields.setdefault("abstract", ABSTRACT)
    fields.setdefault("title", f"Zinc tablets for invented fever in adults: trial {number}")
    article = make_article(pmid=str(number), **fields)
    text = article.abstract or ""
    start = text.find("OR 0.7")
    found = EffectEstimate(
        measure="OR",
        estimate=math.exp(effect),
        scale="log",
        effect=effect,
        standard_error=standard_error,
        se_source="ci",
        poolable=True,
        outcome="death",
        outcome_key="all_cause_death",
        comparison_key="zinc|placebo",
        orientation="harm",
        span=Span(where="abstract", start=start, end=start + 6, text="OR 0.7"),
    )
    appraisal = appraise(article).model_copy(
        update={
            "design": DesignFinding(design=StudyDesign.RANDOMIZED_TRIAL, confidence=0.9),
            "effects": (found,),
        }
    )
    return Retrieved(article=article, appraisal=appraisal)


def rank_of(articles: Sequence[Article | Retrieved], *, pipeline: Pipeline | None = None) -> Ranking:
    return (pipeline or build_pipeline()).rank(QUESTION, articles)


def run_of(articles: Sequence[Article | Retrieved], **options: object) -> RunRecord:
    """Return the run with its answer, at a fixed time."""
    ranking = rank_of(articles, **options)
    return RunRecord.of(ExtractiveGenerator().generate(QUESTION, ranking), now=NOW)


def run_with_outlier() -> RunRecord:
    """Return a run in which the guard leaves one of eight trials out."""
    agreeing = (-0.30, -0.25, -0.35, -0.28, -0.31, -0.27, -0.33)
    return run_of([trial(n, value) for n, value in enumerate((*agreeing, 2.5), 1)])


def large_run(count: int, *, excluded: int = 0) -> RunRecord:
    """Return a run of many articles that were only looked at for eligibility."""

    def item(number: int) -> Evidence:
        article = make_article(pmid=str(number), title=f"Record {number} on invented fever")
        return Evidence(key=article.id, article=article, retrieval_rank=number, relevance=0.5, score=0.5)

    def decision(each: Evidence, verdict: Verdict) -> Decision:
        criterion = "eligibility.eligible" if verdict is Verdict.INCLUDED else "eligibility.no_text"
        return Decision(
            stage="eligibility", key=each.key, verdict=verdict, criterion=criterion, reason="Looked at."
        )

    kept = tuple(item(n) for n in range(1, count + 1))
    out = tuple(item(n) for n in range(count + 1, count + excluded + 1))
    decisions = [decision(each, Verdict.INCLUDED) for each in kept]
    decisions += [decision(each, Verdict.EXCLUDED) for each in out]
    audit = AuditTrail(
        question=QUESTION,
        identified=tuple(each.key for each in (*kept, *out)),
        decisions=tuple(decisions),
        signature=RunSignature(metarag="0", stages=("eligibility",)),
    )
    return RunRecord.of(Ranking(evidence=kept, excluded=out, audit=audit), now=NOW)


class Page(HTMLParser):
    """A page taken apart as a browser would: its tags, ids, links and visible text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._hidden = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._hidden += tag in ("style", "title")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "title")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def ids(self) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get("id"))]

    @property
    def links(self) -> list[str]:
        return [attrs["href"] or "" for tag, attrs in self.tags if tag == "a"]


def svg_texts(svg: str) -> list[tuple[float, float, str]]:
    """Return x, y and words of all texts of a standalone SVG."""
    root = ElementTree.fromstring(svg)
    return [
        (float(node.get("x", 0)), float(node.get("y", 0)), node.text or "")
        for node in root.iter(f"{SVG}text")
    ]
