"""What a comparison of one facet says: the decision, the words that decided, and the reason."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from metarag.pico_types import PicoTerm
from metarag.records import Frozen


class Fit(StrEnum):
    """How a facet of an article fits the question's."""

    MATCH = "match"
    PARTIAL = "partial"
    MISMATCH = "mismatch"
    UNKNOWN = "unknown"


class Finding(Frozen):
    """One facet, or one aspect of the population, compared.

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
        return f"{self.fit.value}: {self.reason}" if self.reason else self.fit.value


def said(terms: Iterable[PicoTerm]) -> str:
    """Return the words of terms as they stand in the text, each once."""
    return ", ".join(dict.fromkeys([" ".join(term.span.text.split()) for term in terms]))


def named(terms: Iterable[PicoTerm]) -> str:
    """Return the preferred names of terms, each once, three at most."""
    names = list(dict.fromkeys([term.concept for term in terms]))
    return ", ".join(names[:3])


_WORST_FIRST = (Fit.MISMATCH, Fit.PARTIAL, Fit.MATCH)


def combined(aspect: str, findings: Iterable[Finding]) -> Finding:
    """Return the worst of what is known: a child is no adult even where the disease is the same.

    Nothing makes up for a disease that is not named: adults alone are no match for adults with asthma.
    """
    listed = list(findings)
    unnamed = [f for f in listed if f.aspect == "condition" and f.fit is Fit.UNKNOWN]
    if unnamed and all(f.fit in (Fit.MATCH, Fit.UNKNOWN) for f in listed):
        listed = unnamed
    for fit in _WORST_FIRST:
        deciding = [finding for finding in listed if finding.fit is fit]
        if deciding:
            return Finding(
                aspect=aspect,
                fit=fit,
                reason=". ".join(finding.reason for finding in deciding if finding.reason),
                asked=", ".join(dict.fromkeys(f.asked for f in deciding if f.asked)),
                found=", ".join(dict.fromkeys(f.found for f in deciding if f.found)),
                certain=any(finding.certain for finding in deciding),
            )
    reason = ". ".join(finding.reason for finding in listed if finding.reason) or "nothing was read of it"
    return Finding(aspect=aspect, fit=Fit.UNKNOWN, reason=reason)
