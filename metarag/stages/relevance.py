"""Judge how much of the question an article speaks of, where the retriever did not say."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from pydantic import Field

from metarag.audit import Decision, StageReport, Verdict
from metarag.foreign_words import seems_foreign
from metarag.option_models import Options
from metarag.pico_ambiguous import ambiguous_readings
from metarag.relevance import QuestionTerms
from metarag.types import Evidence, Question

NAME = "relevance"
# Looked up once: Python 3.11 takes a tenth of a microsecond for a member of an enumeration.
_INCLUDED, _EXCLUDED, _NOT_ASSESSED = Verdict.INCLUDED, Verdict.EXCLUDED, Verdict.NOT_ASSESSED


UNREAD = (
    "relevance: nothing of the question could be read, so that relevance is not assessed by its words and the order is"
    " by reliability alone; write the question in English, or give its PICO in English"
)
PARTLY_READ = "relevance: only part of the question could be read ({read}); write it in English, or give its PICO in English"
FOREIGN = (
    "relevance: the question does not seem to be in English, the language in which articles are read; write it in"
    " English, or give its PICO in English"
)
READ_AS = 'relevance: read "{short}" as {meaning}; write it out if you mean something else ({others})'
"""Warnings of an audit."""
_READ_SCRIPTS = ("LATIN", "GREEK")
_MOSTLY_UNREAD = 0.5
"""Share of a question's letters in other scripts from which the rest is too little to judge by. Ours."""


class RelevanceOptions(Options):
    """How relevance is judged.

    Parameters
    ----------
    min_relevance : float
        Articles below it are excluded, in [0, 1]; 0 (default) excludes none.
    """

    min_relevance: float = Field(default=0.0, ge=0, le=1)


class RelevanceStage:
    """Keeps a retriever's relevance in [0, 1]; where there is none, measures lexical coverage.

    An engine's own score (BM25, cosine) is shown beside it but not used: it has no fixed scale, and a
    score here may not depend on the other candidates.
    """

    name = NAME
    options_type = RelevanceOptions

    def __init__(self, options: RelevanceOptions | None = None) -> None:
        self.options = options or RelevanceOptions()

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Fill in relevance and exclude what lies below the minimum, if there is one."""
        terms = QuestionTerms.of(question)
        passed_on, decisions = [], []
        for item in evidence:
            judged, decision = self._judge(terms, item)
            decisions.append(decision)
            if decision.verdict is not _EXCLUDED:
                passed_on.append(judged)
        warnings = (*unread_warnings(question, terms), *reading_warnings(question))
        return StageReport(evidence=tuple(passed_on), decisions=tuple(decisions), warnings=warnings)

    def _judge(self, terms: QuestionTerms, item: Evidence) -> tuple[Evidence, Decision]:
        stems = item.appraisal.stems if item.appraisal else None
        measured = None if item.relevance is not None else terms.relevance(item.article, stems)
        value = item.relevance if measured is None else measured.score
        if value is None:
            reason = "The question or the record has no words to compare."
            return item, Decision.on(item, NAME, _NOT_ASSESSED, "relevance.no_terms", reason)
        if measured is None:
            reason, criterion = f"The retriever's relevance is {value:.2f}.", "relevance.retriever"
        else:
            found = (
                f"speaks of {', '.join(measured.found)}"
                if measured.found
                else "has none of the question's words"
            )
            missing = f"; not of {', '.join(measured.missing)}" if measured.found and measured.missing else ""
            reason, criterion = f"It {found}{missing}.", "relevance.lexical"
        excluded = value < self.options.min_relevance
        decision = Decision.on(
            item,
            NAME,
            _EXCLUDED if excluded else _INCLUDED,
            "relevance.below_minimum" if excluded else criterion,
            reason,
            {
                "relevance": value,
                "min_relevance": self.options.min_relevance,
                "retriever_score": item.retriever_score,
            },
        )
        return item.assessed(relevance=value), decision


def unread_warnings(question: Question, terms: QuestionTerms) -> tuple[str, ...]:
    """Say that a question, or most of it, has no word that can be read: it is in another script, or has none."""
    if not terms.weights:
        return (UNREAD,)
    letters = [c for c in question.text if c.isalpha()]
    foreign = [c for c in letters if not (c.isascii() or unicodedata.name(c, "").startswith(_READ_SCRIPTS))]
    if question.pico is None and len(foreign) > _MOSTLY_UNREAD * len(letters):
        return (PARTLY_READ.format(read=", ".join(terms.weights)),)
    return (FOREIGN,) if question.pico is None and seems_foreign(question.text) else ()


def reading_warnings(question: Question) -> tuple[str, ...]:
    """Say as what an abbreviation is read that means several things in medicine and that nothing explains."""
    pico = question.pico.model_dump() if question.pico else {}
    context = "\n".join(filter(None, pico.values()))
    return tuple(
        READ_AS.format_map(each._asdict()) for each in ambiguous_readings(question.text, context=context)
    )


def is_of_the_question(warning: str) -> bool:
    """Tell the warnings of this stage, which are of the question, from those of articles and other stages."""
    return warning.startswith(f"{NAME}: ")
