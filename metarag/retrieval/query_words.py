"""A query in words, line by line, for a person who wants to see how it was read."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from metarag.retrieval.query_fields import BY_TAG, FieldKind
from metarag.retrieval.query_tree import And, Node, Or, Range, Term

INDENT: Final = "  "
_PLACES: Final = MappingProxyType(
    {
        "ti": "in the title",
        "tiab": "in title or abstract",
        "tw": "in title, abstract or headings",
        "all": "anywhere",
        "ot": "among the authors' keywords",
    }
)
_EXPLODED: Final = MappingProxyType(
    {"mh": "MeSH heading", "majr": "major MeSH heading", "sh": "MeSH subheading"}
)


def query_lines(node: Node, *, depth: int = 0) -> Iterator[str]:
    """Yield a line for each part of a query, indented by how deep it stands."""
    indent = INDENT * depth
    if isinstance(node, Term):
        yield indent + _term(node)
    elif isinstance(node, Range):
        yield f"{indent}{BY_TAG[node.tag].name}: from {node.low} to {node.high}"
    elif isinstance(node, And | Or):
        yield f"{indent}{'all' if isinstance(node, And) else 'any'} of"
        for part in node.parts:
            yield from query_lines(part, depth=depth + 1)
    else:
        yield from query_lines(node.kept, depth=depth)
        yield f"{indent}but not"
        for part in node.excluded:
            yield from query_lines(part, depth=depth + 1)


def _term(term: Term) -> str:
    words = f"“{term.text}”"
    ending = ", with any ending" if "*" in term.text else ""
    if term.tag is None:
        mapped = "" if term.quoted or ending else "; PubMed adds headings and synonyms"
        return f"{words}{ending}, anywhere{mapped}"
    if term.distance is not None:
        return f"the words of {words}, at most {term.distance} others between, {_PLACES.get(term.tag, '')}".rstrip(
            ", "
        )
    field = BY_TAG[term.tag]
    if term.tag in _PLACES:
        return f"{words}{ending}, {_PLACES[term.tag]}"
    if term.tag in _EXPLODED:
        narrower = "with" if term.explode else "without"
        return f"{_EXPLODED[term.tag]} {words}{ending}, {narrower} narrower ones"
    name = "filter" if field.kind is FieldKind.FILTER else field.name
    return f"{name}: {term.text}"
