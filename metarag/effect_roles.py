"""What a printed effect is: this study's result, or something that must not enter a pool with it.

Roles that may be pooled are ``study`` and ``secondary``. A role is decided from the words around one
effect, not from the sentence as a whole: 'In contrast to earlier trials (HR 1.05 ...), we found 0.76'.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from metarag.effect_document import Document
from metarag.effect_role_words import (
    ADJUSTED,
    ADJUSTED_BEHIND,
    ATTENUATED,
    BEFORE,
    BETWEEN,
    CLAUSE_ROLES,
    CRUDE,
    CRUDE_AND_ADJUSTED,
    DESIGN,
    FROM,
    INTERACTION_P,
    LITTLE_ADJUSTED,
    MARKED_IN,
    OVERALL,
    OWN,
    POOLED,
    POPULATION,
    PRIOR,
    REPLICATED,
    REPORTED,
    SECONDARY,
    SUBGROUP,
    SUBGROUP_SENTENCE,
    THRESHOLD,
    TO_BASELINE,
    WHO_BESIDE,
    WITHIN,
)
from metarag.effect_text import SectionKind, last_match

_LONGEST_WHO = 24
"""Characters of the longest word for people ('postmenopausal') and the signs behind it, and some more."""
POOLABLE_ROLES = frozenset(("study", "secondary"))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The words that may say what an effect is, as printed or in lower case.

    ``before`` runs from the end of the previous effect's clause, ``inside`` is the effect as printed,
    ``after`` runs to the end of its own clause, ``bracket`` to the end of the brackets it stands in;
    ``sentence`` is the whole.
    """

    before: str
    inside: str
    after: str
    sentence: str
    section: SectionKind
    bracket: str = ""

    def in_lower_case(self) -> Surroundings:
        """Return the same words in lower case, in which the patterns of roles look for theirs."""
        return Surroundings(
            self.before.lower(),
            self.inside.lower(),
            self.after.lower(),
            self.sentence.lower(),
            self.section,
            self.bracket.lower(),
        )


@dataclass(frozen=True, slots=True)
class Printed:
    """What roles need to know of an effect beside its words."""

    measure: str
    role_of_measure: str | None
    adjusted: bool | None
    has_interval: bool
    surroundings: Surroundings

    def in_lower_case(self) -> Printed:
        """Return the same with its words in lower case."""
        around = self.surroundings.in_lower_case()
        return Printed(self.measure, self.role_of_measure, self.adjusted, self.has_interval, around)


def roles_of(effects: Sequence[Printed], document: Document) -> list[str]:
    """Return the role of each effect of one sentence, in order."""
    effects = [effect.in_lower_case() for effect in effects]
    roles: list[str] = []
    for place, effect in enumerate(effects):
        role = _role(effect, document)
        if role == "study" and place and roles[-1] in ("prior", "pooled", "design") and _goes_on(effect):
            role = roles[-1]
        roles.append(role)
    if effects:
        _mark_within_groups(effects, roles)
        _mark_crude(effects, roles)
        _mark_subgroups(effects, roles)
    return roles


def _role(effect: Printed, document: Document) -> str:
    around = effect.surroundings
    if document.retracted:
        return "retracted"
    if effect.role_of_measure is not None:
        return effect.role_of_measure
    if document.pharmacovigilance:
        return "pharmacovigilance"
    clause = f"{around.before}{around.inside}{around.after}"
    if _is_design(effect):
        return "design"
    if _is_prior(around):
        return "prior"
    for role, words in CLAUSE_ROLES:
        if words.search(clause):
            return role
    if document.review or _is_pooled(around):
        return "pooled"
    return "secondary" if SECONDARY.search(around.before) else "study"


def _is_pooled(around: Surroundings) -> bool:
    return bool(
        POOLED.search(f"{around.before} {around.inside}") or POOLED.search(f"{around.after} {around.bracket}")
    )


def _goes_on(effect: Printed) -> bool:
    """Tell whether an effect continues the list of the one before it."""
    before = effect.surroundings.before
    return not OWN.search(before) and ";" not in before and len(before.split()) <= 6


def _is_design(effect: Printed) -> bool:
    around = effect.surroundings
    if DESIGN.search(around.before) and not _OWN_RESULT.search(around.before):
        return True
    if effect.has_interval:
        return False
    return bool(
        DESIGN.search(around.after) or THRESHOLD.search(around.before) or THRESHOLD.search(around.after)
    )


_OWN_RESULT = re.compile(r"\b(?:observed|actual|we found|was found|resulted)\b")


def _is_prior(around: Surroundings) -> bool:
    if around.section == "background":
        return True
    last = last_match(PRIOR, around.before)
    if last is not None and not REPLICATED.search(around.before, 0, last.start()):
        return OWN.search(around.before, last.end()) is None
    if REPORTED.search(around.before) and OWN.search(around.sentence.partition(around.inside)[2]):
        return True
    following = PRIOR.search(around.after)
    return following is not None and re.match(r"\W*(?:in|from|by|reported)\b", around.after) is not None


def _mark_within_groups(effects: Sequence[Printed], roles: list[str]) -> None:
    """Mark changes from baseline in one group, where the sentence compares no groups."""
    sentence = effects[0].surroundings.sentence
    to_baseline = TO_BASELINE.search(sentence) is not None
    if BETWEEN.search(TO_BASELINE.pattern.sub("", sentence) if to_baseline else sentence):
        return
    for place, effect in enumerate(effects):
        changed = effect.measure in ("MD", "SMD") and WITHIN.search(effect.surroundings.before) is not None
        if roles[place] in POOLABLE_ROLES and (to_baseline or changed):
            roles[place] = "within_group"


def _mark_crude(effects: Sequence[Printed], roles: list[str]) -> None:
    opening, sentence = effects[0].surroundings.before, effects[0].surroundings.sentence
    paired = CRUDE_AND_ADJUSTED.search(opening) is not None
    throughout = CRUDE.search(opening) is not None and not ADJUSTED.search(sentence)
    for place, effect in enumerate(effects):
        if roles[place] not in POOLABLE_ROLES:
            continue
        around = effect.surroundings
        if paired:
            roles[place] = "study" if place % 2 else "unadjusted"
        elif (
            (throughout and effect.adjusted is not True)
            or (effect.adjusted is not True and (effect.adjusted is False or _says_crude(around)))
            or (
                place + 1 < len(effects)
                and effect.measure == effects[place + 1].measure
                and _is_superseded(effect, effects[place + 1])
            )
        ):
            roles[place] = "unadjusted"


def _says_crude(around: Surroundings) -> bool:
    last = last_match(CRUDE, around.before)
    if last is not None and not ADJUSTED.search(around.before, last.end()):
        return True
    if (BEFORE.search(around.before) or FROM.search(around.before)) and ADJUSTED.search(around.sentence):
        return True
    return bool(CRUDE.search(around.inside) or CRUDE.search(around.after))


def _is_superseded(effect: Printed, following: Printed) -> bool:
    """Tell whether the next effect is the same one after more adjustment."""
    around, then = effect.surroundings, following.surroundings
    more = following.adjusted is True or ADJUSTED.search(then.before) or ADJUSTED_BEHIND.match(then.after)
    if not more:
        return False
    if effect.adjusted is True or ADJUSTED.search(around.before):
        return bool(LITTLE_ADJUSTED.search(around.before) or LITTLE_ADJUSTED.search(around.inside))
    return len(then.before.split()) <= 12 and bool(
        ATTENUATED.search(f"{then.before} {then.inside} {then.after}")
    )


def _mark_subgroups(effects: Sequence[Printed], roles: list[str]) -> None:
    populations = [_population(effect.surroundings) for effect in effects]
    compared = INTERACTION_P.search(effects[0].surroundings.sentence) is not None
    compared = compared or len({population for population in populations if population}) > 1
    # Two ratios and the ratio of both: each is of one stratum.
    strata = "interaction" in roles and len(roles) - roles.count("interaction") > 1
    for place, effect in enumerate(effects):
        if roles[place] not in POOLABLE_ROLES:
            continue
        restricted = bool(populations[place]) and (compared or not all(populations[:place]))
        if (
            restricted
            or (strata and not OVERALL.search(effect.surroundings.before))
            or _says_subgroup(effect.surroundings, populations[place])
        ):
            roles[place] = "subgroup"


def _says_subgroup(around: Surroundings, population: str) -> bool:
    if SUBGROUP.search(around.before) or SUBGROUP.search(around.after):
        return True
    if SUBGROUP_SENTENCE.match(around.sentence) and not OVERALL.search(around.after):
        return True
    return bool(population) and MARKED_IN.search(around.before) is not None


def _population(around: Surroundings) -> str:
    """Return the words that restrict an effect to some of the participants, or ''."""
    found = last_match(POPULATION, f"{around.before}{around.inside}")
    beside = max(0, len(around.before) - _LONGEST_WHO)
    found = found or WHO_BESIDE.search(around.before, beside) or POPULATION.match(around.after.lstrip(" )],"))
    return found.group() if found is not None else ""
