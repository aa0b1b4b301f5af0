"""What came of one question in one cell of an experiment, and files of it, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

from pydantic import Field, ValidationError, model_validator

from metarag.errors import InputError
from metarag.evaluation.items import Item
from metarag.files import write_text_atomically
from metarag.generation.multiple_choice_options import Choice, ChoiceOutcome
from metarag.records import Frozen


class Outcome(StrEnum):
    """What an answer is worth. Only the first counts as right; all count in the denominator."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNREADABLE = "unreadable"
    REFUSED = "refused"
    """Declined, withheld by a filter, or not asked for want of evidence."""
    ERROR = "error"


_NO_ANSWER = {
    ChoiceOutcome.UNREADABLE: Outcome.UNREADABLE,
    ChoiceOutcome.REFUSED: Outcome.REFUSED,
    ChoiceOutcome.NO_EVIDENCE: Outcome.REFUSED,
    ChoiceOutcome.ERROR: Outcome.ERROR,
}


class ItemResult(Frozen):
    """One question answered once.

    Parameters
    ----------
    item, dataset, subset, cluster : str
        Which question (:class:`metarag.evaluation.items.Item`).
    system : str
        How it was answered: ``closed_book``, ``recommended`` ...
    model : str
        The name that the answering model was asked for by.
    seed : int
        Of this run.
    letter : str or None
        What was chosen; ``None`` unless the outcome is correct or wrong.
    method : str or None
        How the letter was read, or why not.
    reply : str or None
        What the model wrote, so that others can read it in their own way.
    failure : str or None
        Class of a failed call.
    confidence : float or None
        In [0, 1]; ``None`` where the model's server gave none. Never made up.
    input_tokens, output_tokens : int or None
        Of all that was sent for this question, failed attempts too; ``None`` is unknown.
    cost : float or None
        In the currency of the prices that were given; ``None`` is unknown, never 0 for want of a price.
    seconds : float
        Of the calls, waiting included.
    calls : int
        Requests sent for this question in this cell, to judge articles and to answer.
    evidence : tuple of str
        Keys of the articles that the model was shown, in order.
    """

    item: str
    dataset: str
    cluster: str
    system: str
    model: str
    seed: int = 0
    subset: str | None = None
    outcome: Outcome
    letter: str | None = None
    gold: str
    method: str | None = None
    reply: str | None = None
    failure: str | None = None
    confidence: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    seconds: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    calls: int = Field(default=0, ge=0)
    evidence: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _outcome_follows_from_the_letter(self) -> Self:
        if self.letter is None:
            fits = self.outcome not in (Outcome.CORRECT, Outcome.WRONG)
        else:
            fits = self.outcome is (Outcome.CORRECT if self.letter == self.gold else Outcome.WRONG)
        if not fits:
            raise ValueError(
                f"outcome {self.outcome} does not fit letter {self.letter!r} and gold {self.gold!r}"
            )
        return self

    @classmethod
    def of(
        cls, item: Item, choice: Choice, *, system: str, model: str, seed: int = 0, calls: int = 0
    ) -> Self:
        """Return the result of a choice.

        Parameters
        ----------
        calls : int
            Requests sent to judge the articles of this question, beside those of the choice itself.
        """
        if choice.letter is not None:
            outcome = Outcome.CORRECT if choice.letter == item.gold else Outcome.WRONG
        else:
            outcome = _NO_ANSWER[choice.outcome]
        usage = choice.usage
        return cls(
            item=item.id,
            dataset=item.dataset,
            cluster=item.cluster,
            system=system,
            model=model,
            seed=seed,
            subset=item.subset,
            outcome=outcome,
            letter=choice.letter,
            gold=item.gold,
            method=choice.method,
            reply=choice.text,
            failure=choice.failure,
            confidence=choice.confidence,
            input_tokens=usage.input_tokens if usage else 0,
            output_tokens=usage.output_tokens if usage else 0,
            cost=usage.cost if usage else 0.0,
            seconds=choice.seconds,
            calls=calls + choice.attempts,
            evidence=choice.shown,
        )

    @property
    def cell(self) -> tuple[str, str, str]:
        """Data set, model and system."""
        return self.dataset, self.model, self.system

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        """What makes a result one of its kind: data set, model, system, seed, item."""
        return self.dataset, self.model, self.system, self.seed, self.item

    @property
    def is_correct(self) -> bool:
        """True when the right option was chosen."""
        return self.outcome is Outcome.CORRECT

    def to_line(self) -> str:
        """Return the result as one line of JSON with its end; the same result gives the same bytes."""
        fields = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps(fields, ensure_ascii=False, sort_keys=True) + "\n"


_REMOVE: Final = "remove the line, and `metarag eval run` answers its question again if it has to"


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """Results as they stand in a file.

    Attributes
    ----------
    is_cut_off : bool
        True when the last line is not complete: the run was stopped while writing it.
    """

    results: tuple[ItemResult, ...]
    is_cut_off: bool = False


def read_results(path: Path | str) -> ResultsFile:
    """Read results, one a line. A last line without its end is left out: it was being written.

    Raises
    ------
    InputError
        The file cannot be read, a line is no result, or a result occurs twice; the message names the line.
    """
    place = Path(path)
    try:
        # Every other line can still be read where one has a damaged byte; that one is no JSON then.
        lines = place.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except FileNotFoundError as error:
        raise InputError(
            f"there are no answers yet in {place.parent}: run the same `metarag eval run` again, it goes on there"
        ) from error
    except OSError as error:
        raise InputError(f"the results {place} cannot be read: {error}") from error
    unfinished = lines.pop()
    found: dict[tuple[str, str, str, int, str], ItemResult] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            result = ItemResult.model_validate_json(line)
        except ValidationError as error:
            said = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise InputError(f"line {number} of {place} is no result: {said}; {_REMOVE}") from error
        if result.key in found:
            told = " / ".join(map(str, result.key))
            raise InputError(f"line {number} of {place}: {told} is there twice; {_REMOVE}")
        found[result.key] = result
    return ResultsFile(tuple(found.values()), is_cut_off=bool(unfinished.strip()))


def write_results(path: Path | str, results: Iterable[ItemResult]) -> None:
    """Replace a file by these results, one a line, in the order given.

    Raises
    ------
    OSError
        The file cannot be written; the old one then stands.
    """
    write_text_atomically(Path(path), "".join(result.to_line() for result in results))
