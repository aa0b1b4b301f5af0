"""What there is to know of an article beyond its row: sums, checks, all other decisions, money, interests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from metarag.audit import Basis, Decision, Verdict
from metarag.records import TextOrigin
from metarag.report.plain import shorten
from metarag.report.score_terms import reliability_sum
from metarag.report.words import CHECKS, VERDICTS, sentence_case, stage_words
from metarag.reported_words import fact_words
from metarag.types import CheckAnswer, Evidence

_REASON, _STATEMENT, _QUOTE = 400, 240, 100
_QUOTED_TOPICS: Final = ("funding", "interests")
_TEXT_NOTES: Final = {
    TextOrigin.SUMMARY: "a summary of ours, not the authors' abstract",
    TextOrigin.HOST_TEXT: "handed over by another system; may be a fragment",
}
_SAID_ELSEWHERE: Final = (
    "override.none",
    "eligibility.eligible",
    "extrapolation.facets",
    "score.geometric_mean",
    "score.paper",
)
"""Decisions that say only what standing, facets and score show already."""


def article_details(
    item: Evidence, by_stage: Mapping[str, Decision], others: Sequence[Decision], *, full: bool
) -> Iterator[tuple[str, str]]:
    """Yield lines, each with its name.

    Parameters
    ----------
    by_stage : mapping of str to Decision
        All decisions on the article.
    others : sequence of Decision
        Those that its row does not tell.
    full : bool
        Tell also which reporting items were not found.
    """
    if total := reliability_sum(by_stage.get("reliability")):
        yield "Reliability", total
    yield from _checks(item, full=full)
    for decision in others:
        if decision.criterion not in _SAID_ELSEWHERE:
            verdict = "" if decision.verdict is Verdict.INCLUDED else f"{VERDICTS[decision.verdict]}: "
            yield stage_words(decision.stage), f"{verdict}{shorten(decision.reason, _REASON)}"
    yield from _model(by_stage.values())
    yield from _reported(item)
    if note := _TEXT_NOTES.get(item.article.text_origin):
        yield "Text", note


def _model(decisions: Iterable[Decision]) -> Iterator[tuple[str, str]]:
    """Yield which judgements a language model took part in, and where it was not asked or failed."""
    took_part, trouble = [], []
    for decision in decisions:
        name, measured = stage_words(decision.stage).lower(), decision.measurements
        if decision.basis is Basis.MODEL:
            took_part.append(f"{name}{f' (prompt {decision.prompt})' if decision.prompt else ''}")
        if measured.get("suspicious_text"):
            trouble.append(
                f"{name}: the text tries to instruct a model or hides something, so none was shown it"
            )
        elif any(value for key, value in measured.items() if key.startswith("model_failure")):
            trouble.append(f"{name}: the call failed, and the rules stand")
    if took_part:
        yield "A language model took part in", ", ".join(took_part)
    if trouble:
        yield "Language model", "; ".join(trouble)


def _reported(item: Evidence) -> Iterator[tuple[str, str]]:
    """Yield what the record reports of people, dates and money; of the latter two with the words that say so."""
    facts = item.appraisal.facts if item.appraisal else None
    told: dict[str, list[str]] = {}
    for topic, meaning, span in fact_words(facts) if facts else ():
        quote = f" (“{shorten(span.text, _QUOTE)}”)" if topic in _QUOTED_TOPICS else ""
        told.setdefault(topic, []).append(meaning + quote)
    for topic, meanings in told.items():
        yield sentence_case(topic), shorten("; ".join(dict.fromkeys(meanings)), _STATEMENT)


def _checks(item: Evidence, *, full: bool) -> Iterator[tuple[str, str]]:
    """Yield the reporting items by their answer; what was not found only in full: its number is in the reason."""
    answers: dict[CheckAnswer, list[str]] = {}
    for check in item.appraisal.checks if item.appraisal else ():
        by = " (by a model)" if check.basis == "model" else ""
        answers.setdefault(check.answer, []).append(check.item.replace("_", " ") + by)
    for answer, words in CHECKS.items():
        if answer in answers and (full or answer is not CheckAnswer.NOT_REPORTED):
            yield words, ", ".join(answers[answer])
