"""What each word of a text tells the readers of designs, sample sizes and facets, looked up once for all.

Most of the time of a reader would go into looking up words, three in four of which tell it nothing. So
each word is looked up once, in one table for all readers, and each reader goes through the few that tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import Final, NamedTuple

from metarag.design_cues import Opened
from metarag.design_rules import rule_index
from metarag.design_text import ABSTRACT, TITLE
from metarag.folded_words import FoldedWords, WordMemo, folded_words
from metarag.pico_vocabulary import Beginning, vocabulary
from metarag.word_kinds import WordKind, kinds_of


class WordFacts(NamedTuple):
    """What a word tells.

    Attributes
    ----------
    in_title, in_abstract : Opened or None
        The cues of phrases that it opens.
    kinds : tuple of WordKind
    begins : Beginning or None
        The names of the vocabulary that it begins.
    meets : tuple of str
        What rules for designs need and the word holds.
    """

    in_title: Opened[int] | None
    in_abstract: Opened[int] | None
    kinds: tuple[WordKind, ...]
    begins: Beginning | None
    meets: tuple[str, ...]


class TextFacts(NamedTuple):
    """What the words of a text tell, each with its number, ascending.

    Attributes
    ----------
    opened : mapping of str to list
        The cues that words open, in a title and in an abstract.
    of_kind : mapping of WordKind to list of int
    begun : list
        The names of the vocabulary that words begin.
    met : set of str
        What rules for designs need and the text holds.
    """

    opened: Mapping[str, list[tuple[int, Opened[int]]]]
    of_kind: Mapping[WordKind, list[int]]
    begun: list[tuple[int, Beginning]]
    met: Set[str]


@lru_cache(maxsize=32)
def facts_of(folded: str) -> TextFacts:
    """Return what the words of a folded text tell; the last texts are kept for the next reader."""
    told = folded_words(folded).told(_facts())
    # Five short passes are quicker than one that asks five times of each word.
    of_kind: dict[WordKind, list[int]] = {kind: [] for kind in _KINDS}
    for number, kinds in [(number, facts.kinds) for number, facts in told if facts.kinds]:
        for kind in kinds:
            of_kind[kind].append(number)
    return TextFacts(
        {
            TITLE: [(number, facts.in_title) for number, facts in told if facts.in_title],
            ABSTRACT: [(number, facts.in_abstract) for number, facts in told if facts.in_abstract],
        },
        of_kind,
        [(number, facts.begins) for number, facts in told if facts.begins],
        {need for _, facts in told if facts.meets for need in facts.meets},
    )


def places_of_kind(kind: WordKind, text: FoldedWords) -> Sequence[int]:
    """Return the numbers of the words of a kind, ascending."""
    return facts_of(text.text).of_kind[kind]


_KINDS: Final = tuple(WordKind)


@cache
def _facts() -> WordMemo[WordFacts | None]:
    title, abstract, begins = rule_index(TITLE), rule_index(ABSTRACT), vocabulary().begins

    def facts(word: str) -> WordFacts | None:
        opened = title.cues.opened_by(word), abstract.cues.opened_by(word)
        meets = {*title.needs_met(word), *abstract.needs_met(word)}
        told = WordFacts(*opened, kinds_of(word), begins(word), tuple(meets))
        return told if any(told) else None

    return WordMemo(facts)
