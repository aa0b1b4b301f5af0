"""All rules that read a title or an abstract, in one order, with the cues of all of them."""

from __future__ import annotations

from functools import cache
from typing import Final

from metarag.design_matching import RuleIndex
from metarag.design_reporting_rules import REPORTING_RULES
from metarag.design_text import TextRule
from metarag.design_text_laboratory import HUMANS, LABORATORY
from metarag.design_text_observational import OBSERVATIONAL, OBSERVATIONAL_LABELS, OTHER_STUDIES
from metarag.design_text_randomised import RANDOMISED
from metarag.design_text_reports import CASES, COMMUNICATIONS, PROTOCOLS, WITHDRAWALS
from metarag.design_text_reviews import OWN_WORK, REVIEWS
from metarag.design_text_syntheses import GUIDELINES, INCLUDED_STUDIES, SYSTEMATIC
from metarag.design_text_trial_parts import ABOUT_TRIALS, PARTS_OF_TRIALS, TRIAL_LABELS
from metarag.design_text_trials import OTHER_TRIALS

RULES: Final[tuple[TextRule, ...]] = (
    *RANDOMISED,
    *OTHER_TRIALS,
    *PARTS_OF_TRIALS,
    *TRIAL_LABELS,
    *ABOUT_TRIALS,
    *SYSTEMATIC,
    *REVIEWS,
    *INCLUDED_STUDIES,
    *GUIDELINES,
    *OBSERVATIONAL,
    *OBSERVATIONAL_LABELS,
    *OTHER_STUDIES,
    *CASES,
    *COMMUNICATIONS,
    *WITHDRAWALS,
    *PROTOCOLS,
    *LABORATORY,
    *HUMANS,
    *OWN_WORK,
)
DESIGN: Final = 0
REPORTING: Final = 1
"""Numbers of the two groups of rules: those that tell the design, and those of the reporting checks."""


@cache
def rule_index(where: str) -> RuleIndex:
    """Return the rules of both groups for a title or an abstract."""
    return RuleIndex.build((RULES, REPORTING_RULES), where)
