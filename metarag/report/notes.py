"""Everything that a reader must be warned of, gravest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from metarag.agreement import Agreement
from metarag.audit import AuditTrail, Synthesis
from metarag.generation.base import AnswerBody
from metarag.pipeline import Ranking
from metarag.records import TextOrigin
from metarag.report.numbers import count
from metarag.report.plain import shorten
from metarag.report.references import Piece, References
from metarag.report.synthesis_view import ENOUGH
from metarag.report.words import outcome_words, stage_words
from metarag.types import Evidence, RetractionState, RetractionStatus

MOST_WARNINGS: Final = 20
MOST_LINKS: Final = 8


@dataclass(frozen=True, slots=True)
class Note:
    """One warning.

    Attributes
    ----------
    level : str
        ``Warning``, ``Check`` or ``Note``: in words, because a colour alone says nothing.
    links : tuple of Piece
        The articles that it is about, as far as they are few.
    """

    level: str
    text: str
    links: tuple[Piece, ...] = ()


def notes(
    ranking: Ranking,
    answer: AnswerBody | None,
    found: Sequence[Agreement],
    pools: Sequence[Synthesis],
    references: References,
) -> tuple[Note, ...]:
    """Return all warnings of a run; those that the run itself recorded are cut at 20, and it says so."""
    order = {"Warning": 0, "Check": 1, "Note": 2}
    listed = [
        *_on_standing(ranking, references),
        *_on_agreement(found, pools),
        *_on_model(ranking.audit),
        *_on_answer(answer),
        *_on_search(ranking.audit),
        *_recorded(ranking.audit, answer),
        *_on_texts(ranking),
    ]
    return tuple(sorted(listed, key=lambda note: order[note.level]))


def _on_standing(ranking: Ranking, references: References) -> Iterator[Note]:
    states = {
        RetractionState.RETRACTED: "Retracted, and yet kept in the ranking by the settings",
        RetractionState.EXPRESSION_OF_CONCERN: "Kept with an expression of concern against it",
    }
    for state, words in states.items():
        keys = [item.key for item in ranking if _state(item) is state]
        if keys:
            links = tuple(references.to(key) for key in keys[:MOST_LINKS])
            yield Note("Warning", f"{words}: {count(len(keys), 'article')}.", links)
    out = [item.key for item in ranking.excluded if _state(item) is RetractionState.RETRACTED]
    if out:
        links = tuple(references.to(key) for key in out[:MOST_LINKS])
        yield Note("Check", f"{count(len(out), 'retracted article')} found and left out.", links)
    unchecked = sum(_state(item) is RetractionState.NOT_CHECKED for item in ranking)
    if unchecked:
        yield Note("Check", f"Retraction could not be checked for {count(unchecked, 'kept article')}.")


def _state(item: Evidence) -> RetractionState:
    return (item.appraisal.retraction if item.appraisal else RetractionStatus()).state


def _on_agreement(found: Sequence[Agreement], pools: Sequence[Synthesis]) -> Iterator[Note]:
    for each in found:
        if each.is_conflict:
            yield Note(
                "Warning",
                f"Studies of the same kind conflict on {outcome_words(each.outcome)}; both sides stay.",
            )
    largest = max((len(synthesis.studies) for synthesis in pools), default=0)
    if 1 < largest < ENOUGH:
        yield Note(
            "Check",
            f"Few studies: the largest pool on the question has {largest}. Below {ENOUGH} nothing is said of"
            " single studies that stand out.",
        )


def _on_model(audit: AuditTrail) -> Iterator[Note]:
    for stage, use in audit.model_use.items():
        name = stage_words(stage)
        if use.degraded:
            yield Note(
                "Warning",
                f"{name}: {use.failed:,} of {use.asked:,} calls of the language model failed, more than the"
                " settings allow; the rules stand for them.",
            )
        elif use.failed:
            yield Note(
                "Check",
                f"{name}: {use.failed:,} of {use.asked:,} calls of the language model failed; the rules stand"
                " for them.",
            )
        if use.suspicious:
            yield Note(
                "Warning",
                f"{name}: {count(use.suspicious, 'article')} not shown to the language model, because the text"
                " tries to instruct it or hides something.",
            )


def _on_answer(answer: AnswerBody | None) -> Iterator[Note]:
    if answer is None:
        return
    if answer.degraded:
        yield Note("Warning", "A language model was to write the answer and did not; rules wrote it.")
    flagged = sum(bool(sentence.flags) for sentence in answer.sentences)
    if flagged:
        yield Note(
            "Warning", f"{count(flagged, 'sentence')} of the answer did not pass every check; see there."
        )


def _on_search(audit: AuditTrail) -> Iterator[Note]:
    query = audit.query
    if query is None:
        return
    for warning in query.warnings[:MOST_WARNINGS]:
        yield Note("Check", f"Search: {shorten(warning, 400)}")
    if query.total is not None and query.total > query.retrieved:
        yield Note(
            "Check",
            f"Only {query.retrieved:,} of {query.total:,} matching records were retrieved; an article that"
            " matters may be among the others.",
        )


def _recorded(audit: AuditTrail, answer: AnswerBody | None) -> Iterator[Note]:
    said = [*audit.warnings, *(answer.warnings if answer else ())]
    for warning in said[:MOST_WARNINGS]:
        yield Note("Check", shorten(warning, 400))
    if len(said) > MOST_WARNINGS:
        yield Note("Check", f"{len(said) - MOST_WARNINGS:,} more warnings stand in the run file.")


def _on_texts(ranking: Ranking) -> Iterator[Note]:
    origins = Counter(item.article.text_origin for item in (*ranking.evidence, *ranking.excluded))
    if summaries := origins[TextOrigin.SUMMARY]:
        yield Note(
            "Note",
            f"{count(summaries, 'text')} of the demo corpus: summaries written for this project, not the"
            " authors' abstracts. Do not use them for patients.",
        )
    if fragments := origins[TextOrigin.HOST_TEXT]:
        yield Note("Note", f"{count(fragments, 'text')} handed over by another system; it may be a fragment.")
