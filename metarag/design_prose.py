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
from operator import mul
from types import MappingProxyType
from typing import Final

from metarag.design_prose_rates import (
    IN_TEXT,
    RATES,
    count_phrases,
    count_words,
    per_100_words,
    rates,
)
from metarag.design_prose_record import SIGNS
from metarag.folded_words import WordMemo, cut
from metarag.resources import data_file

MODEL_FILE: Final = "review_prose.json"

MAX_CHARACTERS: Final = 20_000
"""Characters of an abstract that are read; more is a full text, whose prose says nothing of the kind."""

_TOKEN: Final = re.compile(r"[^\W\d_]{2,30}")
_REVIEW_WORDS: Final = ("review", "overview")
RULE_SCORES: Final = ("narrative", "synthesis", "case", "trial", "observational", "laboratory")
DENSE: Final = (*RATES, "log_words", "log_title_words", "question", *RULE_SCORES, "humans", *SIGNS)


@dataclass(frozen=True, slots=True, eq=False)
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
    length = len(abstract.split())
    return [*rates(abstract, _counted(abstract)), *_scalars(title, length, rule_scores, humans=humans)]


def _scalars(title: str, length: int, rule_scores: Mapping[str, float], *, humans: bool) -> list[float]:
    return [
        math.log(max(1, length)),
        math.log(1 + len(title.split())),
        float("?" in title),
        *(rule_scores.get(name, 0.0) for name in RULE_SCORES),
        float(humans),
    ]


def word_counts(title: str, abstract: str, model: ProseModel | None = None) -> dict[str, int]:
    """Return the words of abstract and title (marked ``t:``) without those that name a review.

    With a model only those that it knows.
    """
    counts: dict[str, int] = {}
    for mark, text in (("", abstract), ("t:", title)):
        words = _counted(text)
        for tokens, count in zip(map(_tokens(mark, model).__getitem__, words), words.values(), strict=True):
            for token in tokens:
                counts[token] = counts.get(token, 0) + count
    return counts


@lru_cache(maxsize=4)
def _counted(text: str) -> Counter[str]:
    """Return how often each word stands in a text; never changed, for rates and weights share it."""
    return Counter(cut(text))


@lru_cache(maxsize=4)
def _tokens(mark: str, model: ProseModel | None) -> WordMemo[tuple[str, ...]]:
    """Return the marked runs of letters in words; a name of a review is none, for the rules have weighed it."""

    def tokens(word: str) -> tuple[str, ...]:
        runs = (mark + run for run in _TOKEN.findall(word) if not run.startswith(_REVIEW_WORDS))
        return tuple(token for token in runs if model is None or token in model.words)

    return WordMemo(tokens)


def review_probability(
    model: ProseModel,
    title: str,
    abstract: str,
    *,
    rule_scores: Mapping[str, float],
    humans: bool,
    signs: Sequence[float | None],
    enough: float = 0.0,
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
    enough : float
        A probability below this comes without a word, and may only be what it is at most: the phrases that
        would lower it further are not counted.
    """
    abstract = abstract[:MAX_CHARACTERS]
    length = len(abstract.split())
    scalars = _scalars(title, length, rule_scores, humans=humans)
    scalars += [usual if sign is None else sign for sign, usual in zip(signs, model.neutral, strict=True)]
    parts = _weigh_words(model, title, abstract)
    of_words = sum(parts.values())
    counts = count_words(_counted(abstract))
    # More of a phrase that speaks against a review only lowers the sum, so that those can wait.
    for phrases in _by_direction(model):
        count_phrases(counts, abstract, phrases)
        values = [*per_100_words(counts, length), *scalars]
        total = model.intercept + sum(map(mul, model.dense, values))
        probability = _logistic(total + of_words)
        if probability < enough:
            return probability, ""
    in_abstract = (word for word in parts if not word.startswith("t:"))
    return probability, min(in_abstract, key=lambda word: (-parts[word], word), default="")


@lru_cache(maxsize=4)
def _by_direction(model: ProseModel) -> tuple[list[str], list[str]]:
    """Return the phrases that speak for a review, and those that speak against it."""
    weights = dict(zip(DENSE, model.dense, strict=True))
    return [name for name in IN_TEXT if weights[name] > 0], [name for name in IN_TEXT if weights[name] <= 0]


def _weigh_words(model: ProseModel, title: str, abstract: str) -> dict[str, float]:
    """Return what each known word adds to the sum."""
    counts, log = word_counts(title, abstract, model), math.log
    known = [model.words[word] for word in counts]
    values = [(1 + log(count)) * idf for count, (idf, _) in zip(counts.values(), known, strict=True)]
    length = math.sqrt(sum(map(mul, values, values))) or 1.0
    parts = (value / length * weight for value, (_, weight) in zip(values, known, strict=True))
    return dict(zip(counts, parts, strict=True))


def _logistic(total: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


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
