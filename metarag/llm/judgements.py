"""From a checked reply to judgements that the text bears out: quotes are looked up, or they do not count."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from metarag.llm.base import ChatReply
from metarag.llm.quotes import find_quote
from metarag.llm.schemas import CHECKLIST, FACETS, ChecklistItem, FacetAnswer, StanceAnswer
from metarag.records import Article
from metarag.types import CheckAnswer, ReportingCheck, Span

BASIS = "model"
_NEEDS_NO_QUOTE = frozenset(
    {CheckAnswer.UNCLEAR.value, CheckAnswer.NOT_REPORTED.value, StanceAnswer.IRRELEVANT.value}
)
_NEEDS_NO_QUOTE |= {FacetAnswer.UNKNOWN.value}


@dataclass(frozen=True, slots=True)
class Checklist:
    """The answers of a model to the reliability checklist.

    Attributes
    ----------
    checks : tuple of ReportingCheck
        One an item, in the order of the checklist, with ``basis="model"``.
    unsupported : tuple of str
        Items whose quote is not in the article. Their answer is ``unclear``, whatever the model said.
    """

    checks: tuple[ReportingCheck, ...]
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One closed answer with the words that decided it.

    Attributes
    ----------
    answer : str or None
        ``None`` is not assessed: the answer came with words that are not in the article.
    span : Span or None
        ``None`` for answers that need no words (irrelevant, unknown).
    """

    answer: str | None
    span: Span | None = None


def read_checklist(
    reply: ChatReply,
    article: Article,
    items: Sequence[ChecklistItem] = CHECKLIST,
    *,
    wordless: Collection[CheckAnswer] = (),
) -> Checklist:
    """Return the answers that the article bears out.

    Parameters
    ----------
    items : sequence of ChecklistItem
        What was asked.
    wordless : collection of CheckAnswer
        Answers that count without words of the article, beside *unclear* and *not reported*.

    Raises
    ------
    ModelError
        The reply is a failure; check ``reply.failed`` first where that is no surprise.
    """
    free = _NEEDS_NO_QUOTE | {answer.value for answer in wordless}
    findings = {item.id: _finding(reply, item.id, article, free) for item in items}
    return Checklist(
        checks=tuple(
            ReportingCheck(
                item=name, answer=CheckAnswer(found.answer or "unclear"), basis=BASIS, span=found.span
            )
            for name, found in findings.items()
        ),
        unsupported=tuple(name for name, found in findings.items() if found.answer is None),
    )


def read_stance(reply: ChatReply, article: Article) -> Finding:
    """Return a :class:`~metarag.llm.schemas.StanceAnswer`, or ``None`` where the quote is not in the article.

    Raises
    ------
    ModelError
        The reply is a failure.
    """
    return _finding(reply, "stance", article)


def read_applicability(reply: ChatReply, article: Article) -> dict[str, Finding]:
    """Return a :class:`~metarag.llm.schemas.FacetAnswer` for each facet, or ``None``.

    Raises
    ------
    ModelError
        The reply is a failure.
    """
    return {facet: _finding(reply, facet, article) for facet in FACETS}


def locate(quote: str, article: Article) -> Span | None:
    """Return the quote's place in the abstract or the title, in the article's own words."""
    for where, text in (("abstract", article.abstract or ""), ("title", article.title)):
        found = find_quote(quote, text)
        if found:
            start, end = found
            return Span(where=where, start=start, end=end, text=text[start:end])
    return None


def _finding(
    reply: ChatReply, name: str, article: Article, needs_no_quote: frozenset[str] = _NEEDS_NO_QUOTE
) -> Finding:
    part = (reply.require().parsed or {}).get(name)
    fields = part if isinstance(part, dict) else {}
    answer, quote = str(fields.get("answer")), str(fields.get("quote"))
    span = locate(quote, article)
    if span is None and answer not in needs_no_quote:
        return Finding(None)
    return Finding(answer, span)
