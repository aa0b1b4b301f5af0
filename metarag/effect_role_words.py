"""Words that say that an effect is not simply this study's result: patterns for :mod:`effect_roles`."""

from __future__ import annotations

import re

from metarag.effect_phrases import Phrase, phrase

_STUDIES = (
    r"(?:stud(?:y|ies)|trials?|reports?|meta-?analys[ei]s|reviews?|research|work"
    r"|literature|cohorts?|analys[ei]s"
    r"|findings|estimates?|evidence|data|investigations?|surveys?|registr(?:y|ies)|authors"
    r"|investigators|publications?)"
)
PRIOR = phrase(
    "previous|prior|earlier|past|existing|published|preceding|historical|other|recent|older|"
    "literature|et al|been|trial|study|meta-analysis|review|cohort",
    rf"\b(?:previous|prior|earlier|past|existing|published|preceding|historical|other|recent|older)\s"
    rf"(?:[\w-]{{1,30}}\s){{0,3}}?{_STUDIES}\b"
    r"|\bin the literature\b|\bet al\b|\bpreviously (?:been )?(?:reported|published"
    r"|described|observed|shown|found|linked|estimated)"
    r"|\b(?:has|have|had) been (?:shown|reported|suggested|linked|estimated|associated"
    r"|observed|found|described)"
    r"|\bpublished in\b|\b(?:19|20)\d\d (?:[\w-]{1,30} ){0,2}(?:trial|study|meta-analysis|review|cohort)\b"
    r"|\banother (?:[\w-]{1,30} ){0,2}(?:trial|study|group|cohort)\b"
    r"|\ba (?:large|small|recent|landmark|pivotal|similar|previous|seminal) (?:[\w-]{1,30} ){0,2}"
    r"(?:trial|study|cohort|meta-analysis|review) (?:[\w-]{1,30} ){0,3}(?:reported|found|showed"
    r"|suggested|estimated)",
)
REPORTED = phrase(
    "reported|found|showed|suggested|estimated",
    r"\b(?:study|trial|cohort|investigators|authors?|group|colleagues) (?:[\w-]{1,30}"
    r" ){0,2}(?:reported|found|showed|suggested|estimated)\b",
)
OWN = re.compile(
    r"\b(?:we|our|ours)\b(?! (?:have )?(?:previously|earlier))|\b(?:this|the present|the"
    r" current|present) (?:[\w-]{1,30} ){0,2}"
    r"(?:study|trial|analysis|cohort)|\bhere\b|\bin contrast, |\bposterior\b|\bobserved\b|\bactual\b",
    re.IGNORECASE,
)
POOLED = phrase(
    "meta|pool|network|random-effect|random effect|fixed-effect|fixed effect|i2|i\u00b2|i-squared|"
    "cochrane|review|heterogeneity|summary|combined|integrated|joint|indirect|sucra|trials|studies|"
    "rcts|cohorts|comparisons",
    r"\bmeta-?analy|\bpooling\b|\b(?:we|were|was) pooled\b(?! due)|\bpooled (?:[\w-]{1,30} ){0,2}?(?:analys|estimate"
    r"|odds|ORs?\b|RRs?\b|HRs?\b|MDs?\b|SMDs?\b|RDs?\b|relative|risks?\b|hazard|effect|results?|data|stud|trial|rate"
    r"|mean|weighted|standardi[sz]ed|difference|ratio|summary|incidence|prevalence|adjusted|unadjusted|multivaria)"
    r"|\bnetwork (?:meta|estimate|analys|comparison|odds|hazard|risk)"
    r"|\b(?:random|fixed)[- ]effects?\b(?! (?:logistic|linear|regression|poisson|cox"
    r"|negative))|\bI(?:2|\u00b2|-squared)\b|\bI\u00b2"
    r"|\bcochrane\b(?! (?:risk|Q|tool))"
    r"|\breview (?:found|reported|showed|of (?:[\w-]{1,30} )?(?:trials|studies))\b"
    r"|\bheterogeneity|\bsystematic review|\bsummary (?:odds|relative|risk|hazard|estimate"
    r"|effect|RR|OR|HR|rate|mean|measure|RRs|ORs)"
    r"|\b(?:combined|integrated|joint) (?:analys[ei]s|estimate) of|\bumbrella review"
    r"|\bindirect comparison|\bSUCRA\b"
    r"|\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen"
    r"|twenty) (?:[\w-]{1,30} ){0,4}?"
    r"(?:trials|studies|RCTs|cohorts|comparisons|meta-analyses)\b"
    r"|\b(?:studies|trials|RCTs) ?= ?\d|\bacross (?:all |the )?(?:[\w-]{1,30} ){0,2}(?:trials"
    r"|studies|cohorts)\b|\bcombining (?:the )?(?:[\w-]{1,30} ){0,2}(?:trials|studies)",
)
DESIGN = phrase(
    "to detect|assum|sample size|hypothesi|anticipat|mcid|planned|expected|minim|clinically|target|"
    "power|prior|design|set at|smallest",
    r"\bto detect\b|\bassum(?:ed|es|ing|ption)|\bsample size|\bhypothesi[sz]ed|\banticipat"
    r"|\bMCID\b|\bplanned\b"
    r"|\b(?:an?|the) (?:[\w-]{1,30} )?expected\b|\bexpected (?:hazard|odds|risk|rate|relative"
    r"|effect|HR|OR|RR|difference|mean)"
    r"|\bminim(?:al|um|ally) (?:clinically )?(?:important|relevant|detectable)"
    r"|\bclinically (?:important|relevant|meaningful) (?:difference|effect|change)"
    r"|\btarget(?:ed)? (?:hazard|effect|HR|OR|difference|odds)|\bpower calculation|\bpower"
    r" of\b|\b(?:sceptical|skeptical|enthusiastic|informative) prior"
    r"|\bprior (?:distribution|odds|hazard|OR|HR|RR|for the|on the|mean|median)|\bprior"
    r" was|\bpowered\b|% power\b|\bdesign(?:ed)? (?:to|with|assum)|\bset at\b|\bsmallest"
    r" worthwhile",
)
THRESHOLD = phrase(
    "margin|bounda|boundr|threshold|stopping|criteri|acceptance|prespecified|pre-specified|would|"
    "defined as|if the|maximum|minimum|power|alpha|rule|cut-off|cutoff|limit|bioequivalence",
    r"\bmargin|\bbounda?r(?:y|ies)\b|\bthreshold|\bstopping|\bcriteri(?:on|a)\b"
    r"|\bacceptance|\bprespecified|\bpre-specified|\bwould\b|\bdefined as"
    r"|\bif the|\bmaximum|\bminimum|\bpower\b|\balpha\b|\brule[d]? out|\bcut-?off|\blimit"
    r" of|\bupper limit|\blower limit|\bbioequivalence",
)
CLAUSE_ROLES: tuple[tuple[str, Phrase], ...] = tuple(
    (role, phrase(pieces, words))
    for role, pieces, words in (
        ("retracted", "retract", r"\bretracted\b|\bretraction\b"),
        (
            "negative_control",
            "negative-control|negative control|falsification|control outcome|control exposure|"
            "placebo outcome|placebo endpoint|placebo test",
            r"\bnegative[- ]control|\bfalsification|\bcontrol outcomes?\b|\bcontrol"
            r" exposures?\b|\bplacebo (?:outcome|endpoint|test)",
        ),
        ("diagnostic", "diagnostic ", r"\bdiagnostic (?:odds|OR\b)|\bdiagnostic accuracy"),
        (
            "pharmacovigilance",
            "disproportionality|reporting odds|faers|spontaneous report",
            r"\bdisproportionality|\breporting odds|\bFAERS\b|\bspontaneous report",
        ),
        (
            "interaction",
            "interaction",
            r"\binteraction (?:term|effect|odds|hazard|OR|HR|RR|ratio)|\bmultiplicative"
            r" interaction|\bfor (?:the )?interaction (?:was|of|between)",
        ),
        (
            "per_protocol",
            "per-protocol|per protocol|perprotocol|as-treated|as treated|on-treatment|on treatment|"
            "completer|complier|pp population|pp analysis|pp set|treatment-received|fully adherent",
            r"\bper[- ]?protocol|\bas[- ]treated|\bon[- ]treatment|\bcompleters?\b"
            r"|\bcompliers?\b|\bcomplier average|\bPP (?:population|analysis|set)"
            r"|\btreatment-received|\bfully adherent",
        ),
        (
            "sensitivity",
            "sensitivity analys|complete-case|complete case|exclu|remov|omit|imput|worst|best-case|"
            "best case|tipping|censored|lag",
            r"\bsensitivity analys|\bcomplete[- ]case|\bafter (?:excluding|exclusion"
            r"|removing|removal|omitting|imput|the exclusion)"
            r"|\bmultiple imputation|\bimputed|\bworst[- ]case|\bbest[- ]case|\btipping"
            r"|\bwhen (?:[\w-]{1,30} ){0,4}(?:excluded|removed|omitted|censored)\b"
            r"|\bexcluding\b|\blagged?\b",
        ),
        ("mediation", "direct effect|mediat", r"\bindirect effect|\bdirect effect|\bmediat(?:ed|ion|or)"),
        (
            "modelled",
            "simulat|markov|monte carlo|base case|projected|hypothetical",
            r"\bsimulat|\bmicrosimulation|\bMarkov\b|\bmonte carlo\b|\bbase case"
            r"|\bprojected\b|\bhypothetical",
        ),
        (
            "agreement",
            "rater|observer|methods|readers|devices|instruments|measurements",
            r"\b(?:between|inter-?)\s?(?:raters?|observers?|methods|readers|devices"
            r"|instruments|measurements)\b",
        ),
        ("exploratory", "hoc|exploratory", r"\bpost[- ]?hoc\b|\bexploratory\b"),
        ("interim", "interim", r"\binterim\b"),
        (
            "prognostic_model",
            "risk score|nomogram|prediction model",
            r"\brisk score|\bnomogram|\bprediction model",
        ),
    )
)
SUBGROUP = phrase(
    "subgroup|sub-group|stratum|strata|subset|stratified|confined|restricted",
    r"\bsub-?groups?\b|\bstratum\b|\bstrata\b|\bsubset\b|\bstratified (?:by|analys)"
    r"|\bconfined to\b|\brestricted to\b",
)
SUBGROUP_SENTENCE = re.compile(
    r"\W*(?:in|on|among|from) (?:the |a |our )?(?:[\w-]{1,30} ){0,2}?(?:sub-?group|stratified)s?"
    r" analys[ei]s\b",
    re.IGNORECASE,
)
OVERALL = re.compile(r"\boverall\b|\bwhole (?:population|cohort|group)\b", re.IGNORECASE)
MARKED_IN = re.compile(
    r"\b(?:pronounced|marked|evident|apparent|strong|stronger|strongest|striking|prominent|effective|beneficial"
    r"|greatest|largest|limited|confined) (?:in|for|among|to)\b",
    re.IGNORECASE,
)
_WHO = (
    r"(?:men|women|males?|females?|boys|girls|smokers|non-?smokers|never[- ]smokers"
    r"|ex-?smokers|drinkers|white|black|whites|blacks|asians?|hispanics?"
    r"|caucasians|premenopausal|postmenopausal|diabetics|non-?diabetics|elderly"
    r"|adolescents|multiparous|nulliparous|carriers|non-?carriers|obese|younger|older)"
)
_PEOPLE = (
    r"(?:patients|those|participants|people|individuals|subjects|children|adults|persons"
    r"|infants|tumou?rs|cases|users|women|men|mothers|the)"
)
POPULATION = re.compile(
    rf"\b(?:in|among|for|within|of) (?:the )?(?:[\w-]{{1,30}} ){{0,2}}?{_WHO}\b"
    rf"|\b(?:in|among|for|within) (?:the )?(?:[\w-]{{1,30}} ){{0,3}}?{_PEOPLE} (?:aged|with"
    rf"|without|who|whose|younger|older|under|over|at (?:high|low)|not|taking|having|\u2265"
    rf"|>|<|\u2264)"
    r"|\b(?:aged|age) (?:\u2265|\u2264|<|>|under|over|\d)|\b(?:\u2265|\u2264|<|>) ?\d+ (?:years|y)\b"
    r"|\b[\w-]{1,30}-(?:positive|negative|mutant|mutated)\b|\bwild-type\b",
    re.IGNORECASE,
)
WHO_BESIDE = re.compile(rf"\b{_WHO}\W{{0,4}}$", re.IGNORECASE)
INTERACTION_P = phrase(
    "interaction|heterogeneity|difference between subgroups|effect modification",
    r"\bP\W{0,3}(?:[a-z]+ ){0,3}(?:for |value )?\(?(?:the )?(?:interaction|heterogeneity"
    r"|difference between subgroups|effect modification)|\binteraction P\b|\bpinteraction",
)
CRUDE = phrase(
    "crude|unadjusted|univaria|adjust|bivariate|model",
    r"\bcrude\b|\bunadjusted\b|\bunivaria(?:te|ble)\b|\bbefore (?:any )?adjust|\bwithout"
    r" adjust|\bbivariate\b|\bnot adjusted\b|\bmodel (?:1|one|I)\b",
)
CRUDE_AND_ADJUSTED = phrase(
    "crude|unadjusted|univaria",
    r"\b(?:crude|unadjusted|univaria(?:te|ble)) and (?:[\w-]{1,30} )?(?:adjusted|multivaria(?:te|ble))",
)
LITTLE_ADJUSTED = phrase(
    "adjust",
    r"\b(?:age|sex|age-? ?(?:and|/|,) ?sex|minimally|partially|partly|basic|basically)[-"
    r" ]adjusted\b|\badjust(?:ed|ing|ment) (?:only )?for age(?: and sex)?\b(?! ?,)",
)
ADJUSTED = phrase(
    "adjust|multivaria|model|attenuat|controll|propensity",
    r"\badjust|\bmultivaria|\bmodel (?:2|3|4|two|three|II)\b|\battenuat|\bcontrolling\b"
    r"|\bcontrolled for\b|\bpropensity",
)
ADJUSTED_BEHIND = re.compile(
    r"\W*(?!in (?:all |the )?(?:analys[ei]s|models))(?:[\w-]{1,30} ){0,3}?(?:adjust|multivaria|attenuat|controlling)",
    re.IGNORECASE,
)
REPLICATED = re.compile(r"\b(?:replicat|confirm|validat)\w*", re.IGNORECASE)
BEFORE = phrase("before", r"\bbefore\W*$")
FROM = phrase("from", r"\bfrom (?:an? |the )?\W*$")
ATTENUATED = phrase(
    "attenuat|adjust|multivaria",
    r"\battenuat|\b(?:after|with|following|upon|on|when|but|and|further|additional|full"
    r"|fully|multivaria\w+)\b.*\badjust|\badjust\w*\b|\bmultivaria",
)
SECONDARY = phrase("secondary", r"\bsecondary\b|\bkey secondary\b")
WITHIN = re.compile(
    r"\bfrom baseline\b|\bwithin[- ](?:group|subject|arm)|\bpre-? ?(?:to|and)? ?-?post"
    r"|\bbefore and after\b|\bbetween baseline\b|\bbetween (?:pre|before)|\bfrom (?:pre"
    r"|before)\b|\bchange in the [\w-]{1,30} group\b",
    re.IGNORECASE,
)
TO_BASELINE = phrase(
    "baseline|pretest|pre-test|preintervention|pre-intervention|pretreatment|pre-treatment",
    r"\b(?:relative|compared|comparing|versus|vs\.?)(?: (?:to|with))? (?:the )?(?:baseline|pre-?(?:test|intervention"
    r"|treatment))\b",
)
BETWEEN = re.compile(
    r"\bbetween[- ](?:group|arm|treatment)|\bcompared|\bversus\b|\bvs\b|\bthan\b"
    r"|\bplacebo\b|\bcontrols?\b|\bgroups\b|\barms\b|\btreatments\b|\brelative to\b"
    r"|\bdifference in (?:mean )?changes?\b|\bsham\b|\busual care\b|\bfavou?r",
    re.IGNORECASE,
)
