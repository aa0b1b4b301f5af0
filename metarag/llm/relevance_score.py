"""A model's summary and rating of an article, also where the reply is not quite what was asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metarag.llm.base import ChatReply, Failure
from metarag.llm.extract import extract_object, without_reasoning
from metarag.llm.schemas import HIGHEST_RELEVANCE, LONGEST_SUMMARY, REFERENCE

_READ_ANYWAY = frozenset({Failure.SCHEMA, Failure.MALFORMED})
_SCORE_KEYS = ("relevance_score", "relevance", "score")
_SCORE_FIELD = re.compile(
    r"[\"'*]{0,3}(?:relevance[ _]?)?score[\"'*]{0,3}\s{0,3}[:=][\s\"'*]{0,6}(?P<value>[^,}\n\"'*]{0,40})",
    re.IGNORECASE,
)
_SUMMARY_FIELD = re.compile(r"[\"']summary[\"']\s{0,3}:\s{0,3}\"((?:[^\"\\]|\\.){0,4000})\"", re.IGNORECASE)
_FRACTION = re.compile(
    r"(\d{1,3}(?:\.\d{1,6})?)\s{0,2}(?:/|out of|of)\s{0,2}(\d{1,3}(?:\.\d{1,6})?)", re.IGNORECASE
)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s{0,2}%")
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{0,6})?")
_NOT_APPLICABLE = re.compile(
    r"\W{0,3}(?:not applicable|n/?a|irrelevant|not relevant|none)\W{0,3}", re.IGNORECASE
)
_FIGURE = re.compile(r"\d+(?:[.,·]\d+)*")


@dataclass(frozen=True, slots=True)
class RelevanceRating:
    """What a model says of an article for a question.

    Attributes
    ----------
    score : float
        In [0, 10].
    summary : str
        In the model's words, on one line; empty when it gave none.
    lenient : bool
        True when the reply had to be read around its faults.
    """

    score: float
    summary: str = ""
    lenient: bool = False


def read_relevance(reply: ChatReply, *, reference: str) -> RelevanceRating | None:
    """Return the rating; ``None`` when the reply holds none that can be read without a guess.

    Parameters
    ----------
    reference : str
        Of the article that was asked about; a reply that names another one is none.

    Notes
    -----
    A reply that failed for its shape only is read again: reasoning and code fences are skipped, trailing
    commas and raw fractions do not matter, and floats, ``8/10`` and ``80 %`` are scores. What is not: a number
    out of range, a decimal comma, NaN, a reply about another article, a reply cut off or refused.
    """
    if reply.failure is None:
        parsed = reply.parsed or {}
        return _rating(parsed.get("relevance_score"), parsed.get("summary"), lenient=False)
    if reply.failure not in _READ_ANYWAY or not reply.text:
        return None
    extracted = extract_object(reply.text)
    found = extracted.value
    if extracted.failure is Failure.TRUNCATED:
        return None  # the "1" of a cut-off reply may have been going to be a "10"
    if found is not None:
        if found.get(REFERENCE, reference) != reference:
            return None
        named = next((found[key] for key in _SCORE_KEYS if key in found), None)
        return _rating(named, found.get("summary"), lenient=True)
    return _from_prose(reply.text)


def score_of(value: object) -> float | None:
    """Return a score in [0, 10]; ``None`` for anything that is none, or could be two."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value).strip().strip("*\"'` .")
    fraction, percent = _FRACTION.fullmatch(text), _PERCENT.fullmatch(text)
    if fraction:
        part, whole = float(fraction[1]), float(fraction[2])
        score = part / whole * HIGHEST_RELEVANCE if whole else None
    elif percent:
        score = float(percent[1]) / 100 * HIGHEST_RELEVANCE
    else:
        score = float(text) if _NUMBER.fullmatch(text) else None
    return score if score is not None and 0 <= score <= HIGHEST_RELEVANCE else None


def figures_not_in(summary: str, *texts: str) -> tuple[str, ...]:
    """Return the figures of a summary that stand in none of the texts, in order.

    Thousands separators and the kinds of decimal points make no difference.
    """
    known = {_plain(figure) for text in texts for figure in _FIGURE.findall(text)}
    return tuple(dict.fromkeys(f for f in _FIGURE.findall(summary) if _plain(f) not in known))


def _rating(score: object, summary: object, *, lenient: bool) -> RelevanceRating | None:
    told = " ".join(str(summary).split())[:LONGEST_SUMMARY] if isinstance(summary, str) else ""
    value = score_of(score)
    if value is None and _is_none(score) and _NOT_APPLICABLE.fullmatch(told):
        value = 0.0
    return None if value is None else RelevanceRating(value, told, lenient)


def _is_none(score: object) -> bool:
    return score is None or (isinstance(score, str) and _NOT_APPLICABLE.fullmatch(score) is not None)


def _from_prose(text: str) -> RelevanceRating | None:
    """Read a reply that is no JSON: the one score it names, and the text before it."""
    answer, _ = without_reasoning(text)
    if not answer:
        return None
    if _NOT_APPLICABLE.fullmatch(answer):
        return RelevanceRating(0.0, answer.strip(), lenient=True)
    fields = list(_SCORE_FIELD.finditer(answer))
    scores = {score_of(match["value"]) for match in fields}
    if len(scores) != 1:
        return None
    told = _SUMMARY_FIELD.search(answer)
    before = "" if "{" in answer else answer[: fields[0].start()]
    return _rating(scores.pop(), told[1] if told else before, lenient=True)


def _plain(figure: str) -> str:
    """Return a figure without thousands separators, with a point for the decimals."""
    figure = figure.replace("·", ".")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", figure):
        return figure.replace(",", "")
    return figure.replace(",", ".")
