"""The telling words of a question or of a patient's story, for what no vocabulary knows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from metarag.retrieval.free_text import FUNCTION_WORDS, GREEK_LETTERS
from metarag.retrieval.search_terms import SearchTerms
from metarag.sentences import sentences_of

SHORTEST_WORD: Final = 4
"""Letters; shorter words are kept where they are abbreviations."""
LONGEST_WORD: Final = 40
"""Letters; no word of a language is longer."""
IGNORED_BY_PUBMED: Final = frozenset(
    """
    a about again all almost also although always among an and another any are as at be because been before being
    between both but by can could did do does done due during each either enough especially etc for found from further
    had has have having here how however i if in into is it its itself just kg km made mainly make may mg might ml mm
    most mostly must nearly neither no nor obtained of often on our overall perhaps pmid quite rather really regarding
    seem seen several should show showed shown shows significantly since so some such than that the their theirs them
    then there therefore these they this those through thus to upon use used using various very was we were what when
    which while with within without would
    """.split()
)
"""Stop words (PubMed User Guide, "Stopwords"): PubMed leaves them out of a query."""
_WORD: Final = re.compile(r"[^\W\d_](?:[\w'’-]*[^\W_])?")
_MEDICAL: Final = (
    *("itis", "osis", "emia", "aemia", "uria", "oma", "pathy", "algia", "megaly", "penia", "plegia", "paresis"),
    *("rrhea", "rrhoea", "ectomy", "otomy", "plasty", "scopy", "cytosis", "philia", "trophy", "stasis", "spasm"),
    *("kinesia", "opsy", "ism", "gen", "ine", "ide", "ase", "oid", "lysis", "sclerosis", "ectasis", "phagia"),
    *("pnea", "pnoea", "cele", "lith", "edema", "oedema", "cyte", "cocci", "coccus", "virus", "bacter"),
)  # fmt: skip
"""Endings of the language of medicine, Greek and Latin."""
_PREGNANCIES: Final = re.compile(r"g\d+(?:p\d+)?", re.IGNORECASE | re.ASCII)
"""How many pregnancies and births there were, as G2P1: every obstetric story begins with it."""
_ABSENT: Final = re.compile(
    r"\b(?:denies|denied|without|no|not|nor|never|negative for|unremarkable|normal|noncontributory)\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(r"[.;:!?]|,? but\b")
_MEASURED: Final = re.compile(
    r"\b(?:blood pressure|pulse is|respirations are|temperature is)\b"
    r"|\d\s{0,2}(?:/mm|/min|mg/|g/|U/L|IU/|mEq|mmol|mm/h|mm ?Hg|ng/|pg/|μ|µ|%|°)",
    re.IGNORECASE,
)
"""Vital signs and laboratory values: every story lists them."""


@dataclass(frozen=True, slots=True)
class KeyWord:
    """A telling word, where it stands, and how much it tells."""

    text: str
    start: int
    weight: float


def key_words(
    text: str, terms: SearchTerms, *, taken: Collection[tuple[int, int]] = (), story: bool = False
) -> tuple[str, ...]:
    """Return the words of a text that say what it is about, the most telling first, in lower case.

    Abbreviations and words of the language of medicine tell most, then long words; what stands nearer to the end of a
    story tells more. What the patient does not have, and vital signs, are left out.

    Parameters
    ----------
    taken : collection of (int, int)
        Places of words that are searched already.
    story : bool
        True for the story of a patient.
    """
    common = (
        terms.question_words
        | FUNCTION_WORDS
        | IGNORED_BY_PUBMED
        | (terms.story_words if story else frozenset())
    )
    found: dict[str, KeyWord] = {}
    for start, end in told_parts(text) if story else ((0, len(text)),):
        for match in _WORD.finditer(text, start, end):
            word = _spelt_out(match.group().replace("’", "'").removesuffix("'s"))
            at = match.start()
            if any(first <= at < last for first, last in taken) or not _may_tell(word, common):
                continue
            place = at / len(text) if story else 0.0
            key = KeyWord(word.lower(), at, _weight(word) + place)
            if key.text not in found or found[key.text].weight < key.weight:
                found[key.text] = key
    ranked = sorted(found.values(), key=lambda key: (-key.weight, key.start))
    return tuple(key.text for key in ranked)


def told_parts(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a story tells what there is: start and end, without measurements and what is denied."""
    for start, end in sentences_of(text):
        if _MEASURED.search(text, start, end):
            continue
        at = start
        while (absent := _ABSENT.search(text, at, end)) is not None:
            yield at, absent.start()
            clause = _CLAUSE_END.search(text, absent.end(), end)
            at = clause.end() if clause else end
        yield at, end


def _spelt_out(word: str) -> str:
    """Return a word with the names of its Greek letters, as many titles have them: TNF-alpha. Greek stays Greek."""
    if word.isascii() or not any(letter.isascii() and letter.isalnum() for letter in word):
        return word
    return "".join(GREEK_LETTERS.get(letter, letter) for letter in word)


def _is_latin(word: str) -> bool:
    return word.isascii() or all(
        letter.isascii() or unicodedata.name(letter, "").startswith("LATIN") for letter in word
    )


def _may_tell(word: str, common: frozenset[str]) -> bool:
    if not _is_latin(word) or len(word) > LONGEST_WORD or _PREGNANCIES.fullmatch(word):
        return False
    if any(part in common for part in _parts(word)):
        return False
    return len(word) >= SHORTEST_WORD or (len(word) > 1 and word.isupper())


def _parts(word: str) -> tuple[str, ...]:
    """Return the word and, of a compound that begins or ends with a number's unit, its last part."""
    lower = word.lower()
    return (lower, lower.removesuffix("s"), *lower.split("-")[-1:])


def _weight(word: str) -> float:
    lower = word.lower()
    medical = lower.endswith(_MEDICAL) or lower.removesuffix("s").endswith(_MEDICAL)
    abbreviation = sum(letter.isupper() for letter in word) > 1
    inflected = not medical and lower.endswith(("ly", "ed", "ing"))
    return min(len(word), 12) / 12 + 1.0 * medical + 0.8 * abbreviation - 0.5 * inflected
