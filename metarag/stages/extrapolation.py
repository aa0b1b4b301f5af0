"""Judge how far the people, treatments and outcomes of a study are those of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from metarag.audit import Basis, Decision, Measurement, StageReport, Verdict
from metarag.llm.base import ChatModel
from metarag.llm.judgements import read_applicability
from metarag.model_judging import MAX_FAILED_SHARE, NO_MODEL, Inquiry, Panel, Round, texts_of
from metarag.model_merging import MergedFacets, merge_facets
from metarag.pico_article import article_pico
from metarag.pico_findings import Finding, Fit
from metarag.pico_match import FacetWeights, FitValues, applicability, compare
from metarag.pico_question import FACETS, question_pico
from metarag.pico_stems import article_stems
from metarag.pico_types import AskedPico, ExtractedPico
from metarag.pico_vocabulary import Vocabulary, vocabulary
from metarag.records import Frozen
from metarag.types import Evidence, Question

NAME = "extrapolation"
Strictness = Literal["default", "strict", "lenient"]


class ExtrapolationOptions(Frozen):
    """How applicability is judged.

    Parameters
    ----------
    strictness : {'default', 'strict', 'lenient'}
        ``default`` excludes only what is certain and total: animals or cells only, for a clinical question.
        ``strict`` also excludes every mismatch of population or intervention. ``lenient`` excludes nothing.
    weights : FacetWeights
        Of the facets, each >= 0.
    values : FitValues
        What match, partial, mismatch and unknown are worth, in (0, 1].
    max_failed_share : float
        Share of a model's calls that may fail before the run is said to be degraded, in [0, 1].
    """

    strictness: Strictness = "default"
    weights: FacetWeights = FacetWeights()
    values: FitValues = FitValues()
    max_failed_share: float = Field(default=MAX_FAILED_SHARE, ge=0, le=1)


class ExtrapolationStage:
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

    @property
    def model_asked(self) -> str | None:
        """The name the model is asked for by."""
        return self.panel.model.model if self.panel else None

    @property
    def prompts(self) -> dict[str, str]:
        """The prompt's name and digest."""
        return self.panel.prompts if self.panel else {}

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each record; its applicability does not depend on the other records."""
        known = self.vocabulary or vocabulary()
        asked = question_pico(question, vocabulary_used=known)
        ruled = {item.key: self._compare(asked, item, known) for item in evidence}
        told = self._ask(question, asked, evidence, ruled)
        stated = _stated(asked)
        judged = [self._judge(stated, item, ruled[item.key], told) for item in evidence]
        limit = self.options.max_failed_share
        return StageReport(
            evidence=tuple(item for item, decision in judged if decision.verdict is not Verdict.EXCLUDED),
            decisions=tuple(decision for _, decision in judged),
            warnings=told.warnings(NAME, max_failed_share=limit),
            model_use=told.use(max_failed_share=limit),
        )

    def _compare(self, asked: AskedPico, item: Evidence, known: Vocabulary) -> tuple[Finding, ...]:
        found = self._facets_of(item, known)
        return compare(asked, found, known=known, stems=lambda: article_stems(item.article))

    def _ask(
        self,
        question: Question,
        asked: AskedPico,
        evidence: Sequence[Evidence],
        ruled: Mapping[str, Sequence[Finding]],
    ) -> Round:
        """Ask where an answer can count: about articles that stay, on facets that the question states."""
        if self.panel is None:
            return NO_MODEL
        used = asked.used.as_pico()
        facets = {facet: getattr(used, facet) or "not stated" for facet in FACETS}
        data = {"question": question.text, **facets}
        return self.panel.ask(
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
        self, stated: dict[str, Measurement], item: Evidence, ruled: tuple[Finding, ...], told: Round
    ) -> tuple[Evidence, Decision]:
        reply = told.usable(item.key)
        if reply is None:
            merged = MergedFacets(ruled, told.shown(item.key), used=0)
        else:
            merged = merge_facets(ruled, read_applicability(reply, item.article))
        findings = merged.findings
        value, terms = applicability(findings, weights=self.options.weights, values=self.options.values)
        excluding = self._excluding(ruled)
        if excluding:
            verdict, criterion = Verdict.EXCLUDED, "extrapolation.total_mismatch"
        elif value is None:
            verdict, criterion = Verdict.NOT_ASSESSED, "extrapolation.nothing_to_compare"
        else:
            verdict, criterion = Verdict.INCLUDED, "extrapolation.facets"
        decision = Decision(
            stage=NAME,
            key=item.key,
            verdict=verdict,
            criterion=criterion,
            reason=_reason(excluding or findings, value, excluded=bool(excluding)),
            measurements={
                "applicability": value,
                "strictness": self.options.strictness,
                **self._facets(findings, terms),
                **stated,
                **merged.measurements,
            },
            basis=Basis.MODEL if merged.used else Basis.RULE,
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
            if finding.fit is Fit.MISMATCH
            and (finding.certain or (strict and finding.aspect in ("population", "intervention")))
        ]

    def _facets(self, findings: Sequence[Finding], terms: dict[str, float]) -> dict[str, Measurement]:
        """Return all that the number can be recomputed from."""
        shown: dict[str, Measurement] = {}
        for finding in findings:
            facet = finding.aspect
            shown[facet] = finding.shown
            if finding.found:
                shown[f"{facet}_words"] = finding.found
            if facet in terms:
                shown[f"{facet}_value"] = terms[facet]
                shown[f"{facet}_weight"] = getattr(self.options.weights, facet)
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
    wrong = [f for f in findings if f.fit in (Fit.MISMATCH, Fit.PARTIAL)]
    if not wrong:
        return f"Fits the question as far as stated ({', '.join(f.aspect for f in findings if f.fit is Fit.MATCH)})."
    return f"Applies in part: {'; '.join(f'{f.aspect} {f.shown}' for f in wrong)}."
