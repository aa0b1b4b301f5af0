"""The query language: PubMed's syntax, checked before anything is sent, for PubMed and the local index alike.

``parse_query`` reads it; what PubMed would rewrite or ignore without a word is an error with its place.
"""

from __future__ import annotations

from dataclasses import dataclass

from metarag.retrieval.query_corpus import CorpusQuery, corpus_query
from metarag.retrieval.query_parser import parse
from metarag.retrieval.query_pubmed import pubmed_text
from metarag.retrieval.query_tree import Node

__all__ = ["CorpusQuery", "Query", "parse_query"]


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was read and checked.

    Attributes
    ----------
    text : str
        As written.
    root : Node
        What it means.
    warnings : tuple of str
        What a reader may have meant otherwise.
    """

    text: str
    root: Node
    warnings: tuple[str, ...] = ()

    def for_pubmed(self) -> str:
        """Return what is sent to PubMed: canonical, and read again it is the same tree."""
        return pubmed_text(self.root)

    def for_corpus(self) -> CorpusQuery:
        """Return what the local index runs.

        Raises
        ------
        UnsupportedQueryError
            The local index cannot run a part of it; the message names that part.
        """
        return corpus_query(self.root, self.text)


def parse_query(text: str) -> Query:
    """Read a query in PubMed's syntax.

    Takes AND, OR and NOT from left to right, parentheses, "phrases", field tags, ``*`` after four characters
    or more, ``"a b"[tiab:~3]``, date ranges and filters; see ``docs/queries.md``. Parts without an operator
    between them are joined by AND, and words without one are one term.

    Raises
    ------
    QueryError
        The text is no query; the message shows where. Nothing else is raised for any text.

    Examples
    --------
    >>> parse_query("(aspirin OR statin*[ti]) stroke [Title/Abstract]").for_pubmed()
    '(aspirin OR statin*[ti]) AND stroke[tiab]'
    """
    root, warnings = parse(text)
    return Query(text, root, warnings)
