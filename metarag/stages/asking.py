"""What the stages that ask a language model tell of it: its name and its prompts, for the audit's signature."""

from __future__ import annotations

from collections.abc import Mapping

from metarag.model_judging import Panel
from metarag.stages.base import Prompted
from metarag.stances import StanceJudge


class AsksPanel:
    """A stage that asks a panel, or nobody.

    Attributes
    ----------
    panel : Panel or None
        ``None`` leaves everything to the rules.
    """

    panel: Panel | None

    @property
    def model_asked(self) -> str | None:
        """The name the model is asked for by; ``None`` without a model."""
        return self.panel.model.model if self.panel else None

    @property
    def prompts(self) -> Mapping[str, str]:
        """The prompt's name and digest; empty without a model."""
        return self.panel.prompts if self.panel else {}


class AsksJudge:
    """A stage that takes stances from a judge, who may ask a model, or from the rules.

    Attributes
    ----------
    judge : StanceJudge or None
        ``None`` leaves the stances to the rules.
    """

    judge: StanceJudge | None

    @property
    def model_asked(self) -> str | None:
        """The name of the judge's model; ``None`` where none is asked."""
        return self.judge.model_asked if isinstance(self.judge, Prompted) else None

    @property
    def prompts(self) -> Mapping[str, str]:
        """The prompts of the judge; empty where no model is asked."""
        return self.judge.prompts if isinstance(self.judge, Prompted) else {}
