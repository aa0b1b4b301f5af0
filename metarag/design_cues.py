"""Where the cues of many rules stand in a text, found in one pass for all of them.

The text is cut into words by code in C, and only the first letters of a word are looked up.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final, Self

MAX_TRIES: Final = 100
"""Places of a cue that are tried; a design is stated early or it is not stated."""

_WORD: Final = re.compile(r"[^\W_]+")
_KEY: Final = 4
_BLANKED: Final = {code: " " for code in range(128) if not chr(code).isalnum()}
_NEXT_LETTERS: Final = string.ascii_lowercase + string.digits


@dataclass(frozen=True, slots=True)
class CueTable:
    """Cues by the first letters of the word that they open with.

    Attributes
    ----------
    families : mapping of str to tuple of str
        Cues by the first four letters of a word, or by a whole shorter word.
    """

    families: Mapping[str, tuple[str, ...]]

    @classmethod
    def build(cls, cues: Iterable[str]) -> Self:
        """Sort the cues by their openings.

        Raises
        ------
        ValueError
            A cue opens with less than three letters that are no whole word.
        """
        families: dict[str, tuple[str, ...]] = {}
        for cue in dict.fromkeys(cues):
            for key in _keys(cue):
                families[key] = (*families.get(key, ()), cue)
        return cls(families)

    def places(self, folded: str, words: tuple[str, ...]) -> dict[str, list[int]]:
        """Return where each cue stands at the start of a word: its first 100 places, in order.

        Parameters
        ----------
        folded : str
        words : tuple of str
            As :func:`cut` returned them for the text.
        """
        find, startswith = self.families.get, folded.startswith
        hits = [(number, cues) for number, word in enumerate(words) if (cues := find(word[:_KEY]))]
        if not folded.isascii():
            # Any letter of the world may follow a cue of three letters.
            others = [(n, cues) for n, word in enumerate(words) if (cues := find(word[: _KEY - 1]))]
            hits = sorted({**dict(others), **dict(hits)}.items())
        lengths = list(accumulate(map(len, words), initial=0))
        places: dict[str, list[int]] = {}
        for number, cues in hits:
            start = lengths[number] + number
            if startswith(cues, start):
                for cue in cues:
                    if startswith(cue, start):
                        known = places.setdefault(cue, [])
                        if len(known) < MAX_TRIES:
                            known.append(start)
        return places


@lru_cache(maxsize=8)
def cut(folded: str) -> tuple[str, ...]:
    """Return the words between the signs that are neither letters nor digits, an empty one between two signs.

    Each sign counts one character, so that the lengths of the words tell where they stand. The last texts are
    kept, because several readers ask for the same.
    """
    if folded.isascii():
        return tuple(folded.translate(_BLANKED).split(" "))
    signs = {ord(sign): " " for sign in set(folded) if not sign.isalnum()}
    return tuple(folded.translate(signs).split(" "))


def _keys(cue: str) -> tuple[str, ...]:
    """Return the openings under which a cue is found.

    A word of four letters or more is looked up by its first four, so a cue of three letters is entered with
    each letter that may follow.
    """
    word = _WORD.match(cue)
    if word is None or (len(cue) == word.end() < _KEY - 1):
        raise ValueError(f"cue {cue!r} must open with a whole word or three letters of one")
    key = word.group()[:_KEY]
    if len(key) == len(cue) < _KEY:
        return (key, *(key + letter for letter in _NEXT_LETTERS))
    return (key,)
