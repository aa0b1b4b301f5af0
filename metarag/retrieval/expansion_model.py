"""From a question to a query by a language model, shown examples; what it answers is checked before use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import Field, TypeAdapter, ValidationError

from metarag.errors import ConfigurationError, QueryError
from metarag.llm.asking import ask
from metarag.llm.base import ChatModel, ChatReply, ChatRequest
from metarag.llm.untrusted import as_data
from metarag.prompts import Prompt, load_prompt
from metarag.records import Frozen
from metarag.relevance import stem, words
from metarag.report.plain import shorten
from metarag.resources import data_file
from metarag.retrieval.free_text import FUNCTION_WORDS
from metarag.retrieval.query import Query, parse_query
from metarag.retrieval.query_plan import QueryPlan
from metarag.retrieval.query_tree import Term, leaves
from metarag.retrieval.search_terms import search_terms

PROMPT: Final = "query_expansion"
EXAMPLES: Final = "query_examples.json"
DEFAULT_EXAMPLES: Final = 3
"""Examples that a model is shown."""
SHOWN: Final = 80
"""Characters of a reply that a warning repeats."""

_MARK: Final = "##"
_SHORTEST_STEM: Final = 4


class QueryExample(Frozen):
    """A question and the query that a librarian would write for it.

    Parameters
    ----------
    question, query : str
    score : float or None
        How well the query did, e.g. its F1; the best are shown first. Without scores the order of the file counts.
    """

    question: str = Field(min_length=1)
    query: str = Field(min_length=1)
    score: float | None = Field(default=None, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class ModelQuery:
    """What came of asking a model.

    Attributes
    ----------
    query : Query or None
        ``None`` when there is none to use.
    warning : str
        Why there is none; empty when there is one.
    """

    query: Query | None
    warning: str
    prompt: str
    reply: ChatReply | None


def query_examples(path: Path | str | None = None) -> tuple[QueryExample, ...]:
    """Return the examples of a JSON file, the best first; ``None`` are those that come with metarag.

    Raises
    ------
    ConfigurationError
        The file cannot be read, or an example's query cannot.
    """
    source = data_file(EXAMPLES) if path is None else Path(path)
    try:
        examples = TypeAdapter(tuple[QueryExample, ...]).validate_json(source.read_bytes())
        for example in examples:
            parse_query(example.query)
    except (OSError, ValidationError, QueryError) as error:
        raise ConfigurationError(f"examples of queries {source}: {shorten(str(error), 300)}") from error
    return tuple(sorted(examples, key=lambda example: -(example.score or 0.0)))


def model_query(
    text: str, model: ChatModel, *, examples: Sequence[QueryExample], prompt: Prompt | None, rule: QueryPlan
) -> ModelQuery:
    """Ask a model for a query, and return it if it can be used.

    Parameters
    ----------
    text : str
        The question; untrusted.
    examples : sequence of QueryExample
        Shown in this order.
    prompt : Prompt or None
        ``None`` is the one that comes with metarag.
    rule : QueryPlan
        By rule: a model's query has to share a word with it or with the question.
    """
    used = prompt or load_prompt(PROMPT)
    system, user = used.render(examples=_shown(examples), question=as_data("question", text).text)
    request = ChatRequest(system=system, user=user, max_tokens=used.max_tokens, prompt=used.signature)
    reply = ask(model, request)
    if reply.failed:
        return ModelQuery(None, f"The model gave no query ({reply.message}).", used.signature, reply)
    found, problem = _usable(reply.text or "", text, rule)
    return ModelQuery(found, problem, used.signature, reply)


def _shown(examples: Iterable[QueryExample]) -> str:
    shown = [f"Question: {example.question}\n##{example.query}##" for example in examples]
    return "\n\n".join(shown) or "(none)"


def _usable(reply: str, text: str, rule: QueryPlan) -> tuple[Query | None, str]:
    """Return the first query of a reply that can be read and is about the question, or the reason for none."""
    # A heading in Markdown begins with the mark, too, so that all that stands between two marks is tried.
    marked = [candidate for candidate in reply.split(_MARK)[1:-1] if candidate.strip()]
    if not marked:
        return None, f"The model's reply holds no query between ## and ##: “{shorten(reply, SHOWN)}”."
    problem = ""
    for candidate in marked:
        try:
            query = parse_query(" ".join(candidate.split()))
        except QueryError as error:
            problem = (
                problem
                or f"The model's query cannot be read ({error.problem}): “{shorten(candidate, SHOWN)}”."
            )
            continue
        if _is_about(query, text, rule):
            return query, ""
        problem = (
            problem or f"The model's query has nothing of the question in it: “{shorten(candidate, SHOWN)}”."
        )
    return None, problem


def _is_about(query: Query, text: str, rule: QueryPlan) -> bool:
    """True when one of the query's words is the question's, or one that the rules know for it.

    Words such as ERROR or "sorry" can be read as a query; they must never be searched.
    """
    common = FUNCTION_WORDS | search_terms().question_words
    asked = {stem(word) for word in words(text) if word not in common}
    asked |= set(_stems(leaf.text for step in rule.steps for leaf in _terms(parse_query(step.query))))
    return any(
        mine == theirs or (len(mine) >= _SHORTEST_STEM and theirs.startswith(mine))
        for mine in _stems(term.text for term in _terms(query))
        for theirs in asked
    )


def _terms(query: Query) -> list[Term]:
    return [
        leaf
        for leaf in leaves(query.root)
        if isinstance(leaf, Term) and leaf.tag not in ("filter", "sb", "pt")
    ]


def _stems(texts: Iterable[str]) -> Iterable[str]:
    return (stem(word) for text in texts for word in words(text) if word not in FUNCTION_WORDS)
