"""Phrases that answer the reporting checks; each rule carries the item and the answer as its labels."""

from __future__ import annotations

from typing import Final

from metarag.design_text import ABSTRACT, BOTH, TextRule, rule
from metarag.types import CheckAnswer

_IN_TITLES: Final = frozenset(
    {
        "blinded", "participants_blinded", "staff_blinded", "assessors_blinded",
        "region_limited", "population_limited",
    }
)  # fmt: skip


def _says(item: str, answer: CheckAnswer, cues: str, pattern: str, **context: str) -> TextRule:
    where = BOTH if item in _IN_TITLES else (ABSTRACT,)
    return rule(cues, pattern, None, 0.0, item, answer.value, where=where, **context)


_YES: Final = CheckAnswer.YES
_NO: Final = CheckAnswer.NO
_UNCLEAR: Final = CheckAnswer.UNCLEAR
_BASES: Final = r"(?:medline|pubmed|embase|cochrane|cinahl|psycinfo|scopus|web of science|central)"
_PEOPLES: Final = (
    "chinese|japanese|korean|indian|iranian|african|african-american|black|caucasian|white"
    "|hispanic|latino|asian"
    "|mexican|brazilian|turkish|egyptian|thai|taiwanese|arab|danish|swedish|finnish|italian|german"
    "|french|dutch"
)

_PARTICIPANTS: Final = "participant|patient|subject|volunteer|women|men|children|parents|families|people"
_STAFF: Final = (
    "clinician|physician|doctor|nurse|surgeon|therapist|caregiver|care provider|staff|personnel|investigator|researcher"
    "|practitioner|operator|anaesthetist|anesthetist"
)
_OPEN: Final = "open~label|open trial|open study"
_NOT_BLINDED: Final = "unblinded|non~blinded|unmasked"


def _of_whom(item: str, people: str) -> tuple[TextRule, ...]:
    """Return the rules that read whether some people were blinded, from words that name them.

    "Double-blind" names nobody: readers and authors take it for different groups (Devereaux 2001, JAMA 285:2000).
    """
    named = rf"(?:{people})s?"
    joined, before = (
        r"(?:,? (?:and|or) (?:the )?\w+|, \w+){0,3} ",
        r"(?:\w+,? (?:and|or) (?:the )?|\w+, ){0,3}",
    )
    unaware = r"(?:blinded|masked|blind to|unaware)\b"
    return (
        _says(
            item, _YES, people,
            rf"{named}{joined}(?:(?:was|were|are|being|remained|both|all) ){{0,2}}{unaware}",
            needs="blind|mask|unaware",
        ),
        _says(
            item, _YES, "blinded|masked|blinding of|masking of",
            rf"(?:blinded|masked|(?:blinding|masking) of) (?:the |all |both )?{before}{named}\b",
            not_after=r"\b(?:(?:not|un|non|nor|never|no|double|single|triple)[- ]?|(?:lack|absence) of |without )",
        ),
        _says(
            item, _NO, people,
            rf"{named}{joined}(?:was|were|could) (?:not|neither) (?:be )?(?:blinded|masked)",
            needs="blinded|masked",
        ),
        _says(
            item, _NO, f"{_OPEN}|{_NOT_BLINDED}",
            rf"(?:{_OPEN}|(?:{_NOT_BLINDED}),? <3>(?:trial|study|design|randomi[sz]ed))",
        ),
        _says(item, _UNCLEAR, "double~blind|double~mask|triple~blind|single~blind|single~mask",
              r"(?:double|triple|single)~(?:blind|mask)"),
    )  # fmt: skip


REPORTING_RULES: Final[tuple[TextRule, ...]] = (
    *_of_whom("participants_blinded", _PARTICIPANTS),
    *_of_whom("staff_blinded", _STAFF),
    _says(
        "randomisation_method",
        _YES,
        "computer|random~number|random number|block|permuted|minimi|stratified|sealed|coin|central|web-based",
        "(?:computer~(?:generated|based|assisted)? <2>random|random~numbers?~? ?tables?"
        "|(?:permuted |variable )?blocks? <1>(?:randomi|of)"
        "|permuted|minimi[sz]ation|stratified <2>randomi|coin toss|central(?:ly"
        "|i[sz]ed)? <2>(?:randomi|allocat)|web-based randomi)",
    ),
    _says(
        "allocation_concealed",
        _YES,
        "allocation|concealed|sealed|central",
        "(?:allocation <2>conceal|concealed <2>(?:allocation|random|envelope)"
        "|sealed,? <2>envelopes?|central(?:ly|i[sz]ed)? <2>(?:randomi|allocat))",
        not_after=r"\b(?:no|without|not|unconcealed|lack of) ",
    ),
    _says(
        "allocation_concealed",
        _NO,
        "unconcealed|no allocation|without allocation|allocation was not",
        r"(?:unconcealed|(?:no|without) allocation conceal|allocation was not conceal)",
    ),
    _says(
        "blinded",
        _YES,
        "double~blind|triple~blind|single~blind|double~mask|blinded|masked|observer~blind"
        "|assessor~blind|investigator~blind|blind to|placebo~controlled",
        "(?:(?:double|triple|single|observer|assessor|investigator)~(?:blind|mask)(?:ed)?|blinded"
        r"|masked|blind to|placebo~controlled)\b",
        not_after=r"\b(?:not|un|non|nor|never|being)~",
    ),
    _says(
        "blinded",
        _NO,
        "open~label|unblinded|non~blinded|not blinded|unmasked|open trial|open study|not masked",
        r"(?:open~label|unblinded|non~blinded|not blinded|unmasked|not masked|open (?:trial|study))",
    ),
    _says(
        "assessors_blinded",
        _YES,
        "assessor|observer|evaluator|outcome|investigator|blinded|masked|blind",
        "(?:(?:assessors?|observers?|evaluators?|investigators?|radiologists?|readers?"
        "|examiners?)~? ?<3>(?:blind|mask|unaware)"
        "|(?:blind|mask)(?:ed)? <2>(?:assessors?|observers?|evaluators?|outcome assess|evaluation"
        "|assessment|adjudicat)"
        r"|outcomes? <3>(?:assess|adjudicat)\w* <4>(?:blind|mask|unaware))",
        not_after=r"\b(?:not|un|non) ",
    ),
    _says(
        "assessors_blinded",
        _UNCLEAR,
        "double~blind|double~mask|triple~blind",
        r"(?:double|triple)~(?:blind|mask)",
    ),
    _says(
        "intention_to_treat",
        _YES,
        "intention~to~treat|intent~to~treat|itt",
        r"(?:(?:modified )?intent(?:ion)?~to~treat|itt)\b",
        not_after=r"\b(?:modified|not|no) ",
    ),
    _says(
        "intention_to_treat", _UNCLEAR, "modified intent|mitt", r"(?:modified intent(?:ion)?~to~treat|mitt)\b"
    ),
    _says(
        "intention_to_treat",
        _NO,
        "per~protocol|on~treatment|completers",
        r"(?:per~protocol|on~treatment|completers?) (?:<1>analys|population)",
    ),
    _says(
        "losses_reported",
        _YES,
        "lost to|loss to|dropped out|drop~out|dropout|withdrew|withdrawn|withdrawal|attrition"
        "|completed the|discontinued|follow~up rate|completed follow|response rate|did not complete"
        "|retention",
        "(?:los[ts] to follow|dropped out|drop~?outs?|withdrew|withdrawn|withdrawals?|attrition"
        "|completed (?:the|follow|all)|discontinued|follow~up rate|response rate|did not complete"
        "|retention)",
        not_after=r"\b(?:after|alcohol|nicotine|opioid|drug|caffeine|treatment|steroid) ",
    ),
    _says(
        "precision_reported",
        _YES,
        "ci |ci,|ci)|ci:|ci=|95%|90%|99%|confidence interval|standard error|credible",
        r"(?:ci\b|9[059]~?% ?(?:ci|confidence|credible)|confidence intervals?|standard errors?"
        "|credible intervals?)",
    ),
    _says(
        "limitations_stated",
        _YES,
        "limitation|limited by|limits of|shortcoming|small sample|underpowered|interpreted with caution",
        "(?:limitations? <1>(?:of|include|is|are|was|were|:|in)|limitations?:|study limitations?"
        "|limited by|shortcomings?|small sample size|underpowered|interpreted with caution)",
        not_after=r"\b(?:functional|activity|airflow|flow|mobility|physical|work|no|joint|motion) ",
    ),
    _says(
        "population_limited",
        _YES,
        "in |among",
        rf"(?:in|among) <2>(?:{_PEOPLES}) <3>(?:patients|adults|women|men|children|population"
        r"|participants|people|individuals|subjects)\b",
        needs_word=_PEOPLES,
    ),
    _says(
        "population_limited",
        _NO,
        "multi~ethnic|ethnically diverse|worldwide|international",
        r"(?:multi~ethnic|ethnically diverse|(?:across|in) <1>(?:\d+|several|many) countries"
        "|worldwide|international,? <3>(?:trial|study))",
    ),
    _says(
        "region_limited",
        _YES,
        "single~cent|one hospital|single hospital|single institution|one cent|one institution|a tertiary",
        r"(?:single~cent(?:er|re)|(?:one|single) (?:hospital|institution|cent(?:er|re))\b"
        "|a tertiary <2>(?:hospital|cent))",
    ),
    _says(
        "region_limited",
        _NO,
        "multi~national|international|countries|multi~cent|worldwide",
        r"(?:multi~national|international|countries|multi~?cent(?:er|re|ric)|worldwide)",
    ),
    _says(
        "limits_explained",
        _YES,
        "generali|applicab|external validity|only apply|may not apply",
        "(?:generali[sz](?:e|ed|able|ability|ation)|applicability|external validity|only apply"
        "|may not apply)",
    ),
    _says(
        "databases_searched",
        _YES,
        "search|medline|pubmed|embase|cochrane|data sources",
        rf"(?:search\w* <12>{_BASES}|{_BASES}\b <12>search|data sources:? <6>{_BASES}"
        rf"|{_BASES},? (?:and |or )?{_BASES})",
    ),
    _says(
        "databases_searched",
        _UNCLEAR,
        "search|literature",
        r"(?:search(?:ed|es)? <4>(?:database|literature)|literature search|databases? <3>search)",
    ),
    _says(
        "studies_counted",
        _YES,
        "studies|trials|rcts|articles|reports|reviews",
        r"(?:studies|trials|rcts|articles|reports|reviews)\b",
        after=r"\b(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen"
        "|fifteen|twenty) (?:[a-z-]+,? ){0,4}",
    ),
    _says(
        "risk_of_bias_assessed",
        _YES,
        "risk of bias|quality assess|methodological quality|newcastle|jadad|quadas|study quality"
        "|quality of the|grade",
        "(?:risk of bias|quality assess|methodological quality|newcastle|jadad|quadas|study quality"
        "|quality of (?:the )?(?:evidence|studies|trials)|grade approach)",
    ),
    _says(
        "heterogeneity_reported",
        _YES,
        "heterogene|i2 |i2=|i2>|i2:|i-squared|inconsistency",
        r"(?:heterogene|i2 ?[=<>(]|i-squared|inconsistency)",
    ),
    _says(
        "heterogeneity_reported",
        _NO,
        "heterogeneity was not|heterogeneity not",
        r"heterogeneity (?:was )?not (?:assess|report)",
    ),
)
