"""A run made again with a person's changes: a child beside its parent, which is never touched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from metarag.audit import Override, Verdict
from metarag.config import Settings
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
MOST_CHARACTERS: Final = {"author": 200, "note": 5_000, "facet": 2_000}
"""Of what a person writes; it stands in decisions and reports many times over."""
_AS_READ: Final = "as read from the question"


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
        Facets of the question (``population``, ``intervention``, ``comparator``, ``outcome``) in words;
        ``None`` or nothing takes back what a person wrote there, so that the facet is read from the question
        again; ``any`` says that it shall not be compared.
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
    _check(changes)
    facets = _facets(run.ranking.audit.question, changes.pico)
    asked = _question(run.ranking.audit.question, facets)
    settings = _settings(run, changes.settings)
    overrides = (*run.ranking.audit.overrides, *_overrides(run.ranking, changes, facets, when))
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


def resolve(ranking: Ranking, *names: str) -> tuple[str, ...]:
    """Return the evidence keys that a person means by keys, PMIDs or DOIs; each once, in order.

    Raises
    ------
    InputError
        Nothing, or more than one thing, in the run has one of the names.
    """
    items = (*ranking.evidence, *ranking.excluded)
    exact, loose = {item.key.casefold(): item.key for item in items}, defaultdict(list)
    for item in items:
        for known in _names(item):
            loose[known].append(item.key)
    found: dict[str, None] = {}
    for name in names:
        wanted = name.strip().casefold()
        meant = [exact[wanted]] if wanted in exact else loose.get(wanted, [])
        if not meant:
            raise InputError(
                f"{name!r} is not among the {len(items):,} articles of the run; name a PMID, DOI or key"
            )
        if len(meant) > 1:
            raise InputError(
                f"{name!r} means several articles of the run: {', '.join(meant)}; name one of these"
            )
        found[meant[0]] = None
    return tuple(found)


def _names(item: Evidence) -> set[str]:
    article = item.article
    names = {article.id, article.pmid, article.doi, f"pmid:{article.pmid}", f"doi:{article.doi}"}
    return {name.casefold() for name in names if name}


def _check(changes: Changes) -> None:
    if not changes.author.strip() or not changes.note.strip():
        raise InputError("say who changes the run and why (author and note)")
    written = [("author", changes.author), ("note", changes.note)]
    written += [("facet", text) for text in changes.pico.values() if text]
    for name, text in written:
        if len(text) > MOST_CHARACTERS[name]:
            raise InputError(
                f"the {name} has {len(text):,} characters; at most {MOST_CHARACTERS[name]:,} are taken"
            )
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError(f"the {name} is not valid Unicode; give it in UTF-8")


def _facets(question: Question, written: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the facets as they are to be; ``None`` where what was written is taken back."""
    unknown = sorted(set(written) - set(Pico.model_fields))
    if unknown:
        raise ConfigurationError(f"there is no facet {unknown[0]!r}; facets: {', '.join(Pico.model_fields)}")
    given = question.pico or Pico()
    # What holds no word is nothing to compare with; the question's own facet would be used silently.
    facets = {
        name: text.strip() if text and any(c.isalnum() for c in text) else None
        for name, text in written.items()
    }
    for name, text in facets.items():
        if text is None and getattr(given, name) is None:
            raise InputError(
                f"nobody wrote the {name}, so that there is nothing to take back: write what it should be instead, or"
                " `any` where it shall not be compared"
            )
    return facets


def _question(question: Question, facets: Mapping[str, str | None]) -> Question:
    if not facets:
        return question
    given = question.pico.model_dump() if question.pico else {}
    return question.model_copy(update={"pico": Pico(**{**given, **facets})})


def _settings(run: RunRecord, changed: Mapping[str, Any]) -> Settings:
    configuration = run.ranking.audit.signature.configuration
    if configuration is None:
        raise ConfigurationError(
            f"run {run.id} does not say what its pipeline was made of (it was put together by hand, or by an older"
            " version); rank the articles anew instead"
        )
    try:
        Settings.from_mapping(configuration, where="its settings")
    except ConfigurationError as error:
        raise ConfigurationError(
            f"run {run.id} was made with settings that this version does not take ({error}); rank the articles anew"
            " instead"
        ) from error
    return Settings.from_mapping(_merged(configuration, changed), where="changed settings")


def _merged(base: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the base with the changes; a mapping inside (weights, options) keeps what is not named."""
    merged = dict(base)
    for name, value in changed.items():
        inner = merged.get(name)
        both = isinstance(inner, Mapping) and isinstance(value, Mapping)
        merged[name] = _merged(inner, value) if both and inner is not None else value
    return merged


def _overrides(
    ranking: Ranking, changes: Changes, facets: Mapping[str, str | None], when: datetime
) -> list[Override]:
    author, note = changes.author.strip(), changes.note.strip()
    wanted = {Verdict.INCLUDED: changes.include, Verdict.EXCLUDED: changes.exclude}
    keys = {verdict: resolve(ranking, *names) for verdict, names in wanted.items()}
    both = set(keys[Verdict.INCLUDED]) & set(keys[Verdict.EXCLUDED])
    if both:
        raise InputError(f"{min(both)} is both included and excluded; say which")
    made = [
        Override(key=key, verdict=verdict, author=author, reason=note, timestamp=when)
        for verdict, found in keys.items()
        for key in found
    ]
    changed = ((QUESTION_KEY, facets, _AS_READ), (SETTINGS_KEY, changes.settings, "the default"))
    for key, values, nothing in changed:
        if words := "; ".join(f"{n}: {nothing if v is None else v}" for n, v in values.items()):
            made.append(Override(key=key, change=words, author=author, reason=note, timestamp=when))
    if not made:
        raise InputError("nothing would change; include, exclude, pico or settings is needed")
    return made


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
