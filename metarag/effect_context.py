"""What an effect is about: outcome, orientation and comparison, as far as the words around it tell."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import MappingProxyType

from metarag.effect_comparisons import Comparison, arms, comparison_in, randomised_comparison
from metarag.effect_events import event_of_arms
from metarag.effect_outcomes import Outcome, outcome_for
from metarag.effect_readings import Reading
from metarag.effect_sentences import Found

_UNIT = re.compile(
    r"\s?(?P<unit>%|percentage points?|mm ?Hg|cm ?H2O|k?g/m\s?(?:2|\u00b2)|[mµμ]?mol/l"
    r"|mg/dl|g/dl|g/l|ml/min(?:/1\.73 ?m\s?(?:2|\u00b2))?|ml/kg|"
    r"kg|mg|g|ml|l|cm|mm|m|days?|d|hours?|hrs?|h|min(?:utes)?|s|seconds?|weeks?|months?"
    r"|years?|bpm|beats per minute|kcal|iu/l|letters|dB)"
    r"(?![\w/])",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"\b(?:VAS|visual analogue|visual analog|WOMAC|MADRS|HAM-?D|HDRS|BDI|PHQ-?9|EPDS|PANSS"
    r"|CGI|SF-?36|EQ-?5D|MMSE|ADAS|BPI|ODI|NRS|FACIT|HAQ|DAS28|UPDRS|CDR|IPSS|BPRS"
    r"|GAD-?7)\b"
)
_WORDS_OF_ITS_OWN = 12
"""Words before an effect below which it may go on from the sentence before: 'The hazard ratio was ...'."""
_COMPARED_REACH = 400
"""Characters before an effect that are searched for what it compares."""
_COUNTS_EVENTS = frozenset(("HR", "IRR"))
_SURVIVALS = MappingProxyType(
    {
        "overall_survival": "all_cause_death",
        "progression_free_survival": "progression_free_survival",
        "disease_free_survival": "disease_free_survival",
    }
)
_CONTINUOUS = frozenset(("MD", "means"))


@dataclass(frozen=True, slots=True)
class About:
    """Outcome and comparison of an effect.

    Attributes
    ----------
    outcome : Outcome or None
    outcome_key : str or None
        With the unit for differences of means: a difference in mmol/l is not one in mg/dl, and a score
        without a named scale has no key.
    comparison : Comparison or None
    """

    outcome: Outcome | None = None
    outcome_key: str | None = None
    comparison: Comparison | None = None


class Narrator:
    """Tells what each effect of a text is about, in order; later ones may go on from earlier ones."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: Outcome | None = None
        self._randomised: Comparison | None = None
        self._looked = False

    def about(self, found: Found, measure: str) -> About:
        """Return outcome and comparison of the next effect."""
        text = self._text
        outcome = outcome_for(
            text,
            found.before,
            found.after,
            listed=found.listed,
            list_before=found.list_before,
            list_after=found.list_after,
        )
        outcome = outcome or event_of_arms(text, found)
        words = len(text[slice(*found.before)].split())
        if (outcome is None or outcome.key is None) and words <= _WORDS_OF_ITS_OWN and self._last is not None:
            outcome = outcome or self._last
        self._last = outcome or self._last
        events = (
            _SURVIVALS.get(outcome.key or "") if outcome is not None and measure in _COUNTS_EVENTS else None
        )
        if outcome is not None and events is not None:
            # A hazard ratio for survival is one for death or progression.
            outcome = replace(outcome, key=events, polarity="harm")
        key = outcome.key if outcome is not None else None
        return About(outcome, self._with_unit(key, found, measure), self._comparison(found))

    def _with_unit(self, key: str | None, found: Found, measure: str) -> str | None:
        if key is None or measure not in _CONTINUOUS:
            return key
        unit = _UNIT.match(self._text, found.estimate[1])
        if unit is not None:
            return f"{key}[{_short_unit(unit['unit'])}]"
        scale = _SCALE.search(self._text, *found.sentence)
        return f"{key}[{scale.group().lower()}]" if scale is not None else None

    def _comparison(self, found: Found) -> Comparison | None:
        if "per_unit" in getattr(found.item, "flags", ()):
            # 'HR 1.20 per 10 mm Hg' compares no two arms, and is not to be pooled with what does.
            return None
        if not isinstance(found.item, Reading):
            printed = arms(*found.item.pair.names)
        else:
            before = self._text[
                max(found.sentence[0], found.estimate[0] - _COMPARED_REACH) : found.estimate[0]
            ]
            printed = comparison_in(before, self._text[slice(*found.after)])
        return printed if printed is not None and not printed.is_generic else self._arms() or printed

    def _arms(self) -> Comparison | None:
        if not self._looked:
            self._randomised, self._looked = randomised_comparison(self._text), True
        return self._randomised


def _short_unit(unit: str) -> str:
    plain = unit.lower().replace(" ", "").replace("\u00b2", "2").replace("\u03bc", "u").replace("\u00b5", "u")
    if plain.startswith("percentagepoint"):
        return "%"
    return {"days": "d", "day": "d", "hours": "h", "hour": "h", "hrs": "h", "hr": "h", "minutes": "min"}.get(
        plain, plain
    )
