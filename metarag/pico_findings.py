"""What a comparison of one facet says: the decision, the words that decided, and the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from metarag.pico_types import PicoTerm


class Fit(StrEnum):
    """How a facet of an article fits the question's."""

    MATCH = "match"
    PARTIAL = "partial"
    MISMATCH = "mismatch"
    UNKNOWN = "unknown"


# Looked up once: Python 3.11 takes longer for a member of an enumeration than for the comparison itself.
MATCH, PARTIAL, MISMATCH, UNKNOWN = Fit.MATCH, Fit.PARTIAL, Fit.MISMATCH, Fit.UNKNOWN


class Finding(NamedTuple):
    """One facet, or one aspect of the population, compared; light, because each article makes several.

    Parameters
    ----------
    aspect : str
        ``population``, ``intervention``, ``comparator``, ``outcome``; within the population ``species``,
        ``age``, ``sex``, ``condition``, ``history``, ``setting``.
    fit : Fit
        The decision.
    reason : str
        For a clinician: ``children; the question is about adults``.
    asked, found : str
        The words of the question and of the article that decided, comma-separated.
    certain : bool
        True for a mismatch that leaves no doubt and is total, such as animals for a clinical question.
    """

    aspect: str
    fit: Fit
    reason: str
    asked: str = ""
    found: str = ""
    certain: bool = False

    @property
    def shown(self) -> str:
        """The decision and its reason in one line."""
        return f"{self.fit!s}: {self.reason}" if self.reason else str(self.fit)


def said(terms: Iterable[PicoTerm]) -> str:
    """Return the words of terms as they stand in the text, each once."""
    texts = [term.span.text for term in terms]
    # Most are one word, in which there is no white space to put in order.
    return ", ".join(dict.fromkeys([text if text.isalnum() else " ".join(text.split()) for text in texts]))


def named(terms: Iterable[PicoTerm]) -> str:
    """Return the preferred names of terms, each once, three at most."""
    names = dict.fromkeys([term.concept for term in terms])
    return ", ".join(names if len(names) <= _MOST_NAMED else list(names)[:_MOST_NAMED])


_MOST_NAMED = 3


def combined(aspect: str, findings: Sequence[Finding]) -> Finding:
    """Return the worst of what is known: a child is no adult even where the disease is the same.

    Nothing makes up for a disease that is not named: adults alone are no match for adults with asthma.
    """
    fits = [finding.fit for finding in findings]
    for worst in (MISMATCH, PARTIAL, MATCH, UNKNOWN):
        if worst in fits:
            break
    if worst is MATCH or worst is UNKNOWN:
        unnamed = [f for f in findings if f.fit is UNKNOWN and f.aspect == "condition"]
        if unnamed or worst is UNKNOWN:
            reason = ". ".join([f.reason for f in unnamed or findings if f.reason])
            return Finding(aspect, UNKNOWN, reason or "nothing was read of it")
    deciding = [finding for finding in findings if finding.fit is worst]
    if len(deciding) == 1:
        return Finding(aspect, *deciding[0][1:])
    return Finding(
        aspect,
        worst,
        ". ".join([f.reason for f in deciding if f.reason]),
        ", ".join(dict.fromkeys([f.asked for f in deciding if f.asked])),
        ", ".join(dict.fromkeys([f.found for f in deciding if f.found])),
        any(f.certain for f in deciding),
    )
