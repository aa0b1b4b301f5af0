"""Whether an article supports a claim, opposes it, or says nothing of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from metarag.audit import Basis
from metarag.paper_method import Stance
from metarag.records import Frozen
from metarag.types import Evidence, Question, Span


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


class StanceJudge(Protocol):
    """Judges the stance of each article towards each claim."""

    def judge(
        self, question: Question, claims: Sequence[Claim], evidence: Sequence[Evidence]
    ) -> Mapping[tuple[str, str], StanceFinding]:
        """Return the findings by claim id and evidence key; what is missing was not assessed."""


def claims_of(question: Question) -> tuple[Claim, ...]:
    """Return one claim for each option; for a question without options its yes/no form.

    The paper makes a claim of the query and one option. It does not say what the claim of an open
    question is: ours is that the answer is yes.
    """
    if question.options:
        return tuple(
            Claim(id=letter, text=f"{question.text} {option}") for letter, option in question.options.items()
        )
    return (Claim(id="yes", text=f"The answer is yes: {question.text}"),)
