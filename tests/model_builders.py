"""Scripted language models: one that gives the best answers it can quote for, and parts of replies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from metarag.llm.base import ChatRequest, Failure, failed_reply
from metarag.llm.recorded import ScriptedModel
from metarag.llm.schemas import CHECKLIST, FACETS, PAPER_QUESTIONS
from metarag.types import CheckAnswer

NOTHING = {"quote": "", "answer": "not_reported"}
UNKNOWN = {"quote": "", "answer": "unknown"}


def reference_of(user: str) -> str:
    return user.split("Article reference: ", 1)[1].split("\n", 1)[0]


def part(user: str, label: str) -> str:
    """Return one delimited text of a message."""
    found = re.search(rf"<data-{label}-([0-9a-f]+)>\n(.*?)\n</data-{label}-\1>", user, re.DOTALL)
    return found.group(2) if found else ""


def quote_of(user: str) -> str:
    """Return words that stand in the article: the start of its abstract, or its title."""
    return " ".join((part(user, "abstract") or part(user, "title")).split()[:6])


def checklist_reply(user: str, answers: Mapping[str, dict[str, str]]) -> str:
    items = {item.id: answers.get(item.id, NOTHING) for item in CHECKLIST}
    return json.dumps({"article_ref": reference_of(user), **items})


def paper_reply(user: str, answers: Mapping[str, dict[str, str]]) -> str:
    items = {item.id: answers.get(item.id, NOTHING) for item in PAPER_QUESTIONS}
    return json.dumps({"article_ref": reference_of(user), **items})


def facets_reply(user: str, answers: Mapping[str, dict[str, str]]) -> str:
    return json.dumps(
        {"article_ref": reference_of(user), **{facet: answers.get(facet, UNKNOWN) for facet in FACETS}}
    )


def stance_reply(user: str, answer: str, quote: str) -> str:
    return json.dumps({"article_ref": reference_of(user), "stance": {"quote": quote, "answer": answer}})


def most_favourable(user: str, kind: str) -> str:
    """Say the best of every article, each time with words that really stand in it."""
    quote = quote_of(user)
    best = {
        item.id: {"quote": quote, "answer": "no" if item.favourable is CheckAnswer.NO else "yes"}
        for item in CHECKLIST
    }
    if kind == "reliability_checklist":
        return checklist_reply(user, best)
    if kind == "paper_questions":
        return paper_reply(user, best)
    if kind == "applicability":
        return facets_reply(user, {facet: {"quote": quote, "answer": "match"} for facet in FACETS})
    return stance_reply(user, "support", quote)


def kind_of(request: ChatRequest) -> str:
    return (request.prompt or "").partition("@")[0]


def obedient_model(**options) -> ScriptedModel:
    return ScriptedModel(lambda request: most_favourable(request.user, kind_of(request)), **options)


def failing_model(failure: Failure = Failure.TIMEOUT) -> ScriptedModel:
    return ScriptedModel(lambda request: failed_reply(failure, "nothing complete within 120 s"))


def checklist_model(answers: Mapping[str, dict[str, str]]) -> ScriptedModel:
    """Answer the checklist like this for every article, and know nothing of facets."""

    def script(request: ChatRequest) -> str:
        if kind_of(request) == "applicability":
            return facets_reply(request.user, {})
        return checklist_reply(request.user, answers)

    return ScriptedModel(script)


def facets_model(answers: Mapping[str, dict[str, str]]) -> ScriptedModel:
    """Answer the facets like this for every article, and nothing of the checklist."""

    def script(request: ChatRequest) -> str:
        if kind_of(request) == "applicability":
            return facets_reply(request.user, answers)
        return checklist_reply(request.user, {})

    return ScriptedModel(script)
