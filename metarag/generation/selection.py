"""Which articles an answer is made from: the strongest, both sides of a conflict, and no two alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from metarag.agreement import facet_decisions, facet_of, is_withdrawn
from metarag.audit import Decision
from metarag.generation.citations import citation_of
from metarag.generation.weighing import Weighing, people_of
from metarag.option_models import Options
from metarag.pipeline import Ranking
from metarag.records import Article
from metarag.relevance import stem, words
from metarag.types import Evidence, StudyDesign

BYTES_A_TOKEN = 3
"""Ours. English has about four to a token; with three a budget is rather too small than exceeded."""
_NO_RESULTS = (StudyDesign.PROTOCOL, StudyDesign.NOTICE, StudyDesign.ERRATUM)


class SelectionOptions(Options):
    """How much evidence an answer is made from.

    Parameters
    ----------
    max_sources : int
        Articles at most, from 1 to 50; 5 as PaperQA's. What must be in comes first.
    max_tokens : int
        Of all sources together, at least 1; estimated at three bytes each. Ours: with 3,000 the prompt and
        the answer fit a context of 8,000.
    diversity : float
        Weight of being unlike what was selected before against the score, in [0, 1]; 0 is the plain order.
        0.3 is ours (lambda 0.7): of two reports of one trial the second gives way.
    min_relevance : float
        Articles below it are no source, in [0, 1], unless treatment and people were found to match. Ours: an
        article that speaks of fewer than a third of the question's terms does not answer it.
    only : tuple of str or None
        PMIDs or ids of the articles to choose from; ``None`` is all of the ranking.

    References
    ----------
    Carbonell J, Goldstein J. The use of MMR, diversity-based reranking for reordering documents and
    producing summaries. SIGIR 1998:335-6.
    """

    max_sources: int = Field(default=5, ge=1, le=50)
    max_tokens: int = Field(default=3000, ge=1)
    diversity: float = Field(default=0.3, ge=0, le=1)
    min_relevance: float = Field(default=1 / 3, ge=0, le=1)
    only: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Selected:
    """An article with the reason why it was selected; ``must``: it had to be in."""

    item: Evidence
    reason: str
    must: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """What was selected, in the order of the ranking, and what was not.

    Attributes
    ----------
    eligible : tuple of Evidence
        All that could be selected, in the order of the ranking.
    missing : tuple of str
        What had to be in and did not fit, each with the limit that kept it out.
    """

    selected: tuple[Selected, ...] = ()
    eligible: tuple[Evidence, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[Evidence, ...]:
        """The articles alone."""
        return tuple(selected.item for selected in self.selected)


def estimated_tokens(text: str) -> int:
    """Return how many tokens a text has at most, nearly: three bytes of UTF-8 each."""
    return math.ceil(len(text.encode()) / BYTES_A_TOKEN)


def eligible(ranking: Ranking, options: SelectionOptions) -> tuple[Evidence, ...]:
    """Return the included articles that can answer the question, best first.

    Left out are retracted articles (also where the settings let them into the ranking), records without an
    abstract, protocols and notices, what speaks of too little of the question, and what studied another
    treatment or other people.
    """
    facets = facet_decisions(ranking)
    return tuple(item for item in ranking if _answers(item, facets.get(item.key), options))


def select(
    ranking: Ranking,
    options: SelectionOptions,
    *,
    weighings: Sequence[Weighing] = (),
    text_of: Callable[[Evidence], str] | None = None,
    names_asked: Callable[[Article], bool] | None = None,
) -> Selection:
    """Return the articles to answer from.

    First what must be in: the most reliable design (of those on just this treatment and people, if any), of
    each side of a disagreement the largest randomised study (without one the first of the ranking), the
    first of the ranking. Then by maximal marginal relevance, (1 - d) score - d (largest likeness to one
    selected), until the sources or the tokens are used up; reports of the same number of people are fully
    alike, and the best of them comes first. An article that does not fit is passed over, not cut.

    Parameters
    ----------
    weighings : sequence of Weighing
        The sides on each outcome; see :func:`~metarag.generation.weighing.weigh`.
    text_of : callable or None
        What of an article will be shown, for the budget; ``None`` is title and abstract.
    names_asked : callable or None
        Whether an article names what is asked; the others are taken behind all that do.
    """
    pool = eligible(ranking, options)
    naming = [item for item in pool if names_asked is None or names_asked(item.article)]
    chosen = _Chosen(pool, options, text_of or _whole_text, frozenset(item.key for item in naming))
    for item, reason in _musts(naming or pool, weighings, facet_decisions(ranking)):
        chosen.take(item, reason, must=True)
    while best := chosen.next_best():
        chosen.take(best, "next by score, and unlike the others")
    places = {item.key: place for place, item in enumerate(pool)}
    ordered = sorted(chosen.selected.values(), key=lambda selected: places[selected.item.key])
    return Selection(tuple(ordered), pool, tuple(chosen.missing))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the cosine of two sets of stems, in [0, 1]; 0 where one is empty."""
    if not one or not other:
        return 0.0
    return len(one & other) / math.sqrt(len(one) * len(other))


@dataclass(slots=True)
class _Chosen:
    """The state of one selection."""

    pool: Sequence[Evidence]
    options: SelectionOptions
    text_of: Callable[[Evidence], str]
    naming: frozenset[str]
    selected: dict[str, Selected] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    _passed: set[str] = field(default_factory=set)
    _used: int = 0
    _stems: dict[str, frozenset[str]] = field(default_factory=dict)

    def take(self, item: Evidence, reason: str, *, must: bool = False) -> None:
        """Select an article if it fits; note why not if it had to be in."""
        if item.key in self.selected:
            return
        cost = estimated_tokens(self.text_of(item))
        limit = None
        if len(self.selected) >= self.options.max_sources:
            limit = f"max_sources ({self.options.max_sources})"
        elif self._used + cost > self.options.max_tokens:
            limit = f"max_tokens ({self.options.max_tokens})"
        if limit is None:
            self.selected[item.key] = Selected(item, reason, must)
            self._used += cost
        else:
            self._passed.add(item.key)
            if must:
                self.missing.append(f"{item.article.label} ({reason}) did not fit: {limit}")

    def next_best(self) -> Evidence | None:
        """Return the article with the largest marginal relevance; ``None`` when nothing more may be taken.

        Of reports with its number of people the one with the highest score stands for all of them, however
        like the others it is: a follow-up in other words does not take the place of the main report.
        """
        if len(self.selected) >= self.options.max_sources:
            return None
        left = [i for i in self.pool if i.key not in self.selected and i.key not in self._passed]
        left = [i for i in left if i.key in self.naming] or left
        best = max(left, key=self._marginal, default=None)
        size = people_of(best) if best else None
        reports = [i for i in left if size and people_of(i) == size]
        return max(reports, key=lambda item: item.score or 0.0, default=best)

    def _marginal(self, item: Evidence) -> float:
        mine = self._stems_of(item)
        nearest = max((self._alike(item, mine, s.item) for s in self.selected.values()), default=0.0)
        weight = self.options.diversity
        return (1 - weight) * (item.score or 0.0) - weight * nearest

    def _alike(self, item: Evidence, mine: frozenset[str], other: Evidence) -> float:
        size = people_of(item)
        # Most often two reports of one study, in other words.
        return 1.0 if size and size == people_of(other) else likeness(mine, self._stems_of(other))

    def _stems_of(self, item: Evidence) -> frozenset[str]:
        if item.key not in self._stems:
            self._stems[item.key] = frozenset(stem(word) for word in words(_whole_text(item)))
        return self._stems[item.key]


def _answers(item: Evidence, decision: Decision | None, options: SelectionOptions) -> bool:
    if item.article.abstract is None or is_withdrawn(item):
        return False
    if item.appraisal and item.appraisal.design.design in _NO_RESULTS:
        return False
    if options.only is not None and not {citation_of(item.article), item.article.id} & set(options.only):
        return False
    facets = [facet_of(decision, facet) for facet in ("intervention", "population")]
    if any(found.startswith("mismatch") for found in facets):
        return False
    if item.relevance is None or item.relevance >= options.min_relevance:
        return True
    # A long question has many words; what is known to be on its treatment and people needs few of them.
    return all(found.startswith("match") for found in facets)


def _musts(
    pool: Sequence[Evidence], weighings: Sequence[Weighing], facets: Mapping[str, Decision]
) -> list[tuple[Evidence, str]]:
    """Return what must be in, the most important first."""
    musts: list[tuple[Evidence, str]] = []
    graded = [item for item in pool if item.reliability is not None]
    direct = [item for item in graded if not _is_indirect(facets.get(item.key))]
    graded = direct or graded
    if graded:
        strongest = max(graded, key=lambda item: item.reliability or 0.0)
        musts.append((strongest, "the most reliable design"))
    known = {item.key: item for item in pool}
    for weighing in weighings:
        if not weighing.disagrees:
            continue
        trials = {r.key for r in weighing.agreement.results if r.tier == "randomised"}
        for side, keys in weighing.keys_by_side.items():
            items = [known[key] for key in keys if key in known]
            randomised = [item for item in items if item.key in trials]
            largest = max(randomised, key=lambda item: people_of(item) or 0, default=None)
            what = "largest randomised study" if largest else "best"
            if items:
                musts.append((largest or items[0], f"the {what} of those that found {side.value}"))
    if pool:
        musts.append((pool[0], "first of the ranking"))
    return musts


def _is_indirect(decision: Decision | None) -> bool:
    return any(facet_of(decision, f).startswith("partial") for f in ("intervention", "population"))


def _whole_text(item: Evidence) -> str:
    return f"{item.article.title}\n{item.article.abstract or ''}"
