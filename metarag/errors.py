"""Everything metarag raises on purpose.

* MetaragError
  x ConfigurationError (also ValueError)
    + EvidenceLevelsError
    + PromptError
    + UnknownStageError
    + QuestionError
  x InputError (also ValueError)
    + RunFileError
  x MissingExtraError (also ImportError)
  x RetrievalError
    + PubMedUnavailableError
    + PubMedRecordError
    + IndexUnusableError
  x ModelError
    + ModelUnavailableError
    + ModelResponseError
    + ModelBudgetError
  x StageContractError
    + StageFailedError

Messages say what is wrong, where, and what to do next. They never contain a key.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class MetaragError(Exception):
    """Base class: ``except MetaragError`` catches every deliberate failure."""


class ConfigurationError(MetaragError, ValueError):
    """A setting, data file or prompt is wrong. Raised before any article is read."""


class EvidenceLevelsError(ConfigurationError):
    """``evidence_levels.yaml`` does not describe a usable hierarchy of evidence."""


class PromptError(ConfigurationError):
    """A prompt file is malformed, or was rendered with values missing."""


class UnknownStageError(ConfigurationError):
    """No stage of that name is registered."""

    def __init__(self, name: str, available: Iterable[str]) -> None:
        self.name = name
        self.available = tuple(sorted(available))
        super().__init__(f"no stage is called {name!r}{suggest(name, self.available)}")


class QuestionError(ConfigurationError):
    """The question cannot be worked with: empty, or its options are not usable."""


class InputError(MetaragError, ValueError):
    """A file that the user named cannot be read as what it should be."""


class RunFileError(InputError):
    """A run file is missing, damaged or of a version this metarag does not know."""


class MissingExtraError(MetaragError, ImportError):
    """An optional dependency is not installed; the message holds the pip line."""

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{feature} needs an optional dependency: pip install 'metarag-ebm[{extra}]'")


class RetrievalError(MetaragError):
    """Articles could not be retrieved."""


class PubMedUnavailableError(RetrievalError):
    """PubMed did not answer, or answered with an error."""


class PubMedRecordError(RetrievalError):
    """What should have been PubMed records was something else."""


class IndexUnusableError(RetrievalError):
    """A local index is missing, damaged, or made by another version."""


class ModelError(MetaragError):
    """A language model could not be used. The rule-based judgements still stand."""


class ModelUnavailableError(ModelError):
    """The model's server did not answer, refused, or is not the one that was asked for."""


class ModelResponseError(ModelError):
    """The model answered, but not with what was asked for."""


class ModelBudgetError(ModelError):
    """The budget of calls or tokens is used up; nothing more will be sent."""


class StageContractError(MetaragError):
    """A stage lost, repeated or invented evidence. Always a bug in the stage."""

    def __init__(self, stage: str, keys: set[str], problem: str) -> None:
        self.stage = stage
        self.keys = frozenset(keys)
        super().__init__(f"stage {stage!r} {problem}: {', '.join(sorted(keys))}")


class StageFailedError(StageContractError):
    """A stage raised what is no MetaragError, or returned no report. Always a bug in the stage.

    ``__cause__`` is what it raised.
    """

    def __init__(self, stage: str, problem: str) -> None:
        self.stage = stage
        self.keys = frozenset()
        MetaragError.__init__(self, f"stage {stage!r} {problem}")


def suggest(name: str, available: Iterable[str]) -> str:
    """Return ``"; did you mean ...? Available: ..."`` for an error message."""
    names = sorted(available)
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f"; did you mean {close[0]!r}?" if close else "."
    return f"{guess} Available: {', '.join(names) or 'none'}"
