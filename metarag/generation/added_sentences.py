"""What a model's answer must not leave out: a conflict, and what limits the certainty, in one sentence each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from metarag.agreement import facet_decisions, facet_of
from metarag.generation.base import AnswerSentence
from metarag.generation.citation_check import MOST_CITATIONS
from metarag.generation.citations import citation_of
from metarag.generation.weighing import Weighing
from metarag.generation.wording import listed, outcome_words, text_kind
from metarag.pipeline import Ranking
from metarag.results import tier_name
from metarag.types import Evidence

_CONFLICT = re.compile(
    r"\b(?:conflict|disagree|contradict|inconsisten|mixed (?:results|findings|evidence)|in contrast|whereas"
    r"|on the other hand|differ(?:s|ed)? (?:between|from|across))",
    re.IGNORECASE,
)
# "The sources agree" of sources that do not: then the conflict is not told, whatever else is said.
_AGREEMENT = re.compile(r"\b(?:agree|agrees|agreed|consistent|consistently|unanimous\w*)\b", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:uncertain|certainty|limit(?:ed|s|ation)|caution|low quality|small (?:stud|trial|number)|underpowered"
    r"|not randomi[sz]ed|observational|indirect|unclear)",
    re.IGNORECASE,
)
_INDIRECT = ("mismatch", "partial")


def tells_conflict(
    text: str, cited: set[str] | None, weighing: Weighing, articles: Mapping[str, Evidence], shown: set[str]
) -> bool:
    """True when a text speaks of a conflict, of no agreement, and cites both sides as far as they are shown.

    Parameters
    ----------
    cited : set of str or None
        What the text cites; ``None``: it is not to cite.
    shown : set of str
        Citations of the sources.
    """
    if not _CONFLICT.search(text) or _AGREEMENT.search(text):
        return False
    sides = [{citation_of(articles[k].article) for k in keys} for keys in weighing.keys_by_side.values()]
    return cited is None or all(side & cited for side in sides if side & shown)


def tells_limits(text: str) -> bool:
    """True when a text says anything of what limits the certainty."""
    return _LIMIT.search(text) is not None


def conflict_sentence(
    weighings: Sequence[Weighing], articles: Mapping[str, Evidence], shown: Sequence[str]
) -> AnswerSentence:
    """Return on what the articles disagree, and which side has the better evidence: one sentence for all.

    Of one outcome the best article of each side and the review that decides are cited, of several that review
    or the best article of the better side of each, as far as they are ``shown``.

    Parameters
    ----------
    weighings : sequence of Weighing
        Those with sides; at least one.
    """
    if len(weighings) == 1:
        (weighing,) = weighings
        text = (
            f"The articles disagree on {outcome_words(weighing.agreement.outcome)}, with {_sides(weighing)} of"
            f" them; by a count of studies and people, {_verdict(weighing)}."
        )
        best = [
            _first(keys, articles, shown) for keys in (*weighing.keys_by_side.values(), _deciding(weighing))
        ]
    else:
        told = [f"{outcome_words(w.agreement.outcome)} ({_sides(w)}; {_verdict(w)})" for w in weighings]
        text = f"By a count of studies and people, the articles disagree on {listed(told)}."
        best = [_first([*_deciding(w), *_better_first(w)], articles, shown) for w in weighings]
    citations = tuple(dict.fromkeys(citation for citation in best if citation))
    return AnswerSentence(text=text, citations=citations[:MOST_CITATIONS])


def _sides(weighing: Weighing) -> str:
    return listed([f"{side.value} in {len(keys)}" for side, keys in weighing.keys_by_side.items()])


def _verdict(weighing: Weighing) -> str:
    if weighing.better is None:
        return "neither side clearly has the better evidence"
    harm = " and points to harm" if weighing.harm else ""
    treatment = weighing.agreement.treatment
    of = f" of {treatment}" if treatment else ""
    return f"the better evidence shows {weighing.better.value}{of}{harm}"


def _deciding(weighing: Weighing) -> list[str]:
    return [review.key for review in weighing.deciding]


def _better_first(weighing: Weighing) -> list[str]:
    sides = sorted(weighing.keys_by_side.items(), key=lambda side: side[0] is not weighing.better)
    return [key for _, keys in sides for key in keys]


def limits_sentence(items: Sequence[Evidence], ranking: Ranking, cited: Sequence[str]) -> AnswerSentence:
    """Return what limits the certainty, as far as it can be counted, for the articles that are cited."""
    facets = facet_decisions(ranking)
    reasons = []
    if not any(tier_name(item) in ("review", "randomised") for item in items):
        reasons.append("none of these articles is randomised")
    indirect = [
        item
        for item in items
        if any(
            facet_of(facets.get(item.key), f).startswith(_INDIRECT) for f in ("population", "intervention")
        )
    ]
    if indirect:
        reasons.append(f"{len(indirect)} of {len(items)} on other people or a related treatment")
    reasons.append(f"only {text_kind(items)} were read")
    text = f"The certainty is limited and not graded: {listed(reasons)}."
    return AnswerSentence(text=text, citations=tuple(dict.fromkeys(cited))[:MOST_CITATIONS])


def _first(keys: Sequence[str], articles: Mapping[str, Evidence], shown: Sequence[str]) -> str | None:
    """Return the best of some articles that is among the sources."""
    citations = (citation_of(articles[key].article) for key in keys)
    return next((citation for citation in citations if citation in shown), None)
