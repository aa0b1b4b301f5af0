"""Snippets by a language model: picked one article a call, put in order in one call for all.

A model adds to the rules. Where its call fails, an article keeps the snippets that the rules found; where
its order cannot be used, the order of the rules stands; a text that is not in the article is dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from metarag.generation.answer_parts import Snippet
from metarag.generation.snippet_location import locate_snippet
from metarag.generation.snippets import Topic, rule_snippets
from metarag.llm.asking import ask
from metarag.llm.base import ChatModel, ChatReply
from metarag.llm.extract import extract_object
from metarag.llm.prompting import prepare_prose
from metarag.model_judging import Inquiry, Panel, is_suspicious, texts_of
from metarag.prompts import Prompt, load_prompt
from metarag.types import Evidence, Question

MOST_RANKED = 20
"""Snippets that a model's order may hold; as BioRAGent's."""
_NUMBER = re.compile(r"[a-z]{0,3}\s{0,2}0{0,3}([1-9]\d{0,5})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Picked:
    """Snippets of several articles, and what happened on the way.

    Attributes
    ----------
    snippets : mapping of str to tuple of Snippet
        By evidence key, in the order in which the evidence was given. Empty: nothing in the article helps.
    counts : Counter of str
        ``snippets_not_in_article``, ``snippet_calls_failed``, ``suspicious_sources``.
    replies : tuple of ChatReply
        For the account of tokens.
    """

    snippets: Mapping[str, tuple[Snippet, ...]]
    counts: Counter[str] = field(default_factory=Counter)
    warnings: tuple[str, ...] = ()
    replies: tuple[ChatReply, ...] = ()


def pick_snippets(
    model: ChatModel,
    question: Question,
    evidence: Sequence[Evidence],
    *,
    topic: Topic | None = None,
    prompt: str | Prompt = "snippets",
) -> Picked:
    """Ask a model for the snippets of each article: several calls at a time, the order of evidence kept.

    One failed call costs one article its model's snippets; the rules' stand in. An article whose text tries
    to instruct a model is not sent.
    """
    about = topic or Topic.of(question)
    told = Panel(model, prompt).ask(
        [Inquiry(item, {"question": question.text, **texts_of(item.article)}) for item in evidence]
    )
    counts: Counter[str] = Counter()
    found: dict[str, tuple[Snippet, ...]] = {}
    for item in evidence:
        reply = told.usable(item.key)
        if reply is None:
            counts["suspicious_sources" if item.key in told.suspicious else "snippet_calls_failed"] += 1
            found[item.key] = rule_snippets(item, about)
        else:
            found[item.key], lost = _verbatim(reply, item)
            counts["snippets_not_in_article"] += lost
    return Picked(
        snippets=MappingProxyType(found),
        counts=+counts,
        warnings=told.warnings("snippets", max_failed_share=1.0),
        replies=tuple(told.replies.values()),
    )


def _verbatim(reply: ChatReply, item: Evidence) -> tuple[tuple[Snippet, ...], int]:
    """Return the snippets that stand in the article, each once, and how many texts do not."""
    listed = (reply.parsed or {}).get("snippets")
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    located = [locate_snippet(text, item.article) for text in texts]
    kept = {(s.span.where, s.span.start, s.span.end): s for s in located if s}
    ordered = sorted(kept.values(), key=lambda s: (s.span.where != "title", s.span.start))
    return tuple(ordered), sum(snippet is None for snippet in located)


@dataclass(frozen=True, slots=True)
class Order:
    """Places of snippets, best first, each at most once.

    Attributes
    ----------
    places : tuple of int
        Indices into the snippets as given.
    counts : Counter of str
        ``snippet_ids_unknown``, ``snippet_ids_repeated``.
    """

    places: tuple[int, ...]
    counts: Counter[str] = field(default_factory=Counter)
    warnings: tuple[str, ...] = ()
    replies: tuple[ChatReply, ...] = ()


def order_by_rule(snippets: Sequence[tuple[Evidence, Snippet]]) -> Order:
    """Return the order by the snippet's score times the article's; what has none counts as 0.5."""

    def value(place: int) -> float:
        item, snippet = snippets[place]
        return (0.5 if snippet.score is None else snippet.score) * (0.5 if item.score is None else item.score)

    return Order(tuple(sorted(range(len(snippets)), key=lambda place: (-value(place), place))))


def order_by_model(
    model: ChatModel,
    question: Question,
    snippets: Sequence[tuple[Evidence, Snippet]],
    *,
    most: int = MOST_RANKED,
    prompt: Prompt | None = None,
) -> Order:
    """Ask a model for the best snippets in order, in one call.

    Ids that were not given and repeats are dropped and counted; snippets that the model leaves out are left
    out. An answer without any usable id, or a failed call, leaves the order of the rules, with a warning.
    Snippets of articles whose text tries to instruct a model are not shown to it and come last.
    """
    shown = [place for place, (item, _) in enumerate(snippets) if not is_suspicious(item.article)]
    if not shown:
        return order_by_rule(snippets)
    lines = [f"s{n}: {' '.join(snippets[place][1].span.text.split())}" for n, place in enumerate(shown, 1)]
    request = prepare_prose(
        prompt or load_prompt("snippet_ranking"),
        {"question": question.text, "snippets": "\n".join(lines)},
        composed={"most": str(most)},
    )
    reply = ask(model, request)
    ranks, counts = _ids(reply, len(shown))
    if not ranks:
        why = reply.message or "its reply held no id of a snippet"
        warning = f"snippet ranking: the model's order cannot be used ({why}); the rules' order stands"
        return Order(order_by_rule(snippets).places, counts, (warning,), (reply,))
    kept = tuple(shown[rank - 1] for rank in ranks[:most])
    unseen = tuple(place for place in order_by_rule(snippets).places if place not in set(shown))
    return Order(kept + unseen, counts, replies=(reply,))


def _ids(reply: ChatReply, known: int) -> tuple[list[int], Counter[str]]:
    """Return the ids from 1 in the reply's order; ``4``, ``"4"``, ``"s4"`` and ``"id4"`` are the same."""
    counts: Counter[str] = Counter()
    value = extract_object(reply.text or "").value if not reply.failed else None
    listed = value.get("ids") if value else None
    ranks: list[int] = []
    for given in listed if isinstance(listed, list) else ():
        match = _NUMBER.fullmatch(str(given).strip()) if isinstance(given, str | int) else None
        rank = int(match[1]) if match else 0
        if not 1 <= rank <= known:
            counts["snippet_ids_unknown"] += 1
        elif rank in ranks:
            counts["snippet_ids_repeated"] += 1
        else:
            ranks.append(rank)
    return ranks, counts
