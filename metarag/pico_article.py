"""The facets of an article, from its title, MeSH headings, keywords and abstract."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Final

from metarag.pico_described import outcome_phrases, participant_phrases
from metarag.pico_phrases import assigned_arms, title_arms
from metarag.pico_reader import PicoReader, Ranges
from metarag.pico_types import ExtractedPico, Noted, TermKind
from metarag.pico_vocabulary import Concept, Vocabulary, vocabulary
from metarag.records import Article, MeshHeading

_K = TermKind
_CHECK_TAGS: Final = MappingProxyType(
    {
        "humans": ("people", _K.HUMAN),
        "animals": ("animals", _K.ANIMAL),
        "in vitro techniques": ("cells in the laboratory", _K.CELLS),
        "cells, cultured": ("cells in the laboratory", _K.CELLS),
        "tumor cells, cultured": ("cells in the laboratory", _K.CELLS),
        "cell line": ("cells in the laboratory", _K.CELLS),
        "cell line, tumor": ("cells in the laboratory", _K.CELLS),
        "infant, newborn": ("newborns", _K.AGE),
        "infant": ("infants", _K.AGE),
        "child": ("children", _K.AGE),
        "child, preschool": ("children", _K.AGE),
        "adolescent": ("adolescents", _K.AGE),
        "young adult": ("adults", _K.AGE),
        "adult": ("adults", _K.AGE),
        "middle aged": ("adults", _K.AGE),
        "aged": ("older people", _K.AGE),
        "aged, 80 and over": ("older people", _K.AGE),
        "female": ("women", _K.SEX),
        "male": ("men", _K.SEX),
    }
)
_STUDIED_CATEGORIES: Final = frozenset({"OBJECTIVE", "METHODS"})
_STUDIED_LABELS: Final = (
    "objective", "aim", "purpose", "method", "design", "participant", "patient", "population", "subject",
    "setting", "intervention", "material",
)  # fmt: skip
_TREATED: Final = frozenset(
    {"drug therapy", "therapy", "surgery", "rehabilitation", "diagnosis", "complications"}
)
_PREVENTED: Final = frozenset(
    {"prevention & control", "epidemiology", "etiology", "mortality", "chemically induced"}
)
_ONLY_MENTIONED: Final = frozenset({"blood", "metabolism", "genetics", "urine"})


def article_pico(article: Article, *, vocabulary_used: Vocabulary | None = None) -> ExtractedPico:
    """Return the facets of an article: a pure function of its record, linear in its length.

    Parameters
    ----------
    article : Article
        The record.
    vocabulary_used : Vocabulary or None
        ``None`` takes the one that ships with metarag.
    """
    known = vocabulary_used or vocabulary()
    reader = PicoReader(known)
    if article.title:
        reader.read(article.title, "title")
    for heading in article.mesh:
        _read_heading(reader, heading, known)
    for keyword in article.keywords:
        reader.read(keyword, "keyword")
    abstract = article.abstract
    if abstract:
        words = reader.read(abstract, "abstract", people=_studied(article))
        for facet, phrases in (("population", participant_phrases), ("outcome", outcome_phrases)):
            for term in phrases(words, "abstract"):
                reader.add(facet, term)
    _add_phrases(reader, article.title, abstract or "")
    return reader.result(length=len(abstract or ""))


def _add_phrases(reader: PicoReader, title: str, abstract: str) -> None:
    """Take the arms by the shape of a phrase where the vocabulary knows no intervention."""
    if reader.has("intervention", _K.DRUG, _K.PROCEDURE):
        return
    arms = title_arms(title, "title")
    if not arms[0]:
        arms = assigned_arms(abstract, "abstract")
    for facet, terms in zip(("intervention", "comparator"), arms, strict=True):
        for term in terms:
            reader.add(facet, term)


def _studied(article: Article) -> Ranges | None:
    """Return where the abstract speaks of the people studied; ``None`` (everywhere) without sections."""
    ranges, offset = [], 0
    for section in article.abstract_sections:
        length = len(section.text) + (len(section.label) + 2 if section.label else 0)
        if section.nlm_category in _STUDIED_CATEGORIES or _is_studied(section.label or ""):
            ranges.append((offset, offset + length))
        offset += length + 1
    return tuple(ranges) or None


@lru_cache(maxsize=1_024)
def _is_studied(label: str) -> bool:
    lowered = label.lower()
    return any(word in lowered for word in _STUDIED_LABELS)


def _read_heading(reader: PicoReader, heading: MeshHeading, known: Vocabulary) -> None:
    qualifiers = heading.qualifiers
    condition = _facet_of_condition(tuple([q.name for q in qualifiers])) if qualifiers else "population"
    concepts, terms = _said_by_heading(heading.descriptor, condition, known)
    if concepts:
        reader.mention(concepts)
    for facet, noted in terms:
        reader.add(facet, noted)


@lru_cache(maxsize=2_048)
def _facet_of_condition(qualifiers: tuple[str, ...]) -> str | None:
    """Return the facet of a condition with these subheadings; ``None`` where no facet has the heading."""
    names = frozenset(map(str.lower, qualifiers))
    if names <= _ONLY_MENTIONED:
        return None
    return "outcome" if names & _PREVENTED and not names & _TREATED else "population"


@lru_cache(maxsize=8_192)
def _said_by_heading(
    descriptor: str, condition: str | None, known: Vocabulary
) -> tuple[tuple[Concept, ...], tuple[tuple[str, Noted], ...]]:
    """Return what a heading names, and its terms with their facets; ``condition`` is the one of conditions.

    The same headings stand in many records.
    """
    tag = _CHECK_TAGS.get(descriptor.lower())
    if tag:
        return (), (("population", Noted(*tag, "mesh", 0, len(descriptor), descriptor)),)
    # "Diabetes Mellitus, Type 2" stands in the order of an index.
    concepts = known.concepts_in(" ".join(reversed(descriptor.split(", "))))
    terms = (
        (facet, Noted(concept.name, concept.kind, "mesh", 0, len(descriptor), descriptor))
        for concept in concepts
        if condition and (facet := _facet(concept.kind, condition))
    )
    return concepts, tuple(terms)


def _facet(kind: TermKind, condition: str) -> str | None:
    """Return the facet that a heading of this kind speaks of.

    Species come from check tags alone: "Serum Albumin, Bovine" is no cow.
    """
    if kind in (_K.HUMAN, _K.ANIMAL, _K.CELLS):
        return None
    if kind is _K.CONDITION:
        return condition
    if kind in (_K.DRUG, _K.PROCEDURE):
        return "intervention"
    return kind.value if kind in (_K.COMPARATOR, _K.OUTCOME) else "population"
