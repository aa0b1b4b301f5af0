"""A tree as the local index runs it: full-text expressions and conditions on dates, types and numbers.

What the index cannot do is refused by name, never left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from metarag.errors import UnsupportedQueryError
from metarag.retrieval.clinical_queries import CLINICAL_QUERIES
from metarag.retrieval.corpus_terms import Condition, Match, Part, Table, range_part, term_part
from metarag.retrieval.query_parser import parse
from metarag.retrieval.query_tree import And, Node, Not, Or, Range, Term, leaves
from metarag.retrieval.term_meaning import FILTER_TAGS, HEADING_TAGS

MAX_WILDCARDS: Final = 500
"""Words with ``*`` in a query (ours): the stems of each take a millisecond to find."""
NO_MAPPING: Final = (
    "Words without a field tag were searched as they are: PubMed would add headings and synonyms."
)
NOT_EXPLODED: Final = (
    "Headings were matched by their words, among headings, substances and keywords; narrower ones"
    " were not added."
)
SAME_STEM: Final = "Words with * were matched by their stems, which may find a little more."
_FOUND_IN: Final = MappingProxyType(
    {
        Table.WORDS: "record.id IN (SELECT rowid FROM text_index WHERE text_index MATCH ?)",
        Table.FACETS: "record.id IN (SELECT rowid FROM facet_index WHERE facet_index MATCH ?)",
    }
)


@dataclass(frozen=True, slots=True)
class CorpusQuery:
    """A query as the local index runs it.

    Attributes
    ----------
    match : str
        The words, in FTS5's syntax; they give the order. Empty when the query asks for none.
    where : str
        SQL on ``record``, with a ``?`` for each of ``parameters``; empty when ``match`` says it all.
    all_match : bool
        True when whatever is found matches ``match``; False when ``match`` only gives the order.
    warnings : tuple of str
        What PubMed would have done otherwise.
    """

    match: str
    where: str = ""
    parameters: tuple[str, ...] = ()
    all_match: bool = True
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        pieces = self.where.split("?")
        values = (f"'{value}'" for value in self.parameters)
        where = "".join(piece + value for piece, value in zip(pieces, (*values, ""), strict=True))
        if not self.where:
            return self.match
        if not self.match:
            return f"WHERE {where}"
        return f"{self.match} {'WHERE' if self.all_match else 'ORDERS'} {where}"


def corpus_query(root: Node, text: str) -> CorpusQuery:
    """Return what the local index runs for a tree.

    Parameters
    ----------
    root : Node
        The tree.
    text : str
        The query as written, for the message when it cannot be run.

    Raises
    ------
    UnsupportedQueryError
        The index has not what a part asks for.
    """
    _check_wildcards(root, text)
    words, rest = _split(root, text)
    warnings = _warnings(root)
    if rest is None:
        return CorpusQuery(words.expression if words else "", warnings=warnings)
    if words:
        return CorpusQuery(words.expression, rest.sql, rest.parameters, warnings=warnings)
    order = " OR ".join(dict.fromkeys(f"({expression})" for expression in _wanted(root, text)))
    return CorpusQuery(order, rest.sql, rest.parameters, all_match=False, warnings=warnings)


def _check_wildcards(root: Node, text: str) -> None:
    starred = [leaf for leaf in leaves(root) if isinstance(leaf, Term) for _ in range(leaf.text.count("*"))]
    if len(starred) > MAX_WILDCARDS:
        problem = f"the local index takes at most {MAX_WILDCARDS} words with *"
        raise UnsupportedQueryError(problem, text=text, position=starred[MAX_WILDCARDS].start)


def _split(node: Node, text: str) -> tuple[Match | None, Condition | None]:
    """Return the words that everything found has to match, and the condition that it has to meet as well."""
    if isinstance(node, And):
        split = [_split(part, text) for part in node.parts]
        words = [words for words, _ in split if words]
        rest = [rest for _, rest in split if rest]
        return _joined_words(words), _condition(_joined("AND", rest)) if rest else None
    if isinstance(node, Not):
        words_kept, rest_kept = _split(node.kept, text)
        excluded = _joined("OR", [_compiled(part, text) for part in node.excluded])
        if words_kept and isinstance(excluded, Match) and excluded.table is Table.WORDS:
            return _without(words_kept, excluded), rest_kept
        absent = _negated(excluded)
        return words_kept, _condition(_joined("AND", [rest_kept, absent])) if rest_kept else absent
    part = _compiled(node, text)
    is_filter = isinstance(node, Term) and node.tag in FILTER_TAGS
    if isinstance(part, Match) and part.table is Table.WORDS and not is_filter:
        return part, None
    return None, _condition(part)


def _compiled(node: Node, text: str) -> Part:
    if isinstance(node, Term):
        strategy = CLINICAL_QUERIES.get(node.text.lower()) if node.tag in FILTER_TAGS else None
        return _compiled(parse(strategy)[0], strategy) if strategy else term_part(node, text)
    if isinstance(node, Range):
        return range_part(node, text)
    if isinstance(node, Not):
        kept = _compiled(node.kept, text)
        excluded = _joined("OR", [_compiled(part, text) for part in node.excluded])
        if isinstance(kept, Match) and isinstance(excluded, Match) and kept.table is excluded.table:
            return _without(kept, excluded)
        return _joined("AND", [_condition(kept), _negated(excluded)])
    return _joined("AND" if isinstance(node, And) else "OR", [_compiled(part, text) for part in node.parts])


def _joined(operator: Literal["AND", "OR"], parts: Sequence[Part]) -> Part:
    """Join parts; those on one table become one expression, so that the table is asked once."""
    joined: list[Part] = [part for part in parts if isinstance(part, Condition)]
    for table in Table:
        expressions = [part.expression for part in parts if isinstance(part, Match) and part.table is table]
        if len(expressions) == 1:
            joined.append(Match(table, expressions[0]))
        elif expressions:
            joined.append(Match(table, f" {operator} ".join(f"({each})" for each in expressions)))
    return joined[0] if len(joined) == 1 else _balanced(operator, [_condition(part) for part in joined])


def _joined_words(words: Sequence[Match]) -> Match | None:
    if len(words) < 2:
        return words[0] if words else None
    return Match(Table.WORDS, " AND ".join(f"({each.expression})" for each in words))


def _balanced(operator: str, conditions: Sequence[Condition]) -> Condition:
    """Join conditions pair by pair: SQLite limits how deep an expression may be, not how long."""
    if len(conditions) == 1:
        return conditions[0]
    middle = len(conditions) // 2
    left, right = _balanced(operator, conditions[:middle]), _balanced(operator, conditions[middle:])
    return Condition(f"({left.sql} {operator} {right.sql})", left.parameters + right.parameters)


def _without(kept: Match, excluded: Match) -> Match:
    return Match(kept.table, f"({kept.expression}) NOT ({excluded.expression})")


def _negated(part: Part) -> Condition:
    condition = _condition(part)
    return Condition(f"NOT {condition.sql}", condition.parameters)


def _condition(part: Part) -> Condition:
    if isinstance(part, Condition):
        return part
    return Condition(_FOUND_IN[part.table], (part.expression,))


def _wanted(node: Node, text: str) -> Iterator[str]:
    """Yield the words that are looked for anywhere in the query: what has more of them comes first."""
    if isinstance(node, Term):
        part = term_part(node, text) if node.tag not in FILTER_TAGS else None
        if isinstance(part, Match) and part.table is Table.WORDS:
            yield part.expression
    elif isinstance(node, Not):
        yield from _wanted(node.kept, text)
    elif isinstance(node, And | Or):
        for each in node.parts:
            yield from _wanted(each, text)


def _warnings(root: Node) -> tuple[str, ...]:
    terms = [leaf for leaf in leaves(root) if isinstance(leaf, Term)]
    found = {
        NO_MAPPING: any(term.tag is None and not term.quoted for term in terms),
        NOT_EXPLODED: any(term.tag in HEADING_TAGS for term in terms),
        SAME_STEM: any("*" in term.text for term in terms),
    }
    return tuple(warning for warning, applies in found.items() if applies)
