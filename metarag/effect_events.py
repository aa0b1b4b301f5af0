"""What befell the people of the arms, where a sentence says it as a verb: '2 of 200 died with zinc and 7 of 201 ...'.

The words before an effect name its outcome as a rule. Where arms are printed with their counts, the outcome may
be a verb between the counts, or behind the last arm: '829 of 3010 in the one group and 751 of 3012 in the other
died (odds ratio for the one, 1.14)'.
"""

from __future__ import annotations

import re
from typing import Final

from metarag.effect_outcomes import Outcome, own_hits, told
from metarag.effect_raw import RawEffect
from metarag.effect_sentences import Found
from metarag.outcome_keys import OutcomeKey

_LONGEST_ARM: Final = 60
"""Characters of the name of an arm, 'patients in the conventional-control group', between a count and its verb."""
_GAP: Final = " ,"
# '... had a stroke', '... were responders': not 'the PE group', 'no or mild headache', '419 responses'.
_HAD: Final = re.compile(
    r"\b(?:had|suffered|experienced|developed|was|were)(?: an?)?(?: (?!no\b|not\b)[\w-]{1,20})? $",
    re.IGNORECASE,
)


def event_of_arms(text: str, found: Found) -> Outcome | None:
    """Return the outcome that a verb beside the arms of an effect tells; ``None`` where none does.

    Parameters
    ----------
    text : str
        The plain text.
    found : Found
        An effect in it whose outcome the words before it do not name.
    """
    if isinstance(found.item, RawEffect):
        # Means are of what was measured, which nobody says as a verb.
        is_counted = found.item.measure == "2x2"
        return (_between(text, found) or _behind(text, found.end, found.sentence[1])) if is_counted else None
    opened = text.rfind("(", found.sentence[0], found.estimate[0])
    return _before(text, found.sentence[0], opened) if opened >= 0 else None


def _between(text: str, found: Found) -> Outcome | None:
    hits = _events(text, found.start, found.end)
    return told(text, hits[0]) if len(hits) == 1 else None


def _behind(text: str, end: int, stop: int) -> Outcome | None:
    """Return what follows the last arm, before the next bracket or number."""
    ends = [at for mark in "([;." if (at := text.find(mark, end, stop)) >= 0]
    hits = _events(text, end, min([stop, end + _LONGEST_ARM, *ends]))
    if len(hits) != 1 or any(sign.isdigit() for sign in text[end : hits[0].start]):
        return None
    return told(text, hits[0])


def _before(text: str, start: int, opened: int) -> Outcome | None:
    """Return what stands directly before the bracket with the effect."""
    hits = _events(text, start, opened)
    if not hits or text[hits[-1].end : opened].strip(_GAP):
        return None
    return told(text, hits[-1])


def _events(text: str, start: int, stop: int) -> list[OutcomeKey]:
    """Return the outcomes in a stretch of text that are verbs, or objects of one."""
    return [
        hit
        for hit in own_hits(text, start, stop)
        if text[hit.start : hit.end].partition(" ")[0].endswith("ed") or _HAD.search(text, start, hit.start)
    ]
