"""Who or what took part: people, or which animals, from MeSH headings, title and abstract.

An indexer's headings stand before the text. In a text, people count as soon as they are named; an animal only
where the title names it, or the abstract does so twice, for one mention is most often the introduction's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from metarag.records import MeshHeading
from metarag.reported_facts import ReportedSpecies
from metarag.reported_text import Text, places
from metarag.spans import Span

HUMANS: Final = "humans"
ANIMALS: Final = "animals"
MENTIONS: Final = 2
"""Of an animal in an abstract, from which it is taken to have taken part; ours."""

_PEOPLE: Final = tuple(
    """patients participants patient participant volunteer volunteers women woman men man adults children child
    infants infant neonates newborns adolescents girls girl boys boy people persons individuals outpatients
    inpatients residents students veterans smokers workers nurses mothers""".split()
)
_ANIMAL_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        word: species
        for species, words in {
            "rats": "rat rats",
            "mice": "mouse mice",
            "rabbits": "rabbit rabbits",
            "dogs": "dog dogs beagle beagles puppies",
            "cats": "cat cats kittens",
            "pigs": "pig pigs piglet piglets sow sows minipigs",
            "sheep": "sheep lamb lambs ewe ewes",
            "goats": "goat goats",
            "cattle": "cow cows cattle calves heifers",
            "horses": "horse horses mares",
            "monkeys": "monkey monkeys macaque macaques baboon baboons marmosets",
            "chickens": "chicken chickens broilers hens",
            "hamsters": "hamster hamsters",
            "gerbils": "gerbil gerbils",
            "ferrets": "ferret ferrets",
            "zebrafish": "zebrafish",
            "fruit flies": "drosophila",
            "worms": "caenorhabditis",
        }.items()
        for word in words.split()
    }
)
_PEOPLE_WORDS: Final = frozenset(_PEOPLE)
_ANIMALS: Final = frozenset(_ANIMAL_WORDS)
CUES: Final = _PEOPLE_WORDS | _ANIMALS
"""Words for people and animals."""
_HEADINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "humans": HUMANS,
        "animals": ANIMALS,
        "guinea pigs": "guinea pigs",
        "dogs": "dogs",
        "cats": "cats",
        "rabbits": "rabbits",
        "swine": "pigs",
        "swine, miniature": "pigs",
        "sus scrofa": "pigs",
        "sheep": "sheep",
        "sheep, domestic": "sheep",
        "goats": "goats",
        "cattle": "cattle",
        "horses": "horses",
        "chickens": "chickens",
        "cricetinae": "hamsters",
        "mesocricetus": "hamsters",
        "gerbillinae": "gerbils",
        "ferrets": "ferrets",
        "zebrafish": "zebrafish",
        "drosophila melanogaster": "fruit flies",
        "caenorhabditis elegans": "worms",
    }
)
_BEGINNINGS: Final = (("mice", "mice"), ("rats", "rats"), ("macaca", "monkeys"))
# "Rabbit anti-mouse antibody", "cat scratch disease", "dog owners": nobody that took part.
_OF_SOMETHING: Final = re.compile(
    r"[\s-](?:anti|monoclonal|polyclonal|igg|immunoglobulin|serum|sera|antibod|owner|bite|scratch|allerg|dander"
    r"|milk|erythrocyte|red\sblood|polyoma|mammary\stumou?r\svirus|pox)"
)


def read_species(mesh: Sequence[MeshHeading], texts: Sequence[Text]) -> list[ReportedSpecies]:
    """Return the species that took part, each once with the words that name it."""
    tagged = {species: heading.descriptor for heading in mesh if (species := _of_heading(heading.descriptor))}
    if tagged:
        if len(tagged) > 1 and tagged.keys() - {HUMANS, ANIMALS}:
            # The heading Animals stands with each animal; it tells nothing beside it.
            tagged.pop(ANIMALS, None)
        return [_tagged(name, descriptor) for name, descriptor in tagged.items()]
    return _from_texts(texts)


@lru_cache(maxsize=2_048)
def _of_heading(descriptor: str) -> str | None:
    lowered = descriptor.lower()
    begun = (species for beginning, species in _BEGINNINGS if lowered.startswith(beginning))
    return _HEADINGS.get(lowered) or next(begun, None)


@lru_cache(maxsize=2_048)
def _tagged(name: str, descriptor: str) -> ReportedSpecies:
    return ReportedSpecies(species=name, span=Span.cut("mesh", descriptor, 0, len(descriptor)))


def _from_texts(texts: Sequence[Text]) -> list[ReportedSpecies]:
    people = next((span for text in texts if (span := _people(text))), None)
    found: dict[str, Span] = {}
    mentions: dict[str, int] = {}
    for text in texts:
        for word in sorted(text.words & _ANIMALS):
            starts = list(_mentions(word, text))
            name = _animal(word, text, starts)
            mentions[name] = mentions.get(name, 0) + (MENTIONS if text.where == "title" else 1) * len(starts)
            if starts and name not in found:
                found[name] = text.span(starts[0], starts[0] + len(word))
    read = [ReportedSpecies(species=HUMANS, span=people)] if people else []
    animals = (name for name in found if mentions[name] >= MENTIONS)
    return [*read, *(ReportedSpecies(species=name, span=found[name]) for name in animals)]


def _people(text: Text) -> Span | None:
    """Return the first mention of the most telling word for people."""
    if text.words.isdisjoint(_PEOPLE_WORDS):
        return None
    for word in _PEOPLE:
        start = next(_mentions(word, text), None) if word in text.words else None
        if start is not None:
            return text.span(start, start + len(word))
    return None


def _mentions(word: str, text: Text) -> Iterator[int]:
    """Yield where the word stands for somebody: whole, not an abbreviation in capitals, not of a thing."""
    for start in places(word, text.folded):
        end = start + len(word)
        whole = not text.folded[end : end + 1].isalnum()
        if whole and not text.original[start:end].isupper() and not _OF_SOMETHING.match(text.folded, end):
            yield start


def _animal(word: str, text: Text, starts: Sequence[int]) -> str:
    guinea = starts and text.folded.startswith("guinea ", max(0, starts[0] - len("guinea ")))
    return "guinea pigs" if guinea else _ANIMAL_WORDS[word]
