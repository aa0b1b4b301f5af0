"""Judge how far an article can be trusted by what it is: its level of evidence, and bounded terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import Field

from metarag.audit import Decision, Measurement, StageReport, Verdict
from metarag.design_words import finding_words
from metarag.evidence_levels import load_hierarchies
from metarag.hierarchy import Hierarchies, LevelGrade
from metarag.question_kind import infer_kind
from metarag.records import Article
from metarag.reliability_terms import TermOptions, add_terms, bounds, is_preprint, reliability_terms
from metarag.types import (
    Appraisal,
    CheckAnswer,
    Evidence,
    Question,
    QuestionKind,
    RetractionState,
    StudyDesign,
)

NAME = "reliability"
UNSURE = 0.5
"""Confidence in the design below which the reason says that it is uncertain: less likely than not."""

_STANDING = {
    RetractionState.RETRACTED: "it is retracted",
    RetractionState.EXPRESSION_OF_CONCERN: "an expression of concern stands against it",
    RetractionState.CORRECTED: "it was corrected",
    RetractionState.SUPERSEDED: "an update supersedes it",
}


class ReliabilityOptions(TermOptions):
    """Which hierarchy is used, and the sizes of the terms (see :class:`TermOptions`).

    Parameters
    ----------
    hierarchy : str
        Name of a hierarchy in the file.
    levels_file : Path or None
        Your own hierarchies; ``None`` for the shipped ones.
    kind : QuestionKind or None
        Overrides the kind that the question carries or that a rule infers.
    """

    hierarchy: str = Field(default="metarag-2025", min_length=1)
    levels_file: Path | None = None
    kind: QuestionKind | None = None


class ReliabilityStage:
    """Gives each article its level and its reliability in [0, 1]; excludes nothing.

    An article whose design is unknown or has no level keeps ``None``: it is not assessed, not bad.

    Parameters
    ----------
    options : ReliabilityOptions or None
        Defaults when ``None``.
    hierarchies : Hierarchies or None
        Already loaded; then ``levels_file`` is not read.

    Raises
    ------
    EvidenceLevelsError
        The file is faulty, or holds no hierarchy of that name.
    """

    name = NAME
    options_type = ReliabilityOptions

    def __init__(
        self, options: ReliabilityOptions | None = None, *, hierarchies: Hierarchies | None = None
    ) -> None:
        self.options = options or ReliabilityOptions()
        self.hierarchies = hierarchies or load_hierarchies(self.options.levels_file)
        self.hierarchy = self.hierarchies.get(self.options.hierarchy)

    @property
    def levels_digest(self) -> str:
        """Digest of the hierarchies, for the audit's signature."""
        return self.hierarchies.digest

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Grade each article for the kind of question."""
        kind, kind_from = self._kind(question)
        asked: dict[str, Measurement] = {"question_kind": kind.value, "question_kind_from": kind_from}
        judged = [self._judge(item, kind, asked) for item in evidence]
        return StageReport(
            evidence=tuple(item for item, _ in judged), decisions=tuple(decision for _, decision in judged)
        )

    def _kind(self, question: Question) -> tuple[QuestionKind, str]:
        if self.options.kind is not None:
            return self.options.kind, "the settings"
        if question.kind is not None:
            return question.kind, "the question's own kind"
        kind, words = infer_kind(question.text)
        return kind, f"the words '{words}'" if words else "no telling words"

    def _judge(
        self, item: Evidence, kind: QuestionKind, asked: dict[str, Measurement]
    ) -> tuple[Evidence, Decision]:
        if item.appraisal is None:
            return item, _not_assessed(item, "not_appraised", "it was not appraised", asked)
        finding = item.appraisal.design
        facts = asked | _facts(item.article, item.appraisal)
        grade = self.hierarchy.level_for(finding, kind)
        if grade is None:
            unknown = finding.design is StudyDesign.UNKNOWN
            why = self.hierarchy.why_no_level(finding, kind)
            return item, _not_assessed(item, "design_unknown" if unknown else "no_level", why, facts)
        terms = reliability_terms(item.article, item.appraisal, grade, self.options)
        reliability = add_terms(terms)
        lower, upper = bounds(grade, self.options)
        decision = Decision(
            stage=NAME,
            key=item.key,
            verdict=Verdict.INCLUDED,
            criterion="reliability.level",
            reason=_sentence(item.article, item.appraisal, grade, several=len(self.hierarchy.tables) > 1),
            measurements={
                "level": grade.id,
                **facts,
                **terms,
                "bound_lower": lower,
                "bound_upper": upper,
                "reliability": reliability,
            },
        )
        return item.assessed(level=grade.id, reliability=reliability), decision


def _not_assessed(item: Evidence, rule: str, why: str, facts: dict[str, Measurement]) -> Decision:
    standing = _STANDING.get(item.appraisal.retraction.state) if item.appraisal else None
    return Decision(
        stage=NAME,
        key=item.key,
        verdict=Verdict.NOT_ASSESSED,
        criterion=f"{NAME}.{rule}",
        reason=f"No level of evidence: {why}{f'; {standing}' if standing else ''}.",
        measurements={"level": None, **facts, "reliability": None},
    )


def _facts(article: Article, appraisal: Appraisal) -> dict[str, Measurement]:
    """Return what the terms were computed from, and the flags that change no number."""
    size, checks = appraisal.sample_size, appraisal.checks
    return {
        "design": appraisal.design.design.value,
        "design_confidence": appraisal.design.confidence,
        "participants": size.total if size and size.kind != "studies" else None,
        "checks_yes": sum(c.answer is CheckAnswer.YES for c in checks) if checks else None,
        "checks_no": sum(c.answer is CheckAnswer.NO for c in checks) if checks else None,
        "checks": len(checks) if checks else None,
        "year": article.year,
        "retraction_state": appraisal.retraction.state.value,
        "preprint": is_preprint(article, appraisal),
        "publication_types_inferred": article.publication_types_inferred,
    }


def _sentence(article: Article, appraisal: Appraisal, grade: LevelGrade, *, several: bool) -> str:
    table = f", {grade.table}" if several else ""
    head = f"{finding_words(appraisal.design)} (level {grade.level} of {grade.hierarchy}{table})"
    return "; ".join((head, *_clauses(article, appraisal, grade))) + "."


def _clauses(article: Article, appraisal: Appraisal, grade: LevelGrade) -> Iterator[str]:
    size = appraisal.sample_size
    if size is not None:
        unit = "studies" if size.kind == "studies" else "participants"
        yield f"{size.total:,} {unit if size.total > 1 else unit.removesuffix('s')}"
    if appraisal.checks:
        met = sum(check.answer is CheckAnswer.YES for check in appraisal.checks)
        yield f"{met} of {len(appraisal.checks)} reporting checks answered yes"
    if appraisal.retraction.state in _STANDING:
        yield _STANDING[appraisal.retraction.state]
    if is_preprint(article, appraisal):
        yield "it is a preprint"
    if appraisal.design.confidence < UNSURE:
        yield f"the design is uncertain (confidence {appraisal.design.confidence:.2f})"
    if article.publication_types_inferred:
        yield "its publication types were inferred"
    if grade.note:
        yield grade.note
