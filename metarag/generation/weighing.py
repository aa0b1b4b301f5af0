"""Which side of a disagreement has the better evidence, by rules that a reader can check.

The sides are a benefit against none (no difference or harm); where no result is a benefit, harm against
none. A side has the better evidence if the newest review of randomised studies is on it, or, where no review
tells, at least two thirds of the people in randomised studies are; and if neither of the two says otherwise.
Trials speak against a review only if it cannot hold them (they are newer or larger), and with at least half
as many people as it has; or if its result was read from words, and at least three trials, two thirds of them,
are on the other side. Where trials decide alone, one whose result was read from words, not numbers, may not
hold more than three quarters of their people.
Observational studies never decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from metarag.agreement import Agreement
from metarag.pooling import Tier
from metarag.results import REVIEW, ArticleResult, Result
from metarag.types import Evidence

MAJORITY = 2 / 3
"""Share of the people in randomised studies from which their side is clear. Ours."""
AGAINST_A_REVIEW = 0.5
"""People in studies that a review cannot hold, as a share of its own, from which they speak against it. Ours."""
MANY_TRIALS = 3
"""Trials from which they make a review doubtful whose result was read from words. Ours."""
ONE_READING = 0.75
"""Share of the deciding people that one study may hold whose result was read from words. Ours."""


class Side(StrEnum):
    """What a result says to what the results disagree on."""

    BENEFIT = "a benefit"
    NO_BENEFIT = "no benefit"
    HARM = "harm"
    NO_HARM = "no harm"


def side_of(result: Result, among: Agreement) -> Side:
    """Return the side of a result among all results on an outcome."""
    if any(found.result is Result.BENEFIT for found in among.results):
        return Side.BENEFIT if result is Result.BENEFIT else Side.NO_BENEFIT
    return Side.HARM if result is Result.HARM else Side.NO_HARM


@dataclass(frozen=True, slots=True)
class Weighing:
    """The sides on one outcome, and what they rest on.

    Attributes
    ----------
    agreement : Agreement
        All results.
    better : Side or None
        The side with the better evidence; ``None`` where the sides agree, or neither clearly has it.
    deciding : tuple of ArticleResult
        The review that decides, or is the newest of those that disagree; empty without reviews.
    trials : tuple of ArticleResult
        Randomised studies on the better side, else all of them.
    people, people_in_all : int
        In the randomised studies of the better side, and in all whose size is known. Reports with the same
        number of people count once: most often they are of the same study.
    harm : bool
        True when the deciding review, or two thirds of the people in randomised studies, point to harm.
    """

    agreement: Agreement
    better: Side | None = None
    deciding: tuple[ArticleResult, ...] = ()
    trials: tuple[ArticleResult, ...] = ()
    people: int = 0
    people_in_all: int = 0
    harm: bool = False

    @property
    def disagrees(self) -> bool:
        """True when results are on both sides."""
        return len(self.keys_by_side) > 1

    @property
    def keys_by_side(self) -> dict[Side, tuple[str, ...]]:
        """Evidence keys of each side that has any, best first."""
        found = [(side_of(r.result, self.agreement), r.key) for r in self.agreement.results]
        sides = {side: tuple(key for of, key in found if of is side) for side in Side}
        return {side: keys for side, keys in sides.items() if keys}


def weigh(found: Agreement, articles: Mapping[str, Evidence]) -> Weighing:
    """Return the sides on an outcome and which has the better evidence; see the module for the rule.

    Parameters
    ----------
    found : Agreement
        The results on the outcome.
    articles : mapping of str to Evidence
        By evidence key; holds every article of ``found``.
    """
    reviews = [r for r in found.results if r.tier == REVIEW]
    trials = [r for r in found.results if r.tier == Tier.RANDOMISED]
    newest = _newest(reviews, articles)
    sizes = _sizes(trials, articles)
    heard = _sizes([t for t in trials if not newest or _is_beyond(t, newest, articles)], articles)
    enough = AGAINST_A_REVIEW * (people_of(articles[newest.key]) or 0) if newest else 0
    by_trials = _majority_side(heard, found) if sum(heard.values()) >= enough else None
    if not reviews and by_trials and _is_one_reading(by_trials, trials, found, articles):
        by_trials = None
    better = _better(
        _side_of_reviews(newest, reviews, trials, found, articles),
        by_trials,
        reviews=bool(reviews),
    )
    kept = [t for t in trials if better is None or side_of(t.result, found) is better]
    return Weighing(
        agreement=found,
        better=better,
        deciding=(newest,) if newest else (),
        trials=tuple(kept),
        people=_people(kept, articles),
        people_in_all=sum(sizes.values()),
        harm=better is Side.NO_BENEFIT and _harms(newest, sizes),
    )


def _side_of_reviews(
    newest: ArticleResult | None,
    reviews: Sequence[ArticleResult],
    trials: Sequence[ArticleResult],
    found: Agreement,
    articles: Mapping[str, Evidence],
) -> Side | None:
    """Return the side of the reviews; ``None`` without one, or where another or the trials make it doubtful."""
    if newest is None or not _undisputed(newest, reviews, articles):
        return None
    side = side_of(newest.result, found)
    against = [t for t in trials if side_of(t.result, found) is not side]
    if newest.basis == "words" and len(against) >= max(MANY_TRIALS, MAJORITY * len(trials)):
        return None
    return side


def people_of(item: Evidence) -> int | None:
    """Return how many people an article is about; ``None`` where it is not known."""
    size = item.appraisal.sample_size if item.appraisal else None
    return size.total if size and size.kind != "studies" else None


def _is_beyond(trial: ArticleResult, review: ArticleResult, articles: Mapping[str, Evidence]) -> bool:
    """True unless a review can hold the trial: it is not older, and has no fewer people.

    What each of its trials could not show alone is no objection to what a review shows of all of them.
    """
    one, pooled = articles[trial.key], articles[review.key]
    year, size = pooled.article.year, people_of(pooled)
    if not (year and size and one.article.year):
        return True
    return one.article.year > year or (people_of(one) or 0) > size


def _better(by_reviews: Side | None, by_trials: Side | None, *, reviews: bool) -> Side | None:
    if reviews and by_reviews is None:
        return None
    if by_reviews and by_trials and by_reviews is not by_trials:
        return None
    return by_reviews or by_trials


def _newest(reviews: Sequence[ArticleResult], articles: Mapping[str, Evidence]) -> ArticleResult | None:
    def order(found: ArticleResult) -> tuple[int, int, str]:
        item = articles[found.key]
        return item.article.year or 0, people_of(item) or 0, found.key

    return max(reviews, key=order, default=None)


def _undisputed(
    newest: ArticleResult, reviews: Sequence[ArticleResult], articles: Mapping[str, Evidence]
) -> bool:
    """True unless a review that says otherwise, older though it is, holds more people."""
    size = people_of(articles[newest.key])
    others = [people_of(articles[r.key]) or 0 for r in reviews if r.result is not newest.result]
    return not others or (size is not None and size >= max(others))


def _majority_side(sizes: Mapping[Result, int], found: Agreement) -> Side | None:
    by_side: Counter[Side] = Counter()
    for result, people in sizes.items():
        by_side[side_of(result, found)] += people
    side, people = by_side.most_common(1)[0]
    return side if people and people >= MAJORITY * by_side.total() else None


def _is_one_reading(
    side: Side, trials: Sequence[ArticleResult], found: Agreement, articles: Mapping[str, Evidence]
) -> bool:
    """True where the people of a side are nearly all of one study whose result was read from words."""
    its = [t for t in trials if side_of(t.result, found) is side]
    largest = max(its, key=lambda t: people_of(articles[t.key]) or 0)
    people = people_of(articles[largest.key]) or 0
    return largest.basis == "words" and people > ONE_READING * _people(its, articles)


def _harms(newest: ArticleResult | None, sizes: Mapping[Result, int]) -> bool:
    if newest is not None:
        return newest.result is Result.HARM
    return 0 < MAJORITY * sum(sizes.values()) <= sizes[Result.HARM]


def _sizes(trials: Sequence[ArticleResult], articles: Mapping[str, Evidence]) -> dict[Result, int]:
    return {result: _people([t for t in trials if t.result is result], articles) for result in Result}


def _people(found: Sequence[ArticleResult], articles: Mapping[str, Evidence]) -> int:
    return sum({size for r in found if (size := people_of(articles[r.key]))})
