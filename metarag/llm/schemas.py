"""The closed questions that a model may answer, and the shape of its answers.

No field takes a number or a score: the reply cannot say more than the assessment. Each quote comes
before the answer it supports, because a model that has to show the words first answers by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue

from metarag.llm.reply_schema import ReplySchema, one_of, strict_object, text_up_to
from metarag.types import CheckAnswer

REFERENCE = "article_ref"
"""The field that has to come back as given, so that a reply to another article is noticed."""
PLAIN = "text"
"""Under ``reply`` in a prompt file: the reply is prose, and is read as such."""
MOST_SNIPPETS = 8
"""Texts that a model may pick from one article. Ours: more than eight sentences are the abstract."""
LONGEST_QUOTE = 400
"""Characters. Ours: one or two sentences of an abstract; a longer quote is a copy of it."""
LONGEST_SUMMARY = 2_000
"""Characters. Ours: about 100 words are asked for and have some 700."""
HIGHEST_RELEVANCE = 10
"""Relevance is rated from 0 to 10, as PaperQA does; one of eleven closed answers, not a free number."""


class StanceAnswer(StrEnum):
    """What an article's result says to a claim."""

    SUPPORT = "support"
    OPPOSE = "oppose"
    IRRELEVANT = "irrelevant"


class FacetAnswer(StrEnum):
    """How far a facet of an article fits the question's."""

    MATCH = "match"
    PARTIAL = "partial"
    MISMATCH = "mismatch"
    UNKNOWN = "unknown"


FACETS = ("population", "intervention", "comparator", "outcome")


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One question of the reliability checklist.

    Attributes
    ----------
    id : str
        The name in replies, and in :attr:`metarag.types.ReportingCheck.item`.
    question : str
        As the prompt asks it.
    favourable : CheckAnswer
        The answer that speaks for the article.
    """

    id: str
    question: str
    favourable: CheckAnswer = CheckAnswer.YES


PAPER_QUESTIONS = (
    ChecklistItem(
        "population_limited", "Are the conclusions limited to an ethnic or biological group?", CheckAnswer.NO
    ),
    ChecklistItem("region_limited", "Are the results specific to the people of one region?", CheckAnswer.NO),
    ChecklistItem("limits_explained", "Are the conditions of such limits clearly stated?"),
)
"""The three questions of META-RAG (arXiv 2510.24003, figure 3); No, No, Yes is the pattern of its example."""
CHECKLIST = (
    ChecklistItem("randomised", "Were participants allocated to the groups at random?"),
    ChecklistItem("allocation_concealed", "Was the allocation concealed until participants were enrolled?"),
    ChecklistItem("blinded", "Were participants, staff or outcome assessors blinded?"),
    ChecklistItem(
        "intention_to_treat", "Were all participants analysed in the group they were allocated to?"
    ),
    ChecklistItem(
        "losses_reported", "Is it said how many were lost to follow-up or left out of the analysis?"
    ),
    ChecklistItem("registered", "Is a registration or a protocol named?"),
    ChecklistItem("precision_reported", "Is a result given with an interval or a standard error?"),
    ChecklistItem("limitations_stated", "Are limitations of the study stated?"),
    *PAPER_QUESTIONS,
)
"""From an abstract the honest answer is often ``not_reported``; it is not a bad one."""


def _with_quote(answers: type[StrEnum]) -> dict[str, JsonValue]:
    return strict_object({"quote": text_up_to(LONGEST_QUOTE), "answer": one_of(*(a.value for a in answers))})


def _reply(name: str, fields: dict[str, JsonValue]) -> ReplySchema:
    return ReplySchema(name=name, json_schema=strict_object({REFERENCE: text_up_to(64), **fields}))


def reply_schema(name: str) -> ReplySchema:
    """Return the shape of replies to the prompt of that name.

    Raises
    ------
    KeyError
        There is none; see :data:`REPLIES`.
    """
    if name == "reliability_checklist":
        return _reply(name, {item.id: _with_quote(CheckAnswer) for item in CHECKLIST})
    if name == "paper_questions":
        return _reply(name, {item.id: _with_quote(CheckAnswer) for item in PAPER_QUESTIONS})
    if name == "stance":
        return _reply(name, {"stance": _with_quote(StanceAnswer)})
    if name == "applicability":
        return _reply(name, {facet: _with_quote(FacetAnswer) for facet in FACETS})
    if name == "contextual_summary":
        scores = one_of(*map(str, range(HIGHEST_RELEVANCE + 1)))
        return _reply(name, {"summary": text_up_to(LONGEST_SUMMARY), "relevance_score": scores})
    if name == "snippets":
        picked: dict[str, JsonValue] = {
            "type": "array",
            "items": text_up_to(LONGEST_QUOTE),
            "maxItems": MOST_SNIPPETS,
        }
        return _reply(name, {"snippets": picked})
    raise KeyError(name)


REPLIES = (
    "applicability",
    "contextual_summary",
    "paper_questions",
    "reliability_checklist",
    "snippets",
    "stance",
)
"""The shapes that a prompt file can ask for under ``reply``, beside :data:`PLAIN`."""
