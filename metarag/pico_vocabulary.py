"""The names of conditions, drugs, outcomes and kinds of people, and where they stand in a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import product
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from metarag.pico_types import TermKind
from metarag.pico_words import Words as Words
from metarag.resources import data_file

_WORD = re.compile(r"[^\W_]+")
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


class Hit(NamedTuple):
    """Concepts that words ``first`` to ``last`` (exclusive), characters ``start`` to ``end``, stand for."""

    concepts: tuple[Concept, ...]
    first: int
    last: int
    start: int
    end: int


_Surface = tuple[tuple[str, ...], str | None]
_Entry = tuple[list[str], tuple[Concept, ...], str | None]
_Stem = tuple[str, str, frozenset[str]]


class Beginning(NamedTuple):
    """What begins with a word: longer forms by their second word, and the word alone."""

    longer: Mapping[str, tuple[_Entry, ...]]
    alone: tuple[_Entry, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Concepts by surface form. Looking up is one dictionary access a word, so time is linear in the text."""

    begins: Callable[[str], Beginning | None]
    by_name: Mapping[str, Concept]
    stems: Mapping[str, tuple[_Stem, ...]]
    apart: frozenset[frozenset[str]]
    ancestors: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Vocabulary:
        """Build a vocabulary from the form of ``data/pico_vocabulary.json``."""
        surfaces: dict[_Surface, dict[str, Concept]] = {}
        by_name: dict[str, Concept] = {}
        for kind, listed in data["concepts"].items():
            for item in listed:
                concept = Concept(item["name"], TermKind(kind), tuple(item.get("classes", ())))
                by_name.setdefault(concept.name, concept)
                for surface in (item["name"], *item.get("also", ())):
                    for key in _variants(surface):
                        surfaces.setdefault(key, {})[f"{kind}:{concept.name}"] = concept
        stems: dict[str, tuple[_Stem, ...]] = {}
        for stem in data["stems"]:
            entry = (stem["ends"], stem["class"], frozenset(stem.get("not", ())))
            tail = stem["ends"][-_TAIL:]
            stems[tail] = (*stems.get(tail, ()), entry)
        for preferred, *others in data.get("names", ()):
            _learn(surfaces, preferred, others, stems)
        by_word = _by_first_word(surfaces)
        return cls(
            begins=lambda word: by_word.get(word) or _by_stem(word, stems.get(word[-_TAIL:], ())),
            by_name=by_name,
            stems=stems,
            apart=frozenset(frozenset(pair) for pair in data["apart"]),
            ancestors={name: _ancestors(name, by_name) for name in by_name},
        )

    def find(
        self,
        words: Words,
        defined: Mapping[str, tuple[Concept, ...]] = MappingProxyType({}),
        *,
        begun: Iterable[tuple[int, Beginning]] | None = None,
        until: int | None = None,
    ) -> list[Hit]:
        """Return the concepts in a text, longest first at each place, never overlapping.

        Parameters
        ----------
        words : Words
            The text.
        defined : mapping of str to tuple of Concept
            Abbreviations that the document defines, as written.
        begun : iterable of (int, Beginning) or None
            The positions at which names begin, ascending, where they are known; ``None`` looks them up.
        until : int or None
            The word before which each name ends; ``None`` is the end of the text.
        """
        end = len(words.lower) if until is None else until
        if begun is None:
            begun = [(n, found) for n, word in enumerate(words.lower) if (found := self.begins(word))]
        telling: Iterable[tuple[int, Beginning | None]] = begun
        named: dict[int, Beginning | None] = {}
        if defined:
            short = {written.lower() for written in defined}
            named = {number: None for number, word in enumerate(words.lower) if word in short}
            telling = sorted({**named, **dict(begun)}.items(), key=itemgetter(0))
        hits: list[Hit] = []
        free_from = 0
        for position, beginning in telling:
            if position < free_from:
                continue
            hit = _defined_at(words, position, defined) if position in named else None
            hit = hit or (_longest(beginning, words, position, end) if beginning else None)
            if hit:
                hits.append(hit)
                free_from = hit.last
        return hits

    def concepts_in(self, text: str) -> tuple[Concept, ...]:
        """Return the concepts in a short text, each once."""
        return concepts_of(self.find(Words.of(text)))

    def relation(self, asked: str, found: str) -> Relation:
        """Return how ``found`` stands to ``asked``; members of a class are siblings unless kept apart."""
        return _relation(self, asked, found)

    def related(self, asked: frozenset[str], found: str, relations: tuple[Relation, ...]) -> bool:
        """True when ``found`` stands to any of ``asked`` in one of these relations."""
        return _related(self, asked, found, relations)

    def mentions(self, asked: Iterable[str], mentioned: Collection[str]) -> bool:
        """True when one of the names ``mentioned`` is, or belongs to, one of ``asked``."""
        wanted = frozenset(asked)
        if not _members(self, wanted).isdisjoint(mentioned):
            return True
        by_stem = set(mentioned).difference(self.ancestors)
        return any(not wanted.isdisjoint(self.above(name)) for name in by_stem)

    def above(self, name: str) -> frozenset[str]:
        """Return all that a concept belongs to; for a drug known by its stem, the classes of the stem."""
        known = self.ancestors.get(name)
        if known is not None:
            return known
        classes = {entry[1] for entry in self.stems.get(name[-_TAIL:], ()) if name.endswith(entry[0])}
        return frozenset(classes.union(*(self.ancestors.get(c, frozenset()) for c in classes)))


def concepts_of(hits: Iterable[Hit]) -> tuple[Concept, ...]:
    """Return what was found, each concept once."""
    return tuple({c.name: c for hit in hits for c in hit.concepts}.values())


def _by_stem(word: str, tails: tuple[_Stem, ...]) -> Beginning | None:
    """Return a drug that is known by the end of its name alone, also in the plural."""
    if len(word) < _MIN_STEMMED:
        return None
    for name in (word, word[:-1]) if word.endswith("s") else (word,):
        for ending, group, exceptions in tails:
            if name.endswith(ending) and len(name) > len(ending) and name not in exceptions:
                concept = Concept(name, TermKind.DRUG, (group,))
                return Beginning({}, (([word], (concept,), None),))
    return None


def _defined_at(words: Words, position: int, defined: Mapping[str, tuple[Concept, ...]]) -> Hit | None:
    concepts = defined.get(words.written(position))
    return _hit(concepts, words, position, 1) if concepts else None


def _longest(beginning: Beginning, words: Words, position: int, end: int) -> Hit | None:
    longer, alone = beginning
    if longer and position + 1 < end:
        lower = words.lower
        for pattern, concepts, _ in longer.get(lower[position + 1], ()):
            last = position + len(pattern)
            if last <= end and lower[position:last] == pattern and not words.breaks(position, last - 1):
                return _hit(concepts, words, position, len(pattern))
    for _, concepts, literal in alone:
        if literal is None or words.written(position) == literal:
            return _hit(concepts, words, position, 1)
    return None


def _hit(concepts: tuple[Concept, ...], words: Words, position: int, size: int) -> Hit:
    last, places = position + size, words.folded
    return Hit(concepts, position, last, places.starts[position], places.end(last - 1))


@lru_cache(maxsize=65_536)
def _relation(known: Vocabulary, asked: str, found: str) -> Relation:
    if asked == found:
        return Relation.SAME
    above_asked, above_found = known.above(asked), known.above(found)
    if asked in above_found:
        return Relation.NARROWER
    if found in above_asked:
        return Relation.BROADER
    if _kept_apart(known.apart, above_asked | {asked}, above_found | {found}):
        return Relation.NONE
    return Relation.SIBLING if above_asked & above_found else Relation.NONE


@lru_cache(maxsize=65_536)
def _related(known: Vocabulary, asked: frozenset[str], found: str, relations: tuple[Relation, ...]) -> bool:
    return any(_relation(known, name, found) in relations for name in asked)


@lru_cache(maxsize=1_024)
def _members(known: Vocabulary, asked: frozenset[str]) -> frozenset[str]:
    """Return ``asked`` and all concepts of the vocabulary that belong to one of them."""
    return asked.union(name for name, above in known.ancestors.items() if not asked.isdisjoint(above))


def _kept_apart(apart: Iterable[frozenset[str]], one: frozenset[str], other: frozenset[str]) -> bool:
    """True when the two stand on different sides of a pair that is not exchangeable."""
    sides = ((pair & one, pair & other) for pair in apart)
    return any(len(a) == len(b) == 1 and a != b for a, b in sides)


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


def _learn(
    surfaces: dict[_Surface, dict[str, Concept]],
    preferred: str,
    others: Iterable[str],
    stems: Mapping[str, tuple[_Stem, ...]],
) -> None:
    """Let other names of a thing stand for what its preferred name does; what is known already stays."""
    meant = surfaces.get(next(iter(_variants(preferred))))
    if meant is None and (by_stem := _by_stem(preferred, stems.get(preferred[-_TAIL:], ()))):
        meant = {f"{c.kind}:{c.name}": c for _, concepts, _ in by_stem.alone for c in concepts}
    for name in others if meant else ():
        for key in _variants(name):
            surfaces.setdefault(key, dict(meant or {}))


def _by_first_word(
    surfaces: Mapping[_Surface, Mapping[str, Concept]],
) -> Mapping[str, Beginning]:
    entries: dict[str, list[_Entry]] = {}
    for (words, literal), concepts in surfaces.items():
        shared = {
            f"{c.kind}:{c.name}": c
            for word in (words if len(words) > 1 else ())
            for c in surfaces.get(((word,), None), {}).values()
            if c.kind in _SHARED_KINDS
        }
        entries.setdefault(words[0], []).append(
            (list(words), tuple({**shared, **concepts}.values()), literal)
        )
    return {first: _beginning(found) for first, found in entries.items()}


def _beginning(entries: Iterable[_Entry]) -> Beginning:
    """Sort entries of one first word: longest first, and what must be in capitals before the others."""
    longer: dict[str, list[_Entry]] = {}
    alone = []
    for entry in sorted(entries, key=lambda e: (-len(e[0]), e[2] is None, e[0])):
        if len(entry[0]) > 1:
            longer.setdefault(entry[0][1], []).append(entry)
        else:
            alone.append(entry)
    return Beginning({second: tuple(found) for second, found in longer.items()}, tuple(alone))


def _ancestors(name: str, by_name: Mapping[str, Concept]) -> frozenset[str]:
    found: set[str] = set()
    todo = list(by_name[name].classes)
    while todo:
        above = todo.pop()
        if above not in found:
            found.add(above)
            todo.extend(by_name[above].classes if above in by_name else ())
    return frozenset(found)
