"""Invented trials that agree or disagree, and models that answer from them as told."""

from __future__ import annotations

import re
from collections.abc import Callable

from builders import make_article

from metarag import rank
from metarag.llm.base import ChatReply, ChatRequest
from metarag.llm.recorded import ScriptedModel
from metarag.records import Article, Author, PartialDate
from metarag.types import Question

QUESTION = Question(text="Does aspirin reduce mortality in adults with pneumonia?")
DEATHS = "Death from any cause was {} aspirin than with placebo (odds ratio {})."
FEWER = DEATHS.format("less frequent with", "0.60, 95% CI 0.45 to 0.80")
MORE = DEATHS.format("more frequent with", "1.60, 95% CI 1.20 to 2.10")
SAME = DEATHS.format("no more frequent with", "1.02, 95% CI 0.85 to 1.22")
TRIAL = ("Randomized Controlled Trial",)
REVIEW = ("Meta-Analysis", "Systematic Review")


def trial(
    pmid: int | None, result: str, *, n: int = 200, types: tuple[str, ...] = TRIAL, **fields
) -> Article:
    """Return a trial of aspirin in pneumonia with this result."""
    year = fields.pop("year", None)
    if author := fields.pop("author", None):
        fields["authors"] = (Author(last=author, initials="AB"),)
    return make_article(
        pmid=None if pmid is None else str(pmid),
        title=fields.pop("title", "Aspirin in adults with pneumonia: a trial"),
        abstract=f"We randomly assigned {n} adults with pneumonia to aspirin or placebo. {result}",
        types=types,
        print_date=PartialDate(year=year) if year else None,
        **fields,
    )


def review(pmid: int, result: str, *, n: int, year: int) -> Article:
    """Return a review of randomised trials."""
    return make_article(
        pmid=str(pmid),
        title="Aspirin in adults with pneumonia: a systematic review of randomised trials",
        abstract=f"We pooled 12 randomised controlled trials with {n} adults with pneumonia. {result}",
        types=REVIEW,
        print_date=PartialDate(year=year),
    )


def cohort(pmid: int, result: str, *, n: int = 900) -> Article:
    """Return a cohort study."""
    return make_article(
        pmid=str(pmid),
        title="Aspirin in adults with pneumonia: a cohort study",
        abstract=f"In this cohort study, {n} adults with pneumonia took aspirin or did not. {result}",
        types=("Observational Study",),
    )


def ranked(*articles: Article, question: Question = QUESTION, **settings):
    return rank(question, articles, **settings)


def kind_of(request: ChatRequest) -> str:
    return (request.prompt or "").partition("@")[0]


def shown_ids(request: ChatRequest) -> list[str]:
    """Return the ids of the sources of a message, in their order."""
    return re.findall(r"^\[([^\]\n]+)\] ", request.user.split("Sources:\n", 1)[1], re.MULTILINE)


Reply = str | ChatReply | Callable[[ChatRequest], "str | ChatReply"]


def writer(cited: Reply, **others: Reply) -> ScriptedModel:
    """Return a model that writes this cited answer, and other texts by the prompt's name."""

    def script(request: ChatRequest) -> str | ChatReply:
        replies = {"cited_answer": cited, "short_answer": "Aspirin was studied.", **others}
        reply = replies.get(kind_of(request), "nothing to say")
        return reply(request) if callable(reply) else reply

    return ScriptedModel(script)
