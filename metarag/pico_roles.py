"""Which part a concept plays where it stands: who the people are, what is done, what is measured."""

from __future__ import annotations

from typing import Final

from metarag.pico_vocabulary import Hit
from metarag.pico_words import Words

_LOOK_BACK = 6
"""Words before a concept that are read for its role; a cue further off belongs to something else."""
_COMPARATOR_REACH = 3
"""Words that 'versus' and 'compared with' reach over."""
_NEGATION_REACH = 12
"""Words that a negation reaches over: 'no previous myocardial infarction, stroke or cancer'."""

_OUTCOME_CUES: Final = frozenset(
    """prevent prevents prevented preventing prevention reduce reduces reduced reducing reduction lower lowers
    lowered risk risks incidence rate rates occurrence development cause causes caused fewer odds protect
    protects protection against likelihood new subsequent first onset increase increases increased outcomes
    outcome avoid avert events""".split()
)
_POPULATION_CUES: Final = frozenset(
    """with in for having suffering treatment treating treat treats treated management managing therapy after
    following undergoing suspected confirmed who acute before among diagnosed""".split()
)
_COMPARATOR_CUES: Final = frozenset(
    "versus vs than against compared comparison comparator control controls relative instead".split()
)
_NEGATIONS: Final = frozenset("without no never not excluding excluded exclusion non".split())
_NEGATION_ENDS: Final = frozenset(
    """with but have who were was received receive taking take takes use uses given although more fewer less
    after reduced reduce from should do does can benefit benefits""".split()
)
_PREFIX: Final = "non"
_HYPHENS: Final = frozenset("-\u2010\u2011")
_EITHER: Final = (["with", "and", "without"], ["with", "or", "without"])
_EXAMPLES: Final = frozenset("including especially particularly such".split())


def is_outcome(words: Words, hit: Hit) -> bool:
    """True when the nearest cue before a condition makes it something to be prevented or counted."""
    near = words.lower[max(0, hit.first - _LOOK_BACK) : hit.first]
    if _OUTCOME_CUES.isdisjoint(near):
        return False
    for back, word in enumerate(reversed(near), 1):
        if word in _OUTCOME_CUES:
            return not words.breaks(hit.first - back, hit.first)
        if word in _POPULATION_CUES:
            return False
    return False


def is_comparator(words: Words, hit: Hit) -> bool:
    """True when a drug or procedure stands after 'versus', 'compared with' and the like."""
    return _stands_after(_COMPARATOR_CUES, words, hit, reach=_COMPARATOR_REACH)


def is_absent(words: Words, hit: Hit) -> bool:
    """True when the people are said not to have a condition: 'without diabetes', 'no previous stroke'."""
    near = words.lower[max(0, hit.first - _NEGATION_REACH) : hit.first]
    if _NEGATIONS.isdisjoint(near):
        return False
    for back, word in enumerate(reversed(near), 1):
        place = hit.first - back
        if word in _NEGATIONS and (back == 1 or not _is_prefix(words, place)):
            return not words.breaks(place, hit.first)
        if word in _NEGATION_ENDS:
            return False
    return False


def is_part_of_contrary(words: Words, hit: Hit) -> bool:
    """True for the "invasive ventilation" of "non-invasive ventilation": another treatment, and not the lack of one."""
    return hit.first > 0 and words.lower[hit.first - 1] == _PREFIX


def is_either(words: Words, hit: Hit) -> bool:
    """True in 'people with and without diabetes', who both have it and do not."""
    near = words.lower[max(0, hit.first - _LOOK_BACK) : hit.first]
    return "without" in near and any(near[n : n + 3] in _EITHER for n in range(len(near)))


def is_optional(words: Words, hit: Hit) -> bool:
    """True in 'adults, including smokers and asbestos workers': an example, not a demand."""
    return _stands_after(_EXAMPLES, words, hit, reach=_LOOK_BACK)


def _is_prefix(words: Words, place: int) -> bool:
    """True for the "non" of "non-invasive ventilation", which negates the word it is written to and no other."""
    return words.lower[place] == _PREFIX or words.text[words.end(place) : words.start(place + 1)] in _HYPHENS


def _stands_after(cues: frozenset[str], words: Words, hit: Hit, *, reach: int) -> bool:
    """True when one of the ``reach`` words before a concept, in its clause, is a cue."""
    first = max(0, hit.first - reach)
    near = words.lower[first : hit.first]
    if cues.isdisjoint(near):
        return False
    nearest = max(position for position, word in enumerate(near, first) if word in cues)
    return not words.breaks(nearest, hit.first)
