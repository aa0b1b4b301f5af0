"""What a printed effect is: this study's result, or something that must not enter a pool with it.

Roles that may be pooled are ``study`` and ``secondary``. A role is decided from the words around one
effect, not from the sentence as a whole: 'In contrast to earlier trials (HR 1.05 ...), we found 0.76'.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from metarag.effect_document import Document
from metarag.effect_text import SectionKind

POOLABLE_ROLES = frozenset(("study", "secondary"))

_STUDIES = (
    r"(?:stud(?:y|ies)|trials?|reports?|meta-?analys[ei]s|reviews?|research|work|literature|cohorts?|analys[ei]s"
    r"|findings|estimates?|evidence|data|investigations?|surveys?|registr(?:y|ies)|authors|investigators|publications?)"
)
_PRIOR = re.compile(
    rf"\b(?:previous|prior|earlier|past|existing|published|preceding|historical|other|recent|older)\s"
    rf"(?:[\w-]+\s){{0,3}}?{_STUDIES}\b"
    r"|\bin the literature\b|\bet al\b|\bpreviously (?:been )?(?:reported|published|described|observed|shown|found|linked|estimated)"
    r"|\b(?:has|have|had) been (?:shown|reported|suggested|linked|estimated|associated|observed|found|described)"
    r"|\bpublished in\b|\b(?:19|20)\d\d (?:[\w-]+ ){0,2}(?:trial|study|meta-analysis|review|cohort)\b"
    r"|\banother (?:[\w-]+ ){0,2}(?:trial|study|group|cohort)\b"
    r"|\ba (?:large|small|recent|landmark|pivotal|similar|previous|seminal) (?:[\w-]+ ){0,2}"
    r"(?:trial|study|cohort|meta-analysis|review) (?:[\w-]+ ){0,3}(?:reported|found|showed|suggested|estimated)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:we|our|ours)\b(?! (?:have )?(?:previously|earlier))|\b(?:this|the present|the current|present) (?:[\w-]+ ){0,2}"
    r"(?:study|trial|analysis|cohort)|\bhere\b|\bin contrast, |\bposterior\b|\bobserved\b|\bactual\b",
    re.IGNORECASE,
)
_POOLED = re.compile(
    r"\bmeta-?analy|\bpooled\b(?! (?:logistic|cohort equation|regression))|\bpooling\b|\bnetwork (?:meta|estimate|analys|comparison|odds|hazard|risk)"
    r"|\b(?:random|fixed)[- ]effects?\b(?! (?:logistic|linear|regression|poisson|cox|negative))|\bI(?:2|\u00b2|-squared)\b|\bI\u00b2"
    r"|\bheterogeneity|\bsystematic review|\bsummary (?:odds|relative|risk|hazard|estimate|effect|RR|OR|HR|rate|mean|measure|RRs|ORs)"
    r"|\b(?:combined|integrated|joint) (?:analys[ei]s|estimate) of|\bumbrella review|\bindirect comparison|\bSUCRA\b"
    r"|\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|twenty) (?:[\w-]+ ){0,4}?"
    r"(?:trials|studies|RCTs|cohorts|comparisons|meta-analyses)\b"
    r"|\b(?:studies|trials|RCTs) ?= ?\d|\bacross (?:all |the )?(?:[\w-]+ ){0,2}(?:trials|studies|cohorts)\b|\bcombining (?:the )?(?:[\w-]+ ){0,2}(?:trials|studies)",
    re.IGNORECASE,
)
_DESIGN = re.compile(
    r"\bto detect\b|\bassum(?:ed|es|ing|ption)|\bsample size|\bhypothesi[sz]ed|\banticipat|\bMCID\b|\bplanned\b"
    r"|\b(?:an?|the) (?:[\w-]+ )?expected\b|\bexpected (?:hazard|odds|risk|rate|relative|effect|HR|OR|RR|difference|mean)"
    r"|\bminim(?:al|um|ally) (?:clinically )?(?:important|relevant|detectable)|\bclinically (?:important|relevant|meaningful) (?:difference|effect|change)"
    r"|\btarget(?:ed)? (?:hazard|effect|HR|OR|difference|odds)|\bpower calculation|\bpower of\b|\b(?:sceptical|skeptical|enthusiastic|informative) prior"
    r"|\bprior (?:distribution|odds|hazard|OR|HR|RR|for the|on the|mean|median)|\bprior was|\bpowered\b|% power\b|\bdesign(?:ed)? (?:to|with|assum)",
    re.IGNORECASE,
)
_THRESHOLD = re.compile(
    r"\bmargin|\bbounda?r(?:y|ies)\b|\bthreshold|\bstopping|\bcriteri(?:on|a)\b|\bacceptance|\bprespecified|\bpre-specified|\bwould\b|\bdefined as"
    r"|\bif the|\bmaximum|\bminimum|\bpower\b|\balpha\b|\brule[d]? out|\bcut-?off|\blimit of|\bupper limit|\blower limit|\bbioequivalence",
    re.IGNORECASE,
)
_CLAUSE_ROLES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (role, re.compile(words, re.IGNORECASE))
    for role, words in (
        ("retracted", r"\bretracted\b|\bretraction\b"),
        (
            "negative_control",
            r"\bnegative[- ]control|\bfalsification|\bcontrol outcomes?\b|\bcontrol exposures?\b|\bplacebo (?:outcome|endpoint|test)",
        ),
        ("diagnostic", r"\bdiagnostic odds|\bdiagnostic accuracy"),
        ("pharmacovigilance", r"\bdisproportionality|\breporting odds|\bFAERS\b|\bspontaneous report"),
        (
            "interaction",
            r"\binteraction (?:term|effect|odds|hazard|OR|HR|RR|ratio)|\bmultiplicative interaction|\bfor (?:the )?interaction (?:was|of|between)",
        ),
        (
            "per_protocol",
            r"\bper[- ]?protocol|\bas[- ]treated|\bon[- ]treatment|\bcompleters?\b|\bcompliers?\b|\bcomplier average|\bPP (?:population|analysis|set)"
            r"|\btreatment-received|\bfully adherent",
        ),
        (
            "sensitivity",
            r"\bsensitivity analys|\bcomplete[- ]case|\bafter (?:excluding|exclusion|removing|removal|omitting|imput|the exclusion)"
            r"|\bmultiple imputation|\bimputed|\bworst[- ]case|\bbest[- ]case|\btipping|\bwhen (?:[\w-]+ ){0,4}(?:excluded|removed|omitted|censored)\b|\bexcluding\b|\blagged?\b",
        ),
        ("mediation", r"\bindirect effect|\bdirect effect|\bmediat(?:ed|ion|or)"),
        (
            "modelled",
            r"\bsimulat|\bmicrosimulation|\bMarkov\b|\bmonte carlo\b|\bbase case|\bprojected\b|\bhypothetical",
        ),
        (
            "agreement",
            r"\b(?:between|inter-?)\s?(?:raters?|observers?|methods|readers|devices|instruments|measurements)\b",
        ),
        ("exploratory", r"\bpost[- ]?hoc\b|\bexploratory\b"),
        ("interim", r"\binterim\b"),
        ("prognostic_model", r"\brisk score|\bnomogram|\bprediction model"),
    )
)
_SUBGROUP = re.compile(
    r"\bsub-?groups?\b|\bstratum\b|\bstrata\b|\bsubset\b|\bstratified (?:by|analys)|\bconfined to\b|\brestricted to\b",
    re.IGNORECASE,
)
_WHO = (
    r"(?:men|women|males?|females?|boys|girls|smokers|non-?smokers|never[- ]smokers|ex-?smokers|drinkers|white|black|whites|blacks|asians?|hispanics?"
    r"|caucasians|premenopausal|postmenopausal|diabetics|non-?diabetics|elderly|adolescents|multiparous|nulliparous|carriers|non-?carriers|obese|younger|older)"
)
_PEOPLE = r"(?:patients|those|participants|people|individuals|subjects|children|adults|persons|infants|tumou?rs|cases|users|women|men|mothers|the)"
_POPULATION = re.compile(
    rf"\b(?:in|among|for|within|of) (?:the )?(?:[\w-]+ ){{0,2}}?{_WHO}\b"
    rf"|\b(?:in|among|for|within) (?:the )?(?:[\w-]+ ){{0,3}}?{_PEOPLE} (?:aged|with|without|who|whose|younger|older|under|over|at (?:high|low)|not|taking|having|\u2265|>|<|\u2264)"
    r"|\b(?:aged|age) (?:\u2265|\u2264|<|>|under|over|\d)|\b(?:\u2265|\u2264|<|>) ?\d+ (?:years|y)\b"
    r"|\b[\w-]+-(?:positive|negative|mutant|mutated)\b|\bwild-type\b",
    re.IGNORECASE,
)
_WHO_BESIDE = re.compile(rf"\b{_WHO}\W{{0,4}}$", re.IGNORECASE)
_INTERACTION_P = re.compile(
    r"\bP\W{0,3}(?:[a-z]+ ){0,3}(?:for |value )?\(?(?:the )?(?:interaction|heterogeneity|difference between subgroups|effect modification)|\binteraction P\b|\bpinteraction",
    re.IGNORECASE,
)
_CRUDE = re.compile(
    r"\bcrude\b|\bunadjusted\b|\bunivaria(?:te|ble)\b|\bbefore (?:any )?adjust|\bwithout adjust|\bbivariate\b|\bnot adjusted\b|\bmodel (?:1|one|I)\b",
    re.IGNORECASE,
)
_CRUDE_AND_ADJUSTED = re.compile(
    r"\b(?:crude|unadjusted|univaria(?:te|ble)) and (?:[\w-]+ )?(?:adjusted|multivaria(?:te|ble))",
    re.IGNORECASE,
)
_LITTLE_ADJUSTED = re.compile(
    r"\b(?:age|sex|age-? ?(?:and|/|,) ?sex|minimally|partially|partly|basic|basically)[- ]adjusted\b|\badjust(?:ed|ing|ment) (?:only )?for age(?: and sex)?\b(?! ?,)",
    re.IGNORECASE,
)
_ADJUSTED = re.compile(
    r"\badjust|\bmultivaria|\bmodel (?:2|3|4|two|three|II)\b|\battenuat|\bcontrolling\b|\bcontrolled for\b|\bpropensity",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\bbefore\W*$", re.IGNORECASE)
_ATTENUATED = re.compile(
    r"\battenuat|\b(?:after|with|following|upon|on|when|but|and|further|additional|full|fully|multivaria\w+)\b.*\badjust|\badjust\w*\b|\bmultivaria",
    re.IGNORECASE,
)
_SECONDARY = re.compile(r"\bsecondary\b|\bkey secondary\b", re.IGNORECASE)
_WITHIN = re.compile(
    r"\bfrom baseline\b|\bwithin[- ](?:group|subject|arm)|\bpre-? ?(?:to|and)? ?-?post|\bbefore and after\b|\bbetween baseline\b|\bbetween (?:pre|before)|\bfrom (?:pre|before)\b|\bchange in the [\w-]+ group\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\bbetween[- ](?:group|arm|treatment)|\bcompared|\bversus\b|\bvs\b|\bthan\b|\bplacebo\b|\bcontrols?\b|\bgroups\b|\barms\b|\btreatments\b|\brelative to\b|\bdifference in (?:mean )?changes?\b|\bsham\b|\busual care\b|\bfavou?r",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The words that may say what an effect is.

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


@dataclass(frozen=True, slots=True)
class Printed:
    """What roles need to know of an effect beside its words."""

    measure: str
    role_of_measure: str | None
    adjusted: bool | None
    has_interval: bool
    inherited: bool
    surroundings: Surroundings


def roles_of(effects: Sequence[Printed], document: Document) -> list[str]:
    """Return the role of each effect of one sentence, in order."""
    roles: list[str] = []
    for place, effect in enumerate(effects):
        role = _role(effect, document)
        if role == "study" and place and roles[-1] in ("prior", "pooled", "design") and _goes_on(effect):
            role = roles[-1]
        roles.append(role)
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
    clause = f"{around.before} {around.inside} {around.after}"
    if _is_design(effect):
        return "design"
    if _is_prior(around):
        return "prior"
    for role, words in _CLAUSE_ROLES:
        if words.search(clause):
            return role
    if (
        document.review
        or _POOLED.search(f"{around.before} {around.inside}")
        or _POOLED.search(f"{around.after} {around.bracket}")
    ):
        return "pooled"
    if (
        effect.measure in ("MD", "SMD")
        and _WITHIN.search(around.before)
        and not _BETWEEN.search(around.sentence)
    ):
        return "within_group"
    return "secondary" if _SECONDARY.search(around.before) else "study"


def _goes_on(effect: Printed) -> bool:
    """Tell whether an effect continues the list of the one before it."""
    before = effect.surroundings.before
    return not _OWN.search(before) and ";" not in before and len(before.split()) <= 6


def _is_design(effect: Printed) -> bool:
    around = effect.surroundings
    if _DESIGN.search(around.before) and not _OWN_RESULT.search(around.before):
        return True
    if effect.has_interval:
        return False
    return bool(
        _DESIGN.search(around.after) or _THRESHOLD.search(around.before) or _THRESHOLD.search(around.after)
    )


_OWN_RESULT = re.compile(r"\b(?:observed|actual|we found|was found|resulted)\b", re.IGNORECASE)


def _is_prior(around: Surroundings) -> bool:
    if around.section == "background":
        return True
    last = None
    for last in _PRIOR.finditer(around.before):
        pass
    if last is not None:
        return _OWN.search(around.before, last.end()) is None
    following = _PRIOR.search(around.after)
    return following is not None and re.match(r"\W*(?:in|from|by|reported)\b", around.after) is not None


def _mark_crude(effects: Sequence[Printed], roles: list[str]) -> None:
    paired = bool(effects) and _CRUDE_AND_ADJUSTED.search(effects[0].surroundings.before) is not None
    for place, effect in enumerate(effects):
        if roles[place] not in POOLABLE_ROLES:
            continue
        around = effect.surroundings
        if paired:
            roles[place] = "study" if place % 2 else "unadjusted"
        elif effect.adjusted is not True and (effect.adjusted is False or _says_crude(around)):
            roles[place] = "unadjusted"
        elif (
            place + 1 < len(effects)
            and effect.measure == effects[place + 1].measure
            and _is_superseded(effect, effects[place + 1])
        ):
            roles[place] = "unadjusted"


def _says_crude(around: Surroundings) -> bool:
    last = None
    for last in _CRUDE.finditer(around.before):
        pass
    if last is not None and not _ADJUSTED.search(around.before, last.end()):
        return True
    if _BEFORE.search(around.before) and _ADJUSTED.search(around.sentence):
        return True
    return bool(_CRUDE.search(around.inside) or _CRUDE.search(around.after))


def _is_superseded(effect: Printed, following: Printed) -> bool:
    """Tell whether the next effect is the same one after more adjustment."""
    around, then = effect.surroundings, following.surroundings
    more = following.adjusted is True or _ADJUSTED.search(then.before) or _ADJUSTED.search(then.after)
    if not more:
        return False
    if effect.adjusted is True or _ADJUSTED.search(around.before):
        return bool(_LITTLE_ADJUSTED.search(around.before) or _LITTLE_ADJUSTED.search(around.inside))
    return len(then.before.split()) <= 12 and bool(
        _ATTENUATED.search(f"{then.before} {then.inside} {then.after}")
    )


def _mark_subgroups(effects: Sequence[Printed], roles: list[str]) -> None:
    populations = [_population(effect.surroundings) for effect in effects]
    restricted = [bool(population) for population in populations]
    sentence_has_interaction = bool(effects) and bool(_INTERACTION_P.search(effects[0].surroundings.sentence))
    different = len({population for population in populations if population}) > 1
    for place, effect in enumerate(effects):
        if roles[place] not in POOLABLE_ROLES:
            continue
        around = effect.surroundings
        if _SUBGROUP.search(around.before) or _SUBGROUP.search(around.after):
            roles[place] = "subgroup"
        elif restricted[place] and (sentence_has_interaction or different or not all(restricted[:place])):
            roles[place] = "subgroup"


def _population(around: Surroundings) -> str:
    """Return the words that restrict an effect to some of the participants, or ''."""
    found = None
    for found in _POPULATION.finditer(around.before):
        pass
    found = found or _WHO_BESIDE.search(around.before) or _POPULATION.match(around.after.lstrip(" )],"))
    return found.group().lower() if found is not None else ""
