"""What was decided about each article, by which rule, on what numbers."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from pydantic import Field

from metarag.records import Frozen, UtcTime
from metarag.types import Evidence, Question
from metarag.unchecked import unchecked

Measurement = float | int | str | bool | None
"""A number with what it met, or a word. ``None`` is *not assessed*."""


class Verdict(StrEnum):
    """What a stage did with an article. Words from the PRISMA flow diagram."""

    INCLUDED = "included"
    EXCLUDED = "excluded"
    NOT_ASSESSED = "not_assessed"


class Basis(StrEnum):
    """What a decision rests on."""

    RULE = "rule"
    STATISTIC = "statistic"
    MODEL = "model"
    PERSON = "person"


class Decision(Frozen):
    """One stage's verdict on one piece of evidence.

    Parameters
    ----------
    key : str
        :attr:`Evidence.key`, not the PMID: duplicates are decided one by one.
    criterion : str
        Stable id of the rule, e.g. ``heterogeneity.influence``.
    reason : str
        One sentence that a clinician can check.
    measurements : dict
        The numbers, with the thresholds they met.
    prompt : str or None
        ``id@version`` of the prompt when a model took part.
    """

    stage: str
    key: str
    verdict: Verdict
    criterion: str
    reason: str
    measurements: dict[str, Measurement] = Field(default_factory=dict)
    basis: Basis = Basis.RULE
    prompt: str | None = None

    @classmethod
    def on(
        cls,
        item: Evidence,
        stage: str,
        verdict: Verdict,
        criterion: str,
        reason: str,
        measurements: dict[str, Measurement] | None = None,
        *,
        basis: Basis = Basis.RULE,
        prompt: str | None = None,
    ) -> Decision:
        """Return the decision on ``item`` without validating it: for stages of this package.

        Their types are checked before they run, and a ranking of ten thousand makes sixty thousand
        decisions. A stage of anybody else calls the class itself.
        """
        values = {
            "stage": stage,
            "key": item.key,
            "verdict": verdict,
            "criterion": criterion,
            "reason": reason,
            "measurements": {} if measurements is None else measurements,
            "basis": basis,
            "prompt": prompt,
        }
        return unchecked(cls, values, _DECISION_FIELDS)


# Pydantic asks for a set that is not frozen; a copy of a decision has a copy of it.
_DECISION_FIELDS: Final = set(Decision.model_fields)


class SynthesisStudy(Frozen):
    """One study in a synthesis: all that a row of a forest plot needs."""

    key: str
    label: str
    effect: float
    standard_error: float
    lower: float
    upper: float
    weight: float | None = None
    included: bool = True
    flags: tuple[str, ...] = ()
    measurements: dict[str, Measurement] = Field(default_factory=dict)


class Synthesis(Frozen):
    """A pool of effects: what was pooled, how, and what came out, with and without flagged studies."""

    id: str
    measure: str
    scale: str
    outcome: str
    comparison: str
    tier: str
    studies: tuple[SynthesisStudy, ...]
    results: dict[str, dict[str, Measurement]] = Field(default_factory=dict)
    status: str = "pooled"
    notes: tuple[str, ...] = ()


class ModelUse(Frozen):
    """What a stage asked of a language model, and how much of it came back.

    Attributes
    ----------
    asked, failed : int
        Calls; one an article, or one an article and claim. For a failed one the rules' judgement stands.
    suspicious : int
        Articles that were not sent, because their text tries to instruct a model or hides something.
    degraded : bool
        True when more than the share that the settings allow has failed.
    answered : tuple of str
        Names that the replies give for the model, sorted.
    """

    asked: int = Field(default=0, ge=0)
    failed: int = Field(default=0, ge=0)
    suspicious: int = Field(default=0, ge=0)
    degraded: bool = False
    answered: tuple[str, ...] = ()


class StageReport(Frozen):
    """The evidence a stage passed on, and a decision on all it was given."""

    evidence: tuple[Evidence, ...]
    decisions: tuple[Decision, ...]
    syntheses: tuple[Synthesis, ...] = ()
    warnings: tuple[str, ...] = ()
    model_use: ModelUse | None = Field(default=None, description="None: no model took part")


class QueryRecord(Frozen):
    """The search as it was run, so that it can be run again and its gaps be seen.

    Attributes
    ----------
    query : str
        As it was sent.
    translation : str or None
        As the source ran it.
    warnings : tuple of str
        What a reader has to know: what the source changed, what is missing.
    total, reachable, retrieved : int or None
        Records that match; of these, those that this kind of search gives out; those that came.
    changed : bool or None
        True when the source left out a part of the query, so that the hits answer another one.
    source_warnings : dict of str to tuple of str
        The source's own words, by its kinds of warning.
    date_limits : str or None
        Which date, from when to when.
    slices : tuple of str
        Parts that a large search was cut into, with what each brought.
    note : str or None
        Where the query comes from, or what was left out of the question in it.
    prompt : str or None
        ``id@version`` of the prompt when a model made the query.
    earlier : tuple of QueryRecord
        Narrower queries that were run before, in order, because they found nothing.
    parts : tuple of QueryRecord
        The searches of the sources that a hybrid put together.
    """

    source: str
    query: str
    translation: str | None = None
    warnings: tuple[str, ...] = ()
    total: int | None = Field(default=None, ge=0)
    reachable: int | None = Field(default=None, ge=0)
    retrieved: int = Field(default=0, ge=0)
    sort: str | None = None
    searched_at: UtcTime | None = None
    changed: bool | None = None
    source_warnings: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    date_limits: str | None = None
    slices: tuple[str, ...] = ()
    note: str | None = None
    prompt: str | None = None
    earlier: tuple[QueryRecord, ...] = ()
    parts: tuple[QueryRecord, ...] = ()


class RunSignature(Frozen):
    """What has to be the same for a run to come out the same.

    Attributes
    ----------
    settings : dict
        Every setting, one by one, for a reader.
    configuration : dict or None
        The settings that are not the defaults, as :class:`metarag.config.Settings` takes them; ``None`` for
        a pipeline that was put together by hand, which cannot be made again from its record.
    """

    metarag: str
    preset: str | None = None
    stages: tuple[str, ...] = ()
    settings: dict[str, Measurement] = Field(default_factory=dict)
    configuration: dict[str, Any] | None = None
    appraisal: str | None = None
    evidence_levels: str | None = None
    prompts: dict[str, str] = Field(default_factory=dict)
    model_asked: str | None = None
    model_answered: str | None = None


class Override(Frozen):
    """A person's disagreement with a run: appended, never an edit.

    Parameters
    ----------
    key : str
        The evidence; or ``question`` or ``settings`` for a change of these.
    verdict : Verdict or None
        What the person wants of the evidence; ``None`` for other changes.
    change : str or None
        What was changed, in words, where it is no verdict.
    author, reason : str
        Who and why, as given.
    """

    key: str
    verdict: Verdict | None = None
    change: str | None = None
    author: str
    reason: str
    timestamp: UtcTime


class AuditTrail(Frozen):
    """Every decision of one run, in order, and what it ran on."""

    question: Question
    query: QueryRecord | None = None
    identified: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    syntheses: tuple[Synthesis, ...] = ()
    warnings: tuple[str, ...] = ()
    model_use: dict[str, ModelUse] = Field(default_factory=dict, description="By stage")
    signature: RunSignature
    overrides: tuple[Override, ...] = ()

    @property
    def degraded(self) -> tuple[str, ...]:
        """Stages where so many of the model's calls failed that the run is not what was asked for."""
        return tuple(stage for stage, use in self.model_use.items() if use.degraded)

    def of(self, key: str) -> tuple[Decision, ...]:
        """Return the history of one piece of evidence."""
        return tuple(d for d in self.decisions if d.key == key)

    def excluded_by(self, stage: str) -> tuple[Decision, ...]:
        """Return the exclusions of one stage."""
        return tuple(d for d in self.decisions if d.stage == stage and d.verdict is Verdict.EXCLUDED)

    def count(self, verdict: Verdict, *, stage: str) -> int:
        """Return how many of a stage's decisions had this verdict."""
        return sum(1 for d in self.decisions if d.stage == stage and d.verdict is verdict)
