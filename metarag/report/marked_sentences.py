"""The sentences of an article that a judgement rests on, with the words that count marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from metarag.records import Article
from metarag.sentences import sentences_of
from metarag.types import Evidence, SignalSource, Span

MOST_SENTENCES: Final = 5
FEW_SENTENCES: Final = 3
"""For an article that the answer was not made from."""
QUOTED: Final = "quoted in the answer"
SOURCE: Final = "what the answer was made from"
_AROUND: Final = 110
"""Characters shown before and after what is marked; the rest of a long sentence is cut."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a span was used for; what the answer and the results rest on comes before the rest."""

    what: str
    span: Span


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """One sentence.

    Attributes
    ----------
    pieces : tuple of (str, bool)
        The text in order; True for words that are marked.
    uses : str
        What the marked words were used for.
    """

    pieces: tuple[tuple[str, bool], ...]
    uses: str


def facts_used(item: Evidence) -> Iterator[Use]:
    """Yield what the appraisal read of sample size and design, with the words that say so."""
    found = item.appraisal
    if found is None:
        return
    if found.sample_size is not None:
        yield Use("number of participants", found.sample_size.span)
    told = [
        signal
        for signal in found.design.signals
        if signal.span and signal.source in (SignalSource.TITLE, SignalSource.ABSTRACT)
    ]
    same = [signal for signal in told if signal.design is found.design.design]
    best = max(same, key=lambda signal: signal.weight, default=None)
    if best is not None and best.span is not None:
        yield Use("design", best.span)


def marked_sentences(
    article: Article, uses: Sequence[Use], *, most: int = MOST_SENTENCES
) -> tuple[MarkedSentence, ...]:
    """Return the sentences that hold the spans, each once, in the order of the uses; at most so many.

    A span that is not the text at its place is left out: nothing is ever marked that the article does not
    say.
    """
    grouped: dict[tuple[str, int, int], list[Use]] = {}
    for use in uses:
        text = _text(article, use.span.where)
        if text[use.span.start : use.span.end] == use.span.text and use.span.text:
            first, last = _sentence_around(text, use.span)
            grouped.setdefault((use.span.where, first, last), []).append(use)
    return tuple(
        MarkedSentence(
            pieces=tuple(_pieces(_text(article, where), first, last, [use.span for use in group])),
            uses=", ".join(dict.fromkeys(use.what for use in group)),
        )
        for (where, first, last), group in list(grouped.items())[:most]
    )


def _text(article: Article, where: str) -> str:
    return article.title if where == "title" else (article.abstract or "") if where == "abstract" else ""


def _sentence_around(text: str, span: Span) -> tuple[int, int]:
    touched = [(b, e) for b, e in sentences_of(text) if b < span.end and e > span.start]
    if not touched:
        return span.start, span.end
    return min(touched[0][0], span.start), max(touched[-1][1], span.end)


def _pieces(text: str, first: int, last: int, spans: Iterable[Span]) -> Iterator[tuple[str, bool]]:
    position = first
    ordered = sorted(_innermost(spans), key=lambda span: (span.start, -span.end))
    for number, span in enumerate(ordered):
        start, end = max(span.start, position), span.end
        if end <= start:
            continue
        if start > position:
            between = text[position:start]
            yield (between if number else _cut(between, keep_end=True)), False
        yield text[start:end], True
        position = end
    if position < last:
        yield _cut(text[position:last], keep_end=False), False


def _innermost(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans that hold no other: a whole sentence marked would hide the number in it."""
    listed = {(span.start, span.end): span for span in spans}
    for (start, end), span in listed.items():
        if not any(start <= b and e <= end and (b, e) != (start, end) for b, e in listed):
            yield span


def _cut(text: str, *, keep_end: bool) -> str:
    if len(text) <= _AROUND + 20:
        return text
    if keep_end:
        return f"… {text[-_AROUND:].partition(' ')[2] or text[-_AROUND:]}"
    return f"{text[:_AROUND].rpartition(' ')[0] or text[:_AROUND]} …"
