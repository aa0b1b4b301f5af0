"""Whether the words before an effect say the opposite of its sign: then nobody knows which arm it favours.

"Death was more frequent with placebo (odds ratio 1.43)" and "pressure was lower with zinc (difference 5.0)"
print a number whose sign is not that of the treatment against its control. Pooled as they stand they would
turn a benefit into harm, and make a conflict where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from metarag.direction_words import CLAUSE_END, CONTROL_HAD, DENIED, IN_CONTROL, STRENGTH, THAN, WEAKNESS
from metarag.types import EffectEstimate

_LONGEST: Final = 300
"""Characters before an effect that are read."""
_UP: Final = (
    r"increas\w*|higher|greater|more(?! than \d)|larger|rose|elevat\w*|raised|doubled|tripled|exceed\w*"
)
_DOWN: Final = (
    r"decreas\w*|lower(?:ed|ing|s)?|reduc\w*|fewer|less(?! than \d)|rarer|smaller|declin\w*|fell|diminish\w*"
    r"|prevent\w*|halved"
)
# "Lower respiratory infection", "higher doses": no change of an outcome.
_NO_CHANGE: Final = (
    r"(?![- ](?:dos(?:e|es|age)|risk (?:group|patients)|respiratory|limb|leg|extremit|back|gastro|urinary|tract"
    r"|income|intens|frequency|number of|likely to (?:be|have)))"
)
_CHANGED: Final = re.compile(rf"\b(?:(?P<down>{_DOWN})|(?P<up>{_UP}))\b{_NO_CHANGE}", re.IGNORECASE)
# "Longer survival (hazard ratio 0.70)": the ratio is of the deaths. "Relative risk reduction" is a measure.
_OF_THE_CONTRARY: Final = re.compile(
    r"\bsurviv|\bfree\b|-free|\btime\b|\bdurations?\b|\bremission|\balive\b|\bsuccess|\brespon[sd]|\brecover"
    r"|\bcure|\bheal|\brelative risk reduction|\bodds reduction|\brisk reduction|\bimprov",
    re.IGNORECASE,
)
# "Survival was better (hazard ratio 1.33)": hazards are those of dying, so that words and number disagree.
_SURVIVAL: Final = re.compile(r"\bsurviv(?:al|ed)\b", re.IGNORECASE)
_LIVED: Final = re.compile(
    r"\b(?:(?P<down>better|improv\w*|prolong\w*|longer|increas\w*|higher|greater|superior|extend\w*|benefit\w*)"
    r"|(?P<up>worse\w*|short(?:er|en\w*)|lower\w*|poorer|decreas\w*|reduc\w*|inferior|fewer))\b",
    re.IGNORECASE,
)


def contradicts_words(effect: EffectEstimate, abstract: str) -> bool:
    """Tell whether the clause before an effect clearly says that the outcome went the other way.

    Clear is a clause with words of one direction only, without a denial, and not of time or the like, whose
    ratios are often those of the contrary. What is said of survival is compared with a ratio of deaths.

    Parameters
    ----------
    abstract : str
        The text that the effect's span is of.
    """
    if not effect.effect or effect.span.where != "abstract":
        return False
    clause = _clause_before(abstract, effect.span.start)
    said = _direction(clause)
    if said is None and effect.scale == "log" and effect.orientation != "benefit":
        said = _direction_of_deaths(clause)
    return said is not None and (effect.effect > 0) != said


def _clause_before(text: str, stop: int) -> str:
    clause = text[max(0, stop - _LONGEST) : stop]
    ends = [found.end() for found in CLAUSE_END.finditer(clause)]
    return clause[max(ends, default=0) :].rpartition(")")[2]


def _direction(clause: str) -> bool | None:
    """Return True for more of the outcome with the treatment, False for less; ``None`` where it is not clear."""
    if DENIED.search(clause) or _OF_THE_CONTRARY.search(clause):
        return None
    return _told_by(list(_CHANGED.finditer(clause)), clause)


def _direction_of_deaths(clause: str) -> bool | None:
    """Return what a clause on survival says of deaths."""
    if DENIED.search(clause) or not _SURVIVAL.search(clause):
        return None
    return _told_by(list(_LIVED.finditer(clause)), clause)


def _told_by(changes: Sequence[re.Match[str]], clause: str) -> bool | None:
    told, of_control = set(), CONTROL_HAD.match(clause) is not None
    for place, change in enumerate(changes):
        word = change.group().lower()
        if (
            word in STRENGTH | WEAKNESS
            and place + 1 < len(changes)
            and changes[place + 1].start() - change.end() < 30
        ):
            return None
        told.add((change["up"] is not None) != (of_control or _is_of_control(clause, change.end())))
    return told.pop() if len(told) == 1 else None


def _is_of_control(clause: str, after: int) -> bool:
    found = IN_CONTROL.match(clause, after)
    return found is not None and THAN.search(clause, after, found.end()) is None
