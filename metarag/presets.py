"""Ready-made pipelines, and the one call that ranks articles."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from metarag.config import Settings, describe
from metarag.errors import ConfigurationError
from metarag.llm.base import ChatModel
from metarag.model_stances import ModelStanceJudge
from metarag.option_models import NO_NUMBER, truths_for_numbers
from metarag.pipeline import Pipeline, Ranking
from metarag.records import Article
from metarag.rule_stances import RuleStanceJudge
from metarag.scoring import GeometricMean, PaperScore, Scorer
from metarag.stages.base import Stage
from metarag.stages.registry import load_stage
from metarag.stances import StanceJudge
from metarag.types import Question, Retrieved


def build_pipeline(settings: Settings | None = None, **collaborators: object) -> Pipeline:
    """Make the pipeline that the settings describe.

    Parameters
    ----------
    settings : Settings or None
        ``None`` is the `recommended` preset.
    **collaborators
        What stages work with, by the name of their keyword argument; each goes to the stages that take
        it. ``model=`` is a language model (:func:`metarag.llm.connect` makes one) that adds to the rules;
        ``judge=`` gives the stances of the `paper` preset and policy: by default the model, else rules.

    Raises
    ------
    ConfigurationError
        A stage is unknown (with the closest name), one of its options is wrong, ``model`` or ``judge`` is
        none, or no stage that would run takes the judge.
    """
    settings = settings or Settings()
    names = settings.stage_names()
    _check_judge(settings, collaborators)
    collaborators = _with_judge(settings, collaborators)
    for name in settings.options:
        if name not in names:
            raise ConfigurationError(
                f"options are given for {name!r}, which would not run; stages: {', '.join(names)}"
            )
    return Pipeline(
        [_make(name, settings, collaborators) for name in names],
        scorer=_scorer(settings),
        preset=settings.preset,
        settings=_shown(settings),
        configuration=settings.model_dump(mode="json", exclude_defaults=True),
    )


def rank(
    question: Question | str,
    articles: Iterable[Article | Retrieved],
    *,
    model: ChatModel | None = None,
    judge: StanceJudge | None = None,
    **settings: Any,
) -> Ranking:
    """Rank articles by how far they can be trusted for a question, and say why.

    Parameters
    ----------
    question : Question or str
        The clinical question.
    articles : iterable of Article or Retrieved
        Candidates, in the retriever's order.
    model : ChatModel or None
        A language model that adds to the rules; :func:`metarag.llm.connect` makes one. Without one, and where
        its calls fail, the rules' judgements stand.
    judge : StanceJudge or None
        Gives the stances of the `paper` preset and policy; ``None``: the model, else rules.
    **settings
        Fields of :class:`metarag.config.Settings`, e.g. ``hierarchy="ocebm-2011"``.

    Returns
    -------
    Ranking
        Best first, with an audit trail that holds one decision a stage for each article.

    Raises
    ------
    ConfigurationError
        A setting is unknown or wrong, ``model`` or ``judge`` is none, or nothing would ask the judge.
    QuestionError
        The question is no text, empty or too long.
    InputError
        ``articles`` is no iterable of articles.

    Examples
    --------
    >>> from metarag.records import Article
    >>> ranking = rank("Does aspirin prevent stroke?", [Article(title="Aspirin and stroke")])
    >>> ranking[0].article.title
    'Aspirin and stroke'
    """
    given = {name: one for name, one in (("model", model), ("judge", judge)) if one is not None}
    return build_pipeline(Settings.from_mapping(settings), **given).rank(question, articles)


def _check_judge(settings: Settings, collaborators: Mapping[str, object]) -> None:
    """Refuse a judge that is none or that nobody would ask: it would be left out without a word."""
    judge = collaborators.get("judge")
    if judge is None:
        return
    if not callable(getattr(judge, "judge", None)):
        raise ConfigurationError(f"judge must have a method judge(), and a {type(judge).__name__} has none")
    names = settings.stage_names()
    if not any(_asks_a_judge(name, settings) for name in names):
        raise ConfigurationError(
            f"no stage that would run takes a judge ({', '.join(names)}); preset='paper' has one, and so has"
            " heterogeneity with policy='paper'"
        )


def _asks_a_judge(name: str, settings: Settings) -> bool:
    if name == "heterogeneity":
        return settings.options.get(name, {}).get("policy") == "paper"
    return "judge" in inspect.signature(load_stage(name)).parameters


def _with_judge(settings: Settings, collaborators: dict[str, object]) -> dict[str, object]:
    model = collaborators.get("model")
    if model is None:
        return collaborators
    if not isinstance(model, ChatModel):
        raise ConfigurationError(
            f"model must be a model, not a {type(model).__name__}; metarag.llm.connect(NAME) makes one"
        )
    asked = any(_asks_a_judge(name, settings) for name in settings.stage_names())
    if not asked or collaborators.get("judge") is not None:
        return collaborators
    return collaborators | {"judge": ModelStanceJudge(model, rules=RuleStanceJudge())}


def _scorer(settings: Settings) -> Scorer:
    if settings.preset == "paper":
        return PaperScore(neutral_reliability=settings.neutral_reliability)
    return GeometricMean(weights=settings.weights, neutral_reliability=settings.neutral_reliability)


def _make(name: str, settings: Settings, collaborators: Mapping[str, object]) -> Stage:
    factory = load_stage(name)
    taken = inspect.signature(factory).parameters
    given_to = {key: value for key, value in collaborators.items() if key in taken}
    options_type: type[BaseModel] | None = getattr(factory, "options_type", None)
    given = dict(settings.options.get(name, {}))
    if options_type is None:
        return factory(**given, **given_to)
    # Settings that several stages share are written once and handed to each stage that has them.
    for shared in ("hierarchy", "levels_file", "kind"):
        if shared in options_type.model_fields:
            given.setdefault(shared, getattr(settings, shared))
    where = f"options of stage {name!r}"
    try:
        options = options_type.model_validate(given)
        _refuse_truths(given, options, where)
        return factory(options, **given_to)
    except ValidationError as error:
        raise ConfigurationError(f"{where}: {describe(error)}") from error


def _refuse_truths(given: Mapping[str, Any], made: BaseModel, where: str) -> None:
    """Refuse true and false for a number in the options of a stage whose model is not of ours."""
    wrong = min(truths_for_numbers(given, made), default=None)
    if wrong is not None:
        raise ConfigurationError(f"{where}: {wrong}: {NO_NUMBER}")


def _shown(settings: Settings) -> dict[str, float | int | str | bool | None]:
    """Flatten the settings for the audit's signature: ``weights.relevance`` and so on."""
    flat: dict[str, float | int | str | bool | None] = {}

    def collect(prefix: str, value: object) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                collect(f"{prefix}.{key}" if prefix else str(key), inner)
        elif isinstance(value, (list, tuple)):
            flat[prefix] = ", ".join(map(str, value))
        else:
            flat[prefix] = value if isinstance(value, (float, int, str, bool, type(None))) else str(value)

    dumped = settings.model_dump(mode="json", exclude={"options", "preset"})
    collect("", dumped)
    collect("", settings.model_dump(mode="json")["options"])
    return flat
