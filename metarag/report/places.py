"""Which articles of a run a report shows in detail, which in a line, and which it only counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import Field

from metarag.generation.base import AnswerBody
from metarag.option_models import Options
from metarag.pipeline import Ranking
from metarag.report.references import References


class ReportOptions(Options):
    """How much a report shows of a large run; what it leaves away it counts.

    Parameters
    ----------
    max_detailed : int
        Articles shown with everything that was judged of them, best first. As many that a person overrode, and
        as many that the answer cites, are shown so besides, wherever they stand.
    max_listed : int
        Articles in one line after those, ranked and left out each.
    """

    max_detailed: int = Field(default=100, ge=0)
    max_listed: int = Field(default=500, ge=0)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an article stands in the page: its key, the id of its row, its rank in words."""

    key: str
    anchor: str
    words: str


@dataclass(frozen=True, slots=True)
class Places:
    """Ranked and left-out articles, each in detail and in a line, and how many more there are."""

    ranked: tuple[list[Place], list[Place]]
    left_out: tuple[list[Place], list[Place]]
    hidden_ranked: int
    hidden_left_out: int

    @classmethod
    def of(cls, ranking: Ranking, answer: AnswerBody | None, options: ReportOptions) -> Places:
        """Sort the articles of a ranking. Anchors are numbers, because an article's id may hold anything."""
        wanted = _detailed_anyway(ranking, answer, options.max_detailed)
        ranked = [Place(item.key, f"a{rank}", f"{rank:,}") for rank, item in enumerate(ranking, 1)]
        out = [
            Place(item.key, f"x{number}", "\N{EN DASH}") for number, item in enumerate(ranking.excluded, 1)
        ]
        sorted_ranked, sorted_out = (_sorted(places, wanted, options) for places in (ranked, out))
        return cls(
            ranked=sorted_ranked,
            left_out=sorted_out,
            hidden_ranked=len(ranked) - sum(map(len, sorted_ranked)),
            hidden_left_out=len(out) - sum(map(len, sorted_out)),
        )

    @property
    def anchors(self) -> Mapping[str, str]:
        """Key to anchor, of what has a row."""
        rows = (*self.ranked[0], *self.ranked[1], *self.left_out[0], *self.left_out[1])
        return {place.key: place.anchor for place in rows}


def _sorted(
    places: Sequence[Place], wanted: frozenset[str], options: ReportOptions
) -> tuple[list[Place], list[Place]]:
    detailed: list[Place] = []
    rest: list[Place] = []
    for number, place in enumerate(places):
        in_detail = number < options.max_detailed or place.key in wanted
        (detailed if in_detail else rest).append(place)
    return detailed, rest[: options.max_listed]


def _detailed_anyway(ranking: Ranking, answer: AnswerBody | None, most: int) -> frozenset[str]:
    by_name = References((*ranking.evidence, *ranking.excluded), {})
    cited = (key for citation in (answer.citations if answer else ()) if (key := by_name.cited(citation)))
    overridden = dict.fromkeys(override.key for override in reversed(ranking.audit.overrides))
    return frozenset((*islice(cited, most), *islice(overridden, most)))
