"""Where a model's answers meet the rules': an answer counts only with words that stand in the article."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metarag.audit import Measurement
from metarag.llm.judgements import Checklist
from metarag.llm.judgements import Finding as ModelFinding
from metarag.pico_findings import Finding, Fit
from metarag.types import CheckAnswer, ReportingCheck, Span

_ANSWERED = (CheckAnswer.YES, CheckAnswer.NO)


@dataclass(frozen=True, slots=True)
class MergedChecks:
    """The checklist after a model was asked, and what the audit shows of it."""

    checks: tuple[ReportingCheck, ...]
    measurements: dict[str, Measurement]
    used: int


@dataclass(frozen=True, slots=True)
class MergedFacets:
    """The facets after a model was asked, and what the audit shows of it."""

    findings: tuple[Finding, ...]
    measurements: dict[str, Measurement]
    used: int


def merge_checks(rules: Sequence[ReportingCheck], model: Checklist) -> MergedChecks:
    """Put a model's *yes* and *no* in the place of the rules' answers, item by item.

    A model's *unclear* and *not reported*, its unsupported answers, and items that the rules do not ask
    for this design leave the checklist as it is.
    """
    given = {c.item: c for c in model.checks if c.answer in _ANSWERED and c.span is not None}
    used = {check.item: given[check.item] for check in rules if check.item in given}
    asked = {check.item for check in rules}
    shown = _counts(
        used=len(used),
        changed=sum(used[c.item].answer is not c.answer for c in rules if c.item in used),
        unsupported=sum(item in asked for item in model.unsupported),
    )
    for check in rules:
        if check.item in used:
            answer = used[check.item]
            shown[f"model_{check.item}"] = (
                f"{answer.answer.value}: {_quoted(answer.span)} (rules: {check.answer.value})"
            )
    return MergedChecks(tuple(used.get(check.item, check) for check in rules), shown, len(used))


def merge_facets(rules: Sequence[Finding], model: Mapping[str, ModelFinding]) -> MergedFacets:
    """Let a model's supported answers refine or change the rules' facets.

    Only facets that the rules compare are looked at, a model's *unknown* changes nothing, and a mismatch
    that is certain and total (animals, cells) stays one. Where the article has the question's own words, a
    model's *mismatch* counts as *partial*: any words of the article can be quoted for it.
    """
    merged, notes = [], dict[str, Measurement]()
    used = changed = unsupported = 0
    for rule in rules:
        said = model.get(rule.aspect)
        unsupported += said is not None and said.answer is None
        fit = None if said is None or said.answer is None or said.span is None else Fit(said.answer)
        if fit is Fit.MISMATCH and rule.fit is Fit.MATCH:
            fit = Fit.PARTIAL
        if said is None or fit is None or fit is Fit.UNKNOWN or rule.certain:
            merged.append(rule)
            continue
        used += 1
        quote = _quoted(said.span)
        notes[f"model_{rule.aspect}"] = f"{fit.value}: {quote} (rules: {rule.shown})"
        changed += fit is not rule.fit
        merged.append(rule if fit is rule.fit else _changed(rule, fit, said.span, quote))
    shown = _counts(used=used, changed=changed, unsupported=unsupported)
    return MergedFacets(tuple(merged), shown | notes, used)


def _changed(rule: Finding, fit: Fit, span: Span | None, quote: str) -> Finding:
    return Finding(
        aspect=rule.aspect,
        fit=fit,
        reason=f"by a model's reading of {quote}",
        asked=rule.asked,
        found=span.text if span else "",
    )


def _counts(*, used: int, changed: int, unsupported: int) -> dict[str, Measurement]:
    return {
        "model_answers_used": used,
        "model_answers_changed": changed,
        "model_answers_unsupported": unsupported,
    }


def _quoted(span: Span | None) -> str:
    return f"“{' '.join(span.text.split())}”" if span else "“”"
