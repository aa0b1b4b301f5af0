"""Rank every screened record of four drug-class reviews for the review's question.

Data: Cohen 2006 via asreview, as `<name>.csv.gz` (title, abstract, label_included) and `questions.json`.

    python benchmarks/reviews.py PATH_TO_REVIEWS [--bootstrap 1000] [--leave-one-out]

`metarag eval ranking PATH_TO_REVIEWS` measures the presets and the single stages; here are also other weights and
the stages left out. Prints, for each ranker, average precision of the included records, nDCG@20, recall@50 and
the work saved at 95 % recall (WSS@95), with paired bootstrap intervals of the difference to BM25.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

import numpy as np

from metarag.evaluation.rankers import Candidates, Ranker, Scores, by_pipeline, candidates_of, ranker
from metarag.evaluation.ranking_experiment import MEASURES, bootstrap, measures
from metarag.evaluation.screened import ScreenedReview, read_reviews
from metarag.pipeline import Pipeline
from metarag.scoring import GeometricMean, TermWeights
from metarag.stages.eligibility import EligibilityStage
from metarag.stages.extrapolation import ExtrapolationStage
from metarag.stages.relevance import RelevanceStage
from metarag.stages.reliability import ReliabilityStage

SEED = 20251024
STAGES = (EligibilityStage(), RelevanceStage(), ReliabilityStage(), ExtrapolationStage())


def weighted(weights: TermWeights, *without: str) -> Ranker:
    stages = [stage for stage in STAGES if stage.name not in without]
    return by_pipeline(Pipeline(stages, scorer=GeometricMean(weights=weights)))


WEIGHTS = TermWeights(relevance=1.0, reliability=1.0, applicability=2.0)
EQUAL = TermWeights(relevance=1.0, reliability=1.0, applicability=1.0)
RANKERS: dict[str, Ranker] = {
    **{name: ranker(name) for name in ("bm25", "trials_first", "relevance", "reliability", "extrapolation")},
    "without_relevance": weighted(WEIGHTS, "relevance"),
    "without_reliability": weighted(WEIGHTS.model_copy(update={"reliability": 0.0}), "reliability"),
    "without_extrapolation": weighted(WEIGHTS, "extrapolation"),
    "equal_weights": weighted(EQUAL),
    "weights_1_1_2": weighted(WEIGHTS),
    "paper": ranker("paper"),
    "recommended": ranker("recommended"),
}


def report(reviews: list[ScreenedReview], candidates: list[Candidates], rounds: int) -> None:
    results: dict[str, list[Scores]] = {}
    labels = [review.included for review in reviews]
    for name, rank in RANKERS.items():
        started = time.perf_counter()
        results[name] = [rank(*pair) for pair in zip(reviews, candidates, strict=True)]
        seconds = time.perf_counter() - started
        table = [measures(r, s) for r, s in zip(reviews, results[name], strict=True)]
        by_review = " ".join(f"{row['AP']:.3f}" for row in table)
        means = " ".join(f"{m} {np.mean([row[m] for row in table]):.3f}" for m in MEASURES)
        interval = ""
        if rounds and name != "bm25":
            rng = np.random.default_rng(SEED)
            found = bootstrap(results[name], results["bm25"], labels, rng=rng, resamples=rounds)
            interval = f"| AP - bm25: [{found.low:+.3f}, {found.high:+.3f}]"
        print(f"{name:21} {means} | AP by review {by_review} | {seconds:.1f} s {interval}", flush=True)


def leave_one_out(reviews: list[ScreenedReview], candidates: list[Candidates]) -> None:
    """Choose the weights on three reviews, measure on the fourth."""
    grid = [
        TermWeights(reliability=q, applicability=a)
        for q in (0.5, 1.0, 1.5, 2.0)
        for a in (0.5, 1.0, 2.0, 3.0)
    ]
    scores = np.zeros((len(grid), len(reviews)))
    for column, review in enumerate(reviews):
        ranking = Pipeline(STAGES).rank(review.question, candidates[column])
        items = {item.key: item for item in ranking}
        for row, weights in enumerate(grid):
            scorer = GeometricMean(weights=weights)
            values = [
                (scorer.score(items[key])[0] or 0.0) if key in items else -1.0
                for key in ranking.audit.identified
            ]
            scores[row, column] = measures(review, np.array(values))["AP"]
    print("leave one review out: weights of reliability and applicability beside relevance 1")
    held_out = []
    for column, review in enumerate(reviews):
        others = [c for c in range(len(reviews)) if c != column]
        best = int(scores[:, others].mean(axis=1).argmax())
        held_out.append(scores[best, column])
        chosen = f"reliability {grid[best].reliability}, applicability {grid[best].applicability}"
        print(f"  {review.name:20} {chosen}: AP {scores[best, column]:.3f}")
    means = scores.mean(axis=1)
    print(f"  mean held-out AP {np.mean(held_out):.3f}; over the grid {means.min():.3f} to {means.max():.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bootstrap", type=int, default=1000)
    parser.add_argument("--leave-one-out", action="store_true")
    given = parser.parse_args()
    print(f"{platform.platform()}, Python {sys.version.split()[0]}; {' '.join(sys.argv)}")
    reviews = list(read_reviews(given.folder))
    candidates = [candidates_of(review) for review in reviews]
    for review in reviews:
        print(f"{review.name}: {len(review.articles)} records, {review.included.sum()} included")
    report(reviews, candidates, given.bootstrap)
    if given.leave_one_out:
        leave_one_out(reviews, candidates)


if __name__ == "__main__":
    main()
