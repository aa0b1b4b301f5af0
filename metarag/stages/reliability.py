"""Judge how far an article can be trusted by what it is: its level of evidence, and bounded terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pydantic import Field

from metarag.audit import Basis, Decision, Measurement, StageReport, Verdict
from metarag.design_words import finding_words
from metarag.evidence_levels import load_hierarchies
from metarag.hierarchy import Hierarchies, LevelGrade
from metarag.llm.base import ChatModel
from metarag.llm.judgements import read_checklist
from metarag.model_judging import MAX_FAILED_SHARE, NO_MODEL, Inquiry, Panel, Round, texts_of
from metarag.model_merging import merge_checks
from metarag.question_kind import infer_kind
from metarag.records import Article
from metarag.reliability_terms import TermOptions, add_terms, bounds, is_preprint, reliability_terms
from metarag.stages.asking import AsksPanel
from metarag.types import (
    Appraisal,
    CheckAnswer,
    DesignFinding,
    Evidence,
    Question,
    QuestionKind,
    RetractionState,
    StudyDesign,
)

NAME = "reliability"
# Looked up once: Python 3.11 takes a tenth of a microsecond for a member of an enumeration.
_YES, _NO = CheckAnswer.YES, CheckAnswer.NO
_INCLUDED, _NOT_ASSESSED = Verdict.INCLUDED, Verdict.NOT_ASSESSED
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
    max_failed_share : float
        Share of a model's calls that may fail before the run is said to be degraded, in [0, 1].
    """

    hierarchy: str = Field(default="metarag-2025", min_length=1)
    levels_file: Path | None = None
    kind: QuestionKind | None = None
    max_failed_share: float = Field(default=MAX_FAILED_SHARE, ge=0, le=1)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a design stands for a kind of question, in the words of the reason, and how far terms move it."""

    grade: LevelGrade
    level: str
    words: str
    lower: float
    upper: float


class _Read(NamedTuple):
    """What was read of an article, by rules and where it could be by a model."""

    appraisal: Appraisal
    measurements: Mapping[str, Measurement] = MappingProxyType({})
    basis: Basis = Basis.RULE
    prompt: str | None = None


class ReliabilityStage(AsksPanel):
    """Gives each article its level and its reliability in [0, 1]; excludes nothing.

    An article whose design is unknown or has no level keeps ``None``: it is not assessed, not bad.

    Parameters
    ----------
    options : ReliabilityOptions or None
        Defaults when ``None``.
    hierarchies : Hierarchies or None
        Already loaded; then ``levels_file`` is not read.
    model : ChatModel or None
        Answers items of the reporting checklist, one call an article; code computes the number, in the
        bounds it has without a model. An answer without a quote from the article, or a failed call,
        leaves the rules' answers as they are.

    Raises
    ------
    EvidenceLevelsError
        The file is faulty, or holds no hierarchy of that name.
    """

    name = NAME
    options_type = ReliabilityOptions

    def __init__(
        self,
        options: ReliabilityOptions | None = None,
        *,
        hierarchies: Hierarchies | None = None,
        model: ChatModel | None = None,
    ) -> None:
        self.options = options or ReliabilityOptions()
        self.hierarchies = hierarchies or load_hierarchies(self.options.levels_file)
        self.hierarchy = self.hierarchies.get(self.options.hierarchy)
        self.panel = Panel(model, "reliability_checklist") if model else None
        # By kind of question, design and labels: some hundred at most, however many articles.
        self._places: dict[tuple[str, str, tuple[str, ...]], _Place | None] = {}

    @property
    def levels_digest(self) -> str:
        """Digest of the hierarchies, for the audit's signature."""
        return self.hierarchies.digest

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Grade each article for the kind of question."""
        kind, kind_from = self._kind(question)
        asked: dict[str, Measurement] = {"question_kind": kind.value, "question_kind_from": kind_from}
        told = self.panel.ask([self._inquiry(item, kind) for item in evidence]) if self.panel else NO_MODEL
        passed_on, decisions = [], []
        for item in evidence:
            judged, decision = self._judge(item, kind, asked, told)
            passed_on.append(judged)
            decisions.append(decision)
        limit = self.options.max_failed_share
        return StageReport(
            evidence=tuple(passed_on),
            decisions=tuple(decisions),
            warnings=told.warnings(NAME, max_failed_share=limit),
            model_use=told.use(max_failed_share=limit),
        )

    def _kind(self, question: Question) -> tuple[QuestionKind, str]:
        if self.options.kind is not None:
            return self.options.kind, "the settings"
        if question.kind is not None:
            return question.kind, "the question's own kind"
        kind, words = infer_kind(question.text)
        return kind, f"the words '{words}'" if words else "no telling words"

    def _inquiry(self, item: Evidence, kind: QuestionKind) -> Inquiry:
        """Ask only where an answer can count: about designs that have a level and a checklist."""
        known = item.appraisal
        counts = known and known.checks and self.hierarchy.level_for(known.design, kind)
        return Inquiry(item, texts_of(item.article) if counts else None)

    def _place(self, finding: DesignFinding, kind: QuestionKind) -> _Place | None:
        """Return where a design stands; it and its labels are all that a hierarchy looks at."""
        key = str(kind), str(finding.design), finding.labels
        if key not in self._places:
            grade = self.hierarchy.level_for(finding, kind)
            self._places[key] = self._graded(finding, grade) if grade else None
        return self._places[key]

    def _graded(self, finding: DesignFinding, grade: LevelGrade) -> _Place:
        table = f", {grade.table}" if len(self.hierarchy.tables) > 1 else ""
        words = f"{finding_words(finding)} (level {grade.level} of {grade.hierarchy}{table})"
        return _Place(grade, grade.id, words, *bounds(grade, self.options))

    def _judge(
        self, item: Evidence, kind: QuestionKind, asked: dict[str, Measurement], told: Round
    ) -> tuple[Evidence, Decision]:
        if item.appraisal is None:
            facts = asked | told.shown(item.key)
            return item, _not_assessed(item, "not_appraised", "it was not appraised", facts)
        read = _Read(item.appraisal) if told is NO_MODEL else _read(item, item.appraisal, told)
        finding = read.appraisal.design
        facts = {**asked, **_facts(item.article, read.appraisal), **read.measurements}
        place = self._place(finding, kind)
        if place is None:
            unknown = finding.design is StudyDesign.UNKNOWN
            why = self.hierarchy.why_no_level(finding, kind)
            return item, _not_assessed(item, "design_unknown" if unknown else "no_level", why, facts)
        terms = reliability_terms(item.article, read.appraisal, place.grade, self.options)
        reliability = add_terms(terms)
        decision = Decision.on(
            item,
            NAME,
            _INCLUDED,
            "reliability.level",
            "; ".join([place.words, *_clauses(read.appraisal, facts, place.grade.note)]) + ".",
            {
                "level": place.level,
                **facts,
                **terms,
                "bound_lower": place.lower,
                "bound_upper": place.upper,
                "reliability": reliability,
            },
            basis=read.basis,
            prompt=read.prompt,
        )
        judged = item.assessed(level=place.level, reliability=reliability, appraisal=read.appraisal)
        return judged, decision


def _read(item: Evidence, appraisal: Appraisal, told: Round) -> _Read:
    """Return the appraisal with the model's supported answers in it, marked as the model's."""
    reply = told.usable(item.key)
    if reply is None:
        return _Read(appraisal, told.shown(item.key))
    merged = merge_checks(appraisal.checks, read_checklist(reply, item.article))
    if not merged.used:
        return _Read(appraisal, merged.measurements, prompt=told.prompt)
    # Another version, so that it is never taken for what the rules alone say of the article.
    version = f"{appraisal.version}+{told.prompt}"
    with_model = Appraisal(**{**dict(appraisal), "version": version, "checks": merged.checks})
    return _Read(with_model, merged.measurements, Basis.MODEL, told.prompt)


def _not_assessed(item: Evidence, rule: str, why: str, facts: dict[str, Measurement]) -> Decision:
    standing = _STANDING.get(item.appraisal.retraction.state) if item.appraisal else None
    reason = f"No level of evidence: {why}{f'; {standing}' if standing else ''}."
    measurements: dict[str, Measurement] = {"level": None, **facts, "reliability": None}
    return Decision.on(item, NAME, _NOT_ASSESSED, f"{NAME}.{rule}", reason, measurements)


def _facts(article: Article, appraisal: Appraisal) -> dict[str, Measurement]:
    """Return what the terms were computed from, and the flags that change no number."""
    size = appraisal.sample_size
    answers = [check.answer for check in appraisal.checks]
    return {
        "design": str(appraisal.design.design),
        "design_confidence": appraisal.design.confidence,
        "participants": size.total if size and size.kind != "studies" else None,
        "checks_yes": answers.count(_YES) if answers else None,
        "checks_no": answers.count(_NO) if answers else None,
        "checks": len(answers) or None,
        "year": article.year,
        "retraction_state": str(appraisal.retraction.state),
        "preprint": is_preprint(article, appraisal),
        "publication_types_inferred": article.publication_types_inferred,
    }


def _clauses(appraisal: Appraisal, facts: dict[str, Measurement], note: str | None) -> list[str]:
    size, checks, state = appraisal.sample_size, appraisal.checks, appraisal.retraction.state
    said = []
    if size is not None:
        unit = "studies" if size.kind == "studies" else "participants"
        said.append(f"{size.total:,} {unit if size.total > 1 else unit.removesuffix('s')}")
    if checks:
        by_model = sum([check.basis == "model" for check in checks])
        given = f" ({by_model} of the answers by a model)" if by_model else ""
        said.append(f"{facts['checks_yes']} of {len(checks)} reporting items found in the abstract{given}")
    if state in _STANDING:
        said.append(_STANDING[state])
    if facts["preprint"]:
        said.append("it is a preprint")
    if appraisal.design.confidence < UNSURE:
        said.append(f"the design is uncertain (confidence {appraisal.design.confidence:.2f})")
    if facts["publication_types_inferred"]:
        said.append("its publication types were inferred")
    if note:
        said.append(note)
    return said
