"""How well records that people included in reviews are ranked above those that they did not."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metarag._version import __version__
from metarag.errors import InputError
from metarag.evaluation.intervals import Interval
from metarag.evaluation.rankers import Scores, candidates_of, ranked_places, ranker
from metarag.evaluation.ranking_measures import average_precision, ndcg, recall, work_saved
from metarag.evaluation.screened import Labels, ScreenedReview
from metarag.evaluation.trec import qrels_text, run_text

RESAMPLES = 1_000
SEED = 20251024
MEASURES = ("AP", "nDCG@20", "recall@50", "WSS@95")


@dataclass(frozen=True, slots=True)
class RankerResult:
    """One ranker over all reviews.

    Attributes
    ----------
    by_review : dict of str to dict of str to float
        Review to measure to value.
    means : dict of str to float
        Over reviews, each counting once.
    difference : float or None
        Of mean AP, to the baseline; ``None`` for the baseline itself.
    interval : Interval or None
        Of the difference: reviews are drawn with replacement, then records within each, the same for both.
    """

    name: str
    by_review: dict[str, dict[str, float]]
    means: dict[str, float]
    difference: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class RankingReport:
    """All rankers over the same reviews.

    Attributes
    ----------
    reviews : dict of str to tuple of int
        Name to records and included records.
    signature : str
        What has to be the same for the numbers to come out the same.
    """

    reviews: dict[str, tuple[int, int]]
    results: tuple[RankerResult, ...]
    baseline: str
    signature: str


class RankingExperiment:
    """Reviews, and the order in which each ranker puts their records.

    Parameters
    ----------
    reviews : sequence of ScreenedReview
    names : sequence of str
        Of rankers (:func:`metarag.evaluation.rankers.ranker`).
    on_ranked : callable or None
        Told the name of each ranker when it is done.

    Raises
    ------
    ConfigurationError
        There is no ranker of a name.
    """

    def __init__(
        self,
        reviews: Sequence[ScreenedReview],
        names: Sequence[str],
        *,
        on_ranked: Callable[[str], None] | None = None,
    ) -> None:
        self.reviews = tuple(reviews)
        made = {name.partition("=")[0]: ranker(name) for name in names}
        candidates = [candidates_of(review) for review in self.reviews]
        self.scores: dict[str, list[Scores]] = {}
        for name, rank in made.items():
            self.scores[name] = [rank(*pair) for pair in zip(self.reviews, candidates, strict=True)]
            if on_ranked:
                on_ranked(name)

    def report(
        self, baseline: str, *, source: str = "", seed: int = SEED, resamples: int = RESAMPLES
    ) -> RankingReport:
        """Measure every ranker and compare it with the baseline.

        Parameters
        ----------
        source : str
            Digest of the files, for the signature.

        Raises
        ------
        InputError
            The baseline is none of the rankers.
        """
        if baseline not in self.scores:
            raise InputError(f"the baseline {baseline!r} is none of the rankers {', '.join(self.scores)}")
        measured = {name: self._measured(scores) for name, scores in self.scores.items()}
        means = {name: _means(by_review) for name, by_review in measured.items()}
        return RankingReport(
            reviews={r.name: (len(r.articles), int(r.included.sum())) for r in self.reviews},
            results=tuple(
                RankerResult(
                    name,
                    by_review,
                    means[name],
                    None if name == baseline else means[name]["AP"] - means[baseline]["AP"],
                    None if name == baseline else self._interval(name, baseline, seed, resamples),
                )
                for name, by_review in measured.items()
            ),
            baseline=baseline,
            signature=f"data:{source}|rankers:{'+'.join(self.scores)}|bootstrap:{resamples}#{seed}"
            f"|metarag:{__version__}|python:{platform.python_version()}|numpy:{np.__version__}",
        )

    def run(self, name: str) -> str:
        """Return a ranker's order as a TREC run; questions are the reviews."""
        rankings = {}
        for review, scores in zip(self.reviews, self.scores[name], strict=True):
            ids = document_ids(review)
            rankings[review.name] = [ids[place] for place in ranked_places(scores)]
        return run_text(rankings, tag=f"metarag-{name}")

    def qrels(self) -> str:
        """Return what people included as TREC judgements."""
        return qrels_text({review.name: _judged(review) for review in self.reviews})

    def _measured(self, scores: Sequence[Scores]) -> dict[str, dict[str, float]]:
        return {r.name: measures(r, s) for r, s in zip(self.reviews, scores, strict=True)}

    def _interval(self, name: str, baseline: str, seed: int, resamples: int) -> Interval | None:
        if not resamples:
            return None
        labels = [review.included for review in self.reviews]
        return bootstrap(
            self.scores[name],
            self.scores[baseline],
            labels,
            rng=np.random.default_rng(seed),
            resamples=resamples,
        )


def bootstrap(
    scores: Sequence[Scores],
    base: Sequence[Scores],
    labels: Sequence[Labels],
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval:
    """Return a percentile interval of the difference in mean AP of two rankers.

    Reviews are drawn with replacement, then records within each, included and excluded apart, so that no draw is
    without an included one. Both rankers see the same draws. With few reviews it says little of other reviews.

    Parameters
    ----------
    scores, base : sequence of array
        One array a review, one number a record.
    labels : sequence of array of bool
        The same shapes.
    """
    differences = []
    for _ in range(resamples):
        drawn = []
        for place in rng.integers(0, len(labels), len(labels)):
            included = labels[place]
            strata = [np.flatnonzero(included == value) for value in (True, False)]
            rows = np.concatenate([rng.choice(stratum, len(stratum)) for stratum in strata])
            rows.sort()
            one, other = (_precision(each[place][rows], included[rows]) for each in (scores, base))
            drawn.append(one - other)
        differences.append(np.mean(drawn))
    low, high = np.percentile(differences, [50 * (1 - level), 50 * (1 + level)])
    return Interval(float(low), float(high), level)


def document_ids(review: ScreenedReview) -> list[str]:
    """Return an id for each record: its PMID where it is unique, else its place in the file."""
    pmids = [article.pmid for article in review.articles]
    unique = len(set(pmids)) == len(pmids) and None not in pmids
    return [str(pmid) if unique else f"{review.name}-{n}" for n, pmid in enumerate(pmids, 1)]


def measures(review: ScreenedReview, scores: Scores) -> dict[str, float]:
    """Return the measures of one ranking by name; ties keep the order of the file."""
    ids = document_ids(review)
    ranked, judged = [ids[place] for place in ranked_places(scores)], _judged(review)
    values = (
        average_precision(ranked, judged),
        ndcg(ranked, judged, k=20),
        recall(ranked, judged, k=50),
        work_saved(ranked, judged),
    )
    return {name: value for name, value in zip(MEASURES, values, strict=True) if value is not None}


def _judged(review: ScreenedReview) -> dict[str, int]:
    return dict(zip(document_ids(review), review.included.astype(int).tolist(), strict=True))


def _means(by_review: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {m: float(np.mean([values[m] for values in by_review.values()])) for m in MEASURES}


def _precision(scores: Scores, included: Labels) -> float:
    """Average precision as :func:`average_precision`, for records that can occur more than once."""
    ranks = np.flatnonzero(included[np.argsort(-scores, kind="stable")]) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).mean())
