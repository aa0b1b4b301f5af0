"""What a text says its abbreviations stand for: 'HR' may be a heart rate, 'ARR' two different things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from metarag.effect_lexicon import Measure, canonical, lexicon

_IN_BRACKETS = re.compile(r"[(\[]\s?([A-Za-z][A-Za-z]{1,5}?)s?\s?[)\],;:=]")
_HOLDS_NUMBER = re.compile(r"s?\s?(?:[=:]|[,;:=]?\s?[-+(]?\s?\.?\d)")
_SOUNDS_LIKE_MEASURE = re.compile(r"atio|ifferen|isk|dds|fficacy|fectiveness|eduction|ffect|rate")
# The capital stands first, so that the search jumps from one to the next.
_SPELLED_BEHIND = re.compile(
    r"([A-Z](?<!\w[A-Z])[A-Z]{1,3})s? ?[(\[=:] ?([a-z][a-z]+(?:[ -][a-z]+){1,4})[)\],;]"
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_SMALL_WORDS = 1
"""Words without a letter of their own in an abbreviation: 'ratio of the odds'."""
_SAID_BEFORE = 90
"""Characters before the bracket that are searched for the words it shortens."""


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Abbreviations of effect measures as this text uses them.

    Attributes
    ----------
    measures : mapping of str to Measure
        Those the text spells out as a measure.
    other : frozenset of str
        Those it spells out as something else.
    """

    measures: Mapping[str, Measure] = field(default_factory=dict)
    other: frozenset[str] = frozenset()


def abbreviations_of(text: str) -> Abbreviations:
    """Return what the definitions in ``text``, such as 'heart rate (HR)' and 'HR (heart rate)', say."""
    measures: dict[str, Measure] = {}
    other: set[str] = set()
    for short, words, sure in (*_spelled_before(text), *_spelled_behind(text)):
        if short in measures:
            continue
        said = [canonical(word.lower()) for word in words]
        measure = _measure_at_end(said)
        if measure is not None and measure.transform != "none":
            # In 'an increase in the relative risk (RR)' the letters stand for the last words alone.
            measure = _measure_at_end(said[-len(short) - _SMALL_WORDS :]) or measure
        if measure is not None:
            measures[short] = measure
        elif sure and isinstance(lexicon().abbreviations.get(short), Measure) and _initials_fit(words, short):
            other.add(short)
    if "accin" in text and ("vaccin" in text or "Vaccin" in text):
        measures.setdefault("VE", Measure("RR", "log", "reduction"))
    return Abbreviations(measures, frozenset(other - measures.keys()))


def _spelled_before(text: str) -> Iterator[tuple[str, list[str], bool]]:
    """Yield abbreviations in brackets with the words before them, and whether the bracket only defines.

    'Nausea or rash (OR = 1.31' defines nothing, 'heart rate (HR)' and 'heart rate (HR, bpm)' do.

    One that the lexicon does not hold ('MRR') is looked at only where a measure may precede it.
    """
    known = lexicon().abbreviations
    for found in _IN_BRACKETS.finditer(text):
        short, said = found[1], text[max(0, found.start() - _SAID_BEFORE) : found.start()]
        new = short not in known and short.isupper() and _SOUNDS_LIKE_MEASURE.search(said[-40:]) is not None
        if new or isinstance(known.get(short), Measure):
            yield short, _WORD.findall(said), _HOLDS_NUMBER.match(text, found.end(1)) is None


def _spelled_behind(text: str) -> Iterator[tuple[str, list[str], bool]]:
    """Yield abbreviations with the words in brackets behind them, where these are as many as its letters."""
    for found in _SPELLED_BEHIND.finditer(text):
        words = _WORD.findall(found[2])
        if isinstance(lexicon().abbreviations.get(found[1]), Measure) and len(words) <= len(found[1]) + 2:
            yield found[1], words, True


def _measure_at_end(words: list[str]) -> Measure | None:
    for length in range(min(7, len(words)), 0, -1):
        found = lexicon().longest(words[-length:])
        if (
            found is not None
            and found[0] == length
            and isinstance(found[1], Measure)
            and found[1].name != "other"
        ):
            adjusted = "adjusted" in words[-length - 2 : -length or None]
            return replace(found[1], adjusted=True) if adjusted else found[1]
    return None


def _initials_fit(words: list[str], short: str) -> bool:
    """Tell whether the words before the bracket begin with its letters, as in 'respiratory rate (RR)'."""
    letters = [letter.lower() for letter in short]
    initials = [word[0].lower() for word in words[-len(letters) :]]
    return initials == letters and words[-len(letters)].lower() not in ("or", "and")
