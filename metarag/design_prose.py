"""Whether an abstract reads like a review: a small linear model over prose, for texts without a clear phrase.

Most narrative reviews never say that they are one. Their prose does: present tense, no own measurements,
general words. The model adds up the share of such words and a few thousand word weights. It is asked only
where no phrase has settled the design, and it answers with a probability and the word that spoke loudest.

References
----------
Fitted by ``validation/study_design/fit_review_prose.py``, which also measures it on records it has not seen.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from metarag.resources import data_file

MODEL_FILE: Final = "review_prose.json"

MAX_CHARACTERS: Final = 20_000
"""Characters of an abstract that are read; more is a full text, whose prose says nothing of the kind."""

_MAX_RATE: Final = 12.0
_TOKEN: Final = re.compile(r"[^\W\d_]{2,30}")
_REVIEW_WORDS: Final = ("review", "overview")
_RATES: Final = MappingProxyType(
    {
        "past": r"\b(?:was|were|did|had|could)\b",
        "present": r"\b(?:is|are|has|have|been|can|may|will|should|must|might)\b",
        "we_did": r"\bwe (?:\w+ly |also |have )?(?:found|find|investigat|stud|examin|analy|measur|observ"
        r"|perform|conduct|compar|evaluat|assess|determin|test|show|demonstrat|use|propos|develop|report|present"
        r"|introduc|identif|describe)",
        "was_done": r"\b(?:was|were) (?:\w{2,15}ly )?\w{2,20}ed\b",
        "is_done": r"\b(?:is|are) (?:\w{2,15}ly )?\w{2,20}ed\b",
        "number": r"\d+(?:\.\d+)?",
        "percent": "%",
        "statistics": r"\bp ?[<=>]|\bn ?=|±|\+/-|\bci\b",
        "heading": r"(?:^|\n|\. )(?:methods?|results?|background|objectives?|conclusions?|purpose|aims?)\b:?",
        "this_study": r"\b(?:this|present|our|current) (?:\w{2,15} )?(?:study|work|experiment|investigation"
        r"|trial|data|results|findings|survey|series|experience|approach|method)\b",
        "significant": r"\bsignifican",
        "discuss": r"\b(?:discuss|summari[sz]|outline|highlight|focus|describ|emphasi)",
        "recent": r"\b(?:recent|current|today|now|past|decade|years|future|advance|progress|emerging"
        r"|novel|new)",
        "connective": r"\b(?:such as|including|however|although|therefore|thus|moreover|furthermore"
        r"|in addition|e\.g)\b",
        "clinical": r"\b(?:therap|treatment|management|strateg|approach|option|prevention|diagnos"
        r"|pathogenesis|mechanism|role|understanding|knowledge|research|evidence|literature)",
        "case": r"\b(?:year-old|case|patient)\b",
    }
)
_PATTERNS: Final = tuple(re.compile(pattern) for pattern in _RATES.values())
RULE_SCORES: Final = ("narrative", "synthesis", "case", "trial", "observational", "laboratory")
DENSE: Final = (*_RATES, "log_words", "log_title_words", "question", *RULE_SCORES, "humans")


@dataclass(frozen=True, slots=True)
class ProseModel:
    """Weights of the linear model: ``1 / (1 + exp(-(intercept + dense . x + words . t)))``.

    ``t`` is the vector of ``(1 + ln count) * idf`` of the known words, divided by its Euclidean length;
    the idf is part of each word's pair ``(idf, weight)``.
    """

    intercept: float
    dense: tuple[float, ...]
    words: Mapping[str, tuple[float, float]]


def dense_features(title: str, abstract: str, rule_scores: Mapping[str, float], humans: bool) -> list[float]:
    """Return the values of ``DENSE``: rates per 100 words (at most 12), lengths, rule scores in [0, 1]."""
    count = max(1, len(abstract.split()))
    rates = [min(len(pattern.findall(abstract)) * 100 / count, _MAX_RATE) for pattern in _PATTERNS]
    lengths = [math.log(count), math.log(1 + len(title.split())), float("?" in title)]
    return [*rates, *lengths, *(rule_scores.get(name, 0.0) for name in RULE_SCORES), float(humans)]


def word_counts(title: str, abstract: str) -> Counter[str]:
    """Return the words of abstract and title (marked ``t:``) without those that name a review."""
    words = [*_TOKEN.findall(abstract), *(f"t:{word}" for word in _TOKEN.findall(title))]
    return Counter(word for word in words if not word.removeprefix("t:").startswith(_REVIEW_WORDS))


def review_probability(
    model: ProseModel, title: str, abstract: str, *, rule_scores: Mapping[str, float], humans: bool
) -> tuple[float, str]:
    """Return the probability in (0, 1) that the text is a review, and the abstract's word that says so most.

    Parameters
    ----------
    model : ProseModel
        The shipped one is :func:`load_model`.
    title, abstract : str
        Folded text (lower case, plain dashes).
    rule_scores : mapping of str to float
        Scores in [0, 1] that the phrases gave, by the names in ``RULE_SCORES``.
    humans : bool
        True when the MeSH heading Humans is there.
    """
    abstract = abstract[:MAX_CHARACTERS]
    dense = dense_features(title, abstract, rule_scores, humans)
    total = model.intercept + sum(weight * value for weight, value in zip(model.dense, dense, strict=True))
    known = {word: n for word, n in word_counts(title, abstract).items() if word in model.words}
    values = {word: (1 + math.log(n)) * model.words[word][0] for word, n in known.items()}
    length = math.sqrt(sum(value * value for value in values.values())) or 1.0
    parts = {word: value / length * model.words[word][1] for word, value in values.items()}
    total += sum(parts.values())
    in_abstract = {word: part for word, part in parts.items() if not word.startswith("t:")}
    loudest = max(sorted(in_abstract), key=lambda word: in_abstract[word], default="")
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), loudest


@cache
def load_model() -> ProseModel:
    """Read the shipped weights, once."""
    raw = json.loads(data_file(MODEL_FILE).read_text(encoding="utf-8"))
    words = {word: (float(idf), float(weight)) for word, (idf, weight) in raw["words"].items()}
    return ProseModel(
        intercept=float(raw["intercept"]),
        dense=tuple(float(raw["dense"][name]) for name in DENSE),
        words=MappingProxyType(words),
    )
