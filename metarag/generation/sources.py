"""The articles behind an answer, each with the words that it was used for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metarag.generation.answer_parts import AnswerSource, Snippet
from metarag.generation.citations import citation_of, url_of
from metarag.generation.snippets import Topic, rule_snippets, section_at
from metarag.generation.weighing import Weighing, people_of
from metarag.generation.wording import design_of, outcome_words, people, result_words
from metarag.types import Evidence, Span


def source_of(item: Evidence, reason: str, texts: tuple[Snippet, ...]) -> AnswerSource:
    """Return an article as a source of an answer, with the words that were used."""
    article = item.article
    return AnswerSource(
        key=item.key,
        citation=citation_of(article),
        label=article.label,
        title=article.title,
        url=url_of(article),
        year=article.year,
        design=design_of(item),
        reason=reason,
        texts=texts,
    )


def heading(item: Evidence) -> str:
    """Return design, year and number of people, as far as known."""
    size = people_of(item)
    parts = (design_of(item), item.article.year, people(size) if size else None)
    return ", ".join(str(part) for part in parts if part)


def also_cited(
    citations: Iterable[str],
    shown: Iterable[AnswerSource],
    items: Iterable[Evidence],
    *,
    weighings: Sequence[Weighing],
    topic: Topic,
) -> tuple[AnswerSource, ...]:
    """Return sources for what code cites beside the articles that were shown or quoted.

    Parameters
    ----------
    citations : iterable of str
        Of the whole answer.
    shown : iterable of AnswerSource
        Sources that are there already.
    items : iterable of Evidence
        What may be cited.
    weighings : sequence of Weighing
        An article that was counted there has the words that its result was read from.
    """
    have = {source.citation for source in shown}
    missing = [citation for citation in dict.fromkeys(citations) if citation not in have]
    by_citation: dict[str, Evidence] = {}
    for item in items:
        by_citation.setdefault(citation_of(item.article), item)
    return tuple(_counted(by_citation[citation], weighings, topic) for citation in missing)


def _counted(item: Evidence, weighings: Sequence[Weighing], topic: Topic) -> AnswerSource:
    for weighing in weighings:
        for result in weighing.agreement.results:
            if result.key == item.key:
                outcome = outcome_words(weighing.agreement.outcome)
                reason = f"counted on {outcome}: {result_words(result.result, weighing.agreement)}"
                return source_of(item, reason, (_snippet(item, result.span),))
        for result in (*weighing.agreement.combined, *weighing.agreement.related):
            if result.key == item.key:
                return source_of(item, "named beside what is counted", (_snippet(item, result.span),))
    whole = Span(where="title", start=0, end=len(item.article.title), text=item.article.title)
    texts = rule_snippets(item, topic, most=1) or (Snippet(span=whole),)
    return source_of(item, "named for what is different about it", texts)


def _snippet(item: Evidence, span: Span) -> Snippet:
    section = section_at(item.article, span.start) if span.where == "abstract" else None
    return Snippet(span=span, section=section)
