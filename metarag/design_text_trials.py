"""Phrases of trials: randomised, quasi-randomised, non-randomised, single-arm, and parts of trials.

"Randomised" is taken as the article's own design when it is a verb of the study's participants or a
singular trial that is not somebody else's. Plural "randomised trials" mean that the article is about
trials. "Randomly selected", "random sample" and "random effects" are not randomisation.
"""

from __future__ import annotations

from typing import Final

from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

_STUDY = (
    r"(?:trial|study|design|experiment|comparison|evaluation|investigation|protocol|cross~over|pilot|rct)"
)
# Words before "randomised trial" which make it another's trial or a wish.
_OTHERS = (
    r"\b(?:previous|previously|prior|recent|recently|earlier|other|another|future|further|larger?|no"
    "|not|few|ongoing"
    r"|published|several|most|many|lack of|absence of|need for|without|first|existing|well-designed"
    r"|next|until|only|such|any|non|quasi|for|international standard) <3>(?:an? |,|-)?"
)
_WISH = (
    r"\b(?:needed|required|warranted|necessary|awaited|in progress|future research|should be"
    "|would require|we searched|eligible|inclusion criteria|selection criteria|literature search"
    r"|has shown|have shown)\b"
)
_SEARCH = (
    r"\b(?:we searched|search(?:es|ing)? (?:of|for|strategy|terms?)|selection criteria|inclusion criteria"
    "|eligible (?:stud|trial)|studies (?:that|which|were|reporting)|trials (?:that|which|in which"
    r"|were included|of))\b"
)
_NOT_OWN_VERB = r"\b(?:mendelian|non~|not |quasi~|rather than |without |could not be |cannot be )"

RANDOMISED: Final[tuple[TextRule, ...]] = (
    rule(
        "randomi",
        r"randomi[sz]ed,? (?!(?:<3>)(?:trials?|stud(?:y|ies))\b)<3>(?:to|into|either|between|in a"
        r"|1:1|2:1|\d{2,5} <3>"
        r"(?:patients|participants|women|men|children|subjects|adults|infants|people|volunteers))\b",
        D.RANDOMIZED_TRIAL,
        0.90,
        not_after=_NOT_OWN_VERB,
        unless=_SEARCH,
    ),
    rule(
        "randomi",
        r"randomi[sz]ed\b",
        D.RANDOMIZED_TRIAL,
        0.90,
        after=r"\b(?:were|was|we|been|are|is|who|and|then|subsequently|patients|subjects|participants|women"
        r"|children|volunteers|adults|infants|eyes|clusters|centers|practices|schools) ",
        not_after=_NOT_OWN_VERB,
        unless=_SEARCH + r"|randomi[sz]ed <4>(?:trials|studies|evidence|data)\b",
    ),
    rule(
        "randomi",
        "randomi[sz]ed <2>(?:groups?|patients|subjects|participants|women|men|children|infants"
        "|adults|volunteers"
        "|persons|individuals|treatments?|order|sequence|fashion|manner|arms?|allocation|assignment"
        r"|phase|period)\b",
        D.RANDOMIZED_TRIAL,
        0.80,
        not_after=_NOT_OWN_VERB,
        unless=_SEARCH + r"|randomi[sz]ed <4>(?:trials|studies)\b",
    ),
    rule(
        "random",
        "randomly,? <1>(?:stimulated|applied|exposed|tested|supplemented|fed|injected|infused"
        r"|instructed|trained|viewed|consumed|performed|completed)\b",
        D.RANDOMIZED_TRIAL,
        0.65,
        where=(ABSTRACT,),
        unless=_SEARCH,
    ),
    rule(
        "randomi",
        r"randomi[sz]ation\b",
        D.RANDOMIZED_TRIAL,
        0.75,
        where=(ABSTRACT,),
        not_after=_NOT_OWN_VERB + r"|\b(?:method of |methods? for )",
        unless=_SEARCH + r"|\bmendelian\b|\brandomi[sz]ation (?:tests?|procedure test|analys[ie]s)\b",
    ),
    rule(
        "random",
        r"random(?:ly)?,? <3>(?:assign|allocat)",
        D.RANDOMIZED_TRIAL,
        0.93,
        not_after=_NOT_OWN_VERB,
        unless=_SEARCH,
    ),
    rule(
        "random",
        r"random(?:ly)?\b",
        D.RANDOMIZED_TRIAL,
        0.90,
        after=r"\b(?:assigned|allocated|divided|distributed|split|assignment|allocation|grouped|separated) "
        r"<4>(?:at |by |in a )?",
        not_after=_NOT_OWN_VERB,
        unless=_SEARCH,
    ),
    rule(
        "random",
        "randomly,? <2>(?:divided|distributed|split|separated|grouped|received?|given|administered"
        "|treated|placed"
        r"|categori[sz]ed|classified|ordered|presented|scheduled|sorted|underwent|enrolled (?:in|into|to)"
        r"|selected <3>to (?:receive|undergo))\b",
        D.RANDOMIZED_TRIAL,
        0.85,
        unless=_SEARCH,
    ),
    rule(
        "random",
        "random,? <2>(?:order|sequence|crossover|cross-over|double|manner|fashion|number table"
        r"|numbers? tables?)\b",
        D.RANDOMIZED_TRIAL,
        0.65,
    ),
    rule(
        "design|methods|method|type of study",
        "(?:study |trial )?(?:design|methods?|type of study)(?: and <2>| of the study"
        "| overview)?:? <8>randomi[sz]ed",
        D.RANDOMIZED_TRIAL,
        0.90,
        where=(ABSTRACT,),
        unless=r"randomi[sz]ed,? <5>(?:trials|studies)\b|non~randomi|" + _SEARCH,
    ),
    rule(
        "randomi",
        rf"randomi[sz]ed,? <8>{_STUDY}\b",
        D.RANDOMIZED_TRIAL,
        0.92,
        where=(TITLE,),
        not_after=r"\b(?:non|quasi)~|\bmendelian |\b(?:without|versus|of non) ",
        unless=r"\b(?:reports? of randomi|reporting of|methods? (?:for|in)|systematic review|meta~analys"
        "|how to|sample size)",
    ),
    rule(
        "randomi",
        rf"randomi[sz]ed,? <8>{_STUDY}\b",
        D.RANDOMIZED_TRIAL,
        0.80,
        where=(ABSTRACT,),
        not_after=_OTHERS,
        unless=_WISH,
    ),
    rule(
        "randomi",
        r"randomi[sz]ed,? <6>(?:trials|studies|experiments)\b",
        D.RANDOMIZED_TRIAL,
        0.60,
        after=r"\b(?:in|from|of|conducted|performed|report|the|we|these|both) (?:two|three|2|3|both"
        "|four) <2>",
        unless=_SEARCH,
    ),
    rule(
        "rct",
        r"rct\b",
        D.RANDOMIZED_TRIAL,
        0.70,
        after=r"\b(?:this|the|our|pilot|arm|armed|blind(?:ed)?|cluster|center|an?|controlled"
        r"|feasibility) ?\(?",
        unless=_WISH,
    ),
    rule(
        "double~blind|double~mask|triple~blind",
        "(?:double|triple)~(?:blind|mask)(?:ed)?,? <6>(?:placebo|sham|cross~over|parallel|factorial"
        "|double~dummy|controlled)",
        D.RANDOMIZED_TRIAL,
        0.50,
        unless=r"\bnon~randomi|not randomi|trials\b|" + _SEARCH,
    ),
    rule(
        "placebo|sham",
        r"(?:placebo|sham)(?:~controlled)?,? <4>(?:double~blind|cross~over)",
        D.RANDOMIZED_TRIAL,
        0.50,
        unless=r"\bnon~randomi|not randomi|trials\b|" + _SEARCH,
    ),
    rule(
        "double~blind|double~mask|triple~blind",
        r"(?:double|triple)~(?:blind|mask)",
        D.RANDOMIZED_TRIAL,
        0.45,
        unless=r"\bnon~randomi|not randomi|trials\b|" + _SEARCH + "|" + _WISH,
    ),
    rule(
        "cross~over",
        r"cross~over <2>(?:trial|study|design|manner|fashion|comparison|experiment|investigation)\b",
        D.RANDOMIZED_TRIAL,
        0.50,
        unless=_SEARCH + r"|case~cross|\b(?:cell|dna|would require|needed)\b",
    ),
    rule(
        "placebo|sham",
        r"(?:placebo|sham)\b(?! (?:effect|response))",
        D.RANDOMIZED_TRIAL,
        0.50,
        where=(ABSTRACT,),
        after=r"\b(?:or|and|with|than|given|received|to|versus|vs|vs\.|either|of|treatments?|ingest(?:ed"
        "|ing)|took|taking) (?:either |a |an |the |oral |matching |matched |intravenous |inert "
        r"|saline |identical |daily ){0,2}\(?",
        unless=_SEARCH + r"|trials\b|review",
    ),
    rule(
        "assigned|allocated",
        r"(?:assigned|allocated) <3>(?:to|into)\b <9>(?:or|control|placebo|intervention|treatment"
        r"|versus|usual)\b",
        D.RANDOMIZED_TRIAL,
        0.50,
        where=(ABSTRACT,),
        unless=_SEARCH + r"|\bnon~randomi|not randomi|scores?\b|alternat|according to|based on",
    ),
    rule(
        "n~of~1|n-of-one|single~patient trial",
        r"(?:n~of~(?:1|one)|single~patient) <2>(?:trials?|study|studies|design)",
        D.N_OF_1_TRIAL,
        0.85,
        "n_of_1",
        unless=_SEARCH,
    ),
)

OTHER_TRIALS: Final[tuple[TextRule, ...]] = (
    rule(
        "quasi~randomi|pseudo~randomi",
        r"(?:quasi~randomi[sz](?:ed|ation)(?! <4>(?:trials|studies)\b)"
        r"|pseudo~randomi[sz]ed,? (?:<2>to|<4>(?:trial|study))\b)",
        D.QUASI_RANDOMIZED_TRIAL,
        0.85,
        unless=_SEARCH + r"|\bor quasi|randomi[sz]ed and quasi",
    ),
    rule(
        "alternat",
        r"alternat(?:e|ely|ing) <2>(?:allocat|assign|weeks|days|months|patients|admission)|alternately\b",
        D.QUASI_RANDOMIZED_TRIAL,
        0.60,
        after=r"\b(?:assigned|allocated|divided|by|in|on|allocation|enrolled) <3>",
    ),
    rule(
        "non~randomi",
        rf"non~randomi[sz]ed,? <5>{_STUDY}\b",
        D.NON_RANDOMIZED_TRIAL,
        0.80,
        not_after=r"\brandomi[sz]ed (?:and|or|versus|vs) ",
    ),
    rule(
        "not randomi|without randomi",
        r"(?:not randomi[sz]ed|without randomi[sz]ation)\b",
        D.NON_RANDOMIZED_TRIAL,
        0.55,
        after=r"\b(?:was|were|patients|study|trial|assigned|allocated|groups?) <3>",
        unless=_SEARCH,
    ),
    rule(
        "quasi~experiment",
        r"quasi~experiment",
        D.NON_RANDOMIZED_TRIAL,
        0.55,
        "quasi_experimental",
        unless=_SEARCH,
    ),
    rule(
        "single~arm|one~arm|single~group|uncontrolled",
        r"(?:(?:single|one)~(?:arm|group)|uncontrolled),? <5>(?:trial|study|design|intervention)\b",
        D.SINGLE_ARM_TRIAL,
        0.75,
        "single_arm",
        unless=_SEARCH,
    ),
    rule(
        "phase",
        r"phase (?:i|1)(?:~?[ab])?(?:/(?:ii|2)a?)?,? <6>(?:trial|study)\b",
        D.CLINICAL_TRIAL,
        0.75,
        "phase_1",
        unless=_WISH,
    ),
    rule(
        "phase",
        r"phase (?:i/)?(?:ii|2)[ab]?(?:/iii)?,? <6>(?:trial|study)\b",
        D.CLINICAL_TRIAL,
        0.75,
        "phase_2",
        unless=_WISH,
    ),
    rule(
        "phase",
        r"phase (?:ii/)?(?:iii|3)[ab]?,? <6>(?:trial|study)\b",
        D.CLINICAL_TRIAL,
        0.75,
        "phase_3",
        unless=_WISH,
    ),
    rule("phase", r"phase (?:iv|4),? <6>(?:trial|study)\b", D.CLINICAL_TRIAL, 0.70, "phase_4", unless=_WISH),
    rule(
        "double~blind|double~mask|triple~blind|single~blind|observer~blind|investigator~blind",
        r"(?:double|triple|single|observer|investigator)~(?:blind|mask)(?:ed)?\b",
        D.CLINICAL_TRIAL,
        0.60,
        unless=_SEARCH + r"|trials\b|" + _WISH,
    ),
    rule("open~label", r"open~label", D.CLINICAL_TRIAL, 0.65, "open_label", unless=_SEARCH + r"|trials\b"),
    rule(
        "placebo|sham",
        r"(?:placebo|sham)~controlled",
        D.CLINICAL_TRIAL,
        0.65,
        unless=_SEARCH + r"|trials\b",
    ),
    rule(
        "placebo|sham",
        r"(?:placebo|sham)\b(?! (?:effect|response))",
        D.CLINICAL_TRIAL,
        0.55,
        where=(ABSTRACT,),
        after=r"\b(?:or|and|with|than|given|received|to|versus|vs|vs\.|a|the|of|in|for) \(?",
        unless=_SEARCH + r"|trials\b|review",
    ),
    rule(
        "cross~over",
        r"cross~over <2>(?:trial|study|design|manner|fashion|comparison|experiment|investigation|method)\b",
        D.CLINICAL_TRIAL,
        0.65,
        unless=_SEARCH,
    ),
    rule(
        "clinical trial|controlled trial|intervention trial|pilot trial|prospective trial|community trial"
        "|comparative trial|feasibility trial|controlled clinical|interventional|intervention study"
        "|dietary trial",
        r"(?:<2>(?:trial|study|design)|<3>trial)\b",
        D.CLINICAL_TRIAL,
        0.65,
        not_after=_OTHERS,
        unless=_WISH,
    ),
    rule(
        "trial",
        r"trial\b",
        D.CLINICAL_TRIAL,
        0.70,
        where=(TITLE,),
        unless=r"\b(?:review|retrospective|editorial|lessons|registr|recruit)",
    ),
    rule(
        "trial",
        r"trial\b",
        D.CLINICAL_TRIAL,
        0.55,
        where=(ABSTRACT,),
        after=r"\b(?:this|our|the present|the|in an?|was an?|an?) <2>",
        not_after=_OTHERS,
        unless=_WISH,
    ),
    rule(
        "trial registration|nct0|isrctn|actrn|chictr|eudract|clinicaltrials.gov",
        r".",
        D.CLINICAL_TRIAL,
        0.55,
        where=(ABSTRACT,),
        unless=_SEARCH,
    ),
    rule(
        "assigned|allocated|divided|split",
        r"(?:assigned|allocated|divided|split) <4>(?:to|into)\b",
        D.CLINICAL_TRIAL,
        0.35,
        where=(ABSTRACT,),
        unless=_SEARCH + r"|scores?\b|according to|based on|depending on|retrospective",
    ),
    rule(
        "controlled trial|controlled clinical trial|comparative trial",
        r"(?:controlled|comparative) (?:clinical )?trial\b",
        D.RANDOMIZED_TRIAL,
        0.40,
        not_after=_OTHERS + r"|\buncontrolled ",
        unless=_WISH,
    ),
    rule(
        "control group|intervention group|treatment group|experimental group|study group|placebo group",
        r"(?:control|intervention|treatment|experimental|study|placebo) group",
        D.CLINICAL_TRIAL,
        0.35,
        where=(ABSTRACT,),
    ),
)

PARTS_OF_TRIALS: Final[tuple[TextRule, ...]] = (
    rule(
        "secondary|post~hoc|subgroup|sub~analysis|exploratory|ancillary|sub~study|retrospective",
        "(?:secondary|post~hoc|sub~?group|exploratory|ancillary"
        "|retrospective)? ?(?:sub~?)?(?:analys[ie]s|study)"
        r"(?: of| from| in)? <9>(?:trials?|rct|randomi[sz]ed)\b",
        D.SECONDARY_ANALYSIS,
        0.75,
    ),
    rule(
        "secondary|post~hoc|subgroup|sub~analys|ancillary|sub~study|substudies|exploratory",
        "(?:secondary|post~hoc|sub~group|ancillary|exploratory) (?:sub~)?(?:analys[ie]s|study"
        "|studies)|sub~(?:analys[ie]s|study|studies)",
        D.SECONDARY_ANALYSIS,
        0.80,
        where=(TITLE,),
    ),
    rule(
        "secondary|post~hoc|subgroup|sub~analys|sub~study|ancillary|exploratory",
        "(?:(?:secondary|post~hoc|ancillary|exploratory|sub~group) (?:sub~)?(?:analys[ie]s|study)"
        r"|sub~(?:analys[ie]s|study))\b",
        D.SECONDARY_ANALYSIS,
        0.65,
        where=(ABSTRACT,),
        after=r"\b(?:this|present|this was an?|we (?:conducted|performed|undertook|did|report|present"
        "|carried out) "
        "(?:an?|the)?|is an?|the current|purpose of the|design:|report an?|in an?) ?(?:planned "
        "|retrospective |pre~specified |unplanned )?",
        unless=r"\b(?:tukey|bonferroni|anova)\b",
    ),
    rule(
        "data",
        r"data <3>(?:from|of|in|during) <9>(?:trials?|rct)\b",
        D.SECONDARY_ANALYSIS,
        0.60,
        unless=_SEARCH + r"|\b(?:systematic|electronic|registry)",
    ),
    rule(
        "participants|patients|subjects|women|men|enrolled in",
        "(?:(?:participants|patients|subjects|women|men|children) )?(?:enrolled |participating "
        "|included |randomi[sz]ed |treated )?"
        r"(?:in|from) (?:the|two|three|an?) <7>(?:trials?|rct)\b",
        D.SECONDARY_ANALYSIS,
        0.45,
        where=(ABSTRACT,),
        unless=_SEARCH,
    ),
    rule(
        "results from|results of|insights from|findings from|lessons from|analysis from"
        "|experience from|data from",
        r"(?:insights|lessons|experience|findings|data) (?:from|of) (?:the )?<9>(?:trials?|study|program)",
        D.SECONDARY_ANALYSIS,
        0.50,
        where=(TITLE,),
    ),
)

TRIAL_LABELS: Final[tuple[TextRule, ...]] = (
    rule("cluster", r"cluster,? <3>(?:randomi|trial|rct|allocat|design|controlled)", None, 0, "cluster"),
    rule(
        "cross~over",
        r"cross~over,? <2>(?:trial|study|design|random|manner|fashion|compar|rct)|cross~over\b",
        None,
        0,
        "cross_over",
    ),
    rule("factorial", r"factorial,? <3>(?:trial|design|random|study)|factorial\b", None, 0, "factorial"),
    rule("parallel", r"parallel(?:~groups?|~arms?|,? <3>(?:trial|design|random|study))", None, 0, "parallel"),
    rule("pragmatic", r"pragmatic,? <4>(?:trial|random|rct|study|design)", None, 0, "pragmatic"),
    rule("non~inferior", r"non~inferiority", None, 0, "non_inferiority"),
    rule("equivalence", r"equivalence,? <3>(?:trial|study|design|margin)", None, 0, "equivalence"),
    rule(
        "adaptive", r"adaptive,? <3>(?:trial|design|random|platform)|response~adaptive", None, 0, "adaptive"
    ),
    rule("stepped~wedge", r"stepped~wedge", None, 0, "cluster", "stepped_wedge"),
    rule("pilot|feasibility", r"(?:pilot|feasibility),? <4>(?:trial|study|rct|random)", None, 0, "pilot"),
    rule(
        "double~blind|double~mask|triple~blind", r"(?:double|triple)~(?:blind|mask)", None, 0, "double_blind"
    ),
    rule(
        "single~blind|single~mask|observer~blind|assessor~blind|investigator~blind",
        r".",
        None,
        0,
        "single_blind",
    ),
    rule("placebo", r"placebo(?:~controlled|~control)|placebo group", None, 0, "placebo_controlled"),
    rule("sham", r"sham~controlled|sham group", None, 0, "sham_controlled"),
    rule("open~label", r"open~label", None, 0, "open_label"),
    rule("multicent|multi~cent", r"multi~?cent(?:er|re|ric)", None, 0, "multicenter"),
)

ABOUT_TRIALS: Final[tuple[TextRule, ...]] = (
    rule(
        "randomi|controlled trials|clinical trials",
        r"(?:randomi[sz]ed,? <4>(?:trials|studies)|(?:controlled|clinical) trials)\b",
        None,
        0,
        "about_trials",
        where=(TITLE,),
        not_after=r"\b(?:two|three|2|3|both) <3>",
    ),
)
