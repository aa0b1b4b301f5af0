"""The names of conditions, drugs, outcomes and kinds of people, and where they stand in a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any

from metarag.pico_types import TermKind
from metarag.resources import data_file

_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[.;:()\n]")
_TAIL = 3
_MIN_STEMMED = 6
# One surface word may say several things: "girls" are children, female and people.
_SHARED_KINDS = (TermKind.HUMAN, TermKind.SEX, TermKind.AGE)
_SPELLINGS = (
    ("haem", "hem"), ("aemi", "emi"), ("paed", "ped"), ("anaes", "anes"), ("oesoph", "esoph"),
    ("oestr", "estr"), ("oede", "ede"), ("tumour", "tumor"), ("isation", "ization"), ("foet", "fet"),
    ("rrhoea", "rrhea"), ("coeliac", "celiac"), ("leukaem", "leukem"), ("apnoea", "apnea"), ("sulph", "sulf"),
    ("ischaem", "ischem"), ("glycaem", "glycem"), ("lipidaem", "lipidem"), ("behaviour", "behavior"),
)  # fmt: skip
_GREEK = MappingProxyType({"alpha": "α", "beta": "β", "gamma": "γ"})


class Relation(StrEnum):
    """How a concept that was found stands to the one asked for."""

    SAME = "same"
    NARROWER = "narrower"
    BROADER = "broader"
    SIBLING = "sibling"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Concept:
    """A thing with a preferred name and the broader things it belongs to."""

    name: str
    kind: TermKind
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """Concepts that words ``first`` to ``last`` (exclusive), characters ``start`` to ``end``, stand for."""

    concepts: tuple[Concept, ...]
    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Words:
    """A text with its words in lower case, and where each one stands."""

    text: str
    lower: tuple[str, ...]
    matches: tuple[re.Match[str], ...]

    @classmethod
    def of(cls, text: str) -> Words:
        """Split a text; hyphens and punctuation separate words."""
        matches = tuple(_WORD.finditer(text))
        return cls(text, tuple([match.group().lower() for match in matches]), matches)

    def breaks(self, first: int, last: int) -> bool:
        """True when a clause ends between two words."""
        return bool(_BREAK.search(self.text, self.matches[first].end(), self.matches[last].start()))


_Entry = tuple[tuple[str, ...], tuple[Concept, ...], str | None]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Concepts by surface form. Looking up is one dictionary access a word, so time is linear in the text."""

    by_word: Mapping[str, tuple[_Entry, ...]]
    by_name: Mapping[str, Concept]
    stems: Mapping[str, tuple[tuple[str, str, frozenset[str]], ...]]
    apart: frozenset[frozenset[str]]
    ancestors: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Vocabulary:
        """Build a vocabulary from the form of ``data/pico_vocabulary.json``."""
        surfaces: dict[tuple[tuple[str, ...], str | None], dict[str, Concept]] = {}
        by_name: dict[str, Concept] = {}
        for kind, listed in data["concepts"].items():
            for item in listed:
                concept = Concept(item["name"], TermKind(kind), tuple(item.get("classes", ())))
                by_name.setdefault(concept.name, concept)
                for surface in (item["name"], *item.get("also", ())):
                    for key in _variants(surface):
                        surfaces.setdefault(key, {})[f"{kind}:{concept.name}"] = concept
        stems: dict[str, list[tuple[str, str, frozenset[str]]]] = {}
        for stem in data["stems"]:
            entry = (stem["ends"], stem["class"], frozenset(stem.get("not", ())))
            stems.setdefault(stem["ends"][-_TAIL:], []).append(entry)
        return cls(
            by_word=_by_first_word(surfaces),
            by_name=by_name,
            stems={tail: tuple(found) for tail, found in stems.items()},
            apart=frozenset(frozenset(pair) for pair in data["apart"]),
            ancestors={name: _ancestors(name, by_name) for name in by_name},
        )

    def find(
        self, words: Words, defined: Mapping[str, tuple[Concept, ...]] = MappingProxyType({})
    ) -> list[Hit]:
        """Return the concepts in a text, longest first at each place, never overlapping.

        Parameters
        ----------
        words : Words
            The text.
        defined : mapping of str to tuple of Concept
            Abbreviations that the document defines, as written.
        """
        hits: list[Hit] = []
        lower, by_word, stems = words.lower, self.by_word, self.stems
        position, size = 0, len(lower)
        while position < size:
            word = lower[position]
            hit = None
            if defined and (known := defined.get(words.matches[position].group())):
                hit = self._hit(known, words, position, 1)
            elif entries := by_word.get(word):
                hit = self._longest(entries, words, position)
            elif len(word) >= _MIN_STEMMED and (tails := stems.get(word[-_TAIL:])):
                hit = self._by_stem(tails, words, position)
            if hit:
                hits.append(hit)
                position = hit.last
            else:
                position += 1
        return hits

    def concepts_in(self, text: str) -> tuple[Concept, ...]:
        """Return the concepts in a short text, each once."""
        return tuple({c.name: c for hit in self.find(Words.of(text)) for c in hit.concepts}.values())

    def relation(self, asked: str, found: str) -> Relation:
        """Return how ``found`` stands to ``asked``; members of a class are siblings unless kept apart."""
        if asked == found:
            return Relation.SAME
        above_asked, above_found = self._above(asked), self._above(found)
        if asked in above_found:
            return Relation.NARROWER
        if found in above_asked:
            return Relation.BROADER
        if self._kept_apart({asked} | above_asked, {found} | above_found):
            return Relation.NONE
        return Relation.SIBLING if above_asked & above_found else Relation.NONE

    def _kept_apart(self, one: set[str] | frozenset[str], other: set[str] | frozenset[str]) -> bool:
        """True when the two stand on different sides of a pair that is not exchangeable."""
        sides = ((pair & one, pair & other) for pair in self.apart)
        return any(len(a) == len(b) == 1 and a != b for a, b in sides)

    def _above(self, name: str) -> frozenset[str]:
        known = self.ancestors.get(name)
        if known is not None:
            return known
        classes = {entry[1] for entry in self.stems.get(name[-_TAIL:], ()) if name.endswith(entry[0])}
        return frozenset(classes.union(*(self.ancestors.get(c, frozenset()) for c in classes)))

    def _longest(self, entries: tuple[_Entry, ...], words: Words, position: int) -> Hit | None:
        for pattern, concepts, literal in entries:
            size = len(pattern)
            if size > 1 and (
                words.lower[position : position + size] != pattern
                or words.breaks(position, position + size - 1)
            ):
                continue
            if literal and words.matches[position].group() != literal:
                continue
            return self._hit(concepts, words, position, size)
        return None

    def _by_stem(
        self, tails: tuple[tuple[str, str, frozenset[str]], ...], words: Words, position: int
    ) -> Hit | None:
        word = words.lower[position]
        for name in (word, word[:-1]) if word.endswith("s") else (word,):
            for ending, group, exceptions in tails:
                if name.endswith(ending) and len(name) > len(ending) and name not in exceptions:
                    return self._hit((Concept(name, TermKind.DRUG, (group,)),), words, position, 1)
        return None

    @staticmethod
    def _hit(concepts: tuple[Concept, ...], words: Words, position: int, size: int) -> Hit:
        last = position + size
        return Hit(concepts, position, last, words.matches[position].start(), words.matches[last - 1].end())


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """Return the vocabulary of ``data/pico_vocabulary.json``."""
    return Vocabulary.of(json.loads(data_file("pico_vocabulary.json").read_text(encoding="utf-8")))


def _variants(surface: str) -> Iterable[tuple[tuple[str, ...], str | None]]:
    """Yield a surface form as words with its plural and spellings; capitals are matched as written."""
    words = tuple(match.group() for match in _WORD.finditer(surface))
    if len(words) == 1 and surface == words[0] and sum(c.isupper() for c in surface) > 1:
        yield (surface.lower(),), surface
        return
    choices = [_spellings(word.lower()) for word in words]
    choices[-1] = tuple(dict.fromkeys(form for word in choices[-1] for form in (word, _plural(word))))
    for variant in product(*choices):
        yield variant, None


def _spellings(word: str) -> tuple[str, ...]:
    american = word
    for british, other in _SPELLINGS:
        american = american.replace(british, other)
    forms = [word, american]
    if word in _GREEK:
        forms.append(_GREEK[word])
    return tuple(dict.fromkeys(forms))


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word if word.endswith("s") or len(word) < _TAIL else word + "s"


def _by_first_word(
    surfaces: Mapping[tuple[tuple[str, ...], str | None], Mapping[str, Concept]],
) -> Mapping[str, tuple[_Entry, ...]]:
    entries: dict[str, list[_Entry]] = {}
    for (words, literal), concepts in surfaces.items():
        shared = {
            f"{c.kind}:{c.name}": c
            for word in (words if len(words) > 1 else ())
            for c in surfaces.get(((word,), None), {}).values()
            if c.kind in _SHARED_KINDS
        }
        entries.setdefault(words[0], []).append((words, tuple({**shared, **concepts}.values()), literal))
    return {
        first: tuple(sorted(found, key=lambda e: (-len(e[0]), e[2] is None, e[0])))
        for first, found in entries.items()
    }


def _ancestors(name: str, by_name: Mapping[str, Concept]) -> frozenset[str]:
    found: set[str] = set()
    todo = list(by_name[name].classes)
    while todo:
        above = todo.pop()
        if above not in found:
            found.add(above)
            todo.extend(by_name[above].classes if above in by_name else ())
    return frozenset(found)
