"""A tree as PubMed's own syntax, with nothing left to PubMed's precedence."""

from __future__ import annotations

from metarag.retrieval.query_tree import And, Node, Not, Or, Range, Term


def pubmed_text(node: Node) -> str:
    """Return the query in canonical form: short tags, and parentheses around every part that is not one term.

    Parsing the text again gives the same tree.
    """
    if isinstance(node, Term):
        return _term(node)
    if isinstance(node, Range):
        return f"{node.low}:{node.high}[{node.tag}]"
    if isinstance(node, And):
        return " AND ".join(map(_operand, node.parts))
    if isinstance(node, Or):
        return " OR ".join(map(_operand, node.parts))
    return " NOT ".join(map(_operand, (node.kept, *node.excluded)))


def _operand(node: Node) -> str:
    text = pubmed_text(node)
    return f"({text})" if isinstance(node, And | Or | Not) else text


def _term(term: Term) -> str:
    text = f'"{term.text}"' if term.quoted else term.text
    if term.tag is None:
        return text
    near = "" if term.distance is None else f":~{term.distance}"
    return f"{text}[{term.tag}{near}{'' if term.explode else ':noexp'}]"
