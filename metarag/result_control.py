"""Whether a sentence can tell a result of the treatment against no treatment: there is a control, and it is no preface.

A trial of two drugs or two doses says "was similar in both groups" as a trial against placebo does. So words count
only where the article, or the sentence itself, is known to compare with placebo, no treatment or usual care.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from metarag.direction import Direction, direction_of
from metarag.other_treatments import places_of
from metarag.outcome_keys import OutcomeKey
from metarag.outcome_mentions import clauses
from metarag.pooling import Tier
from metarag.records import Article
from metarag.sentences import sentences_of
from metarag.types import Evidence, Span

_INACTIVE: Final = frozenset({"placebo", "no treatment", "usual care", "sham"})
"""Comparators of the vocabulary, and what the reader of articles calls no treatment."""
_NAMED: Final = re.compile(
    r"\b(?:placebos?|sham|usual care|standard care|routine care|no (?:treatment|intervention|therapy|prophylaxis)"
    r"|untreated|vehicle|dummy|non-?users?|never[- ]users?)\b",
    re.IGNORECASE,
)
# A control group may well have another drug.
_NAMED_LOOSELY: Final = re.compile(r"\b(?:controls?|alone)\b", re.IGNORECASE)
# "Conventional insulin therapy", "the standard-care group": what patients have anyway.
_USUAL: Final = re.compile(
    r"\b(?:conventional|usual|routine)(?:ly)? (?!doses?\b)\w|\bstandard(?:[- ]\w+){0,2}?[- ]"
    r"(?:care|treatment|therapy|management|control|groups?|arms?)\b",
    re.IGNORECASE,
)
# Outside trials people who take a drug are compared with those who do not, whether it is said or not.
_OBSERVED: Final = re.compile(
    r"\b(?:associat\w+|related|linked|than|compared|versus|vs|us(?:e|ers?)|risk|odds|hazard"
    r"|(?:lower|higher|fewer|greater|less|more)\b[^,;]* (?:with|in|among|on))\b",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"\b(?:was|were|did|had|we|our|this (?:study|trial|review|analysis)|found|showed|[\w-]+ed (?:to|by|with|in|from|the))\b"
    r"|%|\bP ?[<=>]",
    re.IGNORECASE,
)
# What is hoped, known from elsewhere or advised is nothing that the article found.
_NOT_FOUND_HERE: Final = re.compile(
    r"\b(?:increasing|growing|accumulating|mounting|emerging|previous|earlier|other|epidemiolog\w+|some) (?:evidence|studies"
    r"|trials|reports|data)\b|\b(?:is|are) (?:thought|believed|known|expected|hypothesi[sz]ed) to\b"
    r"|\bhas been (?:shown|reported|suggested|proposed|known|thought)\b|\bhave been (?:shown|reported|suggested|proposed)\b"
    r"|\b(?:should|must|ought to) be\b"
    r"|\A\W*To (?:\w+ly )?(?:improve|reduce|maximi[sz]e|minimi[sz]e|prevent|increase|lower)\b"
    r"|\bappears? probable\b|\b(?:might|could) (?:be|help|reduce|prevent|improve|lower|increase)\b",
    re.IGNORECASE,
)
_FEW_SENTENCES: Final = 2
# "Olanzapine-induced weight gain", "olanzapine+nizatidine": the result is of what was given against or beside it.
_NOT_ALONE: Final = re.compile(
    r"-(?:induced|associated|related|resistant|refractory)\b|(?:\s\d[\d.]*\s?m?g)?\s?\+\s?[^\W\d]",
    re.IGNORECASE,
)


def can_tell(item: Evidence, span: Span, tier: str, treatments: frozenset[str]) -> bool:
    """Tell whether a sentence of an article may be counted as a result.

    Parameters
    ----------
    span : Span
        The sentence, in the abstract.
    tier : str
        What kind of evidence the article is, as :func:`metarag.results.tier_name` says.
    treatments : frozenset of str
        The drugs asked about; empty where the question names a comparator, so that any is one it asked for.
    """
    if _NOT_FOUND_HERE.search(span.text) or _is_preface(item.article, span):
        return False
    if any(_NOT_ALONE.match(span.text, end) for _, end in places_of(span.text, treatments)):
        return False
    return not treatments or _has_control(item, span.text, tier)


def _has_control(item: Evidence, sentence: str, tier: str) -> bool:
    pico = item.appraisal.pico if item.appraisal else None
    if pico is None or _NAMED.search(sentence):
        return True
    if any(term.concept in _INACTIVE for term in pico.comparator):
        return True
    if not pico.comparator and _NAMED_LOOSELY.search(sentence):
        return True
    if tier == Tier.OBSERVATIONAL.value:
        return _OBSERVED.search(sentence) is not None
    # A review says what it pooled in other words, or not at all.
    return tier.endswith("review") or _USUAL.search(item.article.abstract or "") is not None


def _is_preface(article: Article, span: Span) -> bool:
    """True for the first sentence of an abstract without headings that tells nothing that was done or found."""
    headed = any(section.label for section in article.abstract_sections)
    before, behind = (article.abstract or "")[: span.start], (article.abstract or "")[span.end :]
    if headed or before.strip() or behind.count(". ") < _FEW_SENTENCES:
        return False
    return _DONE.search(span.text) is None


def is_taken_back_later(span: Span, abstract: str, named: Callable[[str], OutcomeKey | None]) -> bool:
    """True where the sentence of an effect goes on to say that the same outcome did not differ: at a later time.

    Parameters
    ----------
    span : Span
        Of the effect, in the abstract.
    named : callable
        Says where a clause names the outcome.
    """
    ends = [end for start, end in sentences_of(abstract) if start <= span.start < end]
    if span.where != "abstract" or not ends:
        return False
    for first, last in clauses(abstract, span.end, max(ends[0], span.end)):
        clause = abstract[first:last]
        hit = named(clause)
        found = direction_of(clause, outcome=clause[hit.start : hit.end]) if hit else None
        if found and found.basis != "effect" and found.direction is Direction.NO_DIFFERENCE:
            return True
    return False
