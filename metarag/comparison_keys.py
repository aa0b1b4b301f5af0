"""What an effect compares, as a key under which studies may be pooled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from metarag.pico_types import ExtractedPico, PicoTerm, TermKind
from metarag.pico_vocabulary import Words, vocabulary
from metarag.types import EffectEstimate

INACTIVE: Final = "inactive control"
"""Placebo, sham, no treatment and usual care: reviews pool trials against any of them."""
_INACTIVE_NAMES: Final = frozenset(
    """placebo placebos control controls sham dummy vehicle saline crystalloid glucose dextrose untreated
    unexposed unvaccinated nothing usual_care standard_care standard_of_care usual_treatment
    conventional_care conventional_treatment conventional_therapy standard_therapy routine_care
    no_treatment no_therapy no_active_treatment no_intervention no_prophylaxis waiting_list observation
    without_it open_control""".split()
)
_NOT_NAMES: Final = frozenset(
    """active arm control day days dose drug experimental group intervention new study test treatment
    treated up""".split()
)
_TREATMENTS: Final = (TermKind.DRUG, TermKind.PROCEDURE)
_MOST_TREATMENTS: Final = 2
"""Named in a title: more are a list, and nobody knows which of them an effect belongs to."""


def comparison_key(effect: EffectEstimate, pico: ExtractedPico | None) -> str | None:
    """Return ``intervention|comparator``; ``None`` where either is not known.

    The effect's own sentence counts first. Where it names no treatment that the vocabulary knows ("5 mg",
    "the intervention group"), the treatments of the article's title stand in, if they are at most two and
    the article names an inactive comparator. All inactive comparators are one.
    """
    printed = effect.comparison_key
    one, _, two = printed.partition("|") if printed else ("", "", "")
    treatment, comparator = _known_treatment(one), _comparator(two, pico)
    if treatment is None:
        treatment = _title_treatment(pico) or _unknown_treatment(one)
        if two and comparator != INACTIVE:
            return None
    if treatment is None or comparator is None or treatment == comparator:
        return None
    return f"{treatment}|{comparator}"


def is_control_first(effect: EffectEstimate) -> bool:
    """Tell whether an effect is printed as control against treatment: its sign is that of the control."""
    first, bar, _ = (effect.comparison_key or "").partition("|")
    return bool(bar) and first in _INACTIVE_NAMES


@lru_cache(maxsize=4_096)
def _known_treatment(name: str) -> str | None:
    hits = vocabulary().find(Words.of(name.replace("_", " ")))
    named = {c.name for hit in hits for c in hit.concepts if c.kind in _TREATMENTS}
    return "+".join(sorted(named)) or None


def _unknown_treatment(name: str) -> str | None:
    """Take a name that the vocabulary lacks, unless it is a dose, a day or a part in the trial."""
    words = name.replace("_", " ").split()
    is_name = words and all(word.replace("-", "").isalpha() for word in words)
    return " ".join(words) if is_name and not _NOT_NAMES.intersection(words) else None


def _comparator(name: str, pico: ExtractedPico | None) -> str | None:
    if name in _INACTIVE_NAMES:
        return INACTIVE
    if name:
        return _known_treatment(name)
    return INACTIVE if pico and any(_is_inactive(term) for term in pico.comparator) else None


def _is_inactive(term: PicoTerm) -> bool:
    return term.concept.replace(" ", "_") in _INACTIVE_NAMES


def _title_treatment(pico: ExtractedPico | None) -> str | None:
    if pico is None:
        return None
    named = _names([t for t in pico.intervention if t.kind in _TREATMENTS and t.span.where == "title"])
    return "+".join(named) if 0 < len(named) <= _MOST_TREATMENTS else None


def _names(terms: Sequence[PicoTerm]) -> list[str]:
    return sorted({term.concept for term in terms})
