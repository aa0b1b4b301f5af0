"""Phrases of parts of trials (secondary, post-hoc, subgroup analyses) and the finer labels of trials."""

from __future__ import annotations

from typing import Final

from metarag.design_context import SEARCH
from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

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
        # "Results of the FEVER study and its SWEAT substudy" report the study itself.
        not_after=r"\b(?:study|trial) and (?:its |the )?(?:[a-z-]{1,20} )?",
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
        "(?:an?|the)?|is an?|the current|purpose of the|design:|report an?) ?(?:planned "
        "|retrospective |pre~specified |unplanned )?",
        unless=r"\b(?:tukey|bonferroni|anova)\b",
    ),
    rule(
        "data",
        r"data <3>(?:from|of|in|during) (?:<9>(?:trial|rct)"
        r"|(?:<3>(?:the|these|those|both|two|three|four|five|six|seven|eight|\d{1,2})) <7>trials)\b",
        D.SECONDARY_ANALYSIS,
        0.60,
        unless=SEARCH
        + r"|\b(?:systematic|electronic|registry|(?:previous|earlier|other) <2>(?:trials|studies))",
    ),
    rule(
        "participants|patients|subjects|women|men|enrolled in",
        "(?:(?:participants|patients|subjects|women|men|children) )?(?:enrolled |participating "
        "|included |randomi[sz]ed |treated )?"
        r"(?:in|from) (?:the|two|three|an?) <7>(?:trials?|rct)\b",
        D.SECONDARY_ANALYSIS,
        0.45,
        where=(ABSTRACT,),
        needs_word="trial|trials|rct",
        unless=SEARCH,
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
