"""What one article found on an outcome: benefit, no difference or harm, with the words that say so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from enum import StrEnum

from metarag.direction import Direction
from metarag.outcome_keys import OutcomeKey, outcome_key, outcomes_in
from metarag.outcome_mentions import (
    CONTRARIES,
    USUAL_PARTS,
    holds_all,
    is_on_combined,
    listed_in,
    named_by_itself,
    named_survival,
    named_together,
    stands_for_several,
)
from metarag.pico_question import question_pico
from metarag.pico_types import PicoTerm
from metarag.pooling import Tier, tier_of
from metarag.records import Frozen
from metarag.result_control import can_tell, is_taken_back_later
from metarag.result_effects import RESULT_ROLES, effects_on
from metarag.result_reader import Reader
from metarag.sentences import finding_sentences
from metarag.types import EffectEstimate, Evidence, Question, Span, StudyDesign

_Z = 1.959963984540054
REVIEW = "review"
OBSERVATIONAL_REVIEW = "observational_review"
"""A review of observational studies only: no stronger than what it sums up."""
_OPINIONS = frozenset(
    {
        StudyDesign.NARRATIVE_REVIEW,
        StudyDesign.SCOPING_REVIEW,
        StudyDesign.GUIDELINE,
        StudyDesign.CONSENSUS_STATEMENT,
    }
)
_ASKED_FOR = re.compile(
    r"\b(?:prevent|reduce|lower|decrease|increase|cause|affect|improve|help)s?(?: (?:people|adults|patients|smokers))?"
    r"(?: (?:the|to|with|postoperative|risk|rate|incidence|of))* \Z",
    re.IGNORECASE,
)
_OBSERVED = (Tier.OBSERVATIONAL.value, OBSERVATIONAL_REVIEW)
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
        ``review``, ``observational_review``, ``randomised``, ``observational`` or ``other``.
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
    treated = {term.span for term in asked.intervention}
    named = [_named_in(term, question.text) for term in asked.outcome if term.span not in treated]
    known = [found for found in named if found] or _behind_verbs(question.text, treated)
    parts = [part for found in known for part in _parts(found, question.text)]
    return tuple({found.key: found for found in parts}.values())[:MOST_OUTCOMES]


def _behind_verbs(text: str, treated: Set[Span]) -> list[OutcomeKey]:
    """Return the outcomes that a question asks to prevent or reach, where it was read to name none: "prevent delirium"."""
    return [
        hit
        for hit in outcomes_in(text)
        if _ASKED_FOR.search(text[: hit.start])
        and not any(span.start < hit.end and hit.start < span.end for span in treated)
    ]


def _named_in(term: PicoTerm, text: str) -> OutcomeKey | None:
    """Return the outcome of a term of a question, by its whole name: "HDL cholesterol" is not any cholesterol."""
    whole = [hit for hit in outcomes_in(text) if hit.start <= term.span.start and term.span.end <= hit.end]
    if term.span.where == "text" and whole:
        return whole[0]
    return outcome_key(term.span.text) or outcome_key(term.concept)


def asked_together(question: Question) -> frozenset[str]:
    """Return the keys of outcomes that a question names in one list ("heart attack or stroke"); else empty."""
    asked = {found.key for found in asked_outcomes(question)}
    lists = (frozenset(hit.key.split("+")) for hit in outcomes_in(question.text) if "+" in hit.key)
    # Of "death, heart attack or stroke" studies count together the deaths of some causes only.
    events = (keys - {"all_cause_death"} for keys in lists if keys <= asked)
    return next((keys for keys in events if len(keys) > 1), frozenset())


def _parts(found: OutcomeKey, text: str) -> Iterable[OutcomeKey]:
    """Yield the outcomes of "heart attack or stroke" one by one: a study may change one and not the other."""
    lists = [hit for hit in outcomes_in(text) if found.key in hit.key.split("+")]
    for key in (lists[0] if lists else found).key.split("+"):
        yield replace(found, key=key)


def article_result(
    item: Evidence, wanted: OutcomeKey, *, treatments: frozenset[str] = frozenset(), people: str = ""
) -> ArticleResult | None:
    """Return what an article found on an outcome; ``None`` where it does not say so clearly.

    An effect on the outcome counts by its interval; without one, the clauses on the outcome in results and
    conclusions, if they agree. A combined outcome with infarctions and strokes is one of cardiovascular events.

    Parameters
    ----------
    treatments : frozenset of str
        The drugs asked about: effects of others against them, and clauses on others alone, do not count.
    people : str
        The words in which the question tells of its people; what an article found in some others only does not count.
    """
    effects = item.appraisal.effects if item.appraisal else ()
    read = Reader(item.article, treatments, people, observed=tier_name(item) in _OBSERVED)
    found = _result(
        item,
        effects_on(effects, wanted, item.article.abstract or ""),
        lambda clause: named_by_itself(clause, wanted.key),
        wanted.polarity,
        read,
    )
    if found is None and stands_for_several(wanted.key):
        return combined_result(item, USUAL_PARTS, treatments=treatments, people=people)
    if found is None and wanted.key == "all_cause_death":
        return _by_survival(item, read)
    for key in () if found else CONTRARIES.get(wanted.key, ()):
        contrary = OutcomeKey(key, "benefit", 0, 0)
        found = found or article_result(item, contrary, treatments=treatments, people=people)
    return found


def _by_survival(item: Evidence, read: Reader) -> ArticleResult | None:
    """Return what the words of an article say of survival, where they say nothing of deaths.

    Of words only: a ratio "for survival" is as often one of the deaths.
    """
    if any(read.in_words(lambda clause: named_by_itself(clause, "all_cause_death"))):
        return None
    return _result(item, (), named_survival, "benefit", read)


def class_result(
    item: Evidence, wanted: OutcomeKey, *, treatments: frozenset[str] = frozenset(), people: str = ""
) -> ArticleResult | None:
    """Return what an observational study found on an outcome for the class of a treatment alone.

    ``None`` too where it tells of nothing but the class: then :func:`article_result` has counted it.
    """
    observed = tier_name(item) in _OBSERVED
    found = article_result(item, wanted, people=people) if observed else None
    if found and Reader(item.article, treatments, people, observed=True).is_of_the_class_only(found.span):
        return found
    return None


def combined_result(
    item: Evidence, wanted: Set[str], *, treatments: frozenset[str] = frozenset(), people: str = ""
) -> ArticleResult | None:
    """Return what an article found on a combined outcome that holds all of some outcomes, if on any.

    Parameters
    ----------
    wanted : set of str
        Keys of the outcomes. All are worse for the patient, as combined outcomes are.
    treatments, people
        As in :func:`article_result`.
    """
    abstract = item.article.abstract or ""
    lists = [keys for s in finding_sentences(item.article) if (keys := listed_in(abstract[slice(*s)]))]
    if lists and not any(holds_all(keys, wanted) for keys in lists):
        return None  # its "cardiovascular events" are those that it lists
    effects = [
        effect
        for effect in (item.appraisal.effects if item.appraisal else ())
        if effect.role in RESULT_ROLES and is_on_combined(effect, wanted, abstract)
    ]
    read = Reader(item.article, treatments, people, observed=tier_name(item) in _OBSERVED)
    return _result(item, effects, lambda clause: named_together(clause, wanted), "harm", read)


def _result(
    item: Evidence,
    effects: Iterable[EffectEstimate],
    named: Callable[[str], OutcomeKey | None],
    polarity: str | None,
    read: Reader,
) -> ArticleResult | None:
    """Return the result of the first effect with an interval, else of the clauses, if they agree."""
    tier = tier_name(item)
    for effect in effects:
        result = effect_result(effect, polarity) if read.counts(effect) else None
        differs = result in (Result.BENEFIT, Result.HARM)
        if result and not (differs and is_taken_back_later(effect.span, item.article.abstract or "", named)):
            return ArticleResult(key=item.key, tier=tier, result=result, basis="effect", span=effect.span)
    told = [r for r in read.in_words(named) if can_tell(item, r.span, tier, read.treatments)]
    said = [(_of_direction(r.direction, r.polarity or polarity), r.span) for r in told]
    # Sentences that disagree ("fewer lethal arrhythmias", "mortality did not differ") decide nothing.
    if len({result for result, _ in said}) != 1:
        return None
    result, span = said[-1]
    return ArticleResult(key=item.key, tier=tier, result=result, basis="words", span=span)


def tier_name(item: Evidence) -> str:
    """Return ``review``, ``observational_review``, ``randomised``, ``observational`` or ``other``.

    Guidelines and reviews that pool or list nothing are ``other``: they tell an opinion on studies.
    """
    if item.appraisal is None or item.appraisal.design.design in _OPINIONS:
        return "other"
    found, labels = tier_of(item.appraisal.design.design), item.appraisal.design.labels
    if found == REVIEW and "of_observational_studies" in labels and "of_randomized_trials" not in labels:
        return OBSERVATIONAL_REVIEW
    return str(found or "other")


def counted_effects(item: Evidence, treatments: frozenset[str], *, people: str = "") -> list[EffectEstimate]:
    """Return the effects that are results of an article on the treatments, on any outcome."""
    effects = item.appraisal.effects if item.appraisal else ()
    read = Reader(item.article, treatments, people, observed=tier_name(item) in _OBSERVED)
    return [effect for effect in effects if effect.role in RESULT_ROLES and read.is_of_the_treatment(effect)]


def effect_result(effect: EffectEstimate, polarity: str | None) -> Result | None:
    """Return what an effect says by its 95% interval; ``None`` without one.

    Parameters
    ----------
    polarity : str or None
        ``harm`` where more of the outcome is worse for the patient; the effect's own orientation comes first.
    """
    if effect.effect is None or effect.standard_error is None:
        return None
    half = _Z * effect.standard_error
    if effect.effect - half <= 0 <= effect.effect + half:
        return Result.NO_DIFFERENCE
    more, bad = effect.effect > 0, (effect.orientation or polarity or "harm") == "harm"
    return Result.HARM if more is bad else Result.BENEFIT


def _of_direction(direction: Direction, polarity: str | None) -> Result:
    if direction is Direction.NO_DIFFERENCE:
        return Result.NO_DIFFERENCE
    more, bad = direction is Direction.INCREASED, (polarity or "harm") == "harm"
    return Result.HARM if more is bad else Result.BENEFIT
