"""Which way the included articles point on the question's outcome, and whether they conflict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from metarag.audit import Decision
from metarag.direction import Direction, direction_of
from metarag.outcome_keys import OutcomeKey, outcome_key
from metarag.pico_question import question_pico
from metarag.pipeline import Ranking
from metarag.pooling import Tier, tier_of
from metarag.records import Frozen
from metarag.sentences import concluding_sentences
from metarag.types import EffectEstimate, Evidence, Question, Span

_Z = 1.959963984540054
_WRONG = ("mismatch", "partial")
_REVIEW = "review"


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


class Agreement(Frozen):
    """All results on the question's outcome.

    Attributes
    ----------
    outcome : str or None
        Key of the outcome; ``None`` when the question names none that is known.
    results : tuple of ArticleResult
        In the order of the ranking; only articles that studied the question's treatment in its people.
    silent : int
        Articles that fit but say nothing of the outcome.
    """

    outcome: str | None
    results: tuple[ArticleResult, ...] = ()
    silent: int = 0

    def keys(self, result: Result) -> tuple[str, ...]:
        """Return the articles with this result, best first."""
        return tuple(found.key for found in self.results if found.result is result)

    @property
    def is_conflict(self) -> bool:
        """True when articles differ in their result: one finds benefit and another does not, or one harm."""
        return len({found.result for found in self.results}) > 1


def agreement(question: Question, ranking: Ranking) -> Agreement:
    """Return which way the included articles point.

    An article counts if its intervention matches the question's and its population is not another. Its
    result is that of an effect on the outcome whose interval excludes no effect or not; without one, that
    of its concluding sentences.
    """
    wanted = asked_outcome(question)
    if wanted is None:
        return Agreement(outcome=None)
    facets = {d.key: d for d in ranking.audit.decisions if d.stage == "extrapolation"}
    fitting = [item for item in ranking if _fits(facets.get(item.key))]
    found = [(item, _result(item, wanted, question)) for item in fitting]
    return Agreement(
        outcome=wanted.key,
        results=tuple(result for _, result in found if result),
        silent=sum(result is None for _, result in found),
    )


def asked_outcome(question: Question) -> OutcomeKey | None:
    """Return the outcome that a question asks about; ``None`` when it names none that is known.

    Only what was read as its outcome counts: in "mortality after myocardial infarction" the infarction is
    the patients' condition.
    """
    terms = question_pico(question).used.outcome
    named = [found for term in terms if (found := outcome_key(term.span.text) or outcome_key(term.concept))]
    return named[0] if named else None


def _fits(decision: Decision | None) -> bool:
    if decision is None:
        return True
    intervention = str(decision.measurements.get("intervention") or "")
    population = str(decision.measurements.get("population") or "")
    return not intervention.startswith(_WRONG) and not population.startswith("mismatch")


def _result(item: Evidence, wanted: OutcomeKey, question: Question) -> ArticleResult | None:
    tier = tier_name(item)
    for effect in _on_outcome(item.appraisal.effects if item.appraisal else (), wanted):
        result = _of_effect(effect, wanted)
        if result:
            return ArticleResult(key=item.key, tier=tier, result=result, basis="effect", span=effect.span)
    abstract = item.article.abstract or ""
    for start, end in concluding_sentences(item.article):
        words = outcome_key(abstract[start:end])
        found = direction_of(abstract[start:end], outcome=wanted.key.replace("_", " "), where="abstract")
        if found and words and _shares(words.key, wanted.key):
            span = Span(where="abstract", start=start, end=end, text=abstract[start:end])
            result = _of_direction(found.direction, words.polarity or wanted.polarity)
            return ArticleResult(key=item.key, tier=tier, result=result, basis="words", span=span)
    return None


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
    more = effect.effect > 0
    bad = (effect.orientation or wanted.polarity or "harm") == "harm"
    return Result.HARM if more is bad else Result.BENEFIT


def _of_direction(direction: Direction, polarity: str | None) -> Result:
    if direction is Direction.NO_DIFFERENCE:
        return Result.NO_DIFFERENCE
    more, bad = direction is Direction.INCREASED, (polarity or "harm") == "harm"
    return Result.HARM if more is bad else Result.BENEFIT


def by_result(found: Agreement) -> Mapping[Result, tuple[str, ...]]:
    """Return the keys of each result that occurs, most articles first."""
    listed = {result: found.keys(result) for result in Result if found.keys(result)}
    return dict(sorted(listed.items(), key=lambda entry: (-len(entry[1]), entry[0].value)))
