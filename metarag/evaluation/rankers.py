"""Ways to put the records of a review in order, from a plain search engine to the presets."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from metarag.appraisal import appraise
from metarag.config import PRESETS, Settings
from metarag.errors import ConfigurationError, suggest
from metarag.evaluation.screened import ScreenedReview
from metarag.evaluation.systems import named_settings
from metarag.pipeline import Pipeline
from metarag.presets import build_pipeline
from metarag.scoring import GeometricMean, TermWeights
from metarag.stages.registry import load_stage
from metarag.types import Retrieved, StudyDesign

Scores = npt.NDArray[np.float64]
"""One number a record, higher is better; shape (articles,)."""
Candidates = tuple[Retrieved, ...]
"""The records of a review with their appraisals, in its order."""
Ranker = Callable[[ScreenedReview, Candidates], Scores]

BM25: Final = "bm25"
TRIALS: Final = frozenset(
    {StudyDesign.RANDOMIZED_TRIAL, StudyDesign.CLINICAL_TRIAL, StudyDesign.QUASI_RANDOMIZED_TRIAL}
)
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9]+")
_ALONE: Final = ("relevance", "reliability", "extrapolation")
RANKERS: Final = (BM25, "trials_first", *_ALONE, "paper", "recommended")
"""What is measured by default: two orders of a search engine, three single stages, both presets."""


def ranker(name: str) -> Ranker:
    """Return the ranker of that name: one of :data:`RANKERS`, a preset without stages, or ``NAME=FILE``.

    Raises
    ------
    ConfigurationError
        There is none, or its settings are wrong.
    """
    if name == BM25:
        return lambda review, _: bm25(review)
    if name == "trials_first":
        return trials_first
    if name in _ALONE:
        return _alone(name)
    if "=" not in name and name.partition("-")[0] not in PRESETS:
        raise ConfigurationError(f"there is no ranker {name!r}{suggest(name, RANKERS)}")
    return by_pipeline(build_pipeline(Settings.from_mapping(named_settings(name), where=name)))


def candidates_of(review: ScreenedReview) -> Candidates:
    """Return the records with their appraisals, which every ranker then uses."""
    return tuple(Retrieved(article=article, appraisal=appraise(article)) for article in review.articles)


def bm25(review: ScreenedReview) -> Scores:
    """Return the scores of BM25 over title and abstract, for the question and its PICO; no stems, no stop words.

    References
    ----------
    Robertson S, Zaragoza H. The probabilistic relevance framework: BM25 and beyond. Found Trends Inf Retr
    2009;3:333-89; k1 1.2 and b 0.75, and the logarithm that is never negative.
    """
    documents = [Counter(_words(f"{a.title} {a.abstract or ''}")) for a in review.articles]
    lengths = np.array([sum(document.values()) for document in documents], dtype=float)
    mean_length = lengths.mean()
    scores = np.zeros(len(documents))
    for word in sorted(set(_words(review.query))):
        counts = np.array([document[word] for document in documents], dtype=float)
        df = int((counts > 0).sum())
        idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        scores += idf * counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * lengths / mean_length))
    return scores


def trials_first(review: ScreenedReview, candidates: Candidates) -> Scores:
    """Return BM25's order with all trials before all else: what a filter for trials is worth alone."""
    scores = bm25(review)
    is_trial = np.array([_is_trial(found) for found in candidates])
    return np.asarray(scores + is_trial * (scores.max() + 1), dtype=np.float64)


def ranked_places(scores: Scores) -> list[int]:
    """Return the places of the records, best first; ties keep the order of the file."""
    return [int(place) for place in np.argsort(-scores, kind="stable")]


def by_pipeline(pipeline: Pipeline) -> Ranker:
    """Return the order of a pipeline: minus the rank of each record; what it excluded comes last."""

    def scores(review: ScreenedReview, candidates: Candidates) -> Scores:
        ranking = pipeline.rank(review.question, candidates)
        order = [item.key for item in ranking] + [item.key for item in ranking.excluded]
        place = {key: -rank for rank, key in enumerate(order)}
        return np.array([place[key] for key in ranking.audit.identified], dtype=np.float64)

    return scores


def _alone(name: str) -> Ranker:
    # Reliability that was not assessed has a neutral value in the score; without its stage it has no place there.
    weights = TermWeights(reliability=float(name == "reliability"))
    return by_pipeline(Pipeline([load_stage(name)()], scorer=GeometricMean(weights=weights)))


def _is_trial(found: Retrieved) -> bool:
    return found.appraisal is not None and found.appraisal.design.design in TRIALS


def _words(text: str) -> Iterable[str]:
    return _WORD.findall(text.lower())
