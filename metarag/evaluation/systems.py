"""The systems of an experiment: how evidence reaches the model that answers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pydantic import Field, JsonValue

from metarag.config import PRESETS, Settings
from metarag.errors import ConfigurationError, suggest
from metarag.llm.base import ChatModel
from metarag.pipeline import Pipeline, Ranking
from metarag.presets import build_pipeline
from metarag.records import Frozen
from metarag.types import Evidence, Question, Retrieved

MAX_TOP_N: Final = 50
DEFAULT_TOP_N: Final = 4
"""Articles shown: the most that the paper reports, fixed beforehand."""


class Order(StrEnum):
    """How the candidates of a question are put in order."""

    NONE = "none"
    """No article is shown: closed book."""
    RETRIEVAL = "retrieval"
    """As the retriever found them: plain top-k."""
    RANDOM = "random"
    """Shuffled by the seed of the run and the question."""
    RANKED = "ranked"
    """By the pipeline of the settings."""
    RANKED_REVERSED = "ranked_reversed"
    """The best of that pipeline, the best last: what position alone is worth."""
    RETRIEVAL_MATCHED = "retrieval_matched"
    """Plain top-k with as many articles as the pipeline of the settings shows for this question."""


_ORDERS: Final = MappingProxyType(
    {
        "closed_book": Order.NONE,
        "plain": Order.RETRIEVAL,
        "random": Order.RANDOM,
        "reversed": Order.RANKED_REVERSED,
        "plain_matched": Order.RETRIEVAL_MATCHED,
    }
)


class System(Frozen):
    """One system.

    Parameters
    ----------
    name : str
        Unique in an experiment.
    settings : dict
        Fields of :class:`metarag.config.Settings`, for the orders that rank.
    top_n : int
        Articles shown at most, from 1 to 50.
    """

    name: str = Field(min_length=1)
    order: Order
    settings: dict[str, Any] = Field(default_factory=dict)
    top_n: int = Field(default=DEFAULT_TOP_N, ge=1, le=MAX_TOP_N)

    @property
    def shows_evidence(self) -> bool:
        """False for a closed book."""
        return self.order is not Order.NONE

    @property
    def ranks(self) -> bool:
        """True when a pipeline judges its articles."""
        return self.order in (Order.RANKED, Order.RANKED_REVERSED, Order.RETRIEVAL_MATCHED)

    @property
    def described(self) -> dict[str, JsonValue]:
        """All of its settings, for the signature."""
        settings: JsonValue = self.settings
        return {"order": self.order.value, "top_n": self.top_n, "settings": settings}


def named_systems(names: Sequence[str], *, top_n: int = DEFAULT_TOP_N) -> tuple[System, ...]:
    """Return systems by their names.

    Parameters
    ----------
    names : sequence of str
        ``closed_book``, ``plain``, ``random``, ``reversed``, ``plain_matched``, a preset (``recommended``,
        ``paper``), a preset without stages (``recommended-heterogeneity``), ``ablations`` for all of
        `recommended` without one stage each, or ``NAME=FILE``: a name and a settings file of one's own. ``@2``
        behind a name shows two articles.

    Raises
    ------
    ConfigurationError
        There is no such system, one is named twice, or its settings are wrong.
    """
    found: dict[str, System] = {}
    for name in names:
        for system in _expand(name, top_n):
            if system.name in found:
                raise ConfigurationError(f"the system {system.name!r} is named twice")
            found[system.name] = system
    return tuple(found.values())


def evidence_for(
    system: System,
    question: Question,
    pool: Sequence[Retrieved],
    *,
    seed: int,
    item: str,
    judge: ChatModel | None = None,
) -> Ranking:
    """Return the evidence of a system for one question, in the order in which it is shown.

    Parameters
    ----------
    question : Question
        Without its options: they are candidates, and would steer what is found and kept.
    pool : sequence of Retrieved
        The candidates, the same for every system.
    seed, item : int and str
        Make the order of ``random`` repeatable and different for each question.
    judge : ChatModel or None
        Judges articles for the pipeline, on top of the rules.
    """
    if system.order is Order.NONE:
        return Pipeline([]).rank(question, [])
    if system.order is Order.RETRIEVAL:
        return Pipeline([]).rank(question, pool)
    if system.order is Order.RANDOM:
        shuffled = list(pool)
        random.Random(f"{seed}:{item}").shuffle(shuffled)  # noqa: S311 - a repeatable order, no secret
        return Pipeline([]).rank(question, shuffled)
    pipeline = build_pipeline(Settings.from_mapping(system.settings), **({"model": judge} if judge else {}))
    ranked = pipeline.rank(question, pool)
    if system.order is Order.RANKED_REVERSED:
        return _with(ranked, ranked.evidence[: system.top_n][::-1])
    if system.order is Order.RETRIEVAL_MATCHED:
        plain = Pipeline([]).rank(question, pool)
        return _with(plain, plain.evidence[: min(system.top_n, len(ranked))])
    return ranked


def _with(ranking: Ranking, evidence: Sequence[Evidence]) -> Ranking:
    return ranking.model_copy(update={"evidence": tuple(evidence)})


def named_settings(name: str) -> dict[str, Any]:
    """Return the settings of a preset, a preset without stages (``paper-paper_extrapolation``), or ``NAME=FILE``.

    Raises
    ------
    ConfigurationError
        There is no such preset or stage, or the file cannot be read.
    """
    _, own, file = name.partition("=")
    if own:
        return Settings.from_file(Path(file)).model_dump(mode="json", exclude_defaults=True)
    preset, *stages = name.split("-")
    if preset not in PRESETS:
        raise ConfigurationError(f"there is no preset {preset!r}{suggest(preset, PRESETS)}")
    settings: dict[str, Any] = {} if preset == "recommended" else {"preset": preset}
    if stages:
        settings["without"] = stages
        Settings.from_mapping(settings, where=name)
    return settings


def _expand(name: str, top_n: int) -> list[System]:
    named, _, file = name.partition("=")
    base, at, number = named.partition("@")
    if at:
        if not number.isdecimal() or not 1 <= int(number) <= MAX_TOP_N:
            raise ConfigurationError(f"{name!r}: a number from 1 to {MAX_TOP_N} stands behind @")
        top_n = int(number)
    if base == "ablations" and not file:
        return [
            _one(f"recommended-{stage}{at}{number}", f"recommended-{stage}", top_n)
            for stage in PRESETS["recommended"]
        ]
    return [_one(named, f"{base}={file}" if file else base, top_n)]


def _one(name: str, base: str, top_n: int) -> System:
    if base in _ORDERS:
        return System(name=name, order=_ORDERS[base], top_n=top_n)
    if "=" not in base and base.partition("-")[0] not in PRESETS:
        known = [*_ORDERS, *PRESETS, "ablations"]
        raise ConfigurationError(f"there is no system {base!r}{suggest(base, known)}")
    return System(name=name, order=Order.RANKED, settings=named_settings(base), top_n=top_n)
