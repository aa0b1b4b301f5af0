"""Free text as a full-text query that cannot be a syntax error.

Nothing of the text reaches FTS5 as syntax: it is cut into terms here, each term becomes a quoted
phrase, and the phrases are joined by OR.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

MAX_TERMS: Final = 100
"""Distinct terms of one query (ours). A clinical vignette has about 60, rarely over 100; each costs time."""

MAX_TERM_LENGTH: Final = 100
"""Characters. No word of a language is longer; what is, is encoded data."""

FUNCTION_WORDS: Final = frozenset(
    """
    a about after all among an and any are as at be been being between but by can could did do does
    during each for from had has have how i if in into is it its may might more most must my no nor not
    of on or our shall should so such than that the their them then there these they this those to us
    was we were what when where whether which who whom whose why will with would you your
    """.split()
)
"""Words that say nothing of a subject. Medical words are not in the list, however common they are."""

_OPERATORS: Final = frozenset(("AND", "OR", "NOT", "NEAR"))
_MIN_PART_LENGTH: Final = 5
_TERM = re.compile(r"[^\W_]+(?:(?:[-‐‑'’]|(?<=\d)\.(?=\d))[^\W_]+)*")
_BETWEEN_PARTS = re.compile(r"[-‐‑'’.\s]+")
_POSSESSIVE = re.compile(r"['’][sS]?$")
_FIELD_TAG = re.compile(
    r"\[(?:tiab|title/abstract|title|ti|text word|tw|mesh terms|mesh|mh|majr|pt|all fields)\]",
    re.IGNORECASE,
)
_SYNTAX = re.compile(r"\b(?:AND|NOT)\b|\bOR\b(?!\s*[\d=<>])|\bNEAR\(|\w\*")  # "OR 0.8" is an odds ratio
_GREEK: Final = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"),
    *("nu", "xi", "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
GREEK_LETTERS: Final = MappingProxyType(
    {
        **{chr(0x3B1 + i): name for i, name in enumerate(_GREEK)},
        **{chr(0x391 + i): name for i, name in enumerate(_GREEK)},
        "\u00b5": "mu",
    }
)
"""Greek letters, small and capital, with their names in English."""
_POOR_PARTS: Final = FUNCTION_WORDS | frozenset(_GREEK)

_MARKS: Final = MappingProxyType(dict.fromkeys((0xAD, *range(0x300, 0x370))))
"""Soft hyphens and the accents that stand after their letter: dropped, the letter stays."""


def _letters() -> dict[int, str]:
    greek = {ord(letter): f" {name} " for letter, name in GREEK_LETTERS.items()}
    raised = dict(zip(map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"), "01234567890123456789", strict=True))
    return {**greek, **raised}


_FOLDING: Final = MappingProxyType({**_MARKS, **_letters()})
"""A table and not NFKC, which takes quadratic time on a long run of accents."""


def fold(text: str) -> str:
    """Return ``text`` with the spellings of one thing made one: TNF-α and TNF-alpha, CO₂ and CO2.

    Applied to what is indexed and to what is asked. A change here needs a migration of the index.
    """
    return text if text.isascii() else text.translate(_FOLDING)


@dataclass(frozen=True, slots=True)
class FreeTextQuery:
    """The terms that a text is searched by.

    Attributes
    ----------
    terms : tuple of str
        Distinct, lower case, in order of appearance; a term of several words is a phrase.
    warnings : tuple of str
        What of the text was not searched, and why.
    """

    terms: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def match(self) -> str:
        """The query in FTS5's syntax; empty when no term is left."""
        return " OR ".join(f'"{term}"' for term in self.terms)


def free_text_query(*texts: str, max_terms: int = MAX_TERMS) -> FreeTextQuery:
    """Return the query for any texts, the most important first.

    ``IL-6`` becomes the phrase ``"il 6"``; a compound's parts of five letters or more are searched
    as well (``aspirin-treated``). Function words go, unless written as an abbreviation (``ALL``,
    ``WHO``). Of too many terms the first and the last half are kept: a vignette begins with the
    patient and ends with what is asked.

    Raises
    ------
    ValueError
        ``max_terms`` is less than 2.
    """
    if max_terms < 2:
        raise ValueError(f"max_terms must be 2 or more, got {max_terms}")
    found = list(dict.fromkeys(term for text in texts for term in _terms(text)))
    terms = [term for term in found if len(term) <= MAX_TERM_LENGTH]
    warnings = []
    if any(not text.isupper() and (_SYNTAX.search(text) or _FIELD_TAG.search(text)) for text in texts):
        warnings.append("The local index searches words: AND, OR, NOT, *, NEAR and field tags do nothing.")
    if len(terms) < len(found):
        count = len(found) - len(terms)
        warnings.append(f"Left out because longer than {MAX_TERM_LENGTH} characters: {count} of the terms.")
    if len(terms) > max_terms:
        first, last = max_terms - max_terms // 2, max_terms // 2
        warnings.append(
            f"Of {len(terms):,} distinct terms the first {first} and the last {last} were searched."
        )
        terms = terms[:first] + terms[-last:]
    if not terms:
        warnings.append("No word to search for is left: the text has only function words or signs.")
    return FreeTextQuery(terms=tuple(terms), warnings=tuple(warnings))


def _terms(text: str) -> Iterator[str]:
    shouted = text.isupper()
    bare = text if text.isascii() else text.translate(_MARKS)
    for match in _TERM.finditer(_FIELD_TAG.sub(" ", bare)):
        word = _POSSESSIVE.sub("", match[0])
        if _is_function_word(word, shouted=shouted):
            continue
        parts = [part for part in _BETWEEN_PARTS.split(fold(word.lower())) if part]
        yield " ".join(parts)
        if len(parts) > 1:
            yield from (part for part in parts if len(part) >= _MIN_PART_LENGTH and part not in _POOR_PARTS)


def _is_function_word(word: str, *, shouted: bool) -> bool:
    if word.lower() not in FUNCTION_WORDS:
        return False
    abbreviation = len(word) > 1 and word.isupper() and not shouted and word not in _OPERATORS
    return not abbreviation
