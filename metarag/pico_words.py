"""A text as words in lower case, each with its place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain

_WORDS_AND_GAPS = re.compile(r"([^\W_]+)")
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
    _bounds: list[int]

    @classmethod
    def of(cls, text: str) -> Words:
        """Split a text; hyphens and punctuation separate words."""
        lowered = text.lower()
        # Only a dotted capital I grows in lower case, and only a capital sigma looks at its neighbours; without
        # them each character keeps its place and its class, so that the text can be lowered in one go.
        if len(lowered) == len(text) and "\N{GREEK CAPITAL LETTER SIGMA}" not in text:
            pieces = _WORDS_AND_GAPS.split(lowered)
            lower = pieces[1::2]
        else:
            pieces = _WORDS_AND_GAPS.split(text)
            lower = [word.lower() for word in pieces[1::2]]
        index: dict[str, list[int]] = defaultdict(list)
        for position, word in enumerate(lower):
            index[word].append(position)
        return cls(text, lower, index, list(accumulate(map(len, pieces))))

    def start(self, position: int) -> int:
        """Return where a word begins in the text."""
        return self._bounds[2 * position]

    def end(self, position: int) -> int:
        """Return where a word ends in the text."""
        return self._bounds[2 * position + 1]

    def written(self, position: int) -> str:
        """Return a word as it is written in the text."""
        return self.text[self._bounds[2 * position] : self._bounds[2 * position + 1]]

    def positions(self, listed: Iterable[str]) -> list[int]:
        """Return where any of these words stands, ascending; words of the text only."""
        return sorted(chain.from_iterable(map(self.index.__getitem__, listed)))

    def breaks(self, first: int, last: int) -> bool:
        """True when a clause ends between two words."""
        return bool(_BREAK.search(self.text, self._bounds[2 * first + 1], self._bounds[2 * last]))
