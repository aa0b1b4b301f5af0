"""Phrases of case reports, communications, notices, digests and protocols."""

from __future__ import annotations

from typing import Final

from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

_PERSON = (
    "(?:woman|man|girl|boy|female|male|patient|child|infant|lady|gentleman|infants?|neonate|newborn"
    "|adolescent"
    "|caucasian|white|black|african|asian|chinese|japanese|indian|hispanic|primigravida"
    "|multigravida|baby|farmer|worker|athlete|mother|person|adult|teenager|smoker|diver|pilot"
    "|student)"
)

# Nothing but brackets may stand before: the phrase must open the title.
_SOMETHING = r"\w.{0,69}"

_FEW = r"(?:an?|one|this|our|another|1|the first)"

_SEARCH = (
    r"\b(?:we searched|search(?:es|ing)? (?:of|for|strategy)|inclusion criteria|were included|eligible"
    r"|medline|pubmed)\b"
)

CASES: Final[tuple[TextRule, ...]] = (
    rule(
        "case report|case study|a case|report of|case presentation|case:|clinical case|two cases"
        "|three cases|unusual case|rare case",
        r"(?:case (?:report|presentation)s?\b|case study|a (?:<2>)case\b(?!~?(?:control|referent"
        r"|cohort|cross|based|comparison|definition|management|mix|for\b|against))|report of (?:an?"
        "|one|two|three|four|2|3|4|the first) <3>(?:case|patient)"
        r"|case:|clinical case(?!s)|(?:two|three|unusual|rare) <2>cases?)",
        D.CASE_REPORT,
        0.88,
        where=(TITLE,),
        unless=r"\b(?:systematic|case (?:studies|control|series|management|definition)|reports of"
        "|case reports of|trial|survey|qualitative|the case (?:for|against))",
    ),
    rule(
        "a |an |in |two |three |one |the ",
        r"(?:an?|in an?|two|three|one|the) <2>\d{1,3}~?(?:year|month|week|day)s?~?olds?\b",
        D.CASE_REPORT,
        0.80,
        where=(TITLE,),
        needs="old",
    ),
    rule(
        "we report|we describe|we present|we encountered|we experienced|we herein|we here|i report"
        "|i describe|authors report|authors describe"
        "|authors present|here we|here, we|is reported|is described|is presented|reporting"
        "|this report describes|this paper reports|this article describes"
        "|report on|this article presents|this paper presents|describes the case|presents the case"
        "|this case report|this report presents|reports the case",
        "(?:(?:we|i|authors|here,? we|we here(?:in)?) <2>(?:report|describe|present|encountered"
        rf"|experienced|observed|treated)(?:ed|s)? <2>(?:{_FEW} <6>(?:case|patient|{_PERSON}|family"
        "|kindred)|the <4>case|(?:two|three|four|2|3|4) <6>(?:cases|patients|infants|children"
        r"|siblings|families|brothers|sisters|twins))\b"
        "|(?:this|these) (?:report|paper|article)s? <1>(?:describes|presents|reports"
        rf"|illustrates) {_FEW} <7>(?:cases?|patients?|{_PERSON})\b"
        r"|(?:describes|presents|reports) the case\b|this case report\b)",
        D.CASE_REPORT,
        0.80,
        where=(ABSTRACT,),
        unless=r"\b(?:series of|trial|control(?:s|led)?\b|cohort|randomi|case (?:control|definition"
        "|management))|" + _SEARCH,
    ),
    rule(
        "case|patient|infant|children|siblings|brothers|sisters",
        r"(?:cases?|patients?|infants?|children|siblings|brothers|sisters)\b <18>(?:is|are|was"
        r"|were) <1>(?:reported|described|presented)\b",
        D.CASE_REPORT,
        0.65,
        where=(ABSTRACT,),
        needs_word="reported|described|presented",
        after=r"\b(?:a|an|one|two|three|four|this|our|first|rare|unusual) <2>",
        unless=r"\b(?:series of|trial|controls?|cohort|randomi)\b|" + _SEARCH,
    ),
    rule(
        "case report:|case presentation|case:|clinical presentation|patient concerns"
        "|case description|case summary|case history|case 1|case report|clinical case|patient:",
        r"(?:case (?:report|presentation|description|summary|history)(?:s\b| and|:|\b)|case(?: 1)?:"
        r"|case 1\b|clinical (?:presentation|case)(?: and intervention)?:|patient concerns|patient:)",
        D.CASE_REPORT,
        0.78,
        where=(ABSTRACT,),
        unless=_SEARCH + r"|\b(?:case reports (?:of|and|have|on)"
        r"|few case reports|previous case|only case reports|controlled)",
    ),
    rule(
        "a |an |the ",
        "(?:an?|the) (?:previously |otherwise |healthy |young |male |female "
        rf"|caucasian )*\d{{1,3}}~?(?:year|month|week|day)s?~?old,? <3>{_PERSON}\b",
        D.CASE_REPORT,
        0.78,
        where=(ABSTRACT,),
        needs="old",
        unless=r"\b(?:trial|randomi|vignette|hypothetical|mice|rats)\b",
    ),
    rule(
        "our patient|our case|in this case|the present case|this patient|the patient|this case|her "
        "|his |a patient who|a patient whose|a patient in whom|patient developed|the infant"
        "|the child",
        r"(?:our (?:patient|case)\b(?! series)|the present case|this (?:patient|case) (?:is|was|had"
        "|report|illustrat|demonstrat|highlight|suggest|show|emphasi|presented|developed"
        r"|received)\w{0,5}|the (?:patient|infant|child) (?:was|had|died|underwent|presented"
        "|developed|recovered|made|received|lost|remained|is|has|suffered|showed|chiefly)"
        "|(?:her|his) (?:symptoms|condition|neurolog|medical|past|family|clinical|initial|brain"
        r"|chest)|a patient (?:who|whose|in whom))\b(?!-)",
        D.CASE_REPORT,
        0.55,
        where=(ABSTRACT,),
        unless=r"\b(?:trial|randomi|controls|questionnaire|survey|each patient|physician|doctor)\b",
    ),
    rule(
        "two|three|four|one|a ",
        "(?:(?:two|three|four|2|3|4) <2>(?:patients|cases|children|infants|siblings|women|men)"
        r"|(?:one|a) (?:patient|case|child|infant))\b",
        D.CASE_REPORT,
        0.40,
        where=(ABSTRACT,),
        after=r"\b(?:in|of|saw|by|from|to|used|with|observed|had|treated|encountered) (?:the )?",
        unless=r"\b(?:trial|randomi|controls|cohort|questionnaire|survey|group|groups|withdr|died|developed"
        r"|experienced|discontinued|events?)\b|%|" + _SEARCH,
    ),
    rule(
        "five|six|seven|eight|nine|ten|eleven|twelve",
        "(?:five|six|seven|eight|nine|ten|eleven|twelve) <3>(?:patients|cases|children|infants"
        r"|women|men)\b <14>(?:(?:is|are|were) <1>(?:described|reported|presented|reviewed)|(?:is"
        "|are) the subjects?)",
        D.CASE_SERIES,
        0.65,
        where=(ABSTRACT,),
    ),
    rule(
        "we report|we describe|we present|are reported|were reviewed|report of|are described",
        "(?:we (?:report|describe|present) <3>(?:five|six|seven|eight|nine|ten|eleven|twelve|[5-9]"
        r"|[1-9]\d) <3>(?:cases|patients|children|infants|women|men)\b"
        r"|report of (?:five|six|seven|eight|nine|ten|[5-9]|[1-9]\d) <2>cases)",
        D.CASE_SERIES,
        0.72,
        unless=r"\b(?:trial|controls|cohort|randomi)\b",
    ),
)

OF_REVIEW: Final = "of_review"
"""Label: the protocol is one of a review."""

COMMUNICATIONS: Final[tuple[TextRule, ...]] = (
    rule("editorial", r"editorial(?::|$|\b <2>comment)", D.EDITORIAL, 0.90, where=(TITLE,)),
    rule("this editorial", r".", D.EDITORIAL, 0.80, where=(ABSTRACT,)),
    rule(
        "comment on|commentary|comments on|invited comment|in response to|response to|reply|re:"
        "|author's reply|authors' reply|in reply",
        r"(?:comment(?:s|ary)? on\b|(?:invited )?commentary(?::|$|\.)|invited comment"
        r"|(?:author'?s'? |authors' )?(?:reply|response)(?: to (?:the|dr|letter|comment)|:|$|\.)"
        "|in reply|re:|in response to)",
        D.COMMENT,
        0.80,
        where=(TITLE,),
        not_after=_SOMETHING,
    ),
    rule("this commentary|in this commentary|this comment", r".", D.COMMENT, 0.75, where=(ABSTRACT,)),
    rule(
        "commentary|abstracted from|original article abstracted|source citation|article reviewed"
        "|clinical impact ratings|a critical appraisal of|journal club"
        "|summary of the evidence|study synopsis",
        "(?:commentary(?::|s:)|abstracted from|original article abstracted|source citation"
        "|article reviewed|clinical impact ratings|a critical appraisal of <6>(?:trial|study)"
        "|journal club)",
        D.COMMENT,
        0.85,
        "digest",
        not_after=r"\b(?:see|related|editorial|accompanying) (?:\w+ ){0,2}",
    ),
    rule(
        "letter to the editor|letter:|correspondence",
        r"(?:letter to the editor|letter:|correspondence(?::|$|\.))",
        D.LETTER,
        0.80,
        "letter",
        where=(TITLE,),
    ),
    rule(
        "news|in brief",
        r"(?:news(?::| from| in brief|$)|in brief)",
        D.NEWS,
        0.70,
        where=(TITLE,),
        unless=r"\b(?:breaking bad|bad) news|news media|news coverage",
    ),
    rule(
        "corrigendum|erratum|correction|author correction|publisher correction",
        r"(?:corrigendum|erratum|(?:author |publisher )?correction(?: to)?(?::|$|\.))",
        D.ERRATUM,
        0.92,
        where=(TITLE,),
    ),
    rule(
        "retraction|notice of|expression of concern|statement of retraction|editorial expression"
        "|withdrawal|retraction note",
        r"(?:retraction(?: note| notice)?(?::| of:?|$|\.)|notice of (?:retraction|redundant"
        "|withdrawal)|statement of retraction|(?:editorial )?expression of concern(?::|$| on| for"
        "| about))",
        D.NOTICE,
        0.92,
        where=(TITLE,),
        not_after=_SOMETHING,
    ),
)

WITHDRAWALS: Final[tuple[TextRule, ...]] = (
    rule("withdrawn", r"withdrawn:", D.NOTICE, 0.85, "withdrawn", where=(TITLE,), not_after=_SOMETHING),
)

PROTOCOLS: Final[tuple[TextRule, ...]] = (
    rule(
        "protocol",
        r"protocol (?:for|of|to) <5>(?:review|meta~analysis)\b",
        None,
        0,
        OF_REVIEW,
    ),
    rule(
        "systematic review|scoping review|meta~analysis|umbrella review",
        r"(?:(?:systematic|scoping|umbrella) review|meta~analysis)\b.{0,80}\bprotocol\b",
        None,
        0,
        OF_REVIEW,
    ),
    rule(
        "study protocol|trial protocol|protocol for|protocol of|a protocol|protocol|protocol paper"
        "|rationale|design and|design of the|design of a",
        r"(?:(?:study|trial|review|research) protocol|protocol (?:for|of) (?:an?|the)\b|a protocol\b"
        "|protocol$|protocol:|protocol paper|rationale,? (?:and |study )?<2>design"
        "|design and (?:rationale|methods|baseline|protocol)|(?:design|methods) of (?:the"
        r"|an?) <7>(?:trial|study)\b)",
        D.PROTOCOL,
        0.88,
        where=(TITLE,),
        unless=r"\b(?:treatment protocol|results of|implementation of|per~protocol|effect of an?"
        "|using a protocol|protocol-driven|evaluation of a protocol|after <3>(?:a|an|the"
        r"|new) <2>protocol)\b",
    ),
    rule(
        "this protocol|this paper describes|this article describes|we describe the"
        "|this study protocol|describes the design|describes the rationale|this trial will"
        "|this study will|the study will|the trial will"
        "|the protocol of|we will|will be",
        r"(?:this (?:study )?protocol\b|(?:paper|article) describes the <4>(?:protocol|design"
        "|rationale|methods)|we describe the <2>(?:protocol|design|rationale)"
        "|describes the (?:design|rationale)"
        "|(?:this|the) <3>(?:trial|study) will (?:be|assess|evaluate|compare|include|recruit"
        "|determine|investigate|enrol|test|examine)|the protocol of|we will (?:search|conduct"
        "|include|recruit|randomi|enrol|assess|compare|perform)"
        "|will be <2>(?:randomi[sz]|recruited|allocated|enrolled|assigned|invited|searched"
        "|collected|measured at|assessed (?:at|by)|screened|analy[sz]ed (?:by|using)|conducted))",
        D.PROTOCOL,
        0.65,
        where=(ABSTRACT,),
        unless=r"\b(?:future|need|should)\b",
    ),
)
