"""All phrases that tell a design, in one order."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from metarag.design_cues import CueTable, cut
from metarag.design_matching import CuedText, RuleIndex
from metarag.design_reasons import Reasons
from metarag.design_reporting_rules import REPORTING_RULES
from metarag.design_text import ABSTRACT, TITLE, TextRule, fold
from metarag.design_text_laboratory import HUMANS, LABORATORY
from metarag.design_text_observational import OBSERVATIONAL, OBSERVATIONAL_LABELS, OTHER_STUDIES
from metarag.design_text_randomised import RANDOMISED
from metarag.design_text_reports import CASES, COMMUNICATIONS, PROTOCOLS, WITHDRAWALS
from metarag.design_text_reviews import OWN_WORK, REVIEWS
from metarag.design_text_syntheses import GUIDELINES, INCLUDED_STUDIES, SYSTEMATIC
from metarag.design_text_trial_parts import ABOUT_TRIALS, PARTS_OF_TRIALS, TRIAL_LABELS
from metarag.design_text_trials import OTHER_TRIALS
from metarag.records import Article
from metarag.types import DesignSignal, SignalSource, Span

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
_SOURCES: Final = {TITLE: SignalSource.TITLE, ABSTRACT: SignalSource.ABSTRACT}


@cache
def _cues(where: str) -> CueTable:
    """Return the cues of all rules, those of the reporting checks included: one pass finds them all."""
    return CueTable.build(
        cue for rule in (*RULES, *REPORTING_RULES) if where in rule.where for cue in rule.cues
    )


@cache
def _index(where: str) -> RuleIndex:
    return RuleIndex.build(RULES, where)


@lru_cache(maxsize=4)
def cued_text(text: str, where: str) -> CuedText:
    """Return a title or an abstract with the places of all cues.

    The last ones are kept, because the reporting checks read the texts that the design was read from.
    """
    folded = fold(text)
    words = cut(folded)
    return CuedText(folded, words, _cues(where).places(folded, words))


def text_reasons(text: str, where: str) -> Reasons:
    """Return what a title or an abstract says, each signal with the exact span of its words.

    Parameters
    ----------
    text : str
        ``article.title`` or ``article.abstract``; spans index this string.
    where : str
        ``title`` or ``abstract``.
    """
    signals: list[DesignSignal] = []
    labels: set[str] = set()
    index = _index(where)
    for number, start, end in index.matches(cued_text(text, where)):
        claim = index.rules[number].claim
        labels.update(claim.labels)
        if claim.design is not None:
            words = text[start:end]
            span = Span(where=where, start=start, end=end, text=words)
            signals.append(
                DesignSignal(
                    design=claim.design,
                    source=_SOURCES[where],
                    evidence=words,
                    weight=claim.weight,
                    span=span,
                )
            )
    return Reasons(tuple(signals), frozenset(labels))


def article_text_reasons(article: Article) -> Reasons:
    """Return what title and abstract say, each signal with the span of its words."""
    return Reasons.gather(text_reasons(article.title, TITLE), text_reasons(article.abstract or "", ABSTRACT))
