"""A text as words in lower case, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain, compress

_WORDS_AND_GAPS = re.compile(r"([^\W_]+)")
_LETTER_BEYOND_LATIN_1 = re.compile(r"[^\W_\x00-\xff]")
_SPACED = bytes(code if chr(code).isalnum() else ord(" ") for code in range(256))
"""Latin-1 with a space for all that is no letter or digit."""
_BREAK = re.compile(r"[.;:()\n]")


@dataclass(frozen=True, slots=True)
class Words:
    """A text with its words in lower case, and where each one stands.

    Attributes
    ----------
    text : str
        The text itself.
    lower : list of str
        Its words.
    index : mapping of str to list of int
        Each word to its positions in ``lower``, ascending.
    """

    text: str
    lower: list[str]
    index: Mapping[str, list[int]]
    _sizes: list[int]
    _ends: list[int]

    @classmethod
    def of(cls, text: str) -> Words:
        """Split a text; hyphens and punctuation separate words."""
        if text.isascii() or not _LETTER_BEYOND_LATIN_1.search(text):
            # What Latin-1 does not hold separates here, so that a table of 256 entries splits the text.
            split = text.lower().encode("latin-1", "replace").translate(_SPACED).decode("latin-1").split(" ")
            lower = list(filter(None, split))
            sizes = list(map(len, lower))
            ends = [total + gaps for gaps, total in compress(enumerate(accumulate(map(len, split))), split)]
        else:
            pieces = _WORDS_AND_GAPS.split(text)
            lower = [word.lower() for word in pieces[1::2]]
            sizes, ends = list(map(len, pieces[1::2])), list(accumulate(map(len, pieces)))[1::2]
        index: dict[str, list[int]] = {}
        for position, word in enumerate(lower):
            if word in index:
                index[word].append(position)
            else:
                index[word] = [position]
        return cls(text, lower, index, sizes, ends)

    def start(self, position: int) -> int:
        """Return where a word begins in the text."""
        return self._ends[position] - self._sizes[position]

    def end(self, position: int) -> int:
        """Return where a word ends in the text."""
        return self._ends[position]

    def written(self, position: int) -> str:
        """Return a word as it is written in the text."""
        return self.text[self.start(position) : self._ends[position]]

    def positions(self, listed: Iterable[str]) -> list[int]:
        """Return where any of these words stands, ascending; words of the text only."""
        return sorted(chain.from_iterable(map(self.index.__getitem__, listed)))

    def breaks(self, first: int, last: int) -> bool:
        """True when a clause ends between two words."""
        return bool(_BREAK.search(self.text, self._ends[first], self.start(last)))
