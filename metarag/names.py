"""Names of one thing: "heart attack" for myocardial infarction, a brand for its drug."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from metarag.pico_types import TermKind
from metarag.pico_vocabulary import Vocabulary
from metarag.pico_words import Words
from metarag.resources import data_file


class Named(NamedTuple):
    """A thing that a text names: the words it uses, and the other names of the same thing."""

    said: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """Groups of names, by the first of each."""

    groups: Mapping[str, tuple[str, ...]]
    found_by: Vocabulary

    @classmethod
    def of(cls, listed: Sequence[Sequence[str]]) -> Names:
        """Make them of lists of names of one thing, the preferred one first."""
        concepts = [{"name": first, "also": others} for first, *others in listed]
        kinds = {TermKind.CONDITION.value: concepts}
        return cls(
            groups={group[0]: tuple(group) for group in listed},
            found_by=Vocabulary.of({"concepts": kinds, "stems": (), "apart": ()}),
        )

    def in_text(self, text: str) -> tuple[Named, ...]:
        """Return the things that a text names, in order, each place once; the longest name wins."""
        found = []
        for hit in self.found_by.find(Words.of(text)):
            said = text[hit.start : hit.end]
            names = dict.fromkeys(name for concept in hit.concepts for name in self.groups[concept.name])
            others = tuple(name for name in names if name.casefold() != said.casefold())
            found.append(Named(said, others))
        return tuple(found)

    def preferred_in(self, text: str) -> tuple[str, ...]:
        """Return the preferred names of things that a text calls otherwise, each once: what articles say."""
        called = {
            concept.name: text[hit.start : hit.end].casefold()
            for hit in self.found_by.find(Words.of(text))
            for concept in hit.concepts
        }
        return tuple(name for name, said in called.items() if not said.startswith(name))


@lru_cache(maxsize=1)
def names() -> Names:
    """Return the names of ``data/pico_vocabulary.json``."""
    return Names.of(json.loads(data_file("pico_vocabulary.json").read_text(encoding="utf-8"))["names"])
