"""Which phrases of a title and an abstract tell a design."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from metarag.design_matching import CuedText
from metarag.design_reasons import Reasons, signal_of
from metarag.design_rules import DESIGN, rule_index
from metarag.design_text import ABSTRACT, TITLE, fold
from metarag.folded_words import folded_words
from metarag.records import Article
from metarag.types import DesignSignal, SignalSource, Span
from metarag.word_facts import facts_of

_SOURCES: Final = {TITLE: SignalSource.TITLE, ABSTRACT: SignalSource.ABSTRACT}


@lru_cache(maxsize=4)
def cued_text(text: str, where: str) -> CuedText:
    """Return a title or an abstract with the places of all cues.

    The last ones are kept, because the reporting checks read the texts that the design was read from.
    """
    folded = fold(text)
    facts = facts_of(folded)
    return rule_index(where).cued(folded_words(folded), facts.opened[where], facts.met)


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
    for candidate, start, end in rule_index(where).matches(cued_text(text, where), DESIGN):
        claim = candidate.claim
        labels.update(claim.labels)
        if claim.design is not None:
            span = Span.cut(where, text, start, end)
            signals.append(signal_of(claim.design, _SOURCES[where], span.text, claim.weight, span))
    return Reasons(tuple(signals), frozenset(labels))


def article_text_reasons(article: Article) -> Reasons:
    """Return what title and abstract say, each signal with the span of its words."""
    return Reasons.gather(text_reasons(article.title, TITLE), text_reasons(article.abstract or "", ABSTRACT))
