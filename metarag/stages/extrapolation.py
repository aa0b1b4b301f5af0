"""Judge how far the people, treatments and outcomes of a study are those of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from metarag.audit import Basis, Decision, Measurement, StageReport, Verdict
from metarag.llm.base import ChatModel
from metarag.llm.judgements import read_applicability
from metarag.model_judging import MAX_FAILED_SHARE, NO_MODEL, Inquiry, Panel, Round, texts_of
from metarag.model_merging import merge_facets
from metarag.option_models import Options
from metarag.pico_article import article_pico
from metarag.pico_findings import MATCH, MISMATCH, PARTIAL, Finding
from metarag.pico_match import Applicability, Comparison, FacetWeights, FitValues
from metarag.pico_question import FACETS, question_pico
from metarag.pico_types import AskedPico, ExtractedPico
from metarag.pico_vocabulary import Vocabulary, vocabulary
from metarag.stages.asking import AsksPanel
from metarag.types import Evidence, Question

NAME = "extrapolation"
# Looked up once: Python 3.11 takes a tenth of a microsecond for a member of an enumeration.
_MODEL, _RULE = Basis.MODEL, Basis.RULE
_INCLUDED, _EXCLUDED, _NOT_ASSESSED = Verdict.INCLUDED, Verdict.EXCLUDED, Verdict.NOT_ASSESSED
_NAMES = {facet: (f"{facet}_words", f"{facet}_value", f"{facet}_weight") for facet in FACETS}
Strictness = Literal["default", "strict", "lenient"]


class ExtrapolationOptions(Options):
    """How applicability is judged.

    Parameters
    ----------
    strictness : {'default', 'strict', 'lenient'}
        ``default`` excludes only what is certain and total: animals or cells only, for a clinical question.
        ``strict`` also excludes every mismatch of population or intervention. ``lenient`` excludes nothing.
    weights : FacetWeights
        Of the facets, each in [0, 1e6] and at least one of them greater than 0.
    values : FitValues
        What match, partial, mismatch and unknown are worth, in (0, 1].
    max_failed_share : float
        Share of a model's calls that may fail before the run is said to be degraded, in [0, 1].
    """

    strictness: Strictness = "default"
    weights: FacetWeights = FacetWeights()
    values: FitValues = FitValues()
    max_failed_share: float = Field(default=MAX_FAILED_SHARE, ge=0, le=1)


class ExtrapolationStage(AsksPanel):
    """Compares the facets of each article with the question's and sets ``applicability``.

    Parameters
    ----------
    options : ExtrapolationOptions or None
        ``None`` takes the defaults.
    vocabulary : Vocabulary or None
        ``None`` takes the one that ships with metarag.
    model : ChatModel or None
        Compares the facets too, one call an article. Its answers count where they quote the article; only
        the rules exclude, and what they exclude is not asked about.
    """

    name = NAME
    options_type = ExtrapolationOptions

    def __init__(
        self,
        options: ExtrapolationOptions | None = None,
        *,
        vocabulary: Vocabulary | None = None,
        model: ChatModel | None = None,
    ) -> None:
        self.options = options or ExtrapolationOptions()
        self.vocabulary = vocabulary
        self.panel = Panel(model, "applicability") if model else None

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each record; its applicability does not depend on the other records."""
        known = self.vocabulary or vocabulary()
        asked = question_pico(question, vocabulary_used=known)
        comparison = Comparison(asked, known)
        told, ruled = NO_MODEL, dict[str, tuple[Finding, ...]]()
        if self.panel:
            ruled = {item.key: self._compare(comparison, item, known) for item in evidence}
            told = self._ask(self.panel, question, asked, evidence, ruled)
        worth = Applicability(self.options.weights, self.options.values)
        stated = _stated(asked)
        passed_on, decisions = [], []
        for item in evidence:
            findings = ruled.get(item.key) or self._compare(comparison, item, known)
            judged, decision = self._judge(stated, item, findings, told, worth)
            decisions.append(decision)
            if decision.verdict is not _EXCLUDED:
                passed_on.append(judged)
        limit = self.options.max_failed_share
        return StageReport(
            evidence=tuple(passed_on),
            decisions=tuple(decisions),
            warnings=told.warnings(NAME, max_failed_share=limit),
            model_use=told.use(max_failed_share=limit),
        )

    def _compare(self, comparison: Comparison, item: Evidence, known: Vocabulary) -> tuple[Finding, ...]:
        return comparison.findings(self._facets_of(item, known), lambda: item.stems)

    def _ask(
        self,
        panel: Panel,
        question: Question,
        asked: AskedPico,
        evidence: Sequence[Evidence],
        ruled: Mapping[str, Sequence[Finding]],
    ) -> Round:
        """Ask where an answer can count: about articles that stay, on facets that the question states."""
        used = asked.used.as_pico()
        facets = {facet: getattr(used, facet) or "not stated" for facet in FACETS}
        data = {"question": question.text, **facets}
        return panel.ask(
            [
                Inquiry(
                    item,
                    data | texts_of(item.article)
                    if ruled[item.key] and not self._excluding(ruled[item.key])
                    else None,
                )
                for item in evidence
            ]
        )

    def _judge(
        self,
        stated: dict[str, Measurement],
        item: Evidence,
        ruled: tuple[Finding, ...],
        told: Round,
        worth: Applicability,
    ) -> tuple[Evidence, Decision]:
        reply, findings, used = told.usable(item.key), ruled, 0
        notes: dict[str, Measurement] = {}
        if reply is not None:
            merged = merge_facets(ruled, read_applicability(reply, item.article))
            findings, notes, used = merged.findings, merged.measurements, merged.used
        elif told is not NO_MODEL:
            notes = told.shown(item.key)
        value, terms = worth.of(findings)
        excluding = self._excluding(ruled)
        if excluding:
            verdict, criterion = _EXCLUDED, "extrapolation.total_mismatch"
        elif value is None:
            verdict, criterion = _NOT_ASSESSED, "extrapolation.nothing_to_compare"
        else:
            verdict, criterion = _INCLUDED, "extrapolation.facets"
        decision = Decision.on(
            item,
            NAME,
            verdict,
            criterion,
            _reason(excluding or findings, value, excluded=bool(excluding)),
            self._measurements(value, findings, terms) | stated | notes,
            basis=_MODEL if used else _RULE,
            prompt=told.prompt if reply else None,
        )
        return (item if value is None else item.assessed(applicability=value)), decision

    def _facets_of(self, item: Evidence, known: Vocabulary) -> ExtractedPico:
        stored = item.appraisal.pico if item.appraisal else None
        if stored is not None and self.vocabulary is None:
            return stored
        return article_pico(item.article, vocabulary_used=known)

    def _excluding(self, findings: Sequence[Finding]) -> list[Finding]:
        if self.options.strictness == "lenient":
            return []
        strict = self.options.strictness == "strict"
        return [
            finding
            for finding in findings
            if finding.fit is MISMATCH
            and (finding.certain or (strict and finding.aspect in ("population", "intervention")))
        ]

    def _measurements(
        self, value: float | None, findings: Sequence[Finding], terms: dict[str, float]
    ) -> dict[str, Measurement]:
        """Return the number and all that it can be recomputed from."""
        shown: dict[str, Measurement] = {
            "applicability": value,
            "strictness": self.options.strictness,
        }
        weights = self.options.weights
        for finding in findings:
            facet = finding.aspect
            words, value_of, weight_of = _NAMES[facet]
            shown[facet] = finding.shown
            if finding.found:
                shown[words] = finding.found
            if facet in terms:
                shown[value_of] = terms[facet]
                shown[weight_of] = getattr(weights, facet)
        return shown


def _stated(asked: AskedPico) -> dict[str, Measurement]:
    """Return the question's facets, parsed and given."""
    used, parsed = asked.used.as_pico(), asked.parsed.as_pico()
    shown: dict[str, Measurement] = {}
    for facet in FACETS:
        if getattr(used, facet):
            shown[f"question_{facet}"] = getattr(used, facet)
        if facet in asked.given:
            shown[f"question_{facet}_parsed"] = getattr(parsed, facet)
    return shown


def _reason(findings: Sequence[Finding], value: float | None, *, excluded: bool) -> str:
    if excluded:
        return f"Does not apply: {'; '.join(finding.reason for finding in findings)}."
    if value is None:
        return "The question or the record states nothing that could be compared."
    wrong = [f for f in findings if f.fit is MISMATCH or f.fit is PARTIAL]
    if not wrong:
        fitting = ", ".join([f.aspect for f in findings if f.fit is MATCH])
        return f"Fits the question as far as stated ({fitting})."
    return f"Applies in part: {'; '.join([f'{f.aspect} {f.shown}' for f in wrong])}."
