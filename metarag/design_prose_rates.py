"""How often prose speaks in certain ways: tense, own measurements, numbers, the words of reviews.

Single words are classified once each, whatever number of texts they stand in; phrases are tried only where
one of their literals stands. So no pattern walks over the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from itertools import compress
from types import MappingProxyType
from typing import Final, NamedTuple

from metarag.folded_words import WordMemo
from metarag.literals import places_of

_MAX_RATE: Final = 12.0


class _Phrases(NamedTuple):
    """A pattern and the literals of which each match begins with one."""

    literals: tuple[str, ...]
    pattern: re.Pattern[str]


def _phrases(literals: str, pattern: str) -> _Phrases:
    return _Phrases(tuple(literals.split("|")), re.compile(pattern))


_WORDS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        name: re.compile(pattern)
        for name, pattern in (
            ("past", r"(?:was|were|did|had|could)\Z"),
            ("present", r"(?:is|are|has|have|been|can|may|will|should|must|might)\Z"),
            ("significant", "significan"),
            ("discuss", "(?:discuss|summari[sz]|outline|highlight|focus|describ|emphasi)"),
            (
                "recent",
                "(?:recent|current|today|now|past|decade|years|future|advance|progress|emerging|novel|new)",
            ),
            ("connective", r"(?:including|however|although|therefore|thus|moreover|furthermore)\Z"),
            (
                "clinical",
                "(?:therap|treatment|management|strateg|approach|option|prevention|diagnos|pathogenesis"
                "|mechanism|role|understanding|knowledge|research|evidence|literature)",
            ),
            ("case", r"(?:case|patient)\Z"),
        )
    }
)
_PHRASES: Final[Mapping[str, _Phrases]] = MappingProxyType(
    {
        "we_did": _phrases(
            "we ",
            r"\bwe (?:\w+ly |also |have )?(?:found|find|investigat|stud|examin|analy|measur|observ"
            r"|perform|conduct|compar|evaluat|assess|determin|test|show|demonstrat|use|propos|develop|report"
            r"|present|introduc|identif|describe)",
        ),
        "was_done": _phrases("was |were ", r"\b(?:was|were) (?:\w{2,15}ly )?\w{2,20}ed\b"),
        "is_done": _phrases("is |are ", r"\b(?:is|are) (?:\w{2,15}ly )?\w{2,20}ed\b"),
        "percent": _phrases("%", "%"),
        "statistics": _phrases("p <|p<|p =|p=|p >|p>|n =|n=|±|+/-|ci", r"\bp ?[<=>]|\bn ?=|±|\+/-|\bci\b"),
        "this_study": _phrases(
            "this |present |current |our ",
            r"\b(?:this|present|our|current) (?:\w{2,15} )?(?:study|work|experiment|investigation"
            r"|trial|data|results|findings|survey|series|experience|approach|method)\b",
        ),
        "connective": _phrases("such as|in addition|e.g", r"\b(?:such as|in addition|e\.g)\b"),
        "case": _phrases("year-old", r"\byear-old\b"),
    }
)
_HEADING: Final = re.compile(r"(?:methods?|results?|background|objectives?|conclusions?|purpose|aims?)\b:?")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_NO_NUMBER: Final = {code: " " for code in range(128) if not chr(code).isdigit() and chr(code) != "."}

RATES: Final = (
    "past",
    "present",
    "we_did",
    "was_done",
    "is_done",
    "number",
    "percent",
    "statistics",
    "heading",
    "this_study",
    "significant",
    "discuss",
    "recent",
    "connective",
    "clinical",
    "case",
)
"""The rates by name, in the order in which :func:`rates` gives them."""


def rates(folded: str, words: Mapping[str, int]) -> list[float]:
    """Return how often each of ``RATES`` occurs per 100 words, at most 12.

    Parameters
    ----------
    folded : str
        Lower case, plain dashes.
    words : mapping of str to int
        How often each word stands there, cut as :func:`metarag.folded_words.cut` does.
    """
    counts = count_words(words)
    count_phrases(counts, folded, IN_TEXT)
    return per_100_words(counts, len(folded.split()))


def count_words(words: Mapping[str, int]) -> dict[str, int]:
    """Return how many of the words are of each of ``RATES``, by name: none yet where a text is searched."""
    counts = dict.fromkeys(RATES, 0)
    told = list(map(_classes().__getitem__, words))
    for names, count in compress(zip(told, words.values(), strict=True), told):
        for name in names:
            counts[name] += count
    return counts


def count_phrases(counts: dict[str, int], folded: str, names: Collection[str]) -> None:
    """Add what the text holds of ``names``, which are of ``IN_TEXT``."""
    for name in names:
        counts[name] += _IN_TEXT[name](folded)


def per_100_words(counts: Mapping[str, int], length: int) -> list[float]:
    """Return the rates of a text of so many words, in the order of ``RATES``, at most 12."""
    length = max(1, length)
    return [min(counts[name] * 100 / length, _MAX_RATE) for name in RATES]


@cache
def _classes() -> WordMemo[tuple[str, ...]]:
    return WordMemo(lambda word: tuple(name for name, pattern in _WORDS.items() if pattern.match(word)))


def _counting(phrases: _Phrases) -> Callable[[str], int]:
    """Return what counts the matches in a text that do not overlap."""
    literals, match = phrases.literals, phrases.pattern.match

    def count(folded: str) -> int:
        starts: list[int] = []
        for literal in literals:
            start = folded.find(literal)
            while start >= 0:
                starts.append(start)
                start = folded.find(literal, start + 1)
        matches = end = 0
        for start in sorted(starts):
            found = match(folded, start) if start >= end else None
            if found:
                matches += 1
                end = found.end()
        return matches

    return count


def _headings(folded: str) -> int:
    """Count the headings of a structured abstract: at its start, and after a full stop or a new line."""
    after_lines = {start + 1 for start in places_of("\n", folded)}
    after_stops = {start + 2 for start in places_of(". ", folded)}
    return sum(_HEADING.match(folded, start) is not None for start in {0} | after_lines | after_stops)


def _numbers(folded: str) -> int:
    # What is left of the text is short, so that the pattern is quick.
    return len(_NUMBER.findall(" ".join(folded.translate(_NO_NUMBER).split())))


_IN_TEXT: Final[Mapping[str, Callable[[str], int]]] = MappingProxyType(
    {"number": _numbers, "heading": _headings}
    | {name: _counting(phrases) for name, phrases in _PHRASES.items()}
)
IN_TEXT: Final = tuple(_IN_TEXT)
"""Those of ``RATES`` for which the text is searched: they cost more than all that single words tell."""
