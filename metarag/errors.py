"""Everything metarag raises on purpose.

* MetaragError
  x ConfigurationError (also ValueError)
    + EvidenceLevelsError
    + PromptError
    + UnknownStageError
    + QuestionError
    + QueryError
      - UnsupportedQueryError
  x InputError (also ValueError)
    + RunFileError
    + RequestError
  x MissingExtraError (also ImportError)
  x RetrievalError
    + NetworkDisabledError
    + PubMedUnavailableError
      - PubMedTimeoutError (also TimeoutError)
      - PubMedRateLimitError
      - PubMedHistoryError
      - PubMedOverloadError
    + PubMedRejectedError
      - PubMedIdError
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
from typing import Final

_SHOWN_BEFORE: Final = 40
_SHOWN_AFTER: Final = 30
"""Characters of a query that its error shows before and after the place."""


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


class QueryError(ConfigurationError):
    """A search query cannot be read; nothing was sent.

    Attributes
    ----------
    problem : str
        What is wrong and what to do, in one sentence.
    text : str
        The query.
    position : int
        The character at which it is wrong, from 0.
    """

    def __init__(self, problem: str, *, text: str, position: int) -> None:
        self.problem = problem
        self.text = text
        self.position = position
        super().__init__(f"character {position + 1} of the query: {problem}\n{_pointed_at(text, position)}")


class UnsupportedQueryError(QueryError):
    """The query is right, but the place that it was meant for cannot run it; the message names the part."""


class InputError(MetaragError, ValueError):
    """A file that the user named cannot be read as what it should be."""


class RunFileError(InputError):
    """A run file is missing, damaged or of a version this metarag does not know."""


class RequestError(InputError):
    """A request to the server cannot be answered; ``status`` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


class MissingExtraError(MetaragError, ImportError):
    """An optional dependency is not installed; the message holds the pip line."""

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{feature} needs an optional dependency: pip install 'metarag-ebm[{extra}]'")


class RetrievalError(MetaragError):
    """Articles could not be retrieved."""


class NetworkDisabledError(RetrievalError):
    """The network is switched off, and something was asked of it. Raised before any socket is opened."""


class PubMedUnavailableError(RetrievalError):
    """PubMed did not answer, or answered with an error."""


class PubMedTimeoutError(PubMedUnavailableError, TimeoutError):
    """PubMed did not answer in the time allowed."""


class PubMedRateLimitError(PubMedUnavailableError):
    """PubMed refused because of too many requests, also after the waits that it asked for.

    Attributes
    ----------
    retry_after : float or None
        Seconds that PubMed asked to wait the last time.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class PubMedHistoryError(PubMedUnavailableError):
    """A search on PubMed's history server has expired; it has to be run again."""


class PubMedOverloadError(PubMedUnavailableError):
    """An answer took PubMed too long to make, or is larger than allowed; fewer records at a time may pass."""


class PubMedRejectedError(RetrievalError):
    """PubMed refused the request for good: asking again would not help."""


class PubMedIdError(PubMedRejectedError):
    """PubMed refused a request because of an id in it; without that id the others can be had.

    Attributes
    ----------
    of_all : bool
        True when PubMed says that none of the ids is right.
    """

    def __init__(self, message: str, *, of_all: bool = False) -> None:
        self.of_all = of_all
        super().__init__(message)


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


def _pointed_at(text: str, position: int) -> str:
    """Return the part of a query around a character, and below it a line that points at that character.

    The line is of dashes, and white space is made single, because messages are printed with no other.
    """
    start, end = max(0, position - _SHOWN_BEFORE), position + _SHOWN_AFTER
    shown = [c if c.isprintable() else " " for c in text[start:end]]
    shown.insert(position - start, "\0")
    line = "…" * (start > 0) + " ".join("".join(shown).split()) + "…" * (end < len(text))
    return f"{line.replace(chr(0), '')}\n{'-' * line.index(chr(0))}^"


def suggest(name: str, available: Iterable[str]) -> str:
    """Return ``"; did you mean ...? Available: ..."`` for an error message."""
    names = sorted(available)
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f"; did you mean {close[0]!r}?" if close else "."
    return f"{guess} Available: {', '.join(names) or 'none'}"
