"""From blocks to steps: the narrowest search first, then wider ones, each with what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Literal

from metarag.retrieval.query import Query
from metarag.retrieval.query_blocks import Block, Part
from metarag.retrieval.query_plan import QueryStep
from metarag.retrieval.query_tree import Node, Term, all_of, any_of
from metarag.types import QuestionKind

Scope = Literal["narrow", "broad", "none"]

FILTERS: Final = MappingProxyType(
    {
        QuestionKind.THERAPY: "Therapy",
        QuestionKind.PREVENTION: "Therapy",
        QuestionKind.DIAGNOSIS: "Diagnosis",
        QuestionKind.PROGNOSIS: "Prognosis",
        QuestionKind.ETIOLOGY_HARM: "Etiology",
    }
)
"""Clinical Queries by kind of question. There is none for prevalence; prevention is tested like a treatment."""

_SYNTHESES: Final = (
    Term("systematic review", True, "pt"),
    Term("meta-analysis", False, "pt"),
    Term("practice guideline", True, "pt"),
)
"""Joined to each filter: Clinical Queries were made to find single studies, and miss what sums them up."""
_CORE: Final = 2
"""Blocks below which a search is about nothing in particular (ours)."""
_LEAST_FIRST: Final = (Part.WORDS, Part.OUTCOME, Part.COMPARATOR, Part.POPULATION, Part.INTERVENTION)


def pico_steps(blocks: Sequence[Block], *, kind: QuestionKind, scope: Scope) -> tuple[QueryStep, ...]:
    """Return the steps of a question: all blocks with the filter of its kind, then without one after the other.

    Words, outcome and comparator go first, as far as two things stay; then the filter; then all but the treatment
    (or what else there is). Conditions beyond the first go with the comparator.
    """
    names = _filter_names(kind, scope)
    left = list(blocks)
    steps = [_step(left, names[0], _all_of_it(left, names[0]))]
    for block in _optional(left):
        left.remove(block)
        steps.append(_step(left, names[0], f"Without the {block.part} ({block.name})."))
    for before, name in pairwise(names):
        note = f"With the wider filter {name} instead of {before}." if name else "Without a filter."
        steps.append(_step(left, name, note))
    while len(left) > 1:
        dropped = min(reversed(left), key=lambda block: _LEAST_FIRST.index(block.part))
        left.remove(dropped)
        steps.append(_step(left, None, f"Without the {dropped.part} ({dropped.name})."))
    return tuple(_without_repeats(steps))


def story_steps(conditions: Sequence[Block], words: Sequence[Block]) -> tuple[QueryStep, ...]:
    """Return the steps for the story of a patient: all that is telling, then less, then any of it.

    No filter: what such a question asks for is knowledge, which reviews hold as well as trials do.
    """
    telling = [*conditions, *words]
    steps: list[QueryStep] = []
    for size in range(min(len(telling), _MOST_TELLING), 1, -1):
        note = "Without the last of them." if steps else _all_of_it(telling[:size], None)
        steps.append(_step(telling[:size], None, note))
    some = telling[: _MOST_TELLING + 1]
    any_query = Query("", any_of(*(block.node for block in some))).for_pubmed()
    note = "Any of" if len(some) > 1 else "Only"
    steps.append(QueryStep(query=any_query, note=f"{note}: {', '.join(block.name for block in some)}."))
    return tuple(_without_repeats(steps))


_MOST_TELLING: Final = 3
"""Things of a story that are asked for together (ours)."""


def _optional(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks that may go, in the order in which they go."""
    first_condition = next((block for block in blocks if block.part is Part.POPULATION), None)
    kept = [block for block in blocks if block.part is Part.INTERVENTION or block is first_condition]
    for part in (Part.OUTCOME, Part.WORDS, Part.COMPARATOR):
        kept += [block for block in blocks if block.part is part][: max(0, _CORE - len(kept))]
    may_go = [block for block in blocks if block not in kept]
    for part in (Part.WORDS, Part.OUTCOME, Part.COMPARATOR, Part.POPULATION):
        yield from reversed([block for block in may_go if block.part is part])


def _filter_names(kind: QuestionKind, scope: Scope) -> list[str | None]:
    name = FILTERS.get(kind)
    if name is None or scope == "none":
        return [None]
    return [f"{name}/Narrow", f"{name}/Broad", None] if scope == "narrow" else [f"{name}/Broad", None]


def _step(blocks: Sequence[Block], name: str | None, note: str) -> QueryStep:
    nodes: list[Node] = [block.node for block in blocks]
    if name:
        nodes.append(any_of(Term(name, False, "filter"), *_SYNTHESES))
    return QueryStep(query=Query("", all_of(*nodes)).for_pubmed(), note=note)


def _all_of_it(blocks: Sequence[Block], name: str | None) -> str:
    said = ", ".join(f"{block.part} ({block.name})" for block in blocks)
    studies = f"; studies by the filter {name}, reviews and guidelines" if name else ""
    return f"All of: {said}{studies}."


def _without_repeats(steps: Sequence[QueryStep]) -> Iterator[QueryStep]:
    seen: set[str] = set()
    for step in steps:
        if step.query not in seen:
            yield step
        seen.add(step.query)
