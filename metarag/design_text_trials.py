"""Phrases of other trials: quasi-randomised, non-randomised, single-arm, and trials of no stated kind."""

from __future__ import annotations

from typing import Final

from metarag.design_context import OTHERS, SEARCH, STUDY, WISH
from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

RANDOMISATION_DENIED: Final = "randomisation_denied"
"""Label: the text says that groups were not made at random, as trials do and observational studies, too."""

DENIAL: Final = 0.55
"""Weight of such words for a non-randomised trial; ours."""

OTHER_TRIALS: Final[tuple[TextRule, ...]] = (
    rule(
        "quasi~randomi|pseudo~randomi",
        r"(?:quasi~randomi[sz](?:ed|ation)(?! <4>(?:trials|studies)\b)"
        r"|pseudo~randomi[sz]ed,? (?:<2>to|<4>(?:trial|study))\b)",
        D.QUASI_RANDOMIZED_TRIAL,
        0.85,
        unless=SEARCH + r"|\bor quasi|randomi[sz]ed and quasi",
    ),
    rule(
        "alternat",
        r"alternat(?:e|ely|ing) <2>(?:allocat|assign|patients|admission)|alternately\b",
        D.QUASI_RANDOMIZED_TRIAL,
        0.60,
        after=r"\b(?:assigned|allocated|divided|by|in|on|allocation|enrolled) <3>",
    ),
    rule(
        # "Given on alternate days", "assigned to take 50 mg on alternate days" are doses.
        "alternat",
        r"alternat(?:e|ing) <1>(?:weeks|days|months)\b",
        D.QUASI_RANDOMIZED_TRIAL,
        0.60,
        after=r"\b(?:assigned|allocated|divided|assignment|allocation|enrolled|admitted)(?: to| into)? "
        r"(?:(?:the|an?|two|three|either|different|study|treatment|control|intervention|groups?|arms?|wards?"
        r"|teams?|was|were) ){0,4}(?:by|on|in|according to) ",
        unless=r"\b(?:randomly|at random|(?<!quasi-)(?<!pseudo-)randomi[sz]ed)\b",
    ),
    rule(
        "non~randomi",
        rf"non~randomi[sz]ed,? <5>{STUDY}\b",
        D.NON_RANDOMIZED_TRIAL,
        0.80,
        not_after=r"\brandomi[sz]ed (?:and|or|versus|vs) ",
    ),
    rule(
        "not |neither |without random",
        r"(?:(?:not|neither) (?:been |be )?(?:randomi[sz]ed|randomly (?:assigned|allocated|divided)"
        r"|(?:assigned|allocated|divided) (?:at random|randomly|by randomi[sz]ation))"
        r"|without (?:randomi[sz]ation|random (?:assignment|allocation)))\b",
        D.NON_RANDOMIZED_TRIAL,
        DENIAL,
        RANDOMISATION_DENIED,
        needs="random",
        after=r"\b(?:was|were|patients|study|trial|assigned|allocated|groups?) <3>",
        unless=SEARCH,
    ),
    rule(
        "quasi~experiment",
        r"quasi~experiment",
        D.NON_RANDOMIZED_TRIAL,
        0.55,
        "quasi_experimental",
        unless=SEARCH,
    ),
    rule(
        "single~arm|one~arm|single~group|uncontrolled",
        r"(?:(?:single|one)~(?:arm|group)|uncontrolled),? <5>(?:trial|study|design|intervention)\b",
        D.SINGLE_ARM_TRIAL,
        0.75,
        "single_arm",
        unless=SEARCH,
    ),
    rule(
        "phase",
        r"phase (?:i|1)(?:~?[ab])?(?:/(?:ii|2)a?)?,? <6>(?:trial|study)\b",
        D.CLINICAL_TRIAL,
        0.75,
        "phase_1",
        unless=WISH,
    ),
    rule(
        "phase",
        r"phase (?:i/)?(?:ii|2)[ab]?(?:/iii)?,? <6>(?:trial|study)\b",
        D.CLINICAL_TRIAL,
        0.75,
        "phase_2",
        unless=WISH,
    ),
    rule(
        "phase",
        r"phase (?:ii/)?(?:iii|3)[ab]?,? <6>(?:trial|study)\b",
        D.CLINICAL_TRIAL,
        0.75,
        "phase_3",
        unless=WISH,
    ),
    rule("phase", r"phase (?:iv|4),? <6>(?:trial|study)\b", D.CLINICAL_TRIAL, 0.70, "phase_4", unless=WISH),
    rule(
        "double~blind|double~mask|triple~blind|single~blind|observer~blind|investigator~blind",
        r"(?:double|triple|single|observer|investigator)~(?:blind|mask)(?:ed)?\b",
        D.CLINICAL_TRIAL,
        0.60,
        unless=SEARCH + r"|trials\b|" + WISH,
    ),
    rule("open~label", r"open~label", D.CLINICAL_TRIAL, 0.65, "open_label", unless=SEARCH + r"|trials\b"),
    rule(
        "placebo|sham",
        r"(?:placebo|sham)~controlled",
        D.CLINICAL_TRIAL,
        0.65,
        unless=SEARCH + r"|trials\b",
    ),
    rule(
        "placebo|sham",
        r"(?:placebo|sham)\b(?! (?:effect|response))",
        D.CLINICAL_TRIAL,
        0.55,
        where=(ABSTRACT,),
        after=r"\b(?:or|and|with|than|given|received|to|versus|vs|vs\.|a|the|of|in|for) \(?",
        unless=SEARCH + r"|trials\b|review",
    ),
    rule(
        "cross~over",
        "cross~over,? <3>(?:trials?|study|studies|design|intervention|manner|fashion|comparison"
        r"|experiment|investigation|method)\b",
        D.CLINICAL_TRIAL,
        0.65,
        unless=SEARCH,
    ),
    rule(
        "clinical trial|controlled trial|intervention trial|pilot trial|prospective trial|community trial"
        "|comparative trial|feasibility trial|controlled clinical|interventional|intervention study"
        "|dietary trial",
        r"(?:<2>(?:trial|study|design)|<3>trial)\b",
        D.CLINICAL_TRIAL,
        0.65,
        not_after=OTHERS,
        unless=WISH,
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
        not_after=OTHERS,
        unless=WISH,
    ),
    rule(
        "trial registration|nct0|isrctn|actrn|chictr|eudract|clinicaltrials.gov",
        r".",
        D.CLINICAL_TRIAL,
        0.55,
        where=(ABSTRACT,),
        unless=SEARCH,
    ),
    rule(
        "assigned|allocated|divided|split",
        r"(?:assigned|allocated|divided|split) <4>(?:to|into)\b",
        D.CLINICAL_TRIAL,
        0.35,
        where=(ABSTRACT,),
        unless=SEARCH + r"|scores?\b|according to|based on|depending on|retrospective",
    ),
    rule(
        "controlled trial|controlled clinical trial|comparative trial",
        r"(?:controlled|comparative) (?:clinical )?trial\b",
        D.RANDOMIZED_TRIAL,
        0.40,
        not_after=OTHERS + r"|\buncontrolled ",
        unless=WISH,
    ),
    rule(
        "control group|intervention group|treatment group|experimental group|study group|placebo group",
        r"(?:control|intervention|treatment|experimental|study|placebo) group",
        D.CLINICAL_TRIAL,
        0.35,
        where=(ABSTRACT,),
    ),
)
