"""Phrases of randomised trials.

"Randomised" is taken as the article's own design when it is a verb of the study's participants or a
singular trial that is not somebody else's. Plural "randomised trials" mean that the article is about
trials. "Randomly selected", "random sample" and "random effects" are not randomisation. "Double-blind",
"placebo" and "crossover" make a randomised trial likely only together.
"""

from __future__ import annotations

from typing import Final

from metarag.design_context import NEGATED, NOT_OWN_VERB, OTHERS, SEARCH, STUDY, WISH
from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

RANDOMISED: Final[tuple[TextRule, ...]] = (
    rule(
        "randomi",
        r"randomi[sz]ed,? (?!(?:<3>)(?:trials?|stud(?:y|ies))\b)<3>(?:to|into|either|between|in a"
        r"|1:1|2:1|\d{2,5} <3>"
        r"(?:patients|participants|women|men|children|subjects|adults|infants|people|volunteers))\b",
        D.RANDOMIZED_TRIAL,
        0.90,
        not_after=NOT_OWN_VERB,
        unless=SEARCH,
    ),
    rule(
        "randomi",
        r"randomi[sz]ed\b",
        D.RANDOMIZED_TRIAL,
        0.90,
        after=r"\b(?:were|was|we|been|are|is|who|and|then|subsequently|patients|subjects|participants|women"
        r"|children|volunteers|adults|infants|eyes|clusters|centers|practices|schools) ",
        not_after=NOT_OWN_VERB,
        unless=SEARCH + r"|randomi[sz]ed <4>(?:trials|studies|evidence|data)\b",
    ),
    rule(
        "randomi",
        "randomi[sz]ed <2>(?:groups?|patients|subjects|participants|women|men|children|infants"
        "|adults|volunteers"
        "|persons|individuals|treatments?|order|sequence|fashion|manner|arms?|allocation|assignment"
        r"|phase|period)\b",
        D.RANDOMIZED_TRIAL,
        0.80,
        not_after=NOT_OWN_VERB,
        unless=SEARCH + r"|randomi[sz]ed <4>(?:trials|studies)\b",
    ),
    rule(
        "random",
        "randomly,? <1>(?:stimulated|applied|exposed|tested|supplemented|fed|injected|infused"
        r"|instructed|trained|viewed|consumed|performed|completed)\b",
        D.RANDOMIZED_TRIAL,
        0.65,
        where=(ABSTRACT,),
        not_after=NEGATED,
        unless=SEARCH,
    ),
    rule(
        "randomi",
        r"randomi[sz]ation\b",
        D.RANDOMIZED_TRIAL,
        0.75,
        where=(ABSTRACT,),
        not_after=NOT_OWN_VERB + r"|\b(?:method of |methods? for )",
        unless=SEARCH + r"|\bmendelian\b|\brandomi[sz]ation (?:tests?|procedure test|analys[ie]s)\b",
    ),
    rule(
        "random",
        r"random(?:ly)?,? <3>(?:assign|allocat)",
        D.RANDOMIZED_TRIAL,
        0.93,
        not_after=NOT_OWN_VERB,
        unless=SEARCH,
    ),
    rule(
        "random",
        r"random(?:ly)?\b",
        D.RANDOMIZED_TRIAL,
        0.90,
        after=r"\b(?:assigned|allocated|divided|distributed|split|assignment|allocation|grouped|separated) "
        r"<4>(?:at |by |in a )?",
        not_after=NOT_OWN_VERB,
        unless=SEARCH,
    ),
    rule(
        "random",
        "randomly,? <2>(?:divided|distributed|split|separated|grouped|received?|given|administered"
        "|treated|placed"
        r"|categori[sz]ed|classified|ordered|presented|scheduled|sorted|underwent|enrolled (?:in|into|to)"
        r"|selected <3>to (?:receive|undergo))\b",
        D.RANDOMIZED_TRIAL,
        0.85,
        not_after=NEGATED,
        unless=SEARCH,
    ),
    rule(
        "random",
        "random,? <2>(?:order|sequence|crossover|cross-over|double|manner|fashion|number table"
        r"|numbers? tables?)\b",
        D.RANDOMIZED_TRIAL,
        0.65,
        not_after=NEGATED,
    ),
    rule(
        "design|methods|method|type of study",
        "(?:study |trial )?(?:design|methods?|type of study)(?: and <2>| of the study"
        "| overview)?:? <8>randomi[sz]ed",
        D.RANDOMIZED_TRIAL,
        0.90,
        where=(ABSTRACT,),
        needs="randomi",
        unless=r"randomi[sz]ed,? <5>(?:trials|studies)\b|non~randomi|" + rf"{NEGATED}randomi|" + SEARCH,
    ),
    rule(
        "randomi",
        rf"randomi[sz]ed,? <8>{STUDY}\b",
        D.RANDOMIZED_TRIAL,
        0.92,
        where=(TITLE,),
        not_after=rf"\b(?:non|quasi)~|\bmendelian |\b(?:versus|of non) |{NEGATED}",
        unless=r"\b(?:reports? of randomi|reporting of|methods? (?:for|in)|systematic review|meta~analys"
        "|how to|sample size|is an? randomi)",
    ),
    rule(
        "randomi",
        rf"randomi[sz]ed,? <8>{STUDY}\b",
        D.RANDOMIZED_TRIAL,
        0.80,
        where=(ABSTRACT,),
        not_after=OTHERS,
        unless=WISH,
    ),
    rule(
        "randomi",
        r"randomi[sz]ed,? <6>(?:trials|studies|experiments)\b",
        D.RANDOMIZED_TRIAL,
        0.60,
        after=r"\b(?:in|from|of|conducted|performed|report|the|we|these|both) (?:two|three|2|3|both"
        "|four) <2>",
        unless=SEARCH,
    ),
    rule(
        "rct",
        r"rct\b",
        D.RANDOMIZED_TRIAL,
        0.70,
        after=r"\b(?:this|the|our|pilot|arm|armed|blind(?:ed)?|cluster|center|an?|controlled"
        r"|feasibility) ?\(?",
        not_after=NEGATED,
        unless=WISH,
    ),
    rule(
        "double~blind|double~mask|triple~blind",
        "(?:double|triple)~(?:blind|mask)(?:ed)?,? <6>(?:placebo|sham|cross~over|parallel|factorial"
        "|double~dummy|controlled)",
        D.RANDOMIZED_TRIAL,
        0.50,
        unless=r"\bnon~randomi|not randomi|trials\b|" + SEARCH,
    ),
    rule(
        "placebo|sham",
        r"(?:placebo|sham)(?:~controlled)?,? <4>(?:double~blind|cross~over)",
        D.RANDOMIZED_TRIAL,
        0.50,
        unless=r"\bnon~randomi|not randomi|trials\b|" + SEARCH,
    ),
    rule(
        "double~blind|double~mask|triple~blind",
        r"(?:double|triple)~(?:blind|mask)",
        D.RANDOMIZED_TRIAL,
        0.45,
        unless=r"\bnon~randomi|not randomi|trials\b|" + SEARCH + "|" + WISH,
    ),
    rule(
        "cross~over",
        "cross~over,? <3>(?:trials?|study|studies|design|manner|fashion|comparison|experiment"
        r"|intervention|investigation)\b",
        D.RANDOMIZED_TRIAL,
        0.50,
        unless=SEARCH + r"|case~cross|\b(?:cell|dna|would require|needed)\b",
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
        not_after=r"\b(?:effects? of|containing|need for) (?:\w+ ){0,5}",
        unless=SEARCH + r"|trials\b|review",
    ),
    rule(
        "assigned|allocated",
        r"(?:assigned|allocated) <3>(?:to|into)\b <9>(?:or|control|placebo|intervention|treatment"
        r"|versus|usual)\b",
        D.RANDOMIZED_TRIAL,
        0.50,
        where=(ABSTRACT,),
        unless=SEARCH + r"|\bnon~randomi|not randomi|scores?\b|alternat|according to|based on",
    ),
    rule(
        "n~of~1|n-of-one|single~patient trial",
        r"(?:n~of~(?:1|one)|single~patient) <2>(?:trials?|study|studies|design)",
        D.N_OF_1_TRIAL,
        0.85,
        "n_of_1",
        unless=SEARCH,
    ),
)
