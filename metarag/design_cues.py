"""Where the cues of many rules stand in a text, found in one pass for all of them.

The words of the text are cut out by C code and only their first letters are looked up; a cue is searched for
only if a word opens like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os.path import commonprefix
from types import MappingProxyType
from typing import Final, Self

MAX_TRIES: Final = 100
"""Places of a cue that are tried; a design is stated early or it is not stated."""

_WORD: Final = re.compile(r"[^\W_]+")
_KEY: Final = 4
_BLANKED: Final = {code: " " for code in range(128) if not chr(code).isalnum()}


@dataclass(frozen=True, slots=True)
class _Family:
    """Cues that begin alike: the text is searched for the common beginning, then each cue compared there."""

    opening: str
    cues: tuple[str, ...]

    def add_places(self, folded: str, places: dict[str, list[int]]) -> None:
        find, startswith, cues = folded.find, folded.startswith, self.cues
        step, start = len(self.opening), find(self.opening)
        while start >= 0:
            if startswith(cues, start) and not (start and folded[start - 1].isalnum()):
                for cue in cues:
                    if startswith(cue, start):
                        known = places.setdefault(cue, [])
                        if len(known) < MAX_TRIES:
                            known.append(start)
            start = find(self.opening, start + step)


@dataclass(frozen=True, slots=True)
class CueTable:
    """Cues by the first letters of the word that they open with.

    Attributes
    ----------
    families : mapping of str to tuple of _Family
        By the first four letters of a word, or by a whole shorter word.
    """

    families: Mapping[str, tuple[_Family, ...]]

    @classmethod
    def build(cls, cues: Iterable[str]) -> Self:
        """Sort the cues by their openings.

        Raises
        ------
        ValueError
            A cue opens with less than three letters that are no whole word.
        """
        keyed: dict[str, dict[str, list[str]]] = {}
        for cue in dict.fromkeys(cues):
            key = _key(cue)
            # "p <" and "p=" have only a letter in common, which is everywhere: the next sign divides them.
            divided = cue[: len(key) + 1] if len(key) < _KEY - 1 else key
            keyed.setdefault(key, {}).setdefault(divided, []).append(cue)
        return cls(
            MappingProxyType(
                {
                    key: tuple(_Family(commonprefix(group), tuple(group)) for group in groups.values())
                    for key, groups in keyed.items()
                }
            )
        )

    def places(self, folded: str) -> dict[str, list[int]]:
        """Return where each cue stands at the start of a word: its first 100 places, in order."""
        words = folded.translate(_BLANKED).split() if folded.isascii() else _WORD.findall(folded)
        keys = {word[:_KEY] for word in words}
        keys |= {key[: _KEY - 1] for key in keys}
        places: dict[str, list[int]] = {}
        for key in keys & self.families.keys():
            for family in self.families[key]:
                family.add_places(folded, places)
        return places


def _key(cue: str) -> str:
    """Return the letters by which a cue is found: four, or the whole short word that it opens with."""
    word = _WORD.match(cue)
    if word is None or (len(cue) == word.end() < _KEY - 1):
        raise ValueError(f"cue {cue!r} must open with a whole word or three letters of one")
    return word.group()[:_KEY]
