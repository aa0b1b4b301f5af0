"""What each stage changes: the same articles ranked with every combination of stages on and off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from metarag.appraisal import appraise
from metarag.config import Settings
from metarag.errors import ConfigurationError
from metarag.pipeline import Ranking, candidates
from metarag.presets import build_pipeline
from metarag.records import Article, Frozen
from metarag.types import Question, Retrieved

MAX_STAGES = 8
"""2 to the 8th are 256 rankings; more is a mistake rather than a wish."""


class AblationRow(Frozen):
    """One combination, compared with all stages on.

    Attributes
    ----------
    off : tuple of str
        Stages that were left out, in their order.
    included, excluded : int
        Articles.
    top : tuple of str
        Keys of the best ``k``, best first.
    overlap : float
        Share of the best ``k`` that are also among the best ``k`` with all stages on, in [0, 1].
    moved : float
        Mean change of rank, in places, of the articles that both rankings include; 0 when none is.
    """

    off: tuple[str, ...]
    included: int
    excluded: int
    top: tuple[str, ...]
    overlap: float
    moved: float


class Ablation(Frozen):
    """Every combination of stages: all on first, then by the number that is left out."""

    question: Question
    stages: tuple[str, ...]
    k: int
    rows: tuple[AblationRow, ...]


def ablate(
    question: Question | str,
    articles: Iterable[Article | Retrieved],
    *,
    settings: Settings | None = None,
    k: int = 5,
    **collaborators: object,
) -> Ablation:
    """Rank with every on/off combination of the stages that the settings name.

    Each article is appraised once. Without stages the order is that of the retriever.

    Parameters
    ----------
    settings : Settings or None
        Those of the full pipeline; ``None`` is the `recommended` preset.
    k : int
        How many of the best are compared, at least 1.
    **collaborators
        As for :func:`metarag.presets.build_pipeline`.

    Raises
    ------
    ConfigurationError
        More than 8 stages.
    InputError
        ``articles`` is no iterable of articles.
    ValueError
        ``k`` is smaller than 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    asked, base = Question.ask(question), settings or Settings()
    stages = base.stage_names()
    if len(stages) > MAX_STAGES:
        raise ConfigurationError(
            f"{len(stages)} stages make {2 ** len(stages):,} combinations; name at most 8"
        )
    appraised = [_appraised(found) for found in candidates(articles)]
    full: Ranking | None = None
    rows = []
    for off in _subsets(stages):
        pipeline = build_pipeline(_without(base, off), **collaborators)
        ranking = pipeline.rank(asked, appraised)
        full = full or ranking
        rows.append(_row(off, ranking, full, k))
    return Ablation(question=asked, stages=stages, k=k, rows=tuple(rows))


def _appraised(found: Retrieved) -> Retrieved:
    return Retrieved(**{**dict(found), "appraisal": found.appraisal or appraise(found.article)})


def _subsets(stages: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for size in range(len(stages) + 1):
        yield from combinations(stages, size)


def _without(settings: Settings, off: tuple[str, ...]) -> Settings:
    kept = tuple(name for name in settings.stage_names() if name not in off)
    options = {name: values for name, values in settings.options.items() if name in kept}
    return Settings(**{**dict(settings), "stages": kept, "without": (), "options": options})


def _row(off: tuple[str, ...], ranking: Ranking, full: Ranking, k: int) -> AblationRow:
    top = tuple(item.key for item in ranking.top(k))
    reference = {item.key for item in full.top(k)}
    places = {item.key: rank for rank, item in enumerate(full, 1)}
    moves = [abs(rank - places[item.key]) for rank, item in enumerate(ranking, 1) if item.key in places]
    return AblationRow(
        off=off,
        included=len(ranking),
        excluded=len(ranking.excluded),
        top=top,
        overlap=len(reference & set(top)) / len(reference) if reference else 1.0,
        moved=sum(moves) / len(moves) if moves else 0.0,
    )
