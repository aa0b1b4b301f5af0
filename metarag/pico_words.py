"""A text as words in lower case, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metarag.design_text import fold
from metarag.folded_words import FoldedWords, folded_words
from metarag.literals import holds_one

_BREAK = re.compile(r"[.;:()\n]")
_LOWERED_APART = ("İ", "Σ")
"""Letters whose lower case is longer, or depends on the letters around them: folding keeps their places."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text with its words in lower case, and where each one stands.

    Attributes
    ----------
    text : str
        The text itself.
    lower : list of str
        Its words.
    folded : FoldedWords
        The same words as every reader of the text has them.
    """

    text: str
    lower: list[str]
    folded: FoldedWords

    @classmethod
    def of(cls, text: str) -> Words:
        """Split a text; hyphens and punctuation separate words."""
        folded = folded_words(fold(text))
        if not holds_one(text, _LOWERED_APART):
            return cls(text, folded.words, folded)
        lower = [text[start : folded.end(n)].lower() for n, start in enumerate(folded.starts)]
        return cls(text, lower, folded)

    def start(self, position: int) -> int:
        """Return where a word begins in the text."""
        return self.folded.starts[position]

    def end(self, position: int) -> int:
        """Return where a word ends in the text."""
        return self.folded.end(position)

    def written(self, position: int) -> str:
        """Return a word as it is written in the text."""
        return self.text[self.start(position) : self.end(position)]

    def breaks(self, first: int, last: int) -> bool:
        """True when a clause ends between two words."""
        return bool(_BREAK.search(self.text, self.end(first), self.start(last)))
