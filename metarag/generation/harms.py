"""Harms beside the outcome asked about: a benefit in one and more of another are two results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metarag.agreement import fitting_studies
from metarag.generation.base import AnswerSentence
from metarag.generation.citations import citation_of, cited
from metarag.generation.wording import outcome_words
from metarag.other_treatments import asked_treatments
from metarag.outcome_keys import OutcomeKey, outcome_key
from metarag.outcome_mentions import is_on_combined
from metarag.pipeline import Ranking
from metarag.results import REVIEW, Result, asked_outcomes, counted_effects, effect_result, tier_name
from metarag.types import EffectEstimate, Evidence, Question

MORE_FREQUENT = "More frequent with the treatment, by reviews or randomised studies"
MOST_HARMS = 3
"""Outcomes named; ours. The articles that are quoted may tell of more."""
_HOW_MUCH = frozenset("major severe serious profound symptomatic any all total".split())
"""Words beside the name of an outcome that leave it the same outcome."""
_FEWEST_STUDIES = 2
"""Randomised studies that have to show a harm where no review does: one of many outcomes is soon by chance. Ours."""


def other_harms(question: Question, ranking: Ranking) -> dict[str, tuple[Evidence, ...]]:
    """Return by outcome the articles that found clearly more of it with the treatment, most articles first.

    Counted are ratios on other outcomes that are worse for the patient, with an interval above no effect, in
    a review or at least two randomised studies on the question's treatment and people. Words alone do not
    count: a harm that an abstract tells without numbers is not found. Only outcomes that are known by name
    are told, so that no article puts words of its own into an answer unquoted.
    """
    found: dict[str, list[Evidence]] = {}
    asked = frozenset(outcome.key for outcome in asked_outcomes(question))
    treatments = asked_treatments(question)
    for item in fitting_studies(question, ranking) if asked else ():
        if tier_name(item) in ("review", "randomised"):
            for key in dict.fromkeys(_harms(item, asked, treatments)):
                found.setdefault(key, []).append(item)
    sure = {key: tuple(items) for key, items in found.items() if _is_sure(items)}
    first = sorted(sure, key=lambda key: (-len(sure[key]), key))[:MOST_HARMS]
    return {key: sure[key] for key in first}


def harm_sentence(harms: Mapping[str, Sequence[Evidence]]) -> AnswerSentence | None:
    """Return what :func:`other_harms` found as a sentence; ``None`` for nothing."""
    if not harms:
        return None
    told = [f"{outcome_words(key)} {cited([i.article for i in items])}" for key, items in harms.items()]
    return AnswerSentence(
        text=f"{MORE_FREQUENT}: {'; '.join(told)}.",
        citations=tuple(dict.fromkeys(citation_of(i.article) for items in harms.values() for i in items)),
    )


def _harms(item: Evidence, asked: frozenset[str], treatments: frozenset[str]) -> list[str]:
    """Return the keys of the other outcomes of which an article found more."""
    abstract = item.article.abstract or ""
    found = []
    for effect in counted_effects(item, treatments):
        named = _named(effect)
        if named is None or asked.intersection(named.key.split("+")):
            continue
        if not any(is_on_combined(effect, {key}, abstract) for key in asked) and _is_harm(effect, named):
            found.append(named.key)
    return found


def _named(effect: EffectEstimate) -> OutcomeKey | None:
    """Return the known outcome that an effect is on; ``None`` where its words say more: "stomach cancer"."""
    text = effect.outcome_span.text if effect.outcome_span else ""
    named = outcome_key(text)
    if named is None or effect.outcome_key == named.key:
        return named
    rest = f"{text[: named.start]} {text[named.end :]}".lower().split()
    return named if all(word in _HOW_MUCH for word in rest) else None


def _is_harm(effect: EffectEstimate, named: OutcomeKey) -> bool:
    polarity = effect.orientation or named.polarity
    counted = effect.scale == "log" and not named.quantity
    return counted and polarity == "harm" and effect_result(effect, polarity) is Result.HARM


def _is_sure(items: Sequence[Evidence]) -> bool:
    return any(tier_name(item) == REVIEW for item in items) or len(items) >= _FEWEST_STUDIES
