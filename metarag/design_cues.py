"""Where the cues of many rules stand in a text, found in one pass for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, Self, TypeVar

from metarag.folded_words import FoldedWords
from metarag.literals import places_of

MAX_TRIES: Final = 100
"""Places of an owner of cues that are tried; a design is stated early or it is not stated."""

_WORD: Final = re.compile(r"[^\W_]+")
_SHORTEST: Final = 3
Owner = TypeVar("Owner")

Cued = tuple[str, tuple[Owner, ...]]
"""A cue with those that ask for it."""


class Opened(NamedTuple, Generic[Owner]):
    """What may stand where a word begins.

    Attributes
    ----------
    at_once : tuple
        Owners of cues that the word alone holds.
    behind : tuple of Cued
        Cues that go on behind it with a sign.
    by_next : mapping of str to tuple of Cued
        Cues that go on with another word, by its first letter.
    """

    at_once: tuple[Owner, ...]
    behind: tuple[Cued[Owner], ...]
    by_next: Mapping[str, tuple[Cued[Owner], ...]]


@dataclass(frozen=True, slots=True)
class CueTable(Generic[Owner]):
    """Cues by the word that they open with.

    Attributes
    ----------
    opened_by : callable
        Takes a word, gives what may stand where it begins; ``None`` for most words.
    """

    opened_by: Callable[[str], Opened[Owner] | None]

    @classmethod
    def build(cls, owners: Mapping[str, Iterable[Owner]]) -> Self:
        """Sort cues by their openings.

        Parameters
        ----------
        owners : mapping of str to iterable
            Cues, each with those that ask for it.

        Raises
        ------
        ValueError
            A cue opens with less than three letters that are no whole word.
        """
        whole: dict[str, Opened[Owner]] = {}
        begun: dict[str, tuple[Cued[Owner], ...]] = {}
        for cue, its in owners.items():
            words = _WORD.findall(cue)
            opening = words[0] if words and cue.startswith(words[0]) else ""
            if len(opening) < _SHORTEST and opening in ("", cue):
                raise ValueError(f"cue {cue!r} must open with a whole word or three letters of one")
            if opening == cue:
                begun[cue[:_SHORTEST]] = (*begun.get(cue[:_SHORTEST], ()), (cue, tuple(its)))
            else:
                whole[opening] = _with(whole.get(opening), (cue, tuple(its)), words[1:])

        def opened_by(word: str) -> Opened[Owner] | None:
            known = begun.get(word[:_SHORTEST], ())
            at_once = [owner for cue, its in known if word.startswith(cue) for owner in its]
            behind = whole.get(word)
            if not at_once:
                return behind
            _, signs, by_next = behind or Opened((), (), {})
            return Opened(tuple(dict.fromkeys(at_once)), signs, by_next)

        return cls(opened_by)

    @staticmethod
    def places(text: FoldedWords, opened: Iterable[tuple[int, Opened[Owner]]]) -> dict[Owner, list[int]]:
        """Return where each owner's cues stand at the start of a word: the first 100 places, in order.

        Parameters
        ----------
        text : FoldedWords
        opened : iterable
            The numbers of the words that open a cue, ascending, with what :attr:`opened_by` gave for them.
        """
        words, starts, startswith = [*text.words, " "], text.starts, text.text.startswith
        places: dict[Owner, list[int]] = {}
        for number, (at_once, behind, by_next) in opened:
            going_on = by_next.get(words[number + 1][0], ()) if by_next else ()
            start = starts[number]
            owners = at_once
            for cue, its in behind + going_on:
                if startswith(cue, start):
                    owners += its
            for owner in owners:
                known = places.get(owner)
                if known is None:
                    places[owner] = [start]
                elif known[-1] != start and len(known) < MAX_TRIES:
                    known.append(start)
        return places


def places_of_cues(cues: Iterable[str], folded: str) -> list[int]:
    """Return where one of some cues stands at the start of a word: the first 100 places, in order."""
    starts = {
        start for cue in cues for start in places_of(cue, folded) if not folded[start - 1 : start].isalnum()
    }
    return sorted(starts)[:MAX_TRIES]


def _with(known: Opened[Owner] | None, cued: Cued[Owner], following: Sequence[str]) -> Opened[Owner]:
    """Return what a word opens with one cue more, which goes on with the words ``following``."""
    at_once, behind, by_next = known or Opened((), (), {})
    if not following:
        return Opened(at_once, (*behind, cued), by_next)
    letter = following[0][0]
    return Opened(at_once, behind, {**by_next, letter: (*by_next.get(letter, ()), cued)})
