"""What one article found on an outcome: benefit, no difference or harm, with the words that say so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise

from metarag.direction import Direction, direction_of
from metarag.other_treatments import is_against_asked, is_of_another, names_asked
from metarag.outcome_keys import OutcomeKey, outcome_key, outcomes_in
from metarag.pico_question import question_pico
from metarag.pooling import Tier, tier_of
from metarag.records import Article, Frozen
from metarag.sentences import finding_sentences
from metarag.types import EffectEstimate, Evidence, Question, Span, StudyDesign

_Z = 1.959963984540054
_HARM = re.compile(r"\b(?:did|does|caused|causes) (?:\w+ )?harm\b", re.IGNORECASE)
# A finding in some of the people is no finding in the people of the question.
_SOME_PEOPLE = re.compile(
    r"\bonly (?:in|among|for)\b|\b(?:but|and) not (?:in|among|for)\b|\bexcept (?:in|among|for)\b",
    re.IGNORECASE,
)
# Each part has a verb of its own, or is set against the other.
_CUT = re.compile(
    r";|,? (?:while|whereas|although) |\bat the (?:cost|price) of\b"
    r"|\b(?:and|but) (?=(?:caused|causes|increased|increases|raised|reduced|reduces|lowered|had|led|more)\b)"
)
_MOST_NAMED = 2
"""Outcomes in one clause; of more, it is too easy to take one's change for another's. Ours."""
# What makes an outcome one part of a combined one: "fatal coronary or cerebrovascular events",
# "deaths, infarctions and strokes taken together".
_OR_BEFORE = re.compile(r"\bor\s+(?:non-?fatal |fatal |any |major |the )*\Z", re.IGNORECASE)
_LINK_BEFORE = re.compile(r"(?:\s+and|,)\s+(?:non-?fatal |fatal |any |major |the )*\Z", re.IGNORECASE)
_OR_AFTER = re.compile(
    r"(?!,? (?:non-?)?fatal or (?:non-?)?fatal)(?:,\s+[\w -]{3,40}){0,5},?\s+(?:and/)?or\s", re.IGNORECASE
)
# "Pain-free", "pain relief": more of it is the contrary of more of the outcome. "Chest pain" is another one.
_ITS_CONTRARY = re.compile(r"[\s-](?:free|freedom|relief|response)\b", re.IGNORECASE)
_ANOTHER = re.compile(r"\bchest\s\Z", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:taken together|combined|composite|combination of)\b", re.IGNORECASE)
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
    named = [outcome_key(term.span.text) or outcome_key(term.concept) for term in asked.outcome]
    parts = [part for found in named if found for part in _parts(found, question.text)]
    return tuple({found.key: found for found in parts}.values())[:MOST_OUTCOMES]


def _parts(found: OutcomeKey, text: str) -> Iterable[OutcomeKey]:
    """Yield the outcomes of "heart attack or stroke" one by one: a study may change one and not the other."""
    lists = [hit for hit in outcomes_in(text) if found.key in hit.key.split("+")]
    for key in (lists[0] if lists else found).key.split("+"):
        yield replace(found, key=key)


def article_result(
    item: Evidence, wanted: OutcomeKey, *, treatments: frozenset[str] = frozenset()
) -> ArticleResult | None:
    """Return what an article found on an outcome; ``None`` where it does not say so clearly.

    An effect on the outcome counts by its interval; without one, the clauses on the outcome in results and
    conclusions, if they agree.

    Parameters
    ----------
    treatments : frozenset of str
        The drugs asked about: effects of others against them, and clauses on others alone, do not count.
    """
    tier = tier_name(item)
    effects = item.appraisal.effects if item.appraisal else ()
    for effect in _on_outcome(effects, wanted, item.article.abstract or ""):
        if is_against_asked(effect, treatments):
            continue
        result = _of_effect(effect, wanted)
        if result:
            return ArticleResult(key=item.key, tier=tier, result=result, basis="effect", span=effect.span)
    said = _in_words(item.article, wanted, treatments, tier=tier)
    # Sentences that disagree ("fewer lethal arrhythmias", "mortality did not differ") decide nothing.
    if len({result for result, _ in said}) != 1:
        return None
    result, span = said[-1]
    return ArticleResult(key=item.key, tier=tier, result=result, basis="words", span=span)


def _in_words(
    article: Article, wanted: OutcomeKey, treatments: frozenset[str], *, tier: str
) -> list[tuple[Result, Span]]:
    """Return what each clause on the outcome says, in order.

    Outside a randomised study groups differ in much, so that there the sentence has to name the treatment.
    """
    abstract, said = article.abstract or "", []
    for start, end in finding_sentences(article):
        for first, last in _clauses(abstract, start, end):
            clause = abstract[first:last]
            named = _named(clause, wanted)
            if named is None or _SOME_PEOPLE.search(clause) or is_of_another(clause, treatments):
                continue
            if tier == Tier.OBSERVATIONAL and not names_asked(abstract[start:end], treatments):
                continue
            found = direction_of(clause, outcome=clause[named.start : named.end])
            if found is None:
                continue
            result = _of_direction(found.direction, named.polarity or wanted.polarity)
            if result is Result.NO_DIFFERENCE and _HARM.search(abstract[start:end]):
                result = Result.HARM  # "did not prevent ...; it did harm"
            said.append((result, Span(where="abstract", start=start, end=end, text=abstract[start:end])))
    return said


def _named(clause: str, wanted: OutcomeKey) -> OutcomeKey | None:
    """Return where a clause names the outcome by itself, not as a part of a combined one."""
    named = outcomes_in(clause)
    if len(named) > _MOST_NAMED or _TOGETHER.search(clause):
        return None
    hits = [hit for hit in named if hit.key == wanted.key]
    for hit in hits:
        before = clause[: hit.start]
        if _OR_BEFORE.search(before) or _OR_AFTER.match(clause, hit.end):
            return None
        if _ITS_CONTRARY.match(clause, hit.end) or _ANOTHER.search(before):
            return None
    return hits[0] if hits else None


def _clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a sentence where another part of it begins: each speaks of an outcome of its own."""
    cuts = [start, *(start + m.end() for m in _CUT.finditer(text[start:end])), end]
    return list(pairwise(cuts))


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


def _on_outcome(effects: Iterable[EffectEstimate], wanted: OutcomeKey, abstract: str) -> list[EffectEstimate]:
    return [
        effect
        for effect in effects
        if effect.role in ("study", "secondary", "pooled")
        and effect.outcome_key == wanted.key
        # A ratio on what is measured ("pain") is one of responders, whichever way they were defined.
        and not (wanted.quantity and effect.scale == "log")
        and not _is_part(effect.outcome_span, abstract)
    ]


def _is_part(outcome: Span | None, abstract: str) -> bool:
    """True where the outcome that was read for an effect is one of several that were counted together."""
    if outcome is None or outcome.where != "abstract":
        return False
    before = abstract[max(0, outcome.start - 120) : outcome.start]
    if _OR_BEFORE.search(before) or _OR_AFTER.match(abstract, outcome.end):
        return True
    link = _LINK_BEFORE.search(before)
    return link is not None and any(hit.end == link.start() for hit in outcomes_in(before))


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
