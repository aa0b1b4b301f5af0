"""Whether an effect of an article is a result of the treatment asked about, against its control, in all the people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from metarag.comparison_keys import is_control_first
from metarag.direction_words import CLAUSE_END
from metarag.heterogeneity_signs import contradicts_words
from metarag.other_treatments import is_against_asked, is_of_another, is_of_another_alone, names_asked
from metarag.outcome_keys import OutcomeKey
from metarag.outcome_mentions import is_part
from metarag.records import Article
from metarag.result_comparisons import compares_otherwise
from metarag.result_measures import is_of_another_measure
from metarag.result_negations import blames_lack
from metarag.result_people import People
from metarag.result_subjects import (
    is_nobody,
    is_of_a_level,
    is_of_another_factor,
    is_of_lacking,
    names_a_factor,
    names_an_arm,
)
from metarag.result_words import clause_before, is_of_control, is_of_the_contrary
from metarag.sentences import sentences_of
from metarag.stopped_treatment import tells_of_stopping
from metarag.types import EffectEstimate, Span

RESULT_ROLES: Final = ("study", "secondary", "pooled")
# A rate with an interval, and a ratio for each year of use, compare nobody with a control.
_OF_NO_TWO_ARMS: Final = frozenset({"difference_from_words", "per_unit"})
_CLAUSE_GOES_ON: Final = re.compile(r"[^.,;(]*")
_NUMBER_BEFORE: Final = re.compile(
    r"\([^()]*(?:\bCI\b|interval|ratio|\bOR\b|\bHR\b|\bRR\b|\b[pP]\s?[<=])[^()]*\)\s*\Z"
)
_PER_UNIT: Final = re.compile(
    r"\b(?:each|every|per) (?:additional |extra )?\d|\bper (?:unit|decade|SD|standard deviation|doubling)\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(r"\([^()]*\Z")
_ANOTHER_NUMBER: Final = re.compile(r"\d\s*[)\]]")


def effects_on(effects: Iterable[EffectEstimate], wanted: OutcomeKey, abstract: str) -> list[EffectEstimate]:
    """Return the effects that are results on an outcome by itself."""
    return [
        effect
        for effect in effects
        if effect.role in RESULT_ROLES
        and effect.outcome_key == wanted.key
        and _OF_NO_TWO_ARMS.isdisjoint(effect.flags)
        # A ratio on what is measured ("pain") is one of responders, whichever way they were defined.
        and not (wanted.quantity and effect.scale == "log")
        and not is_part(effect.outcome_span, abstract)
        and not _is_on_another_measure(effect.outcome_span, wanted, abstract)
    ]


def is_of_the_treatment(
    effect: EffectEstimate, article: Article, treatments: frozenset[str], people: People, *, observed: bool
) -> bool:
    """True unless an effect is the control's, another's, or nobody knows whose it is: words have to tell then.

    Parameters
    ----------
    observed : bool
        True outside randomised studies: there the sentence has to name the treatment.
    """
    against = is_against_asked(effect, treatments) or is_control_first(effect)
    abstract = article.abstract or ""
    if against or contradicts_words(effect, abstract):
        return False
    if effect.span.where != "abstract":
        return True
    before = clause_before(abstract, effect.span.start)
    told = before + effect.span.text
    if blames_lack(before) or is_of_control(before) or is_of_the_contrary(told) or tells_of_stopping(told):
        return False
    if is_of_another(told, treatments) or is_of_another_alone(told, treatments):
        return False
    before = _OPEN.sub("", before)
    whole = before + _behind(effect.span, abstract)
    if people.are_some(before) or people.are_some(whole) or compares_otherwise(whole, treatments):
        return False
    return _is_subject(effect, before, article, treatments, observed=observed)


def _is_subject(
    effect: EffectEstimate, before: str, article: Article, treatments: frozenset[str], *, observed: bool
) -> bool:
    """True where an effect may be the treatment's own, by the words before it and by its sentence."""
    abstract = article.abstract or ""
    until = [abstract[s:e] for s, e in sentences_of(abstract) if s <= effect.span.start] or [before]
    sentence, previous = until[-1], " ".join(until[-2:-1])
    outcome = effect.outcome_span
    start = (
        len(before) - (effect.span.start - outcome.start) if outcome and outcome.where == "abstract" else 0
    )
    if _PER_UNIT.search(before) or is_of_a_level(before, treatments) or is_of_lacking(before, treatments):
        return False
    if is_of_another_factor(before + _behind(effect.span, abstract), max(start, 0), treatments):
        return False
    last = before.rpartition(")")[2]
    if (
        treatments
        and start < len(before) - len(last)
        and _NUMBER_BEFORE.search(before[: len(before) - len(last)])
    ):
        # "Predictors of stroke were age (...) and smoking (...)": a list of factors, not one of outcomes.
        return is_nobody(last) or names_an_arm(last, treatments)
    if not observed or names_asked(sentence, treatments) or _is_of_users(sentence + previous):
        return True
    return names_asked(article.title, treatments) and not names_a_factor(f"{previous} {sentence}")


def _is_of_users(sentence: str) -> bool:
    return (
        re.search(r"\b(?:non-?users?|users?|exposed|treated|treatment|therapy)\b", sentence, re.IGNORECASE)
        is not None
    )


def _behind(span: Span, abstract: str) -> str:
    """Return the words of the clause behind an effect, up to the next number that is printed."""
    behind = abstract[span.end : span.end + 200].lstrip(" )]")
    end = CLAUSE_END.search(behind)
    found = _CLAUSE_GOES_ON.match(behind[: end.start()] if end else behind)
    said = found.group() if found else ""
    return "" if _ANOTHER_NUMBER.search(said) else " " + said


def _is_on_another_measure(outcome: Span | None, wanted: OutcomeKey, abstract: str) -> bool:
    if outcome is None or outcome.where != "abstract":
        return False
    hit = OutcomeKey(wanted.key, wanted.polarity, outcome.start, outcome.end, wanted.quantity)
    return is_of_another_measure(abstract, hit)
