"""Phrases that tell something: literal cues first, then a bounded pattern at each cue.

A pattern is only tried where its cue stands, so that the work is linear in the text whatever the text is.
All patterns have bounded repeats. They are compiled when they are first tried: most texts need few of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from metarag.design_context import CONTEXTS
from metarag.design_reasons import Claim
from metarag.types import StudyDesign

_SENTENCE: Final = 320
_GAP: Final = r"(?:[^\s.;:]{1,30}\s{1,2}){0,%s}?"
_COUNT: Final = re.compile(r"<(\d{1,2})>")
_DASHES: Final = "‐‑‒–—―−"
_BLANKS: Final = "\u00a0\u2009\u202f\u200b\u200e\u200f\t"

TITLE: Final = "title"
ABSTRACT: Final = "abstract"
BOTH: Final = (TITLE, ABSTRACT)


@dataclass(frozen=True, slots=True)
class TextRule:
    """A phrase and what it says. Patterns are in the notation of :func:`rule`.

    Attributes
    ----------
    cues : tuple of str
        Folded literals; the pattern is tried at each place where one stands at the start of a word.
    pattern : str
        Matched from the cue on.
    claim : Claim
        What the phrase says.
    where : tuple of str
        ``title``, ``abstract`` or both.
    after : str or None
        Must match the up to 70 characters before the cue (ends with ``$``).
    not_after : str or None
        Must not match there.
    unless : tuple of str
        None of them may match anywhere in the sentence of the phrase.
    needs : tuple of str
        Literals of which the text must hold one, or the pattern is never tried; empty: no such need.
    needs_word : frozenset of str
        The same for whole words.
    """

    cues: tuple[str, ...]
    pattern: str
    claim: Claim
    where: tuple[str, ...] = BOTH
    after: str | None = None
    not_after: str | None = None
    unless: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    needs_word: frozenset[str] = frozenset()


def rule(
    cues: str,
    pattern: str,
    design: StudyDesign | None = None,
    weight: float = 0.0,
    *labels: str,
    where: Sequence[str] = BOTH,
    after: str | None = None,
    not_after: str | None = None,
    unless: str | None = None,
    needs: str | None = None,
    needs_word: str | None = None,
) -> TextRule:
    """Build a rule from short notation.

    Parameters
    ----------
    cues : str
        Alternatives divided by ``|``; ``~`` in a cue or a pattern stands for a hyphen, a blank or nothing.
    pattern : str
        A regular expression over folded text; a blank matches one to three white-space characters
        (`` ?`` none to three), and ``<n>`` up to ``n`` words within the sentence.
    needs : str or None
        Literals divided by ``|``, one of which stands in every match of the pattern. It only saves work: give
        it where the cues are common words.
    needs_word : str or None
        The same with whole words (letters and digits only); for a long list this is quicker.
    """
    return TextRule(
        cues=tuple(form for cue in cues.split("|") for form in _cue_forms(cue)),
        pattern=pattern,
        claim=Claim(design, weight, labels),
        where=tuple(where),
        after=f"(?:{after})$" if after else None,
        not_after=f"(?:{not_after})$" if not_after else None,
        unless=_alternatives(unless or ""),
        needs=tuple(needs.split("|")) if needs else (),
        needs_word=frozenset(needs_word.split("|")) if needs_word else frozenset(),
    )


def _alternatives(pattern: str) -> tuple[str, ...]:
    """Take the contexts that many rules share out of a pattern's alternatives, so that each is asked once."""
    shared = [context for context in CONTEXTS if context in pattern]
    for context in shared:
        pattern = pattern.replace(context, "")
    own = pattern.strip("|").replace("||", "|")
    return (*shared, own) if own else tuple(shared)


@cache
def compile_phrase(pattern: str) -> re.Pattern[str]:
    """Compile the notation of :func:`rule`, once for each pattern."""
    spaced = pattern.replace(" ?", r"\s{0,3}").replace(" ", r"\s{1,3}").replace("~", r"[-\s]?")
    return re.compile(_COUNT.sub(lambda m: _GAP % m.group(1), spaced))


def _cue_forms(cue: str) -> tuple[str, ...]:
    if "~" not in cue:
        return (cue,)
    return tuple(cue.replace("~", joint) for joint in ("-", " ", ""))


@lru_cache(maxsize=32)
def fold(text: str) -> str:
    """Return the text in lower case with plain dashes and blanks, of the same length.

    The last texts are kept, because several readers ask for the same title and abstract in turn.
    """
    if text.isascii():
        return text.lower()
    plain = text
    # One search for each sign: a table of all signs would be asked for every letter.
    for dash in _DASHES:
        plain = plain.replace(dash, "-")
    for blank in _BLANKS:
        plain = plain.replace(blank, " ")
    folded = plain.lower()
    if len(folded) == len(text):
        return folded
    # A few capitals (the Turkish dotted I) grow when lowered; spans must not move.
    return "".join(low if len(low := c.lower()) == 1 else c for c in plain)


def sentence_bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence of ``text[start:end]``, at most 320 characters to each side."""
    low, high = max(0, start - _SENTENCE), min(len(text), end + _SENTENCE)
    stop, line = text.rfind(". ", low, start), text.rfind("\n", low, start)
    left = max(low, line + 1, stop + 2 if stop >= 0 else 0)
    stop, line = text.find(". ", end, high), text.find("\n", end, high)
    return left, min(stop if stop >= 0 else high, line if line >= 0 else high)


def sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence that holds ``text[start:end]``, at most 320 characters to either side."""
    left, right = sentence_bounds(text, start, end)
    return text[left:right]
