"""Clinical outcomes by name: one key for 'death from any cause' and 'all-cause mortality'."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from metarag.resources import data_file

Polarity = Literal["harm", "benefit"]

_WORD = re.compile(r"[^\W_]+(?:'s)?")
_SPELLINGS = (
    ("ae", "e"),
    ("oe", "e"),
    ("isation", "ization"),
    ("ised", "ized"),
    ("tumour", "tumor"),
    ("behaviour", "behavior"),
)
_JOIN = re.compile(
    r"[\s,]*(?:,|\bor\b|\band/or\b|,? or (?:a |an |the )?(?:first )?"
    r"|\band\b)[\s,]*(?:(?:had|suffered|experienced|developed) )?"
    r"(?:nonfatal |non-fatal |fatal |any |first |an? |the |another )*"
)
_SHORTEST_RESPELLED = 4
_KEEPS_S = ("ss", "us", "is")


@dataclass(frozen=True, slots=True)
class OutcomeKey:
    """An outcome found in a text.

    Attributes
    ----------
    key : str
        E.g. ``all_cause_death``; a composite joins the keys of its parts with ``+``, in alphabetical order.
    polarity : {'harm', 'benefit'} or None
        Whether more of it is worse or better for the patient; ``None`` where the parts disagree.
    start, end : int
        Where the words stand in the text, in characters.
    quantity : bool
        True for what is measured (blood pressure) rather than counted (stroke).
    """

    key: str
    polarity: Polarity | None
    start: int
    end: int
    quantity: bool = False


@dataclass(frozen=True, slots=True)
class _Term:
    words: tuple[str, ...]
    key: str
    polarity: Polarity
    quantity: bool
    written: str | None


def outcome_key(text: str) -> OutcomeKey | None:
    """Return the outcome that a phrase names, or ``None``.

    Parts joined by 'or' make one composite outcome; of several others the one with the longest name
    counts, then the first.
    """
    found = outcomes_in(text)
    return max(found, key=lambda hit: (hit.end - hit.start, -hit.start)) if found else None


def outcomes_in(text: str) -> tuple[OutcomeKey, ...]:
    """Return the outcomes named in a text from left to right; composites are one outcome."""
    matches = list(_WORD.finditer(text))
    words = [normal_form(match.group()) for match in matches]
    terms = _terms()
    hits: list[OutcomeKey] = []
    index = 0
    while index < len(words):
        term = _longest(terms.get(words[index], ()), words, index, text, matches)
        if term is None:
            index += 1
            continue
        last = index + len(term.words)
        hits.append(
            OutcomeKey(
                term.key, term.polarity, matches[index].start(), matches[last - 1].end(), term.quantity
            )
        )
        index = last
    return _joined(hits, text)


@lru_cache(maxsize=8_192)
def normal_form(word: str) -> str:
    """Return a word in lower case, American spelling and the singular."""
    word = word.lower().removesuffix("'s")
    if len(word) > _SHORTEST_RESPELLED:
        for british, american in _SPELLINGS:
            word = word.replace(british, american)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(_KEEPS_S) else word


@lru_cache(maxsize=1)
def _terms() -> Mapping[str, tuple[_Term, ...]]:
    listed = json.loads(data_file("outcomes.json").read_text(encoding="utf-8"))["outcomes"]
    by_first: dict[str, dict[tuple[str, ...], _Term]] = {}
    for outcome in listed:
        for printed in outcome["terms"]:
            words = tuple(normal_form(word) for word in printed.split())
            written = printed if printed.isupper() else None
            term = _Term(words, outcome["key"], outcome["polarity"], outcome.get("quantity", False), written)
            by_first.setdefault(words[0], {}).setdefault(words, term)
    return MappingProxyType(
        {
            first: tuple(sorted(terms.values(), key=lambda term: (-len(term.words), term.words)))
            for first, terms in by_first.items()
        }
    )


def _longest(
    terms: Sequence[_Term], words: Sequence[str], index: int, text: str, matches: Sequence[re.Match[str]]
) -> _Term | None:
    for term in terms:
        last = index + len(term.words)
        if tuple(words[index:last]) != term.words:
            continue
        # An abbreviation counts as written: 'PE' is an embolism, 'pe' is not.
        if term.written is not None and not matches[index].group().startswith(term.written):
            continue
        if any(mark in text[matches[index].start() : matches[last - 1].end()] for mark in ".;:()"):
            continue
        return term
    return None


def _joined(hits: Sequence[OutcomeKey], text: str) -> tuple[OutcomeKey, ...]:
    joined: list[OutcomeKey] = []
    run: list[OutcomeKey] = []
    links: list[str] = []
    for hit in hits:
        gap = text[run[-1].end : hit.start] if run else ""
        if run and len(gap) <= 40 and _JOIN.fullmatch(gap):
            run.append(hit)
            links.append(gap)
            continue
        joined += _composite(run, links)
        run, links = [hit], []
    return tuple(joined + _composite(run, links))


def _composite(run: Sequence[OutcomeKey], links: Sequence[str]) -> list[OutcomeKey]:
    """Join parts linked by 'or'; a list with 'and' names several outcomes."""
    if (
        len(run) < 2
        or not re.search(r"\bor\b", links[-1])
        or any(re.search(r"\band\b", link) for link in links)
    ):
        return list(run)
    polarities = {hit.polarity for hit in run}
    polarity = run[0].polarity if len(polarities) == 1 else None
    key = "+".join(sorted({hit.key for hit in run}))
    return [OutcomeKey(key, polarity, run[0].start, run[-1].end, run[0].quantity)]
