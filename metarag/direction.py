"""Which way an outcome sentence points: more, less, or no difference, by its numbers and its words.

Direction is that of the outcome, not of benefit: fewer deaths and less weight are both *decreased*. It is
a channel of its own, weaker than an effect with its interval, for the many sentences that print none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from metarag.direction_words import (
    BETWEEN_GROUPS,
    CHANGED,
    CLAUSE_END,
    CONTROL_HAD,
    DENIED,
    IN_CONTROL,
    P_VALUE,
    SIGNIFICANT,
    STRENGTH,
    THAN,
    WEAKNESS,
)
from metarag.effect_outcomes import word_polarity
from metarag.effect_sizes import extract_effects
from metarag.outcome_keys import normal_form, outcome_key
from metarag.types import EffectEstimate, Span

SIGNIFICANCE_LEVEL = 0.05
"""P values above it mean 'no difference', as the labels of Evidence Inference do (Lehman et al. 2019)."""

CONFIDENCES = MappingProxyType(
    {"denied": 0.96, "insignificant": 0.87, "effect": 0.84, "significant": 0.77, "worded": 0.68}
)
"""Share of right answers by what decided, on labelled trial sentences (``benchmarks/effects.py``)."""

_LONGEST = 4000
"""Characters of a text that are read; an outcome sentence has a few hundred."""


_LIST_STEP = 30
"""Characters that a comma or an 'and' counts for, between a change and an outcome. Ours."""
_NEXT_OF_LIST = re.compile(r"[,;]| and ")


class Direction(StrEnum):
    """What became of the outcome under the intervention, compared with the comparator."""

    INCREASED = "increased"
    DECREASED = "decreased"
    NO_DIFFERENCE = "no_difference"


@dataclass(frozen=True, slots=True)
class DirectionFinding:
    """A direction with the words or numbers that say so.

    Attributes
    ----------
    direction : Direction
    span : Span
        The deciding words, in the text as given.
    basis : str
        ``denied`` (words for no difference), ``effect`` (limits of an effect), ``insignificant`` (a large
        P value), ``significant`` (a change with 'significantly' or a small P value) or ``worded`` (a
        change in words alone).
    confidence : float
        In [0, 1], from :data:`CONFIDENCES`.
    """

    direction: Direction
    span: Span
    basis: str
    confidence: float


def direction_of(text: str, *, outcome: str | None = None, where: str = "text") -> DirectionFinding | None:
    """Return which way a sentence says that its outcome went, or ``None`` where it does not say.

    Parameters
    ----------
    text : str
        One or a few sentences about an outcome; the first 4,000 characters are read.
    outcome : str or None
        The outcome that is asked for: picks the clause about it, and the change nearest to it.
    where : str
        What ``Span.where`` says.
    """
    text = text[:_LONGEST]
    clauses = list(_clauses(text))
    wanted = _forms(outcome) if outcome is not None else frozenset()
    if wanted:
        clauses.sort(key=lambda clause: -len(wanted & _forms(text[slice(*clause)])))
    for start, stop in clauses:
        decided = _Clause(text[start:stop], outcome, wanted).decide()
        if decided is not None:
            direction, basis, first, last = decided
            span = Span(
                where=where, start=start + first, end=start + last, text=text[start + first : start + last]
            )
            return DirectionFinding(direction, span, basis, CONFIDENCES[basis])
    return None


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in CLAUSE_END.finditer(text):
        if found.start() > start:
            yield start, found.start()
        start = found.end()
    if start < len(text):
        yield start, len(text)


def _forms(text: str) -> frozenset[str]:
    return frozenset(normal_form(word) for word in re.findall(r"[^\W_]{4,}", text))


_Decision = tuple[Direction, str, int, int]


class _Clause:
    """One clause, and what in it decides."""

    def __init__(self, text: str, outcome: str | None, wanted: frozenset[str]) -> None:
        self.text = text
        self.outcome = outcome
        self.wanted = wanted
        self.named = [name.span() for name in re.finditer(re.escape(outcome), text)] if outcome else []
        # The relief of "headache relief" is the outcome, no change of it; nor is it one of being free from pain.
        is_good = self._polarity() == "benefit" if outcome else False
        self.changes = [
            change
            for change in CHANGED.finditer(text)
            if not any(first <= change.start() < last for first, last in self.named)
            and not (is_good and change.group().lower() == "relief")
        ]

    def decide(self) -> _Decision | None:
        denied, changed, p = DENIED.search(self.text), self._change(), P_VALUE.search(self.text)
        if denied is not None and self._denial_wins(denied, changed, p):
            return Direction.NO_DIFFERENCE, "denied", denied.start(), denied.end()
        effect = self._effect()
        if effect is not None:
            return self._by_effect(effect, changed), "effect", effect.span.start, effect.span.end
        if p is not None and is_large(p):
            return Direction.NO_DIFFERENCE, "insignificant", p.start(), p.end()
        if changed is None:
            return None
        sure = p is not None or SIGNIFICANT.search(self.text) is not None
        return self._direction(changed), "significant" if sure else "worded", changed.start(), changed.end()

    def _change(self) -> re.Match[str] | None:
        """Return the change that is told: the first, or the one nearest to the outcome asked for."""
        found = self.changes
        places = self._places() if len(found) > 1 else []
        if not places:
            return found[0] if found else None
        nearest = min(found, key=lambda change: min(self._distance(change, place) for place in places))
        before = found.index(nearest) - 1
        if before < 0 or nearest.start() - found[before].end() >= 20:
            return nearest
        # 'A greater reduction in pain', 'improved more': the strengthening word goes with the change beside it.
        strengthens, is_strengthened = (
            change.group().lower() in STRENGTH | WEAKNESS for change in (nearest, found[before])
        )
        between = self.text[found[before].end() : nearest.start()]
        # "More bleeds and fewer strokes": each has a change of its own.
        is_strengthened = is_strengthened and not _NEXT_OF_LIST.search(between)
        return found[before] if is_strengthened or (strengthens and between == " ") else nearest

    def _places(self) -> list[tuple[int, int]]:
        """Return where words of the outcome stand; of a short name such as QOL, the name."""
        words = re.finditer(r"[^\W_]{4,}", self.text)
        places = [word.span() for word in words if normal_form(word.group()) in self.wanted]
        return places or self.named

    def _distance(self, change: re.Match[str], place: tuple[int, int]) -> int:
        """Return how far a change is from a word; farther where another part of a list is between them."""
        first, second = sorted((change.span(), place))
        between = self.text[first[1] : second[0]]
        return len(between) + _LIST_STEP * len(_NEXT_OF_LIST.findall(between))

    def _denial_wins(
        self, denied: re.Match[str], changed: re.Match[str] | None, p: re.Match[str] | None
    ) -> bool:
        if changed is None or denied.start() <= changed.start() or denied.end() >= changed.end():
            return True
        return is_large(p) or BETWEEN_GROUPS.search(self.text, denied.start()) is not None

    def _effect(self) -> EffectEstimate | None:
        effects = extract_effects(self.text)
        return next(
            (e for e in effects if e.effect is not None and e.lower is not None and e.upper is not None), None
        )

    def _by_effect(self, effect: EffectEstimate, changed: re.Match[str] | None) -> Direction:
        null = 1.0 if effect.scale == "log" else 0.0
        if effect.lower is None or effect.upper is None or effect.lower <= null <= effect.upper:
            return Direction.NO_DIFFERENCE
        if changed is not None:
            return self._direction(changed)
        return Direction.INCREASED if (effect.effect or 0.0) > 0 else Direction.DECREASED

    def _direction(self, changed: re.Match[str]) -> Direction:
        word, turned = changed.group().lower(), False
        if word in STRENGTH | WEAKNESS:
            first, last = changed.end(), changed.end() + 40
            behind = next((c for c in self.changes if first <= c.start() and c.end() <= last), None)
            if behind is not None and behind.group().lower() not in STRENGTH | WEAKNESS | {"lower", "fewer"}:
                changed, turned = behind, word in WEAKNESS
        up = changed["up"] is not None
        if changed["better"] is not None or changed["worse"] is not None:
            up = (self._polarity() != "harm") == (changed["better"] is not None)
        if turned != self._is_said_of_control(changed):
            up = not up
        return Direction.INCREASED if up else Direction.DECREASED

    def _polarity(self) -> str | None:
        about = self.outcome or self.text
        known = outcome_key(about)
        return known.polarity if known is not None else word_polarity(about)

    def _is_said_of_control(self, changed: re.Match[str]) -> bool:
        """Tell whether the change is the control arm's: 'higher in the placebo group'."""
        if CONTROL_HAD.match(self.text, 0, changed.end()):
            return True
        found = IN_CONTROL.match(self.text, changed.end())
        return found is not None and THAN.search(self.text, changed.end(), found.end()) is None


def is_large(p: re.Match[str] | None) -> bool:
    """Tell whether a match of :data:`metarag.direction_words.P_VALUE` says that nothing was significant."""
    if p is None:
        return False
    value = float(re.sub(r"\s", "", p["value"]).replace("\u00b7", ".").replace(",", "."))
    return p["sign"] in ">\u2265" or (p["sign"] == "=" and value > SIGNIFICANCE_LEVEL)
