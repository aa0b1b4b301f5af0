"""A run made again with a person's changes: a child beside its parent, which is never touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from metarag.audit import Override, Verdict
from metarag.config import Settings, describe
from metarag.errors import ConfigurationError, InputError
from metarag.generation.base import Answer, Generator
from metarag.generation.extractive import ExtractiveGenerator
from metarag.person_stages import Lenient, PersonStage
from metarag.pipeline import Pipeline, Ranking
from metarag.presets import build_pipeline
from metarag.runs import Parent, RunRecord
from metarag.types import Evidence, Pico, Question, Retrieved

QUESTION_KEY, SETTINGS_KEY = "question", "settings"
"""Keys of overrides that are no evidence."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a person wants otherwise.

    Parameters
    ----------
    author, note : str
        Who and why; both are asked for, because a report without them helps nobody.
    include, exclude : tuple of str
        Evidence by key, PMID or DOI.
    pico : mapping of str to str or None
        Facets of the question (``population``, ``intervention``, ``comparator``, ``outcome``); ``None``
        takes a facet away.
    settings : mapping
        Fields of :class:`metarag.config.Settings`, on top of the parent's.
    """

    author: str
    note: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    pico: Mapping[str, str | None] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def rerun(
    run: RunRecord,
    changes: Changes,
    *,
    generator: Generator | None = None,
    now: datetime | None = None,
    **collaborators: object,
) -> RunRecord:
    """Rank the parent's articles again with the changes, and answer again if the parent has an answer.

    Nothing is searched for: the articles and their appraisals are those of the parent, so that what
    changes comes from the changes alone.

    Parameters
    ----------
    run : RunRecord
        The parent; overrides that it has itself stay in force.
    generator : Generator or None
        ``None`` quotes, without any model.
    **collaborators
        As of :func:`metarag.build_pipeline`, e.g. ``model=``.

    Raises
    ------
    InputError
        An article is not in the run, is both included and excluded, or author, note or change is missing.
    ConfigurationError
        A setting or facet is wrong, or the parent's pipeline cannot be made again from its record.
    """
    when = now or datetime.now(UTC)
    asked = _question(run.ranking.audit.question, changes.pico)
    settings = _settings(run, changes.settings)
    overrides = (*run.ranking.audit.overrides, *_overrides(run.ranking, changes, when))
    pipeline = _overruled(build_pipeline(settings, **collaborators), overrides)
    ranking = pipeline.rank(
        asked, _articles(run.ranking), query=run.ranking.audit.query, warnings=_kept_warnings(run)
    )
    ranking = ranking.model_copy(
        update={"audit": ranking.audit.model_copy(update={"overrides": tuple(overrides)})}
    )
    result: Ranking | Answer = ranking
    if run.answer is not None:
        result = (generator or ExtractiveGenerator()).generate(asked, ranking)
    return RunRecord.of(result, now=when, parent=Parent.of(run))


def resolve(ranking: Ranking, name: str) -> str:
    """Return the evidence key that a person means by a key, PMID or DOI.

    Raises
    ------
    InputError
        Nothing, or more than one thing, in the run has that name.
    """
    wanted = name.strip().casefold()
    items = (*ranking.evidence, *ranking.excluded)
    exact = [item.key for item in items if item.key.casefold() == wanted]
    loose = [item.key for item in items if wanted and wanted in _names(item)]
    found = exact or loose
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(
            f"{name!r} is not among the {len(items)} articles of the run; name a PMID, DOI or key"
        )
    raise InputError(f"{name!r} means several articles of the run: {', '.join(found)}; name one of these")


def _names(item: Evidence) -> set[str]:
    article = item.article
    names = {article.id, article.pmid, article.doi, f"pmid:{article.pmid}", f"doi:{article.doi}"}
    return {name.casefold() for name in names if name}


def _question(question: Question, facets: Mapping[str, str | None]) -> Question:
    if not facets:
        return question
    unknown = sorted(set(facets) - set(Pico.model_fields))
    if unknown:
        raise ConfigurationError(f"there is no facet {unknown[0]!r}; facets: {', '.join(Pico.model_fields)}")
    given = question.pico.model_dump() if question.pico else {}
    cleaned = {name: (text or "").strip() or None for name, text in facets.items()}
    return question.model_copy(update={"pico": Pico(**(given | cleaned))})


def _settings(run: RunRecord, changed: Mapping[str, Any]) -> Settings:
    configuration = run.ranking.audit.signature.configuration
    if configuration is None:
        raise ConfigurationError(
            f"run {run.id} does not say what its pipeline was made of (it was put together by hand, or by an older"
            " version); rank the articles anew instead"
        )
    try:
        return Settings.from_mapping(_merged(configuration, changed), where="changed settings")
    except ValidationError as error:
        raise ConfigurationError(f"the settings of run {run.id}: {describe(error)}") from error


def _merged(base: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the base with the changes; a mapping inside (weights, options) keeps what is not named."""
    merged = dict(base)
    for name, value in changed.items():
        inner = merged.get(name)
        both = isinstance(inner, Mapping) and isinstance(value, Mapping)
        merged[name] = _merged(inner, value) if both and inner is not None else value
    return merged


def _overrides(ranking: Ranking, changes: Changes, when: datetime) -> list[Override]:
    author, note = changes.author.strip(), changes.note.strip()
    if not author or not note:
        raise InputError("say who changes the run and why (author and note)")
    wanted = {Verdict.INCLUDED: changes.include, Verdict.EXCLUDED: changes.exclude}
    keys = {verdict: [resolve(ranking, name) for name in names] for verdict, names in wanted.items()}
    both = set(keys[Verdict.INCLUDED]) & set(keys[Verdict.EXCLUDED])
    if both:
        raise InputError(f"{min(both)} is both included and excluded; say which")
    made = [
        Override(key=key, verdict=verdict, author=author, reason=note, timestamp=when)
        for verdict, found in keys.items()
        for key in dict.fromkeys(found)
    ]
    for key, words in ((QUESTION_KEY, _words(changes.pico)), (SETTINGS_KEY, _words(changes.settings))):
        if words:
            made.append(Override(key=key, change=words, author=author, reason=note, timestamp=when))
    if not made:
        raise InputError("nothing would change; include, exclude, pico or settings is needed")
    return made


def _words(changed: Mapping[str, Any]) -> str:
    return "; ".join(f"{name}: {'nothing' if value is None else value}" for name, value in changed.items())


def _overruled(pipeline: Pipeline, overrides: Sequence[Override]) -> Pipeline:
    """Put the last word on each piece of evidence into the pipeline."""
    last = {o.key: o for o in overrides if o.verdict is not None}
    out = {k: _sentence(o, "Left out") for k, o in last.items() if o.verdict is Verdict.EXCLUDED}
    kept = {k: _sentence(o, "Kept") for k, o in last.items() if o.verdict is Verdict.INCLUDED}
    stages = [Lenient(stage, kept) if kept else stage for stage in pipeline.stages]
    return Pipeline(
        [PersonStage(out), *stages] if out else stages,
        scorer=pipeline.scorer,
        preset=pipeline.preset,
        settings=pipeline.settings,
        configuration=pipeline.configuration,
    )


def _sentence(override: Override, what: str) -> str:
    reason = override.reason.rstrip(".")
    return f"{what} by {override.author}: {reason}."


def _articles(ranking: Ranking) -> list[Retrieved]:
    items = sorted((*ranking.evidence, *ranking.excluded), key=lambda item: (item.retrieval_rank, item.key))
    own = {d.key for d in ranking.audit.decisions if d.criterion == "relevance.retriever"}
    return [
        Retrieved(
            article=item.article,
            appraisal=item.appraisal,
            relevance=item.relevance if item.key in own else None,
            retriever_score=item.retriever_score,
        )
        for item in items
    ]


def _kept_warnings(run: RunRecord) -> list[str]:
    """Return what was told of reading the records; everything else is told anew."""
    return [text for text in run.ranking.audit.warnings if text.startswith("could not be read")]
