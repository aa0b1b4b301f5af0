"""What a stage is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from metarag.audit import StageReport
from metarag.types import Evidence, Question


@runtime_checkable
class Stage(Protocol):
    """Assess evidence for a question; pass on what survives.

    A stage decides on every piece of evidence it is given, exactly once, and passes on
    nothing it was not given. :class:`~metarag.pipeline.Pipeline` enforces this, so a stage
    never has to. Order is not a stage's business: the pipeline sorts by the final score.
    """

    @property
    def name(self) -> str:
        """Short, unique within a pipeline; the first part of every criterion it uses."""

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each piece of ``evidence`` and return what is passed on."""


@runtime_checkable
class Grading(Protocol):
    """A stage that grades by a hierarchy of evidence, which the audit's signature then names."""

    @property
    def levels_digest(self) -> str:
        """Digest of the hierarchies in use."""


@runtime_checkable
class Prompted(Protocol):
    """What asks a language model, with what the audit's signature then names."""

    @property
    def model_asked(self) -> str | None:
        """The name the model is asked for by; ``None`` without a model."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """``id@version`` of each prompt to its digest; empty without a model."""
