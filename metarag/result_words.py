"""Words around a result that say whose it is: of the control, of the contrary outcome, of some people only.

Each of them makes a number or a sentence mean something else than "the treatment against its control, in
everybody". What they mark is not counted, so that no direction is told that may be the wrong one.
"""

from __future__ import annotations

import re
from typing import Final

from metarag.direction_words import CLAUSE_END

_LONGEST: Final = 300
"""Characters before a number that are read."""
_CONTROL: Final = (
    r"(?:placebo|controls?|sham|usual care|standard care|no treatment|untreated)(?: groups?| arms?)?"
)
_AGAINST: Final = r"(?:versus|vs\.?|compared (?:with|to)|against|relative to|over)"
_CONTROL_FIRST: Final = re.compile(rf"\b{_CONTROL} {_AGAINST} (?:the )?[A-Za-z]", re.IGNORECASE)
_CONTROL_DID: Final = re.compile(
    rf"\b{_CONTROL} (?:\w+ly )?(?:reduc|lower|decreas|increas|rais|improv|prevent|prolong)\w*", re.IGNORECASE
)
_SET_AGAINST: Final = re.compile(rf"\b(?:{_AGAINST}|than|and|or) (?:the |a )?\Z", re.IGNORECASE)
_CONTRARY: Final = re.compile(
    r"\b(?:HR|OR|RR|ratios?|risks?|odds|hazards?)\s(?:for|of)\s(?:[\w-]+\s){0,2}?"
    r"(?:surviv\w+|being alive|(?:staying|remaining|being) free|recover\w+|discharge)",
    re.IGNORECASE,
)
_PART: Final = re.compile(
    r"\b(?:in|among|for) (?:the )?(?:wom[ae]n|men|males?|females?|(?:non-?)?smokers|diabetics|(?:younger|older|elderly)"
    r"|(?:patients|people|participants|those) (?:with|without|aged|younger|older|who|over|under)"
    r"|(?:[\w-]+ ){0,3}subgroups?)\b",
    re.IGNORECASE,
)
_OVERALL: Final = re.compile(
    r"\boverall\b(?! survival)|\b(?:whole|entire|total) (?:population|group|cohort|trial|sample)\b"
    r"|\ball (?:randomi[sz]ed )?(?:patients|participants)\b",
    re.IGNORECASE,
)


def is_of_control(clause: str) -> bool:
    """True where a clause tells of the control against the treatment: "placebo reduced", "placebo versus X"."""
    if _CONTROL_FIRST.search(clause):
        return True
    return any(not _SET_AGAINST.search(clause[: m.start()]) for m in _CONTROL_DID.finditer(clause))


def is_of_the_contrary(clause: str) -> bool:
    """True where a ratio is said to be one for survival, not for death."""
    return _CONTRARY.search(clause) is not None


def is_of_part(clause: str) -> bool:
    """True where a clause tells of some of the people, and not of all of them."""
    return bool(_PART.search(clause)) and not is_overall(clause)


def is_overall(clause: str) -> bool:
    """True where a clause says that it tells of everybody."""
    return _OVERALL.search(clause) is not None


def clause_before(text: str, stop: int) -> str:
    """Return the words of the clause that stand before a place in a text."""
    before = text[max(0, stop - _LONGEST) : stop]
    return before[max((end.end() for end in CLAUSE_END.finditer(before)), default=0) :]
