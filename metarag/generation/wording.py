"""Words of an answer for what the library knows under keys."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.agreement import COMBINED, Agreement
from metarag.design_words import finding_words
from metarag.records import TextOrigin
from metarag.results import Result
from metarag.types import DesignFinding, Evidence

_OUTCOMES = {"all_cause_death": "death from any cause", "mace": "major cardiovascular events"}


def outcome_words(key: str) -> str:
    """Return the outcome of a key, e.g. ``death from any cause``; parts of a combined one joined by 'or'."""
    listed_parts = key.removeprefix(COMBINED).split("+")
    parts = [_OUTCOMES.get(part, part.removeprefix("term:").replace("_", " ")) for part in listed_parts]
    if key.startswith(COMBINED):
        return f"combined outcomes with {listed(parts)}"
    return " or ".join(parts)


def result_words(result: Result, found: Agreement) -> str:
    """Return a result as what was found: ``a lower risk``, ``no clear difference``, ``a higher chance``."""
    if result is Result.NO_DIFFERENCE:
        return "no clear difference"
    better = result is Result.BENEFIT
    if found.polarity is None:
        return "a benefit" if better else "harm"
    if found.quantity:
        return "an improvement" if better else "a worsening"
    if found.polarity == "benefit":
        return "a higher chance" if better else "a lower chance"
    return "a lower risk" if better else "a higher risk"


def people(count: int) -> str:
    """Return a number of people with thousands apart."""
    return f"{count:,} people"


def design_of(item: Evidence) -> str:
    """Return the design in words, with what a review includes."""
    return finding_words(item.appraisal.design if item.appraisal else DesignFinding())


def text_kind(items: Sequence[Evidence]) -> str:
    """Return what the texts of articles are: ``abstracts``, ``summaries``, or both."""
    kinds = {item.article.text_origin is TextOrigin.SUMMARY for item in items}
    if kinds == {True}:
        return "summaries of the studies"
    return "titles and abstracts" if kinds == {False} else "abstracts and summaries"


def listed(parts: Sequence[str]) -> str:
    """Return ``a``, ``a and b``, or ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
