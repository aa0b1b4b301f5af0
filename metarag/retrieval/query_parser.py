"""From tokens to a tree: operators from left to right, as PubMed reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from metarag.errors import QueryError
from metarag.retrieval.query_terms import Tag, make_range, make_term, read_tag
from metarag.retrieval.query_tokens import OPERATORS, Kind, Token, tokens
from metarag.retrieval.query_tree import Node, all_of, any_of, but_not

MAX_LENGTH: Final = 50_000
"""Characters of a query. Long strategies of systematic reviews have about 10,000."""
MAX_DEPTH: Final = 30
"""Operators inside operators, and parentheses inside parentheses. SQLite's own limit lies at about 50."""

FROM_LEFT: Final = (
    "AND and NOT after an OR without parentheses: read from left to right, as PubMed does, so that "
    "a OR b AND c is (a OR b) AND c."
)
_BUILD: Final[Mapping[str, Callable[..., Node]]] = MappingProxyType(
    {"AND": all_of, "OR": any_of, "NOT": but_not}
)
_RANGE_HINT: Final = (
    "a colon makes a range and needs a date tag, 2020:2024[dp]; a field stands after its word, asthma[ti];"
    " words that hold a colon go between quotation marks"
)

_TOUCHING: Final = (
    "this parenthesis cuts a word; put the word between quotation marks, or a blank before the parenthesis"
)


def parse(text: str) -> tuple[Node, tuple[str, ...]]:
    """Return the tree of a query, and what a reader should know of how it was read.

    Raises
    ------
    QueryError
        The text is no query; nothing else is raised for any text.
    """
    if len(text) > MAX_LENGTH:
        problem = f"the query has {len(text):,} characters; at most {MAX_LENGTH:,} are taken"
        raise QueryError(problem, text=text, position=MAX_LENGTH)
    parser = _Parser(text)
    for token in tokens(text):
        parser.take(token)
    return parser.finish()


@dataclass(slots=True)
class _Group:
    """A parenthesis, or the whole query, as far as it was read.

    Attributes
    ----------
    start : int
        Where its parenthesis stands; -1 for the whole query.
    parts : list of Node
        What ``operator`` joins so far.
    pending : Token or None
        An operator that waits for what follows it.
    height : int
        Operators inside operators.
    """

    start: int
    parts: list[Node] = field(default_factory=list)
    operator: str | None = None
    pending: Token | None = None
    height: int = 0

    def whole(self) -> Node:
        """Return what was read so far as one node."""
        return _BUILD[self.operator](*self.parts) if self.operator else self.parts[0]


class _Parser:
    """Takes one token after the other; what stands open is kept in a list, so that no depth is recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.groups = [_Group(-1)]
        self.words: list[Token] = []
        self.tagged: tuple[list[Token], Tag] | None = None
        self.low: tuple[Token, Tag | None] | None = None
        self.last = -1
        self.word_end = -1
        self.notes: dict[str, None] = {}

    def take(self, token: Token) -> None:
        """Take the next token."""
        if token.kind is Kind.TAG:
            self._tag(token)
        elif token.kind is Kind.COLON:
            self._colon(token)
        elif token.kind in (Kind.WORD, Kind.PHRASE):
            self._word(token)
        else:
            self._end_term()
            if token.kind is Kind.OPERATOR:
                self._operator(token)
            elif token.kind is Kind.OPEN:
                self._open(token)
            else:
                self._close(token)
        self.last = token.start if token.kind is Kind.CLOSE else -1
        self.word_end = token.start + len(token.text) if token.kind is Kind.WORD else -1

    def finish(self) -> tuple[Node, tuple[str, ...]]:
        """Return the tree and the notes, once all tokens were taken."""
        self._end_term()
        group = self.groups[-1]
        if len(self.groups) > 1:
            raise self._error("this parenthesis is not closed", group.start)
        if not group.parts:
            raise self._error("the query is empty; write what to look for", 0)
        self._check_operand(group)
        return group.whole(), tuple(self.notes)

    def _word(self, token: Token) -> None:
        if self.low:
            if self.words:
                raise self._error(_RANGE_HINT, self.low[0].start)
            self.words = [token]
            return
        starts_anew = token.kind is Kind.PHRASE or (self.words and self.words[0].kind is Kind.PHRASE)
        if self.tagged or starts_anew:
            self._end_term()
        self.words.append(token)

    def _tag(self, token: Token) -> None:
        if not self.words:
            raise self._error(self._misplaced(), token.start)
        tag = read_tag(token, self.text)
        words, self.words = self.words, []
        if self.low is None:
            self.tagged = (words, tag)
            return
        (low, low_tag), self.low = self.low, None
        if low_tag and low_tag.field is not tag.field:
            raise self._error("both ends of a range need the same field tag", low.start)
        self._add(make_range(low, words[0], tag, self.text), words[0].start)

    def _misplaced(self) -> str:
        if self.last >= 0:
            return (
                "PubMed ignores a field tag after a parenthesis; put it after each word inside:"
                " (a[tiab] OR b[tiab])"
            )
        return "there is a tag already" if self.tagged else "there is no word before this field tag"

    def _colon(self, token: Token) -> None:
        if self.low is None and len(self.words) == 1:
            self.low = (self.words[0], None)
        elif self.low is None and self.tagged and len(self.tagged[0]) == 1:
            self.low = (self.tagged[0][0], self.tagged[1])
        else:
            raise self._error(_RANGE_HINT, token.start)
        self.words, self.tagged = [], None

    def _end_term(self) -> None:
        """Add the words that wait for a tag, once it is clear that none follows."""
        if self.low:
            raise self._error(_RANGE_HINT, self.low[0].start)
        if self.tagged:
            (words, tag), self.tagged = self.tagged, None
            self._add(make_term(words, tag, self.text), words[0].start)
        if self.words:
            words, self.words = self.words, []
            self._note_small_operators(words)
            self._add(make_term(words, None, self.text), words[0].start)

    def _note_small_operators(self, words: list[Token]) -> None:
        for token in words[1:-1]:
            if token.kind is Kind.WORD and token.text.upper() in OPERATORS:
                capital = token.text.upper()
                self.notes[f"“{token.text}” is read as a word; the operator is written {capital}."] = None

    def _operator(self, token: Token) -> None:
        group = self.groups[-1]
        if group.pending:
            advice = (
                "an exclusion is written a NOT b"
                if token.text == "NOT"
                else "one operator stands between two parts"
            )
            raise self._error(f"{group.pending.text} {token.text} are two operators; {advice}", token.start)
        if not group.parts:
            raise self._error(f"{token.text} has nothing before it", token.start)
        group.pending = token

    def _open(self, token: Token) -> None:
        if token.start == self.word_end:
            raise self._error(_TOUCHING, token.start)
        if len(self.groups) > MAX_DEPTH:
            raise self._error(f"more than {MAX_DEPTH} parentheses inside each other", token.start)
        self.groups.append(_Group(token.start))

    def _close(self, token: Token) -> None:
        if len(self.groups) == 1:
            raise self._error("this parenthesis closes none", token.start)
        group = self.groups.pop()
        if not group.parts:
            raise self._error("there is nothing between these parentheses", group.start)
        self._check_operand(group)
        self._add(group.whole(), token.start, height=group.height)

    def _check_operand(self, group: _Group) -> None:
        if group.pending:
            raise self._error(f"{group.pending.text} has nothing after it", group.pending.start)

    def _add(self, node: Node, at: int, *, height: int = 0) -> None:
        """Join a part to the group; without an operator between them, both have to be found."""
        group = self.groups[-1]
        if not group.parts:
            group.parts, group.height = [node], height
            return
        operator = group.pending.text if group.pending else "AND"
        if operator != group.operator:
            if group.operator == "OR":
                self.notes[FROM_LEFT] = None
            group.parts, group.operator = [group.whole()], operator
            group.height += 1
        group.parts.append(node)
        group.pending = None
        group.height = max(group.height, height + 1)
        if group.height > MAX_DEPTH:
            raise self._error(f"more than {MAX_DEPTH} operators inside each other", at)

    def _error(self, problem: str, position: int) -> QueryError:
        return QueryError(problem, text=self.text, position=position)
