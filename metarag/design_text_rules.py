"""All phrases that tell a design, in one order."""

from __future__ import annotations

from typing import Final

from metarag.design_reasons import Reasons
from metarag.design_text import ABSTRACT, TITLE, RuleIndex, TextRule, text_reasons
from metarag.design_text_laboratory import HUMANS, LABORATORY
from metarag.design_text_observational import OBSERVATIONAL, OBSERVATIONAL_LABELS, OTHER_STUDIES
from metarag.design_text_randomised import RANDOMISED
from metarag.design_text_reports import CASES, COMMUNICATIONS, PROTOCOLS, WITHDRAWALS
from metarag.design_text_reviews import OWN_WORK, REVIEWS
from metarag.design_text_syntheses import GUIDELINES, INCLUDED_STUDIES, SYSTEMATIC
from metarag.design_text_trial_parts import ABOUT_TRIALS, PARTS_OF_TRIALS, TRIAL_LABELS
from metarag.design_text_trials import OTHER_TRIALS
from metarag.records import Article

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
_TITLE_INDEX: Final = RuleIndex.build(RULES, TITLE)
_ABSTRACT_INDEX: Final = RuleIndex.build(RULES, ABSTRACT)


def article_text_reasons(article: Article) -> Reasons:
    """Return what title and abstract say, each signal with the span of its words."""
    return Reasons.gather(
        text_reasons(article.title, TITLE, _TITLE_INDEX),
        text_reasons(article.abstract or "", ABSTRACT, _ABSTRACT_INDEX),
    )
