"""What an article studies, laid beside what a question asks for: how its concepts stand to those asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from metarag.pico_types import ExtractedPico, PicoTerm, TermKind
from metarag.pico_vocabulary import Relation, Vocabulary
from metarag.stems import ArticleStems

FITS, BROADER, SIBLING = 1, 2, 4
"""Bits: the same or something narrower; something broader; another of the same class."""
CLOSE = ("title", "mesh", "keyword")
"""Places of a term in an article that say what it is about."""
_BITS: Final = ((Relation.BROADER, BROADER), (Relation.SIBLING, SIBLING))
_UNRELATED: Final = Relation.NONE
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
_NOBODY: Final[frozenset[str]] = frozenset()
Kinds = Sequence[tuple[TermKind, PicoTerm]]
Stems = Callable[[], ArticleStems]
"""Gives the stems of an article when they are needed."""


class Studied(NamedTuple):
    """What an article studies, read once for all facets.

    Attributes
    ----------
    pico : ExtractedPico
        All of it.
    people, outcomes : sequence of (TermKind, PicoTerm)
        The terms of its population and of its outcome, with their kinds.
    mentioned : frozenset of str
        Concepts asked for that the article at least mentions.
    stems : callable
        Called only for a term that the vocabulary does not know.
    """

    pico: ExtractedPico
    people: Kinds
    outcomes: Kinds
    mentioned: frozenset[str]
    stems: Stems


class Relations(dict[str, Mapping[str, int]]):
    """Maps a concept to those asked for that it is related to, and how; each is looked up once."""

    def __init__(self, known: Vocabulary, asked: Iterable[PicoTerm]) -> None:
        super().__init__()
        self._known = known
        self._asked = frozenset([term.concept for term in asked])
        self._behind: dict[str, frozenset[str]] = {}
        # Nearly all names stand for nothing that is asked for, and one test of sets tells.
        self._others: set[str] = set()

    def __missing__(self, concept: str) -> Mapping[str, int]:
        related = {}
        for name in self._asked:
            relation = self._known.relation(name, concept)
            if relation is not _UNRELATED:
                related[name] = next((bit for known, bit in _BITS if relation is known), FITS)
        self[concept] = found = related or _NOTHING
        return found

    def among(self, terms: Iterable[PicoTerm], asked: Collection[str], how: int) -> list[PicoTerm]:
        """Return the terms that stand in one of the relations ``how`` to one of the concepts ``asked``."""
        return [
            term
            for term in terms
            if (related := self[term.concept])
            and any(bits & how and name in asked for name, bits in related.items())
        ]

    def mentioned(self, names: Collection[str]) -> frozenset[str]:
        """Return what of that asked for stands behind the names: it itself, or the class of one of them."""
        if self._others.issuperset(names):
            return _NOBODY
        return _NOBODY.union(*[self._asked_behind(name) for name in names])

    def _asked_behind(self, name: str) -> frozenset[str]:
        found = self._behind.get(name)
        if found is None:
            found = self._behind[name] = self._asked & (self._known.above(name) | {name})
            if not found:
                self._others.add(name)
        return found
