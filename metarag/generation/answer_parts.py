"""What an answer carries besides its words: the source texts, the references, and what it cost."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metarag.records import Frozen
from metarag.types import Span


class Snippet(Frozen):
    """Words of an article, verbatim.

    Parameters
    ----------
    span : Span
        Indexes the article's own title or :attr:`~metarag.records.Article.abstract`, never a cleaned copy.
    section : str or None
        Heading of the abstract section as printed; ``None`` for the title and unlabelled text.
    score : float or None
        How much it says to the question, by rule, in [0, 1]; ``None`` where a model picked it.
    basis : {'rule', 'model'}
        Who picked it. Either way the words are the article's.
    """

    span: Span
    section: str | None = None
    score: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    basis: Literal["rule", "model"] = "rule"

    def bioasq(self, document: str) -> dict[str, str | int]:
        """Return the snippet with the field names of BioASQ; the end offset is exclusive."""
        return {
            "document": document,
            "text": self.span.text,
            "offsetInBeginSection": self.span.start,
            "offsetInEndSection": self.span.end,
            "beginSection": self.span.where,
            "endSection": self.span.where,
        }


class AnswerSource(Frozen):
    """An article that an answer was made from, with the words it was made from.

    Parameters
    ----------
    key : str
        :attr:`~metarag.types.Evidence.key`, to find it in the ranking.
    citation : str
        What it is cited by: its PMID, else its id.
    url : str or None
        Where it can be read; ``None`` when it has neither PMID nor DOI.
    design : str
        In words, e.g. ``Meta-analysis of randomised trials``.
    reason : str
        Why it was selected.
    texts : tuple of Snippet
        Never empty.
    """

    key: str
    citation: str
    label: str
    title: str
    url: str | None = None
    year: int | None = None
    design: str
    reason: str
    texts: tuple[Snippet, ...] = Field(min_length=1)


class AnswerReference(Frozen):
    """A cited article in the list of references.

    Parameters
    ----------
    number : int
        From 1, in order of first citation.
    key : str
        Author and year (``Smith2020``; a second one is ``Smith2020a``), unique in the answer.
    text : str
        Authors, title, journal, year and identifier in one line.
    """

    number: int = Field(ge=1)
    key: str
    citation: str
    text: str
    url: str | None = None


class TokenUse(Frozen):
    """What one model was asked for an answer, and what that cost.

    Attributes
    ----------
    asked, cached, failed : int
        Calls; those answered from the cache, for which nothing was sent; those without a usable reply.
    input_tokens, output_tokens : int or None
        Of what was sent, counted by the server; ``None`` is unknown: a reply came without a count.
    cost : float or None
        In ``currency``; ``None`` is unknown, never 0 for want of a price.
    """

    model: str
    answered: tuple[str, ...] = ()
    asked: int = Field(default=0, ge=0)
    cached: int = Field(default=0, ge=0)
    failed: int = Field(default=0, ge=0)
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    currency: str | None = None
