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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

from metarag.design_prose_rates import RATES, rates
from metarag.design_prose_record import SIGNS
from metarag.folded_words import cut
from metarag.resources import data_file

MODEL_FILE: Final = "review_prose.json"

MAX_CHARACTERS: Final = 20_000
"""Characters of an abstract that are read; more is a full text, whose prose says nothing of the kind."""

_TOKEN: Final = re.compile(r"[^\W\d_]{2,30}")
_REVIEW_WORDS: Final = ("review", "overview")
RULE_SCORES: Final = ("narrative", "synthesis", "case", "trial", "observational", "laboratory")
DENSE: Final = (*RATES, "log_words", "log_title_words", "question", *RULE_SCORES, "humans", *SIGNS)


@dataclass(frozen=True, slots=True)
class ProseModel:
    """Weights of the linear model: ``1 / (1 + exp(-(intercept + dense . x + words . t)))``.

    ``t`` is the vector of ``(1 + ln count) * idf`` of the known words, divided by its Euclidean length;
    the idf is part of each word's pair ``(idf, weight)``. ``neutral`` stands in for the signs of ``SIGNS`` that
    a record does not carry: their averages.
    """

    intercept: float
    dense: tuple[float, ...]
    words: Mapping[str, tuple[float, float]]
    neutral: tuple[float, ...]


def dense_features(title: str, abstract: str, rule_scores: Mapping[str, float], humans: bool) -> list[float]:
    """Return the values of ``DENSE`` up to the signs: rates per 100 words (at most 12), lengths, rule scores."""
    lengths = [
        math.log(max(1, len(abstract.split()))),
        math.log(1 + len(title.split())),
        float("?" in title),
    ]
    return [
        *rates(abstract, _counted(abstract)),
        *lengths,
        *(rule_scores.get(name, 0.0) for name in RULE_SCORES),
        float(humans),
    ]


def word_counts(title: str, abstract: str) -> Counter[str]:
    """Return the words of abstract and title (marked ``t:``) without those that name a review."""
    counts: Counter[str] = Counter()
    for mark, text in (("", abstract), ("t:", title)):
        # Each word is taken apart once, however often it stands there.
        for word, count in _counted(text).items():
            for token in _tokens(word):
                counts[mark + token] += count
    return counts


@lru_cache(maxsize=4)
def _counted(text: str) -> Counter[str]:
    """Return how often each word stands in a text; never changed, for rates and weights share it."""
    return Counter(cut(text))


@lru_cache(maxsize=50_000)
def _tokens(word: str) -> tuple[str, ...]:
    """Return the runs of letters in a word; a name of a review is none, for the rules have weighed it."""
    return tuple(token for token in _TOKEN.findall(word) if not token.startswith(_REVIEW_WORDS))


def review_probability(
    model: ProseModel,
    title: str,
    abstract: str,
    *,
    rule_scores: Mapping[str, float],
    humans: bool,
    signs: Sequence[float | None],
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
    signs : sequence of float or None
        As :func:`metarag.design_prose_record.record_signs` returns them.
    """
    abstract = abstract[:MAX_CHARACTERS]
    dense = dense_features(title, abstract, rule_scores, humans)
    dense += [usual if sign is None else sign for sign, usual in zip(signs, model.neutral, strict=True)]
    total = model.intercept + sum(weight * value for weight, value in zip(model.dense, dense, strict=True))
    values = {
        word: ((1 + math.log(count)) * known[0], known[1])
        for word, count in word_counts(title, abstract).items()
        if (known := model.words.get(word))
    }
    length = math.sqrt(sum(value * value for value, _ in values.values())) or 1.0
    parts = {word: value / length * weight for word, (value, weight) in values.items()}
    total += sum(parts.values())
    in_abstract = (word for word in parts if not word.startswith("t:"))
    loudest = min(in_abstract, key=lambda word: (-parts[word], word), default="")
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
        neutral=tuple(float(raw["neutral"][name]) for name in SIGNS),
    )
