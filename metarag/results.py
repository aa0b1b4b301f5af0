"""What one article found on an outcome: benefit, no difference or harm, with the words that say so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from itertools import pairwise

from metarag.direction import Direction, direction_of
from metarag.outcome_keys import OutcomeKey, outcome_key
from metarag.pico_question import question_pico
from metarag.pooling import Tier, tier_of
from metarag.records import Article, Frozen
from metarag.sentences import finding_sentences
from metarag.types import EffectEstimate, Evidence, Question, Span

_Z = 1.959963984540054
_HARM = re.compile(r"\b(?:did|does|caused|causes) (?:\w+ )?harm\b", re.IGNORECASE)
REVIEW = "review"
MOST_OUTCOMES = 3
"""A question that names more is answered on its first three."""


class Result(StrEnum):
    """What an article found for the patient, on the question's outcome."""

    BENEFIT = "benefit"
    NO_DIFFERENCE = "no difference"
    HARM = "harm"


class ArticleResult(Frozen):
    """One article's result with the words or numbers that say so.

    Parameters
    ----------
    tier : str
        ``review``, ``randomised``, ``observational`` or ``other``.
    basis : str
        ``effect`` (an interval) or ``words`` (a concluding sentence).
    """

    key: str
    tier: str
    result: Result
    basis: str
    span: Span


def asked_outcomes(question: Question) -> tuple[OutcomeKey, ...]:
    """Return the outcomes that a question asks about, at most three.

    Only what was read as its outcome counts: in "mortality after myocardial infarction" the infarction is
    the patients' condition. Empty when the question names no outcome that is known, or no treatment: then
    nobody can tell which articles are about it.
    """
    asked = question_pico(question).used
    if not asked.intervention:
        return ()
    named = [outcome_key(term.span.text) or outcome_key(term.concept) for term in asked.outcome]
    return tuple({found.key: found for found in named if found}.values())[:MOST_OUTCOMES]


def article_result(item: Evidence, wanted: OutcomeKey) -> ArticleResult | None:
    """Return what an article found on an outcome; ``None`` where it does not say so clearly.

    An effect on the outcome counts by its interval; without one, the clauses on the outcome in results and
    conclusions, if they agree.
    """
    tier = tier_name(item)
    for effect in _on_outcome(item.appraisal.effects if item.appraisal else (), wanted):
        result = _of_effect(effect, wanted)
        if result:
            return ArticleResult(key=item.key, tier=tier, result=result, basis="effect", span=effect.span)
    said = _in_words(item.article, wanted)
    # Sentences that disagree ("fewer lethal arrhythmias", "mortality did not differ") decide nothing.
    if len({result for result, _ in said}) != 1:
        return None
    result, span = said[-1]
    return ArticleResult(key=item.key, tier=tier, result=result, basis="words", span=span)


def _in_words(article: Article, wanted: OutcomeKey) -> list[tuple[Result, Span]]:
    """Return what each clause on the outcome says, in order."""
    abstract, said = article.abstract or "", []
    for start, end in finding_sentences(article):
        for first, last in _clauses(abstract, start, end):
            words = outcome_key(abstract[first:last])
            if words is None or not _shares(words.key, wanted.key):
                continue
            found = direction_of(abstract[first:last], outcome=wanted.key.replace("_", " "))
            if found is None:
                continue
            result = _of_direction(found.direction, words.polarity or wanted.polarity)
            if result is Result.NO_DIFFERENCE and _HARM.search(abstract[start:end]):
                result = Result.HARM  # "did not prevent ...; it did harm"
            said.append((result, Span(where="abstract", start=start, end=end, text=abstract[start:end])))
    return said


def _clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a sentence at its semicolons: each half speaks of an outcome of its own."""
    cuts = [start, *(start + m.end() for m in re.finditer(";", text[start:end])), end]
    return list(pairwise(cuts))


def tier_name(item: Evidence) -> str:
    """Return ``review``, ``randomised``, ``observational`` or ``other``."""
    if item.appraisal is None:
        return "other"
    found = tier_of(item.appraisal.design.design)
    if isinstance(found, Tier):
        return found.value
    return found or "other"


def _on_outcome(effects: Iterable[EffectEstimate], wanted: OutcomeKey) -> list[EffectEstimate]:
    usable = [e for e in effects if e.role in ("study", "secondary", "pooled") and e.outcome_key]
    exact = [e for e in usable if e.outcome_key == wanted.key]
    return exact or [e for e in usable if _shares(e.outcome_key or "", wanted.key)]


def _shares(one: str, other: str) -> bool:
    return bool(set(one.split("+")) & set(other.split("+")))


def _of_effect(effect: EffectEstimate, wanted: OutcomeKey) -> Result | None:
    if effect.effect is None or effect.standard_error is None:
        return None
    half = _Z * effect.standard_error
    if effect.effect - half <= 0 <= effect.effect + half:
        return Result.NO_DIFFERENCE
    more, bad = effect.effect > 0, (effect.orientation or wanted.polarity or "harm") == "harm"
    return Result.HARM if more is bad else Result.BENEFIT


def _of_direction(direction: Direction, polarity: str | None) -> Result:
    if direction is Direction.NO_DIFFERENCE:
        return Result.NO_DIFFERENCE
    more, bad = direction is Direction.INCREASED, (polarity or "harm") == "harm"
    return Result.HARM if more is bad else Result.BENEFIT
