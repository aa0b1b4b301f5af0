"""The screened records of a real review: the numbers of docs/evaluation.md and docs/ranking.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from metarag.evaluation.ranking_experiment import RankingExperiment
from metarag.evaluation.screened import read_reviews

REVIEWS = Path(__file__).resolve().parents[3] / "shared" / "data" / "reviews"
pytestmark = pytest.mark.skipif(not REVIEWS.is_dir(), reason=f"the shared reviews are not there: {REVIEWS}")


def test_four_reviews_are_read_whole():
    found = {r.name: (len(r.articles), int(r.included.sum())) for r in read_reviews(REVIEWS)}
    assert found == {
        "ADHD": (851, 20),
        "Estrogens": (368, 80),
        "Triptans": (671, 24),
        "UrinaryIncontinence": (327, 40),
    }


def test_average_precision_of_one_review_is_the_published_one():
    reviews = [review for review in read_reviews(REVIEWS) if review.name == "UrinaryIncontinence"]
    report = RankingExperiment(reviews, ("bm25", "recommended")).report("bm25", resamples=0)
    bm25, recommended = (each.means["AP"] for each in report.results)
    assert bm25 == pytest.approx(0.440, abs=0.0005)
    assert recommended == pytest.approx(0.502, abs=0.01)
