"""Rank every screened record of four drug-class reviews for the review's question.

Data: Cohen 2006 via asreview, as `<name>.csv.gz` (title, abstract, label_included) and `questions.json`.

    python benchmarks/reviews.py PATH_TO_REVIEWS [--bootstrap 1000] [--leave-one-out]

Prints, for each ranker, average precision of the included records, nDCG@20, recall@50 and the work saved
at 95 % recall (WSS@95), with paired bootstrap intervals of the difference to BM25.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metarag.appraisal import appraise
from metarag.pipeline import Pipeline
from metarag.presets import build_pipeline
from metarag.records import AbstractSection, Article
from metarag.scoring import GeometricMean, TermWeights
from metarag.stages.base import Stage
from metarag.stages.eligibility import EligibilityStage
from metarag.stages.extrapolation import ExtrapolationStage
from metarag.stages.relevance import RelevanceStage
from metarag.stages.reliability import ReliabilityStage
from metarag.types import Pico, Question, StudyDesign

WORD = re.compile(r"[a-z0-9]+")
TRIALS = {StudyDesign.RANDOMIZED_TRIAL, StudyDesign.CLINICAL_TRIAL, StudyDesign.QUASI_RANDOMIZED_TRIAL}
METRICS = ("AP", "nDCG@20", "recall@50", "WSS@95")
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Review:
    name: str
    question: Question
    articles: tuple[Article, ...]
    included: np.ndarray

    @property
    def query(self) -> str:
        pico = self.question.pico.model_dump().values() if self.question.pico else ()
        return " ".join((self.question.text, *(value for value in pico if value)))


def load(folder: Path) -> list[Review]:
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    reviews = []
    for name, asked in questions.items():
        with gzip.open(folder / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        pico = Pico(**{facet: asked[facet] for facet in Pico.model_fields})
        articles = tuple(
            Article(
                pmid=row["pubmedID"],
                title=row["title"],
                abstract_sections=(AbstractSection(text=row["abstract"]),) if row["abstract"] else (),
            )
            for row in rows
        )
        labels = np.array([row["label_included"] == "1" for row in rows])
        reviews.append(Review(name, Question(text=asked["question"], pico=pico), articles, labels))
    return reviews


def bm25(review: Review) -> np.ndarray:
    """Scores of Robertson's BM25 over title and abstract; no stemming, no stop words."""
    documents = [Counter(WORD.findall(f"{a.title} {a.abstract or ''}".lower())) for a in review.articles]
    lengths = np.array([sum(d.values()) for d in documents], dtype=float)
    mean_length = lengths.mean()
    scores = np.zeros(len(documents))
    for word in sorted(set(WORD.findall(review.query.lower()))):
        counts = np.array([d[word] for d in documents], dtype=float)
        df = int((counts > 0).sum())
        idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        scores += idf * counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / mean_length))
    return scores


def trials_first(review: Review) -> np.ndarray:
    scores = bm25(review)
    is_trial = np.array([appraise(a).design.design in TRIALS for a in review.articles])
    return scores + is_trial * (scores.max() + 1)


def ranked(review: Review, pipeline: Pipeline) -> np.ndarray:
    """Minus the rank of each record; what the pipeline excluded comes last, in the order of the file."""
    ranking = pipeline.rank(review.question, review.articles)
    order = [item.key for item in ranking] + [item.key for item in ranking.excluded]
    place = {key: -rank for rank, key in enumerate(order)}
    return np.array([place[key] for key in ranking.audit.identified], dtype=float)


def alone(*stages: Stage) -> Callable[[Review], np.ndarray]:
    """One stage; reliability is left out of the score where it was not assessed."""
    reliability = float(any(stage.name == "reliability" for stage in stages))
    scorer = GeometricMean(weights=TermWeights(reliability=reliability))
    return lambda review: ranked(review, Pipeline(stages, scorer=scorer))


STAGES = (EligibilityStage(), RelevanceStage(), ReliabilityStage(), ExtrapolationStage())


def recommended(weights: TermWeights, *without: str) -> Callable[[Review], np.ndarray]:
    stages = [stage for stage in STAGES if stage.name not in without]
    return lambda review: ranked(review, Pipeline(stages, scorer=GeometricMean(weights=weights)))


WEIGHTS = TermWeights(relevance=1.0, reliability=1.0, applicability=2.0)
EQUAL = TermWeights(relevance=1.0, reliability=1.0, applicability=1.0)
RANKERS: dict[str, Callable[[Review], np.ndarray]] = {
    "bm25": bm25,
    "bm25_trials_first": trials_first,
    "relevance": alone(RelevanceStage()),
    "reliability": alone(ReliabilityStage()),
    "extrapolation": alone(ExtrapolationStage()),
    "without_relevance": recommended(WEIGHTS, "relevance"),
    "without_reliability": recommended(WEIGHTS.model_copy(update={"reliability": 0.0}), "reliability"),
    "without_extrapolation": recommended(WEIGHTS, "extrapolation"),
    "equal_weights": recommended(EQUAL),
    "weights_1_1_2": recommended(WEIGHTS),
    "recommended": lambda review: ranked(review, build_pipeline()),
}


def metrics(scores: np.ndarray, included: np.ndarray) -> tuple[float, float, float, float]:
    """AP, nDCG@20, recall@50 and WSS@95 of one ranking; ties keep the order of the file."""
    hits = included[np.argsort(-scores, kind="stable")]
    total = hits.sum()
    ranks = np.flatnonzero(hits) + 1
    average_precision = float((np.arange(1, total + 1) / ranks).mean())
    gains = 1 / np.log2(np.arange(2, 22))
    ndcg = float((hits[:20] * gains[: len(hits[:20])]).sum() / gains[: min(20, total)].sum())
    read = ranks[math.ceil(0.95 * total) - 1]
    return average_precision, ndcg, float(hits[:50].sum() / total), 1 - float(read) / len(hits) - 0.05


def bootstrap(
    scores: Sequence[np.ndarray], base: Sequence[np.ndarray], reviews: Sequence[Review], rounds: int
) -> tuple[float, float]:
    """95 % interval of the mean difference in AP: reviews are drawn, then records within each, paired."""
    rng = np.random.default_rng(20251024)
    differences = []
    for _ in range(rounds):
        drawn = []
        for r in rng.integers(0, len(reviews), len(reviews)):
            labels = reviews[r].included
            # Strata keep the number of included records, so that no draw is empty.
            rows = np.concatenate(
                [
                    rng.choice(np.flatnonzero(labels == value), (labels == value).sum())
                    for value in (True, False)
                ]
            )
            rows.sort()
            drawn.append(metrics(scores[r][rows], labels[rows])[0] - metrics(base[r][rows], labels[rows])[0])
        differences.append(np.mean(drawn))
    low, high = np.percentile(differences, [2.5, 97.5])
    return float(low), float(high)


def report(reviews: list[Review], rounds: int) -> None:
    results = {}
    for name, ranker in RANKERS.items():
        started = time.perf_counter()
        results[name] = [ranker(review) for review in reviews]
        seconds = time.perf_counter() - started
        table = np.array([metrics(s, r.included) for s, r in zip(results[name], reviews, strict=True)])
        by_review = " ".join(f"{value:.3f}" for value in table[:, 0])
        means = " ".join(
            f"{metric} {value:.3f}" for metric, value in zip(METRICS, table.mean(axis=0), strict=True)
        )
        interval = ""
        if rounds and name != "bm25":
            low, high = bootstrap(results[name], results["bm25"], reviews, rounds)
            interval = f"| AP - bm25: [{low:+.3f}, {high:+.3f}]"
        print(f"{name:21} {means} | AP by review {by_review} | {seconds:.1f} s {interval}", flush=True)


def leave_one_out(reviews: list[Review]) -> None:
    """Choose the weights on three reviews, measure on the fourth."""
    grid = [
        TermWeights(reliability=q, applicability=a)
        for q in (0.5, 1.0, 1.5, 2.0)
        for a in (0.5, 1.0, 2.0, 3.0)
    ]
    scores = np.zeros((len(grid), len(reviews)))
    for column, review in enumerate(reviews):
        ranking = Pipeline(STAGES).rank(review.question, review.articles)
        items = {item.key: item for item in ranking}
        for row, weights in enumerate(grid):
            scorer = GeometricMean(weights=weights)
            values = [
                (scorer.score(items[key])[0] or 0.0) if key in items else -1.0
                for key in ranking.audit.identified
            ]
            scores[row, column] = metrics(np.array(values), review.included)[0]
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
    reviews = load(given.folder)
    for review in reviews:
        print(f"{review.name}: {len(review.articles)} records, {review.included.sum()} included")
    report(reviews, given.bootstrap)
    if given.leave_one_out:
        leave_one_out(reviews)


if __name__ == "__main__":
    main()
