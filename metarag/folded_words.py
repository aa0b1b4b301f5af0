"""A folded text as words with their places, cut once for all who read the same text.

Design, sample size and the facets of a question all look words up. Cutting is done by code in C: a table
of 256 entries blanks what is neither letter nor digit, and the text is split at the blanks. What a word
tells a reader is found out once and kept, for most words of a text were seen before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, compress
from operator import add
from typing import Final, TypeVar

_SPACED: Final = bytes(code if chr(code).isalnum() else ord(" ") for code in range(256))
"""Latin-1 with a space for all that is no letter or digit."""
_BEYOND_LATIN_1: Final = re.compile(r"[^\W_\x00-\xff]")
_MANY_SIGNS: Final = 64
"""Different signs from which a table is quicker than one search for each."""
_WORDS_KEPT: Final = 50_000
_LONGEST_KEPT: Final = 40
T = TypeVar("T")


class WordMemo(dict[str, T]):
    """What each word tells, found out when it is first asked for.

    A dictionary that is asked by code in C is twice as quick as :func:`functools.lru_cache`. It is emptied
    when it holds 50,000 words, and long strings, which are no words, are not kept.

    Parameters
    ----------
    tell : callable
        Takes a word, gives what it tells; something false for a word that tells nothing.
    """

    __slots__ = ("_tell",)

    def __init__(self, tell: Callable[[str], T]) -> None:
        super().__init__()
        self._tell = tell

    def __missing__(self, word: str) -> T:
        told = self._tell(word)
        if len(word) <= _LONGEST_KEPT:
            if len(self) >= _WORDS_KEPT:
                self.clear()
            self[word] = told
        return told


@dataclass(frozen=True, slots=True)
class FoldedWords:
    """The words of a folded text.

    Attributes
    ----------
    text : str
    words : list of str
        Runs of letters and digits, in order.
    starts : list of int
        Where each of them begins.
    """

    text: str
    words: list[str]
    starts: list[int]

    def end(self, number: int) -> int:
        """Return where a word ends in the text."""
        return self.starts[number] + len(self.words[number])

    def told(self, memo: WordMemo[T | None]) -> list[tuple[int, T]]:
        """Return the number of each word that tells something, with what it tells, in order."""
        return told_by(self.words, memo)


def told_by(words: Sequence[str], memo: WordMemo[T | None]) -> list[tuple[int, T]]:
    """Return the number of each word that tells something, with what it tells, in order."""
    told = list(map(memo.__getitem__, words))
    return list(zip(compress(range(len(told)), told), filter(None, told), strict=True))


@lru_cache(maxsize=32)
def folded_words(folded: str) -> FoldedWords:
    """Return the words of a folded text; the last texts are kept, because several readers ask for the same."""
    pieces = cut(folded)
    # One sign stands behind each piece, so a word begins behind the letters and the signs before it.
    letters = compress(accumulate(map(len, pieces), initial=0), pieces)
    signs = compress(range(len(pieces)), pieces)
    return FoldedWords(folded, list(filter(None, pieces)), list(map(add, letters, signs)))


@lru_cache(maxsize=32)
def cut(folded: str) -> tuple[str, ...]:
    """Return the words between the signs that are neither letters nor digits, an empty one between two signs.

    Each sign counts one character, so that the lengths of the words tell where they stand.
    """
    if folded.isascii() or not _BEYOND_LATIN_1.search(folded):
        # What Latin-1 does not hold is no letter here: "replace" makes a question mark of it.
        return tuple(folded.encode("latin-1", "replace").translate(_SPACED).decode("latin-1").split(" "))
    signs = {sign for sign in set(folded) if not sign.isalnum()}
    if len(signs) > _MANY_SIGNS:
        return tuple(folded.translate({ord(sign): " " for sign in signs}).split(" "))
    for sign in signs:
        folded = folded.replace(sign, " ")
    return tuple(folded.split(" "))
