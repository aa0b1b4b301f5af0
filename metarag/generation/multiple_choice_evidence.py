"""The articles that a model is shown with a multiple-choice question: included, sound, and as data."""

from __future__ import annotations

from dataclasses import dataclass

from metarag.agreement import is_withdrawn
from metarag.audit import Verdict
from metarag.generation.answer_parts import AnswerSource, Snippet
from metarag.generation.citations import citation_of
from metarag.generation.material import source_id
from metarag.generation.sources import heading, source_of
from metarag.llm.untrusted import as_data
from metarag.model_judging import is_suspicious
from metarag.pipeline import Ranking
from metarag.records import Article
from metarag.types import Evidence, Span

_REASON = "shown with the question"


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """Evidence for one question.

    Attributes
    ----------
    text : str
        All articles, each under its id, their words between data marks.
    known : dict of str to str
        Id as the model is given it to citation.
    """

    items: tuple[Evidence, ...] = ()
    sources: tuple[AnswerSource, ...] = ()
    text: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def known(self) -> dict[str, str]:
        """What a citation in the reply can mean."""
        return {source_id(item): citation_of(item.article) for item in self.items}


def shown_evidence(ranking: Ranking, *, top_n: int, max_characters: int) -> ShownEvidence:
    """Return the best articles of a ranking that may be shown.

    Never shown: what the ranking excluded, what a person excluded, retracted articles and notices of
    retraction whatever settings let them in, texts that try to instruct a model, and records without text.
    The next article takes the place.
    """
    overruled = {o.key: o.verdict for o in ranking.audit.overrides}
    kept: list[Evidence] = []
    suspicious = 0
    for item in ranking:
        if len(kept) == top_n:
            break
        if overruled.get(item.key) is Verdict.EXCLUDED or is_withdrawn(item) or not _text(item.article):
            continue
        if is_suspicious(item.article):
            suspicious += 1
            continue
        kept.append(item)
    blocks, cut = [], 0
    for item in kept:
        text = _text(item.article)
        shown = text if len(text) <= max_characters else text[:max_characters].rsplit(None, 1)[0]
        cut += shown != text
        blocks.append(f"[{source_id(item)}] {heading(item)}\n{as_data('article', shown).text}")
    return ShownEvidence(
        items=tuple(kept),
        sources=tuple(source_of(item, _REASON, (_snippet(item, max_characters),)) for item in kept),
        text="\n\n".join(blocks),
        warnings=_warnings(suspicious, cut, max_characters),
    )


def _text(article: Article) -> str:
    return "\n".join(part for part in (article.title, article.abstract) if part and part.strip())


def _snippet(item: Evidence, max_characters: int) -> Snippet:
    article = item.article
    where, text = ("abstract", article.abstract) if article.abstract else ("title", article.title)
    end = min(len(text), max_characters)
    return Snippet(span=Span(where=where, start=0, end=end, text=text[:end]))


def _warnings(suspicious: int, cut: int, max_characters: int) -> tuple[str, ...]:
    said = []
    if suspicious:
        said.append(
            f"not shown to the model, because they try to instruct it or hide text: {suspicious} articles"
        )
    if cut:
        said.append(f"cut to {max_characters:,} characters before they were shown: {cut} articles")
    return tuple(said)
