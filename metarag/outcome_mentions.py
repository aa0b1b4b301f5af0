"""How a text names an outcome: by itself, or as one part of several that are counted together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from itertools import pairwise
from types import MappingProxyType

from metarag.effect_outcome_names import narrowed
from metarag.outcome_keys import OutcomeKey, outcomes_in
from metarag.types import EffectEstimate, Span

_MOST_NAMED = 2
"""Outcomes in one clause; of more, it is too easy to take one's change for another's. Ours."""
_FARTHEST = 120
"""Characters before an outcome in which the others of its list are looked for. Ours."""
_LONGEST_LINK = 40
"""Characters between two outcomes of one list, with a third one that is not known. Ours."""
# Each part has a verb of its own, or is set against the other.
_CUT = re.compile(
    r";(?![^()]*\))|,? (?:while|whereas|although) |, and (?=(?:there (?:was|were|is|are)|no)\b)|\bat the (?:cost|price) of\b"
    r"|\b(?:and|but) (?=(?:caused|causes|increased|increases|raised|reduced|reduces|lowered|had|led|more)\b)"
)
# What makes an outcome one part of a combined one: "fatal coronary or cerebrovascular events",
# "deaths, infarctions and strokes taken together".
_OR_BEFORE = re.compile(r"\bor\s+(?:non-?fatal |fatal |any |major |the )*\Z", re.IGNORECASE)
_LINK_BEFORE = re.compile(r"(?:\s+and|,)\s+(?:non-?fatal |fatal |any |major |the )*\Z", re.IGNORECASE)
_OR_AFTER = re.compile(
    r"(?!,? (?:non-?)?fatal or (?:non-?)?fatal)(?:,\s+[\w -]{3,40}){0,5},?\s+(?:and/)?or\s", re.IGNORECASE
)
_IN_ONE_LIST = re.compile(r"(?:,| or | and )[^.;:()\d]*|[^.;:()\d]*(?:,| or | and )[^.;:()\d]*")
# "Pain-free", "pain relief": more of it is the contrary of more of the outcome. "Chest pain" is another one.
_ITS_CONTRARY = re.compile(r"[\s-](?:free|freedom|relief|response)\b", re.IGNORECASE)
_ANOTHER = re.compile(r"\bchest\s\Z", re.IGNORECASE)
# "Cardiovascular events and deaths": deaths of which kind?
_OF_SOME_KIND = re.compile(
    r"\b(?:cardio)?(?:vascular|cardiac|coronary)\s+(?:events?|infarctions?)\s+(?:and|or)\s\Z", re.IGNORECASE
)
_TAKEN_BACK = re.compile(
    r"(?:[,;]|\bbut|\bthough|\balthough)\s+(?:(?:but|though|although|while|and)\s+)?"
    r"(?:this|that|it|(?:the|this) (?:difference|reduction|increase))\s(?:\w+\s){0,3}?(?:not|non)\W(?:\w+\s){0,2}?significan"
    r"|\b(?:but|though|although) not significantly\b",
    re.IGNORECASE,
)
# "Heart disease (...), stroke and invasive breast cancer were more frequent": one verb for each of them.
_AND = re.compile(
    r"\s*(?:,|,?\s+and)(?:\s+(?:invasive|non-?fatal|fatal|major|total|all))*\s+\Z|,\s*\Z", re.IGNORECASE
)
_VERB = re.compile(r"\s+(?:was|were|occurred)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_TOGETHER = re.compile(r"\b(?:taken together|combined|composite|combination of)\b", re.IGNORECASE)
_VASCULAR = frozenset({"myocardial_infarction", "stroke", "coronary_heart_disease", "cardiovascular_death"})
# What names that stand for several outcomes hold. Ours, by the usual definitions of the endpoints.
_HELD = MappingProxyType(
    {
        "mace": _VASCULAR,
        "cardiovascular_disease": _VASCULAR,
        "coronary_events": frozenset({"coronary_heart_disease", "myocardial_infarction"}),
        "myocardial_infarction": frozenset({"coronary_heart_disease"}),
    }
)
CONTRARIES = MappingProxyType(
    {
        "pain": ("pain_relief", "pain_freedom"),
        "headache": ("headache_relief", "headache_freedom"),
        "migraine": ("headache_relief", "pain_relief", "pain_freedom"),
        "symptoms": ("symptom_relief",),
        "seizures": ("seizure_freedom",),
    }
)
"""Outcomes that are the contrary of one: who asks for less pain is answered by more relief of it too."""
# What an event of a disease is called: "coronary events" are those of coronary heart disease.
_SAME = MappingProxyType({"coronary_heart_disease": frozenset({"coronary_events"})})
# "More patients responded": verbs that no list of names has.
_SAID_AS_VERB = MappingProxyType(
    {
        "treatment_response": re.compile(r"\bresponded\b", re.IGNORECASE),
        "smoking_cessation": re.compile(r"\b(?:quit|stopped|gave up) smoking\b", re.IGNORECASE),
    }
)
_SOME_SURVIVAL = re.compile(r"(?:-|\bfree |\bfree of [\w ]{3,30}|\bspecific )\Z", re.IGNORECASE)
_STANDS_FOR_SEVERAL = frozenset({"mace", "cardiovascular_disease"})
USUAL_PARTS = frozenset({"myocardial_infarction", "stroke"})
"""What a combined outcome has to hold to be one of "cardiovascular events". Ours."""


def clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a sentence where another part of it begins: each speaks of an outcome of its own."""
    cuts = [start, *(start + m.end() for m in _CUT.finditer(text[start:end])), end]
    return list(pairwise(cuts))


def named_by_itself(clause: str, wanted: str) -> OutcomeKey | None:
    """Return where a clause names the outcome of a key by itself, not as a part of a combined one."""
    named = outcomes_in(clause)
    if _TOGETHER.search(clause) or (len(named) > _MOST_NAMED and not _share_a_verb(clause)):
        return None
    names = {wanted} | _SAME.get(wanted, frozenset())
    hits = [hit for hit in named if hit.key in names]
    said = _SAID_AS_VERB.get(wanted)
    if not hits and said and (verb := said.search(clause)):
        return OutcomeKey(wanted, "benefit", verb.start(), verb.end())
    for hit in hits:
        before = clause[: hit.start]
        if _OR_BEFORE.search(before) or _OR_AFTER.match(clause, hit.end):
            return None
        if _ITS_CONTRARY.match(clause, hit.end) or _ANOTHER.search(before) or _OF_SOME_KIND.search(before):
            return None
    return hits[0] if hits else None


def named_survival(clause: str) -> OutcomeKey | None:
    """Return where a clause names survival as such: not that of some disease, of a graft, or free of something."""
    hit = named_by_itself(clause, "overall_survival")
    is_plain = hit and narrowed(clause, hit).key == hit.key and not _SOME_SURVIVAL.search(clause[: hit.start])
    return hit if is_plain else None


def _share_a_verb(clause: str) -> bool:
    """True where all outcomes of a clause are its subject, joined by "and"."""
    plain = _ASIDE.sub("", clause)
    named = outcomes_in(plain)
    joined = all(_AND.fullmatch(plain[one.end : two.start]) for one, two in pairwise(named))
    return joined and bool(named) and _VERB.match(plain, named[-1].end) is not None


def named_together(clause: str, wanted: Set[str]) -> OutcomeKey | None:
    """Return where a clause names a combined outcome that holds all of the wanted ones.

    Combined are names that stand for several ("cardiovascular events"), outcomes joined by "or", and a list
    that is said to be counted together.
    """
    named = outcomes_in(clause)
    for hit in named:
        if (hit.key in _STANDS_FOR_SEVERAL or "+" in hit.key) and holds_all(hit.key.split("+"), wanted):
            return hit
    if len(named) > 1 and _TOGETHER.search(clause) and holds_all([hit.key for hit in named], wanted):
        return named[0]
    return None


def stands_for_several(key: str) -> bool:
    """True for outcomes such as cardiovascular events, which have no part of their own."""
    return key in _STANDS_FOR_SEVERAL


def is_taken_back(sentence: str, named: int) -> bool:
    """True where a sentence takes back what it says of an outcome: "was lower, but this was not significant".

    Parameters
    ----------
    named : int
        Where the outcome's name ends. What is said behind another outcome is of that one.
    """
    found = _TAKEN_BACK.search(sentence, named)
    return found is not None and not outcomes_in(sentence[named : found.start()])


def listed_in(sentence: str) -> set[str]:
    """Return the outcomes that a sentence counts together, by their list; empty where it has none."""
    named = outcomes_in(sentence)
    if len(named) > 1 and _TOGETHER.search(sentence):
        return {part for hit in named for part in hit.key.split("+")}
    lists = [hit for hit in named if "+" in hit.key]
    parts = [part for hit in lists for part in hit.key.split("+")]
    return {*parts, *(part for hit in lists for part in _listed_before(hit.start, sentence))}


def holds_all(keys: Iterable[str], wanted: Set[str]) -> bool:
    """True where outcomes hold all of the wanted ones: cardiovascular events hold strokes."""
    given = set(keys)
    return wanted <= given.union(*(_HELD.get(key, frozenset()) for key in given))


def is_part(outcome: Span | None, abstract: str) -> bool:
    """True where the outcome that was read for an effect is one of several that were counted together."""
    if outcome is None or outcome.where != "abstract":
        return False
    before = abstract[max(0, outcome.start - _FARTHEST) : outcome.start]
    if _OR_BEFORE.search(before) or _OR_AFTER.match(abstract, outcome.end):
        return True
    link = _LINK_BEFORE.search(before)
    return link is not None and any(hit.end == link.start() for hit in outcomes_in(before))


def is_on_combined(effect: EffectEstimate, wanted: Set[str], abstract: str) -> bool:
    """True where an effect is on a combined outcome that holds all of the wanted ones."""
    outcome = effect.outcome_span
    if outcome is None:
        return False
    own = (effect.outcome_key or "").split("+")
    known = own + [part for hit in outcomes_in(outcome.text) for part in hit.key.split("+")]
    part = is_part(outcome, abstract)
    if part:
        known += _listed_before(outcome.start, abstract)
    combined = part or len(own) > 1 or not _STANDS_FOR_SEVERAL.isdisjoint(known)
    return combined and holds_all(known, wanted)


def _listed_before(start: int, text: str) -> list[str]:
    """Return the outcomes that stand before one in the same list."""
    first = max(0, start - _FARTHEST)
    keys, end = [], start - first
    before = text[first:start]
    for hit in reversed(outcomes_in(before)):
        between = before[hit.end : end]
        if len(between) > _LONGEST_LINK or not _IN_ONE_LIST.fullmatch(between):
            break
        keys += hit.key.split("+")
        end = hit.start
    return keys
