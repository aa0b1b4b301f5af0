"""Words that say that an effect is not simply this study's result: patterns for :mod:`effect_roles`."""

from __future__ import annotations

import re

from metarag.effect_phrases import LowerPhrase, lower_phrase

_STUDIES = (
    r"(?:stud(?:y|ies)|trials?|reports?|meta-?analys[ei]s|reviews?|research|work"
    r"|literature|cohorts?|analys[ei]s"
    r"|findings|estimates?|evidence|data|investigations?|surveys?|registr(?:y|ies)|authors"
    r"|investigators|publications?)"
)
PRIOR = lower_phrase(
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
REPORTED = lower_phrase(
    "reported|found|showed|suggested|estimated",
    r"\b(?:study|trial|cohort|investigators|authors?|group|colleagues) (?:[\w-]{1,30}"
    r" ){0,2}(?:reported|found|showed|suggested|estimated)\b",
)
OWN = re.compile(
    r"\b(?:we|our|ours)\b(?! (?:have )?(?:previously|earlier))|\b(?:this|the present|the"
    r" current|present) (?:[\w-]{1,30} ){0,2}"
    r"(?:study|trial|analysis|cohort)|\bhere\b|\bin contrast, |\bposterior\b|\bobserved\b|\bactual\b",
)
POOLED = lower_phrase(
    "meta|pool|network|random-effect|random effect|fixed-effect|fixed effect|i2|i\u00b2|i-squared|"
    "cochrane|review|heterogeneity|summary|combined|integrated|joint|indirect|sucra|trials|studies|"
    "rcts|cohorts|comparisons",
    r"\bmeta-?analy|\bpooling\b|\b(?:we|were|was) pooled\b(?! due)|\bpooled (?:[\w-]{1,30} ){0,2}?(?:analys|estimate"
    r"|odds|ors?\b|rrs?\b|hrs?\b|mds?\b|smds?\b|rds?\b|relative|risks?\b|hazard|effect|results?|data|stud|trial|rate"
    r"|mean|weighted|standardi[sz]ed|difference|ratio|summary|incidence|prevalence|adjusted|unadjusted|multivaria)"
    r"|\bnetwork (?:meta|estimate|analys|comparison|odds|hazard|risk)"
    r"|\b(?:random|fixed)[- ]effects?\b(?! (?:logistic|linear|regression|poisson|cox"
    r"|negative))|\bi(?:2|\u00b2|-squared)\b|\bi\u00b2"
    r"|\bcochrane\b(?! (?:risk|q|tool))"
    r"|\breview (?:found|reported|showed|of (?:[\w-]{1,30} )?(?:trials|studies))\b"
    r"|\bheterogeneity|\bsystematic review|\bsummary (?:odds|relative|risk|hazard|estimate"
    r"|effect|rr|or|hr|rate|mean|measure|rrs|ors)"
    r"|\b(?:combined|integrated|joint) (?:analys[ei]s|estimate) of|\bumbrella review"
    r"|\bindirect comparison|\bsucra\b"
    r"|\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen"
    r"|twenty) (?:[\w-]{1,30} ){0,4}?"
    r"(?:trials|studies|rcts|cohorts|comparisons|meta-analyses)\b"
    r"|\b(?:studies|trials|rcts) ?= ?\d|\bacross (?:all |the )?(?:[\w-]{1,30} ){0,2}(?:trials"
    r"|studies|cohorts)\b|\bcombining (?:the )?(?:[\w-]{1,30} ){0,2}(?:trials|studies)",
)
DESIGN = lower_phrase(
    "to detect|assum|sample size|hypothesi|anticipat|mcid|planned|expected|minim|clinically|target|"
    "power|prior|design|set at|smallest",
    r"\bto detect\b|\bassum(?:ed|es|ing|ption)|\bsample size|\bhypothesi[sz]ed|\banticipat"
    r"|\bmcid\b|\bplanned\b"
    r"|\b(?:an?|the) (?:[\w-]{1,30} )?expected\b|\bexpected (?:hazard|odds|risk|rate|relative"
    r"|effect|hr|or|rr|difference|mean)"
    r"|\bminim(?:al|um|ally) (?:clinically )?(?:important|relevant|detectable)"
    r"|\bclinically (?:important|relevant|meaningful) (?:difference|effect|change)"
    r"|\btarget(?:ed)? (?:hazard|effect|hr|or|difference|odds)|\bpower calculation|\bpower"
    r" of\b|\b(?:sceptical|skeptical|enthusiastic|informative) prior"
    r"|\bprior (?:distribution|odds|hazard|or|hr|rr|for the|on the|mean|median)|\bprior"
    r" was|\bpowered\b|% power\b|\bdesign(?:ed)? (?:to|with|assum)|\bset at\b|\bsmallest"
    r" worthwhile",
)
THRESHOLD = lower_phrase(
    "margin|bounda|boundr|threshold|stopping|criteri|acceptance|prespecified|pre-specified|would|"
    "defined as|if the|maximum|minimum|power|alpha|rule|cut-off|cutoff|limit|bioequivalence",
    r"\bmargin|\bbounda?r(?:y|ies)\b|\bthreshold|\bstopping|\bcriteri(?:on|a)\b"
    r"|\bacceptance|\bprespecified|\bpre-specified|\bwould\b|\bdefined as"
    r"|\bif the|\bmaximum|\bminimum|\bpower\b|\balpha\b|\brule[d]? out|\bcut-?off|\blimit"
    r" of|\bupper limit|\blower limit|\bbioequivalence",
)
CLAUSE_ROLES: tuple[tuple[str, LowerPhrase], ...] = tuple(
    (role, lower_phrase(pieces, words))
    for role, pieces, words in (
        ("retracted", "retract", r"\bretracted\b|\bretraction\b"),
        (
            "negative_control",
            "negative-control|negative control|falsification|control outcome|control exposure|"
            "placebo outcome|placebo endpoint|placebo test",
            r"\bnegative[- ]control|\bfalsification|\bcontrol outcomes?\b|\bcontrol"
            r" exposures?\b|\bplacebo (?:outcome|endpoint|test)",
        ),
        ("diagnostic", "diagnostic ", r"\bdiagnostic (?:odds|or\b)|\bdiagnostic accuracy"),
        (
            "pharmacovigilance",
            "disproportionality|reporting odds|faers|spontaneous report",
            r"\bdisproportionality|\breporting odds|\bfaers\b|\bspontaneous report",
        ),
        (
            "interaction",
            "interaction",
            r"\binteraction (?:term|effect|odds|hazard|or|hr|rr|ratio)|\bmultiplicative"
            r" interaction|\bfor (?:the )?interaction (?:was|of|between)",
        ),
        (
            "per_protocol",
            "per-protocol|per protocol|perprotocol|as-treated|as treated|on-treatment|on treatment|"
            "completer|complier|pp population|pp analysis|pp set|treatment-received|fully adherent",
            r"\bper[- ]?protocol|\bas[- ]treated|\bon[- ]treatment|\bcompleters?\b"
            r"|\bcompliers?\b|\bcomplier average|\bpp (?:population|analysis|set)"
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
            r"\bsimulat|\bmicrosimulation|\bmarkov\b|\bmonte carlo\b|\bbase case"
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
SUBGROUP = lower_phrase(
    "subgroup|sub-group|stratum|strata|subset|stratified|confined|restricted",
    r"\bsub-?groups?\b|\bstratum\b|\bstrata\b|\bsubset\b|\bstratified (?:by|analys)"
    r"|\bconfined to\b|\brestricted to\b",
)
SUBGROUP_SENTENCE = re.compile(
    r"\W*(?:in|on|among|from) (?:the |a |our )?(?:[\w-]{1,30} ){0,2}?(?:sub-?group|stratified)s?"
    r" analys[ei]s\b",
)
OVERALL = re.compile(r"\boverall\b|\bwhole (?:population|cohort|group)\b")
MARKED_IN = re.compile(
    r"\b(?:pronounced|marked|evident|apparent|strong|stronger|strongest|striking|prominent|effective|beneficial"
    r"|greatest|largest|limited|confined) (?:in|for|among|to)\b",
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
    rf"\b(?:(?:in|among|for|within|of) (?:the )?(?:[\w-]{{1,30}} ){{0,2}}?{_WHO}\b"
    rf"|(?:in|among|for|within) (?:the )?(?:[\w-]{{1,30}} ){{0,3}}?{_PEOPLE} (?:aged|with"
    rf"|without|who|whose|younger|older|under|over|at (?:high|low)|not|taking|having|\u2265"
    rf"|>|<|\u2264)"
    r"|(?:aged|age) (?:\u2265|\u2264|<|>|under|over|\d)|(?:\u2265|\u2264|<|>) ?\d+ (?:years|y)\b"
    r"|[\w-]{1,30}-(?:positive|negative|mutant|mutated)\b|wild-type\b)",
)
WHO_BESIDE = re.compile(rf"\b{_WHO}\W{{0,4}}$")
INTERACTION_P = lower_phrase(
    "interaction|heterogeneity|difference between subgroups|effect modification",
    r"\bp\W{0,3}(?:[a-z]+ ){0,3}(?:for |value )?\(?(?:the )?(?:interaction|heterogeneity"
    r"|difference between subgroups|effect modification)|\binteraction p\b|\bpinteraction",
)
CRUDE = lower_phrase(
    "crude|unadjusted|univaria|adjust|bivariate|model",
    r"\bcrude\b|\bunadjusted\b|\bunivaria(?:te|ble)\b|\bbefore (?:any )?adjust|\bwithout"
    r" adjust|\bbivariate\b|\bnot adjusted\b|\bmodel (?:1|one|i)\b",
)
CRUDE_AND_ADJUSTED = lower_phrase(
    "crude|unadjusted|univaria",
    r"\b(?:crude|unadjusted|univaria(?:te|ble)) and (?:[\w-]{1,30} )?(?:adjusted|multivaria(?:te|ble))",
)
LITTLE_ADJUSTED = lower_phrase(
    "adjust",
    r"\b(?:age|sex|age-? ?(?:and|/|,) ?sex|minimally|partially|partly|basic|basically)[-"
    r" ]adjusted\b|\badjust(?:ed|ing|ment) (?:only )?for age(?: and sex)?\b(?! ?,)",
)
ADJUSTED = lower_phrase(
    "adjust|multivaria|model|attenuat|controll|propensity",
    r"\badjust|\bmultivaria|\bmodel (?:2|3|4|two|three|ii)\b|\battenuat|\bcontrolling\b"
    r"|\bcontrolled for\b|\bpropensity",
)
ADJUSTED_BEHIND = re.compile(
    r"\W*(?!in (?:all |the )?(?:analys[ei]s|models))(?:[\w-]{1,30} ){0,3}?(?:adjust|multivaria|attenuat|controlling)",
)
REPLICATED = re.compile(r"\b(?:replicat|confirm|validat)\w*")
BEFORE = lower_phrase("before", r"\bbefore\W*$")
FROM = lower_phrase("from", r"\bfrom (?:an? |the )?\W*$")
ATTENUATED = lower_phrase(
    "attenuat|adjust|multivaria",
    r"\battenuat|\b(?:after|with|following|upon|on|when|but|and|further|additional|full"
    r"|fully|multivaria\w+)\b.*\badjust|\badjust\w*\b|\bmultivaria",
)
SECONDARY = lower_phrase("secondary", r"\bsecondary\b|\bkey secondary\b")
WITHIN = re.compile(
    r"\b(?:from baseline\b|within[- ](?:group|subject|arm)|pre-? ?(?:to|and)? ?-?post"
    r"|before and after\b|between baseline\b|between (?:pre|before)|from (?:pre"
    r"|before)\b|change in the [\w-]{1,30} group\b)",
)
TO_BASELINE = lower_phrase(
    "baseline|pretest|pre-test|preintervention|pre-intervention|pretreatment|pre-treatment",
    r"\b(?:relative|compared|comparing|versus|vs\.?)(?: (?:to|with))? (?:the )?(?:baseline|pre-?(?:test|intervention"
    r"|treatment))\b",
)
BETWEEN = re.compile(
    r"\b(?:between[- ](?:group|arm|treatment)|compared|versus\b|vs\b|than\b"
    r"|placebo\b|controls?\b|groups\b|arms\b|treatments\b|relative to\b"
    r"|difference in (?:mean )?changes?\b|sham\b|usual care\b|favou?r)",
)
