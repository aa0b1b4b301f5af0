"""Rank every screened record of four drug-class reviews for the review's question.

Data: Cohen 2006 via asreview, as `<name>.csv.gz` (title, abstract, label_included) and `questions.json`.

    python benchmarks/reviews.py PATH_TO_REVIEWS [--bootstrap 2000] [--leave-one-out]

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
from metarag.records import AbstractSection, Article
from metarag.scoring import GeometricMean, TermWeights
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


def by_pipeline(make: Callable[[], Pipeline]) -> Callable[[Review], np.ndarray]:
    def scores(review: Review) -> np.ndarray:
        ranking = make().rank(review.question, review.articles)
        order = [item.key for item in ranking] + [item.key for item in ranking.excluded]
        place = {key: -rank for rank, key in enumerate(order)}
        seen: Counter[str] = Counter()
        values = []
        for article in review.articles:
            seen[article.id] += 1
            repeat = seen[article.id]
            values.append(place[article.id if repeat == 1 else f"{article.id}#{repeat}"])
        return np.array(values, dtype=float)

    return scores


def recommended(weights: TermWeights | None = None) -> Pipeline:
    return Pipeline(
        [EligibilityStage(), RelevanceStage(), ReliabilityStage(), ExtrapolationStage()],
        scorer=GeometricMean(weights=weights or TermWeights()),
    )


RANKERS: dict[str, Callable[[Review], np.ndarray]] = {
    "bm25": bm25,
    "bm25_trials_first": trials_first,
    "relevance": by_pipeline(
        lambda: Pipeline([RelevanceStage()], scorer=GeometricMean(weights=TermWeights(reliability=0)))
    ),
    "reliability": by_pipeline(lambda: Pipeline([ReliabilityStage()])),
    "extrapolation": by_pipeline(
        lambda: Pipeline([ExtrapolationStage()], scorer=GeometricMean(weights=TermWeights(reliability=0)))
    ),
    "recommended": by_pipeline(recommended),
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
        print(f"{name:18} {means} | AP by review {by_review} | {seconds:.1f} s {interval}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bootstrap", type=int, default=1000)
    given = parser.parse_args()
    print(f"{platform.platform()}, Python {sys.version.split()[0]}; {' '.join(sys.argv)}")
    reviews = load(given.folder)
    for review in reviews:
        print(f"{review.name}: {len(review.articles)} records, {review.included.sum()} included")
    report(reviews, given.bootstrap)


if __name__ == "__main__":
    main()
