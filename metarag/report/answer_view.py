"""The answer, each citation leading to its article."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from metarag.agreement import Agreement
from metarag.audit import AuditTrail
from metarag.generation.answer_parts import AnswerReference, AnswerSource, Snippet, TokenUse
from metarag.generation.base import AnswerBody
from metarag.report.marked_sentences import QUOTED, SOURCE, Use
from metarag.report.numbers import printed
from metarag.report.plain import shorten
from metarag.report.references import Piece, References
from metarag.report.words import outcome_words, sentence_case
from metarag.types import Evidence

MOST_CHARACTERS = 8_000
"""Of one sentence or line of an answer."""


MOST_SOURCES: Final = 20
"""Of what an answer was made from, shown word by word; the run file holds all."""
_FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no_source": "cites nothing that it was given",
        "quote": "quotes words that no cited article has",
        "not_supported": "not supported by the cited articles, as a language model reads them",
        "contradicted": "contradicted by the cited articles, as a language model reads them",
    }
)


@dataclass(frozen=True, slots=True)
class SentenceView:
    """One sentence of an answer, cut at its citations, and what a check found against it."""

    pieces: tuple[Piece, ...]
    flags: str


@dataclass(frozen=True, slots=True)
class SourceView:
    """An article that the answer was made from, with the words it was made from."""

    link: Piece
    title: str
    about: str
    snippets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer.

    Attributes
    ----------
    choice : str
        Letter and text of the option chosen; empty without options.
    short : str
        A second, shorter answer without citations; empty where none was made.
    references : tuple of (Piece, str)
        Link and text, in the order of first citation.
    raw : str
        What the model wrote before anything was checked or removed; empty where nothing was.
    facts : tuple of (str, str)
        Who made it, at what cost, and what was found or changed when it was checked.
    """

    sentences: tuple[SentenceView, ...]
    choice: str
    short: str
    afterword: str
    abstained: bool
    references: tuple[tuple[Piece, str], ...]
    sources: tuple[SourceView, ...]
    more_sources: int
    raw: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


def answer_view(body: AnswerBody, options: dict[str, str], references: References) -> AnswerView:
    """Return the answer as it is shown."""
    choice = ""
    if body.choice:
        choice = f"{body.choice}: {options[body.choice]}" if body.choice in options else body.choice
    return AnswerView(
        sentences=tuple(_sentences(body, references)),
        choice=shorten(choice, 400),
        short=_cut(body.short or ""),
        afterword=_cut(body.afterword or ""),
        abstained=body.abstained,
        references=tuple(_reference(each, references) for each in body.references),
        sources=tuple(_source(each, references) for each in body.sources[:MOST_SOURCES]),
        more_sources=max(0, len(body.sources) - MOST_SOURCES),
        raw=_cut(body.raw or "") if body.raw != body.text else "",
        facts=tuple(_facts(body)),
        warnings=tuple(shorten(warning, 400) for warning in body.warnings),
    )


def _sentences(body: AnswerBody, references: References) -> Iterator[SentenceView]:
    for sentence in body.sentences:
        pieces = references.linked(_cut(sentence.text), sentence.citations, also=body.citations)
        yield SentenceView(pieces, "; ".join(_flag(flag) for flag in sentence.flags))
    if not body.sentences:
        for line in filter(str.strip, body.text.splitlines()):
            yield SentenceView(references.linked(_cut(line), (), also=body.citations), "")
        if body.citations:
            yield SentenceView(references.linked("Rests on:", body.citations), "")


def _flag(flag: str) -> str:
    kind, _, detail = flag.partition(":")
    if kind == "number" and detail:
        return f"the number {detail} is not in the cited articles"
    if kind == "direction" and detail:
        return f"the cited articles tell something else of {outcome_words(detail)}, as the rules read them"
    return _FLAGS.get(flag, flag.replace("_", " "))


def _reference(reference: AnswerReference, references: References) -> tuple[Piece, str]:
    key = references.cited(reference.citation)
    return references.to(key) if key else Piece(reference.citation), shorten(reference.text, 600)


def _source(source: AnswerSource, references: References) -> SourceView:
    return SourceView(
        link=references.to(source.key),
        title=shorten(source.title, 300),
        about=shorten(f"{source.design}{f', {source.year}' if source.year else ''}; {source.reason}", 300),
        snippets=tuple((shorten(each.span.text, 1_000), _place(each)) for each in source.texts),
    )


def _place(snippet: Snippet) -> str:
    section = f", {snippet.section}" if snippet.section else ""
    picked = "picked by a language model" if snippet.basis == "model" else "picked by rule"
    place = f"{snippet.span.where}{section}, characters {snippet.span.start:,} to {snippet.span.end:,}"
    return shorten(f"{place}; {picked}", 200)


def _facts(body: AnswerBody) -> Iterator[tuple[str, str]]:
    yield "Made by", shorten(body.generator, 200)
    if body.degraded:
        yield "Degraded", "a language model was to write it and did not; rules wrote it"
    for name, number in body.counts.items():
        yield sentence_case(shorten(name.replace("_", " "), 80)), f"{number:,}"
    for use in body.usage:
        yield shorten(f"Calls of {use.model}", 200), _cost(use)
    for name, digest in sorted(body.prompts.items()):
        yield shorten(f"Prompt {name}", 200), shorten(digest, 80)


def _cost(use: TokenUse) -> str:
    said = f"{use.asked:,}, of these {use.cached:,} from the cache and {use.failed:,} failed"
    if use.input_tokens is not None and use.output_tokens is not None:
        said += f"; {use.input_tokens:,} tokens in, {use.output_tokens:,} out"
    if use.cost is not None:
        said += f"; {use.cost:.4f} {use.currency or ''}".rstrip()
    return said


def uses_by_key(
    body: AnswerBody | None, found: tuple[Agreement, ...], audit: AuditTrail, references: References
) -> dict[str, list[Use]]:
    """Return what answer, comparison and pools took from each article: first what the answer quotes."""
    uses: dict[str, list[Use]] = {}
    for key, use in (
        *_quoted(body, references),
        *_results(found),
        *_pooled(audit, references),
    ):
        uses.setdefault(key, []).append(use)
    return uses


def _quoted(body: AnswerBody | None, references: References) -> Iterator[tuple[str, Use]]:
    if body is None:
        return
    for sentence in body.sentences:
        for citation in sentence.citations[:1]:
            key = references.cited(citation)
            if key and sentence.quote:
                yield key, Use(QUOTED, sentence.quote)
    for source in body.sources[:MOST_SOURCES]:
        for snippet in source.texts:
            yield source.key, Use(SOURCE, snippet.span)


def _results(found: tuple[Agreement, ...]) -> Iterator[tuple[str, Use]]:
    for each in found:
        for result in each.results:
            words = f"result on {outcome_words(each.outcome)}: {result.result.value}"
            yield result.key, Use(words, result.span)


def _pooled(audit: AuditTrail, references: References) -> Iterator[tuple[str, Use]]:
    for synthesis in audit.syntheses:
        for study in synthesis.studies:
            item = references.items.get(study.key)
            if item is not None:
                for use in _effects(item, study.effect, study.standard_error, synthesis.scale):
                    yield study.key, use


def _effects(item: Evidence, effect: float, error: float, scale: str) -> Iterator[Use]:
    for found in item.appraisal.effects if item.appraisal else ():
        if found.effect == effect and found.standard_error == error:
            outcome = outcome_words(found.outcome_key or "")
            yield Use(f"effect on {outcome} ({printed(effect, scale)})", found.span)
            return


def _cut(text: str) -> str:
    return shorten(text, MOST_CHARACTERS)
