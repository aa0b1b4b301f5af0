"""The words and headings that a concept is searched by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from metarag.resources import data_file

MAX_WORDS: Final = 12
"""Alternatives for one concept (ours): more make a query that nobody checks."""
SHORTEST_ABBREVIATION: Final = 4
"""Letters. PubMed ignores case, so that RA, MS or ADD would find other things, and words."""

_KINDS_OF_DRUG: Final = (
    "inhibitor",
    "blocker",
    "agonist",
    "antagonist",
    "agent",
    "drug",
    "oid",
    "lytic",
    "ative",
)
"""Endings of names that a drug shares with others: they have a plural."""
_CUT_FROM: Final = 5
"""Letters from which the last word of a name takes any ending."""


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """What ``data/search_terms.json`` and ``data/pico_vocabulary.json`` say of how concepts are searched.

    Attributes
    ----------
    headings : mapping of str to sequence of str
        Concept to its MeSH headings.
    words : mapping of str to sequence of str
        Concept to its words where they were chosen by hand.
    narrower : mapping of str to str
        A form that is less than its concept to its own heading, empty where none is known.
    forms : mapping of str to sequence of str
        Concept to the forms of the vocabulary.
    members : mapping of str to sequence of str
        A class of drugs to the drugs in it.
    groups : mapping of str to sequence of str
        Concept to the broader ones that it belongs to.
    classes : frozenset of str
        Drugs that are classes of drugs.
    drugs : frozenset of str
        All drugs.
    spellings : sequence of (str, str)
        British and American.
    question_words, story_words : frozenset of str
        Words that clinical questions and stories of patients are made of, and that say nothing of the subject.
    background : frozenset of str
        Conditions that stories mention in passing.
    """

    headings: Mapping[str, Sequence[str]]
    words: Mapping[str, Sequence[str]]
    narrower: Mapping[str, str]
    forms: Mapping[str, Sequence[str]]
    members: Mapping[str, Sequence[str]]
    groups: Mapping[str, Sequence[str]]
    classes: frozenset[str]
    drugs: frozenset[str]
    spellings: Sequence[Sequence[str]]
    question_words: frozenset[str]
    story_words: frozenset[str]
    background: frozenset[str]

    @classmethod
    def of(cls, terms: Mapping[str, Any], vocabulary: Mapping[str, Any]) -> SearchTerms:
        """Make them of the two files' contents."""
        concepts = [concept for listed in vocabulary["concepts"].values() for concept in listed]
        drugs = vocabulary["concepts"]["drug"]
        members: dict[str, list[str]] = {}
        for drug in drugs:
            for group in drug.get("classes", ()):
                members.setdefault(group, []).append(drug["name"])
        return cls(
            headings=terms["headings"],
            words=terms["words"],
            narrower=terms["narrower"],
            forms={c["name"]: (c["name"], *c.get("also", ())) for c in reversed(concepts)},
            members=members,
            groups={c["name"]: c.get("classes", ()) for c in reversed(concepts)},
            classes=frozenset(members) | {stem["class"] for stem in vocabulary["stems"]},
            drugs=frozenset(drug["name"] for drug in drugs),
            spellings=terms["spellings"],
            question_words=_word_set(terms["question_words"]),
            story_words=_word_set(terms["story_words"]),
            background=frozenset(terms["background"]),
        )

    def words_for(self, concept: str) -> tuple[str, ...]:
        """Return the words that a concept is searched by in title and abstract; ``*`` is any ending."""
        chosen = self.words.get(concept)
        if chosen:
            return tuple(chosen)
        forms = self.forms.get(concept, (concept,))
        inflected = concept not in self.drugs or concept in self.classes
        told = [form for form in self._spelt(forms) if _is_telling(form)]
        written = [_cut(form) if inflected or form.endswith(_KINDS_OF_DRUG) else form for form in told]
        members = self.members.get(concept, ()) if concept in self.drugs else ()
        return _without_repeats((*written, *members))[:MAX_WORDS]

    def narrower_form(self, said: str) -> str | None:
        """Return what was said if it is less than its concept, as the data spell it; else ``None``."""
        form = " ".join(said.lower().replace("-", " ").split())
        return next((each for each in (form, form.removesuffix("s")) if each in self.narrower), None)

    def classes_of(self, concept: str) -> frozenset[str]:
        """Return all that a concept belongs to, directly or through another."""
        found: set[str] = set()
        todo = [concept]
        while todo:
            for group in self.groups.get(todo.pop(), ()):
                if group not in found:
                    found.add(group)
                    todo.append(group)
        return frozenset(found)

    def headings_for(self, concept: str) -> tuple[str, ...]:
        """Return the MeSH headings of a concept, none where none is known."""
        return tuple(self.headings.get(concept, ()))

    def _spelt(self, forms: Iterable[str]) -> Iterable[str]:
        for form in forms:
            yield form
            american = form
            for british, other in self.spellings:
                american = american.replace(british, other)
            if american != form:
                yield american


@lru_cache(maxsize=1)
def search_terms() -> SearchTerms:
    """Return the terms of the data files."""
    read = (json.loads(data_file(name).read_text(encoding="utf-8")) for name in _FILES)
    return SearchTerms.of(*read)


_FILES: Final = ("search_terms.json", "pico_vocabulary.json")


def _word_set(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


def _is_telling(form: str) -> bool:
    return len(form) >= SHORTEST_ABBREVIATION or sum(letter.isupper() for letter in form) < 2


def _cut(form: str) -> str:
    """Return a name with any ending of its last word: "heart attack*", "neuropath*"."""
    last = form.replace("-", " ").rpartition(" ")[2]
    if not last.isalpha() or last.isupper() or len(last) < _CUT_FROM or last.endswith(("ss", "is", "us")):
        return form
    if last.endswith("y") and last[-2] not in "aeiou":
        return f"{form[:-1]}*"
    return f"{form[:-1] if last.endswith('s') else form}*"


def _without_repeats(forms: Iterable[str]) -> tuple[str, ...]:
    """Return the forms without those in which a shorter one is found anyway."""
    kept: list[str] = []
    for form in sorted(dict.fromkeys(forms), key=lambda form: len(form.split())):
        if not any(_finds(shorter, form) for shorter in kept):
            kept.append(form)
    return tuple(kept)


def _finds(shorter: str, longer: str) -> bool:
    """True when each text that holds ``longer`` holds ``shorter``."""
    start, cut = shorter.lower().removesuffix("*"), shorter.endswith("*")
    words = f" {longer.lower().removesuffix('*').replace('-', ' ')} "
    start = f" {start.replace('-', ' ')}"
    return start in words if cut else f"{start} " in words and not longer.endswith("*")
