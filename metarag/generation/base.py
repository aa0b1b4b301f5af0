"""What an answer is, and what makes one."""

from __future__ import annotations

from typing import Protocol, Self

from pydantic import Field, model_validator

from metarag.generation.answer_parts import AnswerReference, AnswerSource, TokenUse
from metarag.generation.citations import citation_of
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
    flags : tuple of str
        What a check found: ``no_source`` (a claim that cites nothing it was given), ``number:42`` (not in
        the cited articles), ``quote`` (words in quotation marks that no cited article has),
        ``direction:stroke`` (says of an outcome what none of the cited articles found, by rule),
        ``not_supported`` and ``contradicted`` (by a model's reading of the cited articles).
    """

    text: str
    citations: tuple[str, ...] = ()
    quote: Span | None = None
    flags: tuple[str, ...] = ()


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
    question : Question or None
        As asked; ``None`` in files of before version 2.
    short : str or None
        A second, shorter answer without citations, where one was made.
    afterword : str or None
        What a model added at the end because it was asked to; ``text`` stands as it was.
    raw : str or None
        The model's answer before anything was checked or removed.
    sources : tuple of AnswerSource
        What the answer was made from, cited or not, with its words.
    counts : dict of str to int
        How often something was found or changed: ``invented_citations``, ``unsupported_sentences`` ...
    prompts : dict of str to str
        ``id@version`` of each prompt to its digest.
    usage : tuple of TokenUse
        One a model; empty when none took part.
    degraded : bool
        True when a model was to write the answer and did not.
    """

    text: str
    choice: str | None = None
    citations: tuple[str, ...] = ()
    sentences: tuple[AnswerSentence, ...] = ()
    abstained: bool = False
    generator: str
    warnings: tuple[str, ...] = ()
    question: Question | None = None
    short: str | None = None
    afterword: str | None = None
    raw: str | None = None
    sources: tuple[AnswerSource, ...] = ()
    references: tuple[AnswerReference, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    prompts: dict[str, str] = Field(default_factory=dict)
    usage: tuple[TokenUse, ...] = ()
    degraded: bool = False


class Answer(AnswerBody):
    """An answer, and the ranking it was made from.

    Raises
    ------
    ValueError
        It cites what the ranking does not include: a bug in the generator.
    """

    ranking: Ranking

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from metarag.report.notebook import repr_html

        return repr_html(self.ranking, self)

    @model_validator(mode="after")
    def _cites_included_evidence(self) -> Self:
        known = {citation_of(item.article) for item in self.ranking}
        cited = {*self.citations, *(c for sentence in self.sentences for c in sentence.citations)}
        invented = sorted(cited - known)
        if invented:
            raise ValueError(f"the answer cites {', '.join(invented)}, which the ranking does not include")
        return self


class Generator(Protocol):
    """Makes an answer from ranked evidence, and from nothing else."""

    def generate(self, question: Question, ranking: Ranking) -> Answer:
        """Return an answer that cites only included evidence; abstain rather than guess."""
