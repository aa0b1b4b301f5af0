"""Phrases of observational, diagnostic, prognostic, qualitative and modelling studies.

Trials and reviews use the same words ("a cohort of patients in this trial"), so these rules only speak
for themselves; the order of precedence decides.
"""

from __future__ import annotations

from typing import Final

from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

_SEARCH = (
    r"\b(?:we searched|search(?:es|ing)? (?:of|for|strategy)|inclusion criteria|studies (?:that|which|were)"
    r"|(?:cohort|control|sectional),? <3>studies)\b"
)

OBSERVATIONAL: Final[tuple[TextRule, ...]] = (
    rule(
        "cohort",
        r"cohort (?:study|analysis|studies)\b|cohort\b",
        D.COHORT,
        0.75,
        where=(TITLE,),
        unless=r"\breview|meta~analys",
    ),
    rule(
        "cohort",
        r"(?:cohort (?:study|analysis|design|data)|<1>cohort)\b",
        D.COHORT,
        0.75,
        where=(ABSTRACT,),
        after=r"\b(?:prospective|retrospective|historical|observational|population~based|birth|inception"
        r"|longitudinal|multicent\w+|matched|nationwide|this|community-based) (?:\w+ ){0,2}",
        unless=_SEARCH,
    ),
    rule("cohort", r"cohort(?: study| analysis| of)\b", D.COHORT, 0.50, where=(ABSTRACT,), unless=_SEARCH),
    rule(
        "prospective",
        r"prospective(?:ly)?,? <4>(?:cohort|observational|follow|longitudinal)",
        D.OBSERVATIONAL,
        0.50,
        "prospective",
        unless=_SEARCH,
    ),
    rule(
        "prospective",
        r"prospective,? <3>(?:study|evaluation|survey)\b",
        D.OBSERVATIONAL,
        0.35,
        "prospective",
        unless=_SEARCH,
    ),
    rule(
        "longitudinal|follow~up study|observational",
        r"(?:longitudinal|follow~up|observational),? <3>(?:study|cohort|analysis|data)\b",
        D.OBSERVATIONAL,
        0.55,
        unless=_SEARCH,
    ),
    rule(
        "retrospective",
        r"retrospective(?:ly)?\b",
        D.OBSERVATIONAL,
        0.65,
        "retrospective",
        unless=_SEARCH,
    ),
    rule(
        "medical record|charts|chart review|records of|case notes|hospital records|claims data"
        "|administrative data|database",
        r"(?:(?:medical |hospital )?(?:records?|charts|case notes)(?: of)?\b|chart review"
        "|claims data|administrative data|(?:insurance|national|health) <2>database)",
        D.OBSERVATIONAL,
        0.50,
        where=(ABSTRACT,),
        unless=_SEARCH,
    ),
    rule(
        "population~based|propensity",
        r"(?:population~based|propensity~(?:score|matched))",
        D.OBSERVATIONAL,
        0.45,
        unless=_SEARCH + r"|trial",
    ),
    rule(
        "nested case~control|nested-case", r"nested~case~control", D.NESTED_CASE_CONTROL, 0.88, unless=_SEARCH
    ),
    rule(
        "case~cohort",
        r"case~cohort (?:study|design|analysis)",
        D.NESTED_CASE_CONTROL,
        0.75,
        "case_cohort",
        unless=_SEARCH,
    ),
    rule(
        "case~control|case~referent|case~crossover",
        "case~(?:control(?:led)?|referent|cross~over),? <2>(?:study|design|analysis|investigation"
        r"|data|comparison)\b",
        D.CASE_CONTROL,
        0.85,
        unless=_SEARCH,
    ),
    rule(
        "cases|incident cases|cases and",
        r"cases <6>(?:and|were compared with|compared with|with|to) <5>(?:matched )?controls\b",
        D.CASE_CONTROL,
        0.55,
        where=(ABSTRACT,),
        unless=_SEARCH,
    ),
    rule(
        "cross~sectional",
        r"cross~sectional,? <4>(?:study|survey|analysis|design|data|sample|investigation)",
        D.CROSS_SECTIONAL,
        0.82,
        unless=_SEARCH,
    ),
    rule(
        "survey|questionnaire",
        "(?:survey of|questionnaire survey|(?:postal|mail|online|web|national|telephone"
        r"|cross)~? ?(?:survey)|survey\b)",
        D.CROSS_SECTIONAL,
        0.55,
        where=(TITLE,),
    ),
    rule(
        "survey|questionnaire|prevalence",
        "(?:survey(?:ed|s)? <3>(?:of|was|were|completed|among|conducted)|questionnaires? <3>(?:was"
        "|were) <2>(?:sent|mailed|distributed|completed|administered)|prevalence study)",
        D.CROSS_SECTIONAL,
        0.45,
        where=(ABSTRACT,),
        unless=_SEARCH,
    ),
    rule("interrupted time", r"interrupted time~series", D.INTERRUPTED_TIME_SERIES, 0.88, unless=_SEARCH),
    rule(
        "time~series",
        r"time~series (?:analysis|study|design)",
        D.INTERRUPTED_TIME_SERIES,
        0.50,
        where=(TITLE,),
    ),
    rule(
        "before~and~after|before~after|pre~post|pre~test|pre~intervention|historical control",
        "(?:before~(?:and~)?after,? <2>(?:study|design|trial|comparison|evaluation|analysis)"
        "|pre~(?:post|test) ?(?:/|~and~|and)? ?(?:post~?test)? <2>(?:study|design|intervention"
        "|evaluation)|historical controls?)",
        D.BEFORE_AFTER,
        0.75,
        unless=_SEARCH,
    ),
    rule(
        "registry|registries|register",
        r"(?:(?:from|in|of) )?(?:registry|registries|register)\b",
        D.REGISTRY,
        0.50,
        where=(TITLE,),
        unless=r"\btrial",
    ),
    rule(
        "registry|registries|register",
        r"(?:registry|registries|register)\b",
        D.REGISTRY,
        0.55,
        where=(ABSTRACT,),
        after=r"\b(?:from|using|in|of|through|linked) (?:the|an?|our|two|three|national) <5>",
        unless=_SEARCH + r"|\b(?:trials? regist|clinical trial|cochrane|central)",
    ),
    rule(
        "case~series|consecutive case",
        r"case~series|consecutive cases",
        D.CASE_SERIES,
        0.75,
        unless=_SEARCH + r"|systematic",
    ),
    rule("series of", r"series of <3>(?:patients|cases)\b", D.CASE_SERIES, 0.55, unless=_SEARCH),
    rule(
        "consecutive",
        r"consecutive (?:patients|cases|series|adults|children|women|men|subjects)",
        D.OBSERVATIONAL,
        0.35,
        where=(ABSTRACT,),
    ),
    rule(
        "mendelian",
        r"mendelian randomi[sz]ation",
        D.MENDELIAN_RANDOMIZATION,
        0.93,
        where=(TITLE,),
        unless=r"\breview of|\bmethods for|\bguide\b",
    ),
    rule(
        "mendelian",
        r"mendelian randomi[sz]ation",
        D.MENDELIAN_RANDOMIZATION,
        0.75,
        where=(ABSTRACT,),
        unless=r"\b(?:previous|recent|future|needed|further)\b",
    ),
)

OBSERVATIONAL_LABELS: Final[tuple[TextRule, ...]] = (
    rule("prospective", r"prospective(?:ly)?\b", None, 0, "prospective"),
    rule("inception cohort|newly diagnosed cohort", r".", None, 0, "inception"),
    rule(
        "random|probability sample",
        r"(?:random(?:ly)? (?:<1>)?(?:sampl|selected)|probability sample)",
        None,
        0,
        "random_sample",
    ),
    rule("census", r"census\b", None, 0, "census"),
    rule(
        "historical control|historically controlled",
        r"historical(?:ly)? control",
        None,
        0,
        "historical_control",
    ),
    rule("population~based|nationwide", r".", None, 0, "population_based"),
)

OTHER_STUDIES: Final[tuple[TextRule, ...]] = (
    rule(
        "diagnostic accuracy|diagnostic performance|diagnostic value|accuracy of"
        "|sensitivity and specificity|test accuracy|validity of",
        "(?:diagnostic (?:<1>)?(?:accuracy|performance|value)|test accuracy|accuracy of"
        "|sensitivity and specificity|validity of)",
        D.DIAGNOSTIC_ACCURACY,
        0.70,
        where=(TITLE,),
        unless=r"\breview|meta~analys",
    ),
    rule(
        "diagnostic accuracy|sensitivity|reference standard|gold standard|area under",
        "(?:diagnostic accuracy|sensitivity,? <4>specificity|reference standard|(?:positive"
        "|negative) predictive value|area under the <4>curve)",
        D.DIAGNOSTIC_ACCURACY,
        0.50,
        where=(ABSTRACT,),
        unless=_SEARCH,
    ),
    rule(
        "prognostic|predictors of|prediction model|risk score|prediction rule|risk prediction|prognosis of",
        "(?:prognostic (?:<1>)?(?:factors?|value|model|significance|score|index|role|impact|marker)"
        "|predictors of|(?:risk )?prediction (?:model|rule|score)|risk score|prognosis of)",
        D.PROGNOSTIC,
        0.60,
        where=(TITLE,),
        unless=r"\breview|meta~analys",
    ),
    rule(
        "prognostic|independent predictor|prediction model|predictors of",
        "(?:prognostic (?:<1>)?(?:factors?|value|model|significance)|independent predictors? of"
        "|prediction model)",
        D.PROGNOSTIC,
        0.40,
        where=(ABSTRACT,),
    ),
    rule(
        "qualitative|focus group|semi~structured|thematic analysis|grounded theory|phenomenolog"
        "|ethnograph|in~depth interview",
        "(?:qualitative,? <3>(?:study|research|interview|approach|design|method|analysis"
        "|descriptive|exploration|data)|focus groups?"
        "|semi~structured (?:<2>)interview|thematic analysis|grounded theory|phenomenological"
        "|ethnograph|in~depth interview)",
        D.QUALITATIVE,
        0.72,
        unless=_SEARCH,
    ),
    rule(
        "markov|decision~analy|cost~effectiveness|microsimulation|simulation model"
        "|mathematical model|modelling study|modeling study"
        "|decision model|dynamic model|computer simulation|budget impact|transmission model",
        "(?:markov (?:<1>)?model|decision~analy(?:tic|sis)|microsimulation|simulation model"
        "|mathematical model|model+ing study|decision model"
        r"|dynamic model|computer simulation|budget impact|transmission model)",
        D.MODELLING,
        0.70,
        unless=r"\breview",
    ),
    rule(
        "cost~effectiveness|cost~utility|economic evaluation",
        r"(?:cost~(?:effectiveness|utility)|economic evaluation)",
        None,
        0,
        "economic_evaluation",
    ),
)
