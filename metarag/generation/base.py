"""What an answer is, and what makes one."""

from __future__ import annotations

from typing import Protocol

from metarag.pipeline import Ranking
from metarag.records import Frozen
from metarag.types import Question, Span


class AnswerSentence(Frozen):
    """One sentence of an answer with what it rests on.

    Parameters
    ----------
    citations : tuple of str
        PMIDs, or the article's id where it has none (``doi:...``).
    quote : Span or None
        Verbatim source text where the sentence quotes; indexes the cited article's ``where``.
    """

    text: str
    citations: tuple[str, ...] = ()
    quote: Span | None = None


class AnswerBody(Frozen):
    """An answer without the ranking it was made from.

    Parameters
    ----------
    text : str
        What is shown to a person.
    choice : str or None
        The option's letter for a multiple-choice question.
    citations : tuple of str
        All that is cited, each checked to be in the ranking, in order of first use.
    abstained : bool
        True when the evidence does not allow an answer; ``text`` then says why.
    """

    text: str
    choice: str | None = None
    citations: tuple[str, ...] = ()
    sentences: tuple[AnswerSentence, ...] = ()
    abstained: bool = False
    generator: str
    warnings: tuple[str, ...] = ()


class Answer(AnswerBody):
    """An answer, and the ranking it was made from."""

    ranking: Ranking


class Generator(Protocol):
    """Makes an answer from ranked evidence, and from nothing else."""

    def generate(self, question: Question, ranking: Ranking) -> Answer:
        """Return an answer that cites only included evidence; abstain rather than guess."""
