"""Fit the prose model of narrative reviews (data/review_prose.json) and measure it on unseen records.

    python validation/study_design/fit_review_prose.py [--shared PATH] [--write]

Training texts: the PubMed XML and MEDLINE records with an abstract (PubMed's review types are the answer);
records of four drug reviews whose phrases settle the matter (weak answers, the word "review" itself is never
a feature); and every fourth trial article as "no review". The loss is the logistic loss with reviews
counting more, plus a ridge penalty. Signs of the record that it does not carry stand at their average. The threshold
is put where F is largest in a cross-validation inside the training records, with precision counting twice as much as
recall, because a study that is taken for a review loses its results. Reported first: five-fold cross-validation of the
whole rule set with the model, so that each record is judged by a model, and by a threshold, that have not seen it.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from metarag import study_design
from metarag.design_fusion import combine
from metarag.design_mesh import is_about_humans
from metarag.design_prose import DENSE, MAX_CHARACTERS, MODEL_FILE, ProseModel, dense_features, word_counts
from metarag.design_prose_record import SIGNS, record_signs
from metarag.design_text import fold
from metarag.design_text_reviews import OWN_DATA
from metarag.design_text_rules import article_text_reasons
from metarag.files import write_text_atomically
from metarag.records import AbstractSection, Article, MeshHeading
from metarag.types import StudyDesign

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from study_design import REVIEW_TYPES, REVIEWS, read_medline, read_trials, read_xml  # type: ignore[import-not-found]  # noqa: E402

FOLDS = 5
LEAST_TEXTS = 5  # a word in fewer texts says nothing reliable
MOST_WORDS = 3000
PENALTY = 4.0  # variance of the weights' prior
DENSE_SCALE = 0.2  # keeps the few dense features from being shrunk like single words
REVIEW_WEIGHT = 2.0  # moves the best threshold to 0.5
LEAST_WEIGHT = 0.02  # smaller word weights are not shipped
BETA_SQUARED = 0.5  # precision counts twice
SHIFTS = np.arange(-1.5, 1.01, 0.1)
REPEATS = 3  # of the cross-validation that finds the threshold
SEED = 0


class Row(NamedTuple):
    """A text as the model sees it; a sign that is not there is NaN."""

    dense: list[float]
    words: Counter[str]


class Swing(NamedTuple):
    """What the whole rule set says of a record when the model says no, and when it says yes."""

    without: bool
    with_it: bool


def row(article: Article) -> Row:
    title, abstract = fold(article.title), fold(article.abstract or "")[:MAX_CHARACTERS]
    scores = study_design.prose_rule_scores(article_text_reasons(article))
    signs = [math.nan if sign is None else sign for sign in record_signs(article)]
    dense = dense_features(title, abstract, scores, is_about_humans(article))
    return Row([*dense, *signs], word_counts(title, abstract))


def swing(article: Article) -> Swing:
    """Ask the rule set twice, with the answers that a model could give."""
    said = []
    for probability in (0.0, 0.99):
        answer = (probability, (fold(article.abstract or "").split() or [""])[0])
        with mock.patch.multiple(
            study_design, load_model=lambda: None, review_probability=mock.Mock(return_value=answer)
        ):
            said.append(study_design.classify(article).design in REVIEWS)
    return Swing(*said)


def weak_examples(paths: Iterable[Path]) -> tuple[list[Article], list[Article]]:
    """Return records that surely are reviews and records that surely are not, by their phrases."""
    reviews, others = [], []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for record in csv.DictReader(lines):
                if len((record["abstract"] or "").split()) < 40:
                    continue
                article = Article(
                    title=record["title"],
                    abstract_sections=(AbstractSection(text=record["abstract"]),),
                    mesh=(MeshHeading(descriptor="Humans"),),
                )
                reasons = article_text_reasons(article)
                scores = combine(reasons.signals)
                own_data = OWN_DATA in reasons.labels
                review = scores.get(StudyDesign.NARRATIVE_REVIEW, 0.0)
                study = max(
                    scores.get(design, 0.0)
                    for design in (
                        StudyDesign.RANDOMIZED_TRIAL,
                        StudyDesign.CLINICAL_TRIAL,
                        StudyDesign.COHORT,
                        StudyDesign.OBSERVATIONAL,
                        StudyDesign.CROSS_SECTIONAL,
                    )
                )
                if review >= 0.75 and not own_data:
                    reviews.append(article)
                elif own_data and review < 0.3 and study >= 0.6:
                    others.append(article)
    return reviews, others[::2]


def fit(rows: list[Row], answers: np.ndarray) -> ProseModel:
    """Minimise the weighted logistic loss plus the ridge penalty."""
    texts = Counter(word for one in rows for word in one.words)
    known = sorted((w for w, n in texts.items() if n >= LEAST_TEXTS), key=lambda w: (-texts[w], w))[
        :MOST_WORDS
    ]
    idf = {word: math.log((1 + len(rows)) / (1 + texts[word])) + 1 for word in known}
    dense = np.array([one.dense for one in rows])
    usual = np.nanmean(dense, axis=0)
    dense = np.where(np.isnan(dense), usual, dense)
    mean, spread = dense.mean(axis=0), dense.std(axis=0) + 1e-9
    words = sparse.csr_matrix(np.array([word_vector(one.words, idf, known) for one in rows]))
    features = sparse.hstack([sparse.csr_matrix((dense - mean) / spread * DENSE_SCALE), words]).tocsr()
    signs = np.where(answers, 1.0, -1.0)
    importance = np.where(answers, REVIEW_WEIGHT, 1.0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = signs * (features @ weights[1:] + weights[0])
        slope = -importance * signs / (1 + np.exp(margin))
        total = (importance * np.logaddexp(0, -margin)).sum() + (weights[1:] ** 2).sum() / (2 * PENALTY)
        return total, np.concatenate([[slope.sum()], features.T @ slope + weights[1:] / PENALTY])

    best = minimize(
        loss, np.zeros(features.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    ).x
    dense_weights = best[1 : 1 + len(DENSE)] * DENSE_SCALE / spread
    word_weights = best[1 + len(DENSE) :]
    return ProseModel(
        intercept=float(best[0] - (dense_weights * mean).sum()),
        dense=tuple(float(weight) for weight in dense_weights),
        words={word: (idf[word], float(weight)) for word, weight in zip(known, word_weights, strict=True)},
        neutral=tuple(float(value) for value in usual[-len(SIGNS) :]),
    )


def logits(model: ProseModel, rows: list[Row]) -> np.ndarray:
    """Return the log-odds that the model gives to each row."""
    usual = np.concatenate([np.zeros(len(DENSE) - len(SIGNS)), model.neutral])
    found = []
    for one in rows:
        dense = np.where(np.isnan(one.dense), usual, one.dense)
        known = [word for word in one.words if word in model.words]
        values = np.array([(1 + math.log(one.words[word])) * model.words[word][0] for word in known])
        weights = np.array([model.words[word][1] for word in known])
        length = np.linalg.norm(values) or 1.0
        found.append(model.intercept + np.dot(model.dense, dense) + np.dot(values, weights) / length)
    return np.array(found)


def fit_with_threshold(
    rows: list[Row], answers: np.ndarray, swings: list[Swing], extra: list[Row], extra_answers: np.ndarray
) -> ProseModel:
    """Fit, and move the intercept so that the threshold at 0.5 is the one found inside these records."""
    scores = np.zeros((REPEATS, len(rows)))
    for repeat in range(REPEATS):
        parts = np.random.default_rng(SEED + 1 + repeat).permutation(len(rows)) % FOLDS
        for part in range(FOLDS):
            seen, unseen = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
            model = fit([rows[i] for i in seen] + extra, np.concatenate([answers[seen], extra_answers]))
            scores[repeat, unseen] = logits(model, [rows[i] for i in unseen])
    without = np.array([one.without for one in swings])
    swayed = np.array([one.with_it for one in swings]) & ~without
    best = max(SHIFTS, key=lambda shift: f_score(without | (swayed & (scores + shift >= 0)), answers))
    model = fit(rows + extra, np.concatenate([answers, extra_answers]))
    return replace(model, intercept=model.intercept + float(best))


def f_score(found: np.ndarray, wanted: np.ndarray) -> float:
    """Return F over all repeats."""
    hits = (found & wanted).sum()
    wanted_in_all = wanted.sum() * len(found)
    return float((1 + BETA_SQUARED) * hits / (BETA_SQUARED * wanted_in_all + found.sum()))


def word_vector(words: Counter[str], idf: dict[str, float], known: list[str]) -> np.ndarray:
    vector = np.array([(1 + math.log(words[word])) * idf[word] if word in words else 0.0 for word in known])
    return vector / (np.linalg.norm(vector) or 1.0)


def write(model: ProseModel, path: Path) -> None:
    kept = {
        word: [round(idf, 3), round(weight, 3)]
        for word, (idf, weight) in sorted(model.words.items())
        if abs(weight) >= LEAST_WEIGHT
    }
    payload = {
        "about": "Made by validation/study_design/fit_review_prose.py; read by metarag/design_prose.py.",
        "intercept": round(model.intercept, 4),
        "dense": {name: round(weight, 4) for name, weight in zip(DENSE, model.dense, strict=True)},
        "neutral": {name: round(value, 4) for name, value in zip(SIGNS, model.neutral, strict=True)},
        "words": kept,
    }
    write_text_atomically(path, json.dumps(payload, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"wrote {path.name}: {len(kept)} words, {path.stat().st_size / 1000:.0f} kB")


def is_review(article: Article, model: ProseModel) -> bool:
    """Judge with this model in place of the shipped one."""
    with mock.patch.object(study_design, "load_model", return_value=model):
        return study_design.classify(article).design in REVIEWS


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--seed", type=int, default=SEED, help="of the division into folds")
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    options = parser.parse_args()
    shared = options.shared / "data"
    xml = read_xml(sorted((shared / "pubmed").glob("pubmed_real_part*.xml.gz")))
    medline = [t for t in read_medline(shared / "pubmed" / "medline_2000.txt.gz") if t.article.abstract]
    tagged = [*xml, *medline]
    answers = np.array([bool(one.types & REVIEW_TYPES) for one in tagged])
    reviews, others = weak_examples(sorted((shared / "reviews").glob("*.csv.gz")))
    others += list(read_trials(shared / "trials" / "rct_abstracts.jsonl.gz"))[::4]
    rows = [row(one.article) for one in tagged]
    extra = [row(article) for article in (*reviews, *others)]
    extra_answers = np.array([True] * len(reviews) + [False] * len(others))
    swings = [swing(one.article) for one in tagged]
    print(f"{len(tagged)} tagged records, {answers.sum()} reviews; weak: {len(reviews)} and {len(others)}")

    parts = np.random.default_rng(options.seed).permutation(len(tagged)) % FOLDS
    found = np.zeros(len(tagged), dtype=bool)
    for part in range(FOLDS):
        seen = [index for index in range(len(tagged)) if parts[index] != part]
        model = fit_with_threshold(
            [rows[i] for i in seen], answers[seen], [swings[i] for i in seen], extra, extra_answers
        )
        for index in np.flatnonzero(parts == part):
            found[index] = is_review(tagged[index].article, model)
    found, wanted = found[: len(xml)], answers[: len(xml)]
    hits = (found & wanted).sum()
    print(f"unseen PubMed XML records: precision {hits / found.sum():.3f}  recall {hits / wanted.sum():.3f}")
    if options.write:
        write(fit_with_threshold(rows, answers, swings, extra, extra_answers), ROOT / "data" / MODEL_FILE)


if __name__ == "__main__":
    main()
