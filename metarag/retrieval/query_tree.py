"""A search query as a tree: what its words and operators mean, whoever is to run it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Term:
    """Words that are looked for together.

    Attributes
    ----------
    text : str
        One space between words; ``*`` stands for any ending. Never empty.
    quoted : bool
        True for a phrase: the words stand next to each other, in this order.
    tag : str or None
        Of :data:`~metarag.retrieval.query_fields.FIELDS`; ``None`` leaves it to the searcher where to look.
    explode : bool
        False leaves out the narrower headings (``:noexp``).
    distance : int or None
        Words that may stand between, in any order (``:~3``); ``None`` for no such search.
    start : int
        Where it begins in the query as written; not part of what it means.
    """

    text: str
    quoted: bool = False
    tag: str | None = None
    explode: bool = True
    distance: int | None = None
    start: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Range:
    """Values from ``low`` to ``high``, both included: dates as ``2020``, ``2020/03`` or ``2020/03/01``, or PMIDs."""

    low: str
    high: str
    tag: str
    start: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class And:
    """All of two or more parts, none of which is an :class:`And`."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of two or more parts, none of which is an :class:`Or`."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """What ``kept`` finds without what any of ``excluded`` finds."""

    kept: Node
    excluded: tuple[Node, ...]


Node: TypeAlias = Term | Range | And | Or | Not


def all_of(*parts: Node) -> Node:
    """Return the parts joined by AND, without an AND inside an AND.

    Raises
    ------
    ValueError
        There is no part.
    """
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, And) else (part,)))
    return _joined(flat, And(flat))


def any_of(*parts: Node) -> Node:
    """Return the parts joined by OR, without an OR inside an OR.

    Raises
    ------
    ValueError
        There is no part.
    """
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, Or) else (part,)))
    return _joined(flat, Or(flat))


def but_not(kept: Node, *excluded: Node) -> Node:
    """Return ``kept`` without what is excluded, without a NOT at the left of a NOT."""
    if isinstance(kept, Not):
        return Not(kept.kept, (*kept.excluded, *excluded))
    return Not(kept, excluded)


def children(node: Node) -> tuple[Node, ...]:
    """Return the parts of a node; none for a term or a range."""
    if isinstance(node, And | Or):
        return node.parts
    return (node.kept, *node.excluded) if isinstance(node, Not) else ()


def leaves(node: Node) -> tuple[Term | Range, ...]:
    """Return the terms and ranges, in the order in which they stand in the query."""
    found: list[Term | Range] = []
    todo: list[Node] = [node]
    while todo:
        here = todo.pop()
        if isinstance(here, Term | Range):
            found.append(here)
        todo.extend(reversed(children(here)))
    return tuple(found)


def _joined(parts: tuple[Node, ...], whole: Node) -> Node:
    if not parts:
        raise ValueError("an operator joins one part or more")
    return parts[0] if len(parts) == 1 else whole
