"""Stages in order, with the bookkeeping that makes a run auditable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final, overload

from pydantic import Field

from metarag._version import __version__
from metarag.appraisal import APPRAISAL_VERSION, appraise
from metarag.audit import (
    AuditTrail,
    Decision,
    ModelUse,
    QueryRecord,
    RunSignature,
    StageReport,
    Synthesis,
    Verdict,
)
from metarag.collection import collection_paused
from metarag.errors import (
    ConfigurationError,
    InputError,
    MetaragError,
    StageContractError,
    StageFailedError,
)
from metarag.records import Article, Frozen
from metarag.retraction_shared import with_shared_standings
from metarag.scoring import GeometricMean, PaperScore, Scorer
from metarag.stages.base import Grading, Prompted, Stage
from metarag.types import Appraisal, Evidence, Question, Retrieved
from metarag.unchecked import unchecked

SCORE_STAGE = "score"
# Looked up once: Python 3.11 takes a tenth of a microsecond for a member of an enumeration.
_INCLUDED, _EXCLUDED, _NOT_ASSESSED = Verdict.INCLUDED, Verdict.EXCLUDED, Verdict.NOT_ASSESSED


class Ranking(Frozen):
    """Evidence, best first, what was left out, and how it came to be so.

    Iterating, ``len`` and indexing speak of the included evidence; rank 1 is index 0. An empty
    ranking is a result, not an error.
    """

    evidence: tuple[Evidence, ...] = Field(description="Included, best first")
    excluded: tuple[Evidence, ...] = Field(default=(), description="As last seen, in retrieval order")
    audit: AuditTrail

    def __iter__(self) -> Iterator[Evidence]:  # type: ignore[override]  # a ranking is a sequence first
        return iter(self.evidence)

    def __len__(self) -> int:
        return len(self.evidence)

    @overload
    def __getitem__(self, index: int) -> Evidence: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Evidence, ...]: ...
    def __getitem__(self, index: int | slice) -> Evidence | tuple[Evidence, ...]:
        return self.evidence[index]

    def top(self, k: int) -> tuple[Evidence, ...]:
        """Return the best ``k``, fewer when there are fewer.

        Raises
        ------
        ValueError
            ``k`` is negative.
        """
        if k < 0:
            raise ValueError(f"k must be 0 or more, got {k}")
        return self.evidence[:k]

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from metarag.report.notebook import repr_html

        return repr_html(self)

    def rank_of(self, key: str) -> int | None:
        """Return the rank (from 1) of a piece of evidence; ``None`` when it was not included."""
        return next((rank for rank, item in enumerate(self.evidence, 1) if item.key == key), None)


class Pipeline:
    """Run stages one after another over the same question, then score and sort.

    Parameters
    ----------
    stages : sequence of Stage
        In order; names must differ. Leaving one out is the ablation.
    scorer : Scorer
        Makes the final score.
    preset : str or None
        The name that the audit shows.
    settings : dict
        Shown in the audit's signature.
    configuration : dict or None
        What the pipeline can be made of again; kept in the audit's signature.

    Raises
    ------
    ConfigurationError
        Two stages have the same name, or something is not a stage.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        *,
        scorer: Scorer | None = None,
        preset: str | None = None,
        settings: dict[str, float | int | str | bool | None] | None = None,
        configuration: Mapping[str, Any] | None = None,
    ) -> None:
        self.stages = tuple(stages)
        self.scorer = scorer or GeometricMean()
        self.preset = preset
        self.settings = dict(settings or {})
        self.configuration = None if configuration is None else dict(configuration)
        # Asked once: to ask a protocol takes as long as to judge an article.
        self._prompted = tuple(s for s in self.stages if isinstance(s, Prompted))
        wrong = [s for s in self.stages if not isinstance(s, Stage)]
        if wrong:
            raise ConfigurationError(
                f"{wrong[0]!r} is not a stage: it needs a name and assess(question, evidence)"
            )
        repeated = [
            name for name, n in Counter([s.name for s in self.stages] + [SCORE_STAGE]).items() if n > 1
        ]
        if repeated:
            raise ConfigurationError(f"stage names must differ; {repeated[0]!r} is used twice")

    def rank(
        self,
        question: Question | str,
        articles: Iterable[Article | Retrieved],
        *,
        query: QueryRecord | None = None,
        warnings: Sequence[str] = (),
    ) -> Ranking:
        """Assess ``articles`` stage by stage and return them ranked.

        Raises
        ------
        QuestionError
            The question is empty or too long.
        InputError
            ``articles`` is no iterable of articles.
        StageContractError
            A stage lost, doubled or invented evidence, or failed; the message names it.
        """
        asked = Question.ask(question)
        evidence = _identify(articles)
        # A model takes its time, in which other threads may leave cycles behind.
        with nullcontext() if self._asks_a_model() else collection_paused():
            return self._ranked(asked, evidence, query, warnings)

    def _asks_a_model(self) -> bool:
        return any(stage.model_asked for stage in self._prompted)

    def _ranked(
        self,
        asked: Question,
        evidence: tuple[Evidence, ...],
        query: QueryRecord | None,
        warnings: Sequence[str],
    ) -> Ranking:
        identified = tuple(item.key for item in evidence)
        decisions: list[Decision] = []
        syntheses: list[Synthesis] = []
        notes = list(warnings)
        excluded: list[Evidence] = []
        model_use: dict[str, ModelUse] = {}
        for stage in self.stages:
            report = _run(stage, asked, evidence)
            _check_contract(stage.name, evidence, report)
            if len(report.evidence) < len(evidence):
                kept = {item.key for item in report.evidence}
                excluded.extend([item for item in evidence if item.key not in kept])
            decisions.extend(report.decisions)
            syntheses.extend(report.syntheses)
            notes.extend(report.warnings)
            if report.model_use:
                model_use[stage.name] = report.model_use
            evidence = report.evidence
        ranked, scores = self._score(evidence)
        audit = AuditTrail(
            question=asked,
            query=query,
            identified=identified,
            decisions=(*decisions, *scores),
            syntheses=tuple(syntheses),
            warnings=tuple(notes),
            model_use=model_use,
            signature=self._signature(model_use),
        )
        return Ranking(
            evidence=ranked,
            excluded=tuple(sorted(excluded, key=lambda item: (item.retrieval_rank, item.key))),
            audit=audit,
        )

    def _score(self, evidence: Sequence[Evidence]) -> tuple[tuple[Evidence, ...], tuple[Decision, ...]]:
        scored, decisions = [], []
        criterion = self.scorer.criterion
        is_ours = type(self.scorer) in (GeometricMean, PaperScore)
        for item in evidence:
            score, terms = self.scorer.score(item)
            scored.append(item.assessed(score=score))
            verdict = _NOT_ASSESSED if score is None else _INCLUDED
            reason = "Nothing could be assessed." if score is None else f"Final score {score:.3f}."
            made = Decision.on(item, SCORE_STAGE, verdict, criterion, reason, {"score": score, **terms})
            # What anybody else's scorer says is validated.
            decisions.append(made if is_ours else Decision(**dict(made)))
        return tuple(sorted(scored, key=rank_order)), tuple(decisions)

    def _signature(self, model_use: Mapping[str, ModelUse]) -> RunSignature:
        asked = {stage.model_asked for stage in self._prompted if stage.model_asked}
        answered = {name for use in model_use.values() for name in use.answered}
        return RunSignature(
            metarag=__version__,
            preset=self.preset,
            stages=tuple(stage.name for stage in self.stages),
            settings=self.settings,
            configuration=self.configuration,
            appraisal=APPRAISAL_VERSION,
            evidence_levels=next((s.levels_digest for s in self.stages if isinstance(s, Grading)), None),
            prompts={name: digest for stage in self._prompted for name, digest in stage.prompts.items()},
            model_asked=", ".join(sorted(asked)) or None,
            model_answered=", ".join(sorted(answered)) or None,
        )


def rank_order(item: Evidence) -> tuple[bool, float, int, int, str]:
    """Sort key: score descending (unscored last), then retrieval rank, PMID, key."""
    pmid = int(item.article.pmid) if item.article.pmid else 0
    return (item.score is None, -(item.score or 0.0), item.retrieval_rank, pmid, item.key)


def candidates(articles: Iterable[Article | Retrieved]) -> Iterator[Retrieved]:
    """Yield what a caller gave, as retrieved articles.

    Raises
    ------
    InputError
        It is no iterable (a single article is none), or holds something else; says which and what.
    """
    expected = "expected an iterable of Article or Retrieved"
    if isinstance(articles, (str, bytes, Mapping, Article, Retrieved)) or not isinstance(articles, Iterable):
        raise InputError(f"articles is a {type(articles).__name__}; {expected}, e.g. a list")
    for number, given in enumerate(articles):
        if isinstance(given, Article):
            yield Retrieved(article=given)
        elif isinstance(given, Retrieved):
            yield given
        else:
            raise InputError(f"articles[{number}] is a {type(given).__name__}; {expected}")


def _run(stage: Stage, question: Question, evidence: tuple[Evidence, ...]) -> StageReport:
    try:
        report: object = stage.assess(question, evidence)
    except MetaragError:
        raise
    except Exception as error:
        # The one place where catching everything is right: a stage may be anybody's code, and whoever runs
        # a pipeline of five must learn which of them failed. The original is the cause of what is raised.
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise StageFailedError(stage.name, f"failed with {what}") from error
    if not isinstance(report, StageReport):
        raise StageFailedError(stage.name, f"returned a {type(report).__name__} instead of a StageReport")
    return report


def _identify(articles: Iterable[Article | Retrieved]) -> tuple[Evidence, ...]:
    seen: Counter[str] = Counter()
    evidence = []
    for rank, found in enumerate(candidates(articles), 1):
        seen[found.article.id] += 1
        repeat = seen[found.article.id]
        key = found.article.id if repeat == 1 else f"{found.article.id}#{repeat}"
        evidence.append(_identified(key, rank, found))
    return tuple(with_shared_standings(evidence))


def _identified(key: str, rank: int, found: Retrieved) -> Evidence:
    """Return a retrieved article as evidence.

    What was validated as a :class:`Retrieved` is not looked through again: for an article that takes longer
    than all the rest. Anything unusual is left to pydantic, whose error names the field.
    """
    article, relevance, appraisal = found.article, found.relevance, _appraisal(found)
    values = {
        "key": key,
        "article": article,
        "appraisal": appraisal,
        "retrieval_rank": rank,
        "relevance": relevance,
    }
    usual = type(article) is Article and type(appraisal) is Appraisal and found.retriever_score is None
    if usual and (relevance is None or (type(relevance) is float and 0 <= relevance <= 1)):
        return unchecked(Evidence, {**_UNASSESSED, **values}, _EVIDENCE_FIELDS)
    return Evidence(**values, retriever_score=found.retriever_score)


_UNASSESSED: Final = {name: field.default for name, field in Evidence.model_fields.items()}
_EVIDENCE_FIELDS: Final = set(Evidence.model_fields)


def _appraisal(found: Retrieved) -> Appraisal:
    stored = found.appraisal
    if stored and stored.version == APPRAISAL_VERSION and stored.article_id == found.article.id:
        return stored
    return appraise(found.article)


def _check_contract(stage: str, given: Sequence[Evidence], report: StageReport) -> None:
    offered = [item.key for item in given]
    decided = [decision.key for decision in report.decisions]
    passed_on = [item.key for item in report.evidence]
    excluded = {d.key for d in report.decisions if d.verdict is _EXCLUDED}
    problems = {
        **(_undecided(offered, decided) if decided != offered else {}),
        **(_misplaced(offered, passed_on, excluded) if excluded or passed_on != offered else {}),
        "signed as another stage": {d.key for d in report.decisions if d.stage != stage},
        "changed the article of": _changed(given, report.evidence),
    }
    for problem, keys in problems.items():
        if keys:
            raise StageContractError(stage, keys, problem)


def _undecided(offered: Sequence[str], decided: Sequence[str]) -> dict[str, set[str]]:
    return {
        "left undecided": set(offered).difference(decided),
        "decided on evidence it was not given": set(decided).difference(offered),
        "decided more than once": _repeated(decided),
    }


def _misplaced(offered: Sequence[str], passed_on: Sequence[str], excluded: set[str]) -> dict[str, set[str]]:
    return {
        "passed on evidence it was not given": set(passed_on).difference(offered),
        "passed on twice": _repeated(passed_on),
        "passed on what it excluded": excluded.intersection(passed_on),
        "dropped without excluding": set(offered).difference(passed_on, excluded),
    }


def _repeated(keys: Sequence[str]) -> set[str]:
    return {key for key, n in Counter(keys).items() if n > 1}


def _changed(given: Sequence[Evidence], passed_on: Sequence[Evidence]) -> set[str]:
    originals = {item.key: item.article for item in given}
    return {
        item.key
        for item in passed_on
        if (original := originals.get(item.key)) is not None
        and item.article is not original
        and item.article != original
    }
