"""The question, its facets as parsed and as edited, and the search as it was run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Final

from metarag.audit import AuditTrail, Decision, QueryRecord
from metarag.pico_question import ANY, FACETS, question_pico
from metarag.question_kind import infer_kind
from metarag.report.plain import shorten
from metarag.report.references import search_link
from metarag.report.words import KINDS
from metarag.types import Question, QuestionKind

MOST_SHOWN: Final = 4_000
"""Characters of a question or query; the run file holds all."""
NOT_STATED: Final = "not stated"


@dataclass(frozen=True, slots=True)
class FacetRow:
    """One facet of the question; ``edited`` is empty where nobody gave it."""

    name: str
    parsed: str
    edited: str
    used: str


@dataclass(frozen=True, slots=True)
class QuestionView:
    """What was asked.

    Attributes
    ----------
    options : tuple of (str, str)
        Letter and text of a multiple-choice question.
    is_edited : bool
        True when a person gave any facet.
    """

    text: str
    kind: str
    options: tuple[tuple[str, str], ...]
    facets: tuple[FacetRow, ...]
    is_edited: bool


@dataclass(frozen=True, slots=True)
class SearchView:
    """How records were found.

    Attributes
    ----------
    facts : tuple of (str, str)
        Name and value, without the query itself.
    link : str
        Runs the search again; empty where that is not possible by an address.
    others : tuple of (str, SearchView)
        Searches before it or within it, each with what it was.
    """

    query: str
    translation: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    link: str
    others: tuple[tuple[str, SearchView], ...]


def question_view(audit: AuditTrail) -> QuestionView:
    """Return the question as the run used it; where no article was compared, as it is read now."""
    question = audit.question
    compared = next((d for d in audit.decisions if d.stage == "extrapolation"), None)
    rows = tuple(_recorded(question, compared) if compared else _read_now(question))
    return QuestionView(
        text=shorten(question.text, MOST_SHOWN),
        kind=_kind(question, audit.decisions),
        options=tuple((letter, shorten(text, 400)) for letter, text in question.options.items()),
        facets=rows,
        is_edited=any(row.edited for row in rows),
    )


def _recorded(question: Question, decision: Decision) -> Iterator[FacetRow]:
    measured = decision.measurements
    for facet in FACETS:
        edited = _edited(question, facet)
        used = str(measured.get(f"question_{facet}") or _nothing(edited))
        parsed = str(measured.get(f"question_{facet}_parsed") or NOT_STATED) if edited else used
        yield FacetRow(facet.capitalize(), parsed, edited, used)


def _read_now(question: Question) -> Iterator[FacetRow]:
    asked = question_pico(question)
    used, parsed = asked.used.as_pico(), asked.parsed.as_pico()
    for facet in FACETS:
        yield FacetRow(
            facet.capitalize(),
            getattr(parsed, facet) or NOT_STATED,
            edited := _edited(question, facet),
            getattr(used, facet) or _nothing(edited),
        )


def _nothing(edited: str) -> str:
    return "not compared" if edited.strip().casefold() == ANY else NOT_STATED


def _edited(question: Question, facet: str) -> str:
    given = getattr(question.pico, facet) if question.pico else None
    return shorten(given, 400) if given and any(c.isalnum() for c in given) else ""


def _kind(question: Question, decisions: Sequence[Decision]) -> str:
    measured = next((d.measurements for d in decisions if "question_kind" in d.measurements), {})
    try:
        kind = QuestionKind(str(measured.get("question_kind") or ""))
    except ValueError:
        kind, words = (question.kind, None) if question.kind else infer_kind(question.text)
        return KINDS[kind] + (f", read from the words '{shorten(words, 60)}'" if words else "")
    told = measured.get("question_kind_from")
    return f"{KINDS[kind]}, read from {shorten(str(told), 80)}" if told else KINDS[kind]


def search_view(query: QueryRecord | None) -> SearchView | None:
    """Return how the records were found; ``None`` where they were handed over."""
    return None if query is None else _searched(query)


def _searched(query: QueryRecord) -> SearchView:
    others = [("Narrower search that was run before and found nothing", each) for each in query.earlier]
    others += [("One of the searches that were put together", each) for each in query.parts]
    return SearchView(
        query=shorten(query.query, MOST_SHOWN),
        translation=shorten(query.translation or "", MOST_SHOWN),
        facts=tuple(_facts(query)),
        warnings=tuple(_warnings(query)),
        link=search_link(query),
        others=tuple((what, _searched(each)) for what, each in others),
    )


def _facts(query: QueryRecord) -> Iterator[tuple[str, str]]:
    yield "Source", shorten(query.source, 200)
    if query.note:
        yield "Where the query comes from", shorten(query.note, 400)
    if query.searched_at:
        yield "Searched at", f"{query.searched_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    if query.date_limits:
        yield "Date limits", shorten(query.date_limits, 200)
    if query.total is not None:
        yield "Records that match", f"{query.total:,}"
    if query.reachable is not None and query.reachable != query.total:
        yield "Of these within reach", f"{query.reachable:,}"
    yield "Retrieved", f"{query.retrieved:,}"
    if query.sort:
        yield "Order", shorten(query.sort, 200)
    if query.slices:
        yield "Run in parts", shorten("; ".join(query.slices), 1_000)


def _warnings(query: QueryRecord) -> Iterator[str]:
    if query.changed:
        yield "The source left out a part of the query, so that the records answer another one."
    for warning in query.warnings:
        yield shorten(warning, 400)
    for kind, texts in query.source_warnings.items():
        yield shorten(f"{kind}: {'; '.join(texts)}", 400)
