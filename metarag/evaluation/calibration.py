"""How far confidences can be believed, where there are any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from metarag.evaluation.results import ItemResult, Outcome


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Answers of about the same confidence."""

    n: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """What becomes of the error rate when only the surest answers are given.

    Attributes
    ----------
    coverage : float
        Share of answers at or above the threshold, in (0, 1].
    risk : float
        Share of them that is wrong.
    """

    threshold: float
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Confidences against outcomes.

    Attributes
    ----------
    n, without : int
        Answers with a confidence, and answers without one.
    brier : float
        Mean squared distance of confidence and outcome, in [0, 1]; lower is better.
    expected_error : float
        Expected calibration error: mean distance of confidence and accuracy over the bins, weighted by size.
    area : float
        Under the risk-coverage curve: mean risk over the answers, surest first; lower is better.
    """

    n: int
    without: int
    brier: float
    expected_error: float
    area: float
    bins: tuple[CalibrationBin, ...]
    curve: tuple[RiskPoint, ...]


def calibration(results: Iterable[ItemResult], *, bins: int = 10) -> Calibration | None:
    """Return how answered items' confidences fit their outcomes; ``None`` when no answer has one.

    Bins hold about the same number of answers. Equal confidences are never parted, so there can be fewer bins,
    and the order of the results makes no difference.

    References
    ----------
    Brier GW. Verification of forecasts expressed in terms of probability. Mon Weather Rev 1950;78:1-3. Naeini
    MP, et al. Obtaining well calibrated probabilities using Bayesian binning. AAAI 2015. Geifman Y, El-Yaniv R.
    Selective classification for deep neural networks. NeurIPS 2017.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")
    answered = [r for r in results if r.outcome in (Outcome.CORRECT, Outcome.WRONG)]
    pairs = sorted((r.confidence, r.is_correct) for r in answered if r.confidence is not None)
    if not pairs:
        return None
    found = _bins(pairs, bins)
    curve = _curve(pairs)
    n = len(pairs)
    return Calibration(
        n=n,
        without=len(answered) - n,
        brier=sum((confidence - right) ** 2 for confidence, right in pairs) / n,
        expected_error=sum(b.n * abs(b.confidence - b.accuracy) for b in found) / n,
        area=_area(curve),
        bins=found,
        curve=curve,
    )


def _bins(pairs: list[tuple[float, bool]], bins: int) -> tuple[CalibrationBin, ...]:
    found: list[list[tuple[float, bool]]] = []
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        # A bin is closed once the bins so far hold their share of all answers.
        if not found or sum(map(len, found)) >= len(found) * len(pairs) / bins:
            found.append([])
        found[-1].extend(group)
    return tuple(
        CalibrationBin(
            n=len(part),
            confidence=sum(confidence for confidence, _ in part) / len(part),
            accuracy=sum(right for _, right in part) / len(part),
        )
        for part in found
    )


def _curve(pairs: list[tuple[float, bool]]) -> tuple[RiskPoint, ...]:
    points, given, wrong = [], 0, 0
    for threshold, group in groupby(reversed(pairs), key=lambda pair: pair[0]):
        part = list(group)
        given += len(part)
        wrong += sum(not right for _, right in part)
        points.append(RiskPoint(threshold, given / len(pairs), wrong / given))
    return tuple(points)


def _area(curve: tuple[RiskPoint, ...]) -> float:
    area, before = 0.0, 0.0
    for point in curve:
        area += point.risk * (point.coverage - before)
        before = point.coverage
    return area
