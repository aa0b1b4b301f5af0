"""Whether an article supports a claim, opposes it, or says nothing of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from metarag.audit import Basis, Measurement, ModelUse
from metarag.paper_method import Stance
from metarag.records import Frozen
from metarag.types import Evidence, Question, Span

YES = "yes"
"""Id of the claim of a question without options."""


class Claim(Frozen):
    """A statement that articles can support or oppose.

    Parameters
    ----------
    id : str
        The option's letter, or ``yes`` for the yes/no form of an open question.
    """

    id: str
    text: str


class StanceFinding(Frozen):
    """A stance with what it rests on."""

    stance: Stance
    basis: Basis
    reason: str
    span: Span | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedStances(Mapping[tuple[str, str], StanceFinding]):
    """Findings by claim id and evidence key, with what the audit has to say of how they came about.

    Attributes
    ----------
    measurements : mapping of str to dict
        By evidence key: failures and suspicious texts.
    model_use : ModelUse or None
        ``None``: no model took part.
    """

    findings: Mapping[tuple[str, str], StanceFinding]
    measurements: Mapping[str, dict[str, Measurement]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    model_use: ModelUse | None = None

    def __getitem__(self, key: tuple[str, str]) -> StanceFinding:
        return self.findings[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)


class StanceJudge(Protocol):
    """Judges the stance of each article towards each claim."""

    def judge(
        self, question: Question, claims: Sequence[Claim], evidence: Sequence[Evidence]
    ) -> Mapping[tuple[str, str], StanceFinding]:
        """Return the findings by claim id and evidence key; what is missing was not assessed.

        A judge that has more to say, such as failures, returns :class:`JudgedStances`.
        """


def claims_of(question: Question) -> tuple[Claim, ...]:
    """Return one claim for each option; for a question without options its yes/no form.

    The paper makes a claim of the query and one option. It does not say what the claim of an open
    question is: ours is that the answer is yes.
    """
    if question.options:
        return tuple(
            Claim(id=letter, text=f"{question.text} {option}") for letter, option in question.options.items()
        )
    return (Claim(id=YES, text=f"The answer is yes: {question.text}"),)
