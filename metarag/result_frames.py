"""Whether a clause says of its outcome, and of nothing else, that it changed or did not.

A change and an outcome in one clause are no statement: "disability reflected no impairment", "side effects led to
fewer courses". Counted are only plain forms: "reduced the risk of stroke", "fewer strokes", "stroke was less
frequent", "no difference in stroke", "fewer people had a stroke".
"""

from __future__ import annotations

import re
from typing import Final

from metarag.direction import Direction, DirectionFinding, is_large
from metarag.direction_words import P_VALUE, PEOPLE
from metarag.outcome_keys import OutcomeKey

_LONGEST: Final = 60
"""Characters between a change and its outcome, and before the verb of an outcome. Ours."""
_LONGEST_LIST: Final = 160
"""Characters between "no difference" and an outcome in the list behind it. Ours."""
_ASIDE: Final = re.compile(r"\s?\([^()]*\)|\s?\[[^\[\]]*\]")
_BETWEEN: Final = re.compile(
    r"[,;:]|\b(?:was|were|is|are|had|has|have|that|which|who|whose|than|with|by|after|before|during|when|while|but|to"
    r"|from|because|led|used|required|at|as|without)\b",
    re.IGNORECASE,
)
# "A reduction in fever, pain and nausea": one noun for each of a list.
_NOUN_OF_LIST: Final = re.compile(
    r"(?:reduction|decrease|increase|improvement|change|rise|fall)s?", re.IGNORECASE
)
_IN_LIST: Final = re.compile(r"\s(?:in|of)\s[^;:.]*", re.IGNORECASE)
# "Improved the HbA1c, BMI and weight", not "decreased mass, and a high risk of falls".
_LISTED: Final = re.compile(r"(?:\s[\w%/-]+){1,4}(?:,(?:\s(?!and\b)[\w%/-]+){1,4})*,?\s(?:(?:and|or)\s)?")
_ADVERBS: Final = (
    r"(?:(?:\w+ly|also|not|no|much|far|both|more|less|then|statistically|found to be|seen to be) ){0,3}"
)
_BE: Final = re.compile(rf"[^,;:]*\b(?:was|were|is|are|be|been|became|remained) {_ADVERBS}\Z", re.IGNORECASE)
_FINITE: Final = re.compile(
    r"(?:decreased|increased|improved|worsened|declined|fell|rose|dropped|deteriorated|diminished)",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    r"(?:\s(?:scores?|levels?|rates?|incidence|severity|intensity|frequency|values?|concentrations?|symptoms?|episodes?"
    r"|events?|time|days|risk))*(?:\s(?:in|with|of|on|at|for|among) (?:[\w-]+ ){1,6}|\s)(?:\w+ly )?\Z",
    re.IGNORECASE,
)
_PEOPLE_CHANGED: Final = re.compile(rf"\s(?:[\w-]+ ){{0,3}}?(?:{PEOPLE}|eyes)\b", re.IGNORECASE)
# "Stroke occurred in fewer patients", "at a similar rate", "less often".
_OCCURRED: Final = re.compile(
    r"[^,;:]{0,40}? (?:occurred|developed|(?:was|were) (?:seen|observed|reported|found|noted|recorded))"
    r"(?: (?:significantly|statistically|at|in|an?|the|much|far|equally))* \Z",
    re.IGNORECASE,
)
_AS_OFTEN: Final = re.compile(
    rf"\s(?:(?P<people>(?:[\w-]+ ){{0,2}}?{PEOPLE}\b)|(?:often|frequently|commonly|rarely|rates?|frequency|frequencies)\b)",
    re.IGNORECASE,
)
_CONTROL_BEFORE_THAN: Final = re.compile(
    r"[^,;:]*?\b(?P<first>placebo|controls?|sham|usual care|than)\b", re.IGNORECASE
)
_HAD: Final = re.compile(
    r"\b(?:had|have|experienced|reported|developed|suffered|showed|showing|achieved|reached|were|was|with|reporting|having)"
    r" (?:[\w-]+ ){0,4}\Z",
    re.IGNORECASE,
)
_VERBS: Final = ("died", "survived", "recovered", "relapsed", "discontinued", "responded", "quit", "stopped")
_SAID_OF: Final = re.compile(
    r"\s(?:(?:was|were) (?:found|observed|seen|noted|identified|detected|shown) )?(?:[\w/-]+ ){0,6}?"
    r"(?:in|for|of|on|to|regarding|with (?:respect|regard) to|in terms of)\s",
    re.IGNORECASE,
)
_OTHER_CLAUSE: Final = re.compile(
    r"[;:]|\b(?:but|although|who|whose|that|which|because|among those)\b", re.IGNORECASE
)
_DID: Final = re.compile(
    r"[^,;:]*\b(?:was|were|is|are|did|do|does|remained|had|has|have|been|be|showed|could) (?:\w+ly |also )?\Z",
    re.IGNORECASE,
)
_NO_SIGN: Final = re.compile(r"\bevidence\Z", re.IGNORECASE)
_OF_ITSELF: Final = re.compile(
    r"\sof (?:(?!effect|difference|benefit|increas|reduc|decreas|associat|chang|improv|excess|higher|lower|more|fewer)"
    r"[\w-]+ )*",
    re.IGNORECASE,
)
_NEITHER: Final = re.compile(r"\bneither(?: fewer)?\Z", re.IGNORECASE)
# "Failed to reduce", "was no better than placebo at preventing".
_VERB_BEHIND: Final = re.compile(
    r"(?:\sthan (?:[\w-]+ ){1,3}?(?:at|in))?\s(?:\w+ly )?"
    r"(?:reduc|decreas|increas|improv|prevent|affect|lower|chang|alter|influenc|reliev)\w*",
    re.IGNORECASE,
)
# "Stroke was seen in 82 and 88 men, not a significant difference."
_ADDED: Final = re.compile(r"\A, (?:no|not)\b", re.IGNORECASE)
_VERB_DENIED: Final = re.compile(
    r"(?:reduc|decreas|increas|improv|prevent|affect|lower|chang|alter|influenc|enhanc|rais)\w*\Z",
    re.IGNORECASE,
)


def is_insignificant(clause: str, hit: OutcomeKey) -> bool:
    """True where brackets right behind an outcome hold a P value above 0.05: those before it are of others."""
    aside = _ASIDE.match(clause, hit.end)
    return aside is not None and is_large(P_VALUE.search(aside.group()))


def without_asides(clause: str) -> str:
    """Return a clause without what stands in brackets."""
    return _ASIDE.sub("", clause)


def is_stated(clause: str, hit: OutcomeKey, found: DirectionFinding) -> bool:
    """Tell whether the words that decided a direction are said of the outcome.

    Parameters
    ----------
    clause : str
    hit : OutcomeKey
        Where the outcome stands in the clause.
    found : DirectionFinding
        What :func:`metarag.direction.direction_of` read in the same clause.
    """
    if found.basis == "insignificant":
        return hit.end <= found.span.start and len(P_VALUE.findall(clause)) == 1
    if found.basis == "effect":
        # A number has a reader of its own, which knows its outcome.
        return False
    if found.direction is Direction.NO_DIFFERENCE:
        return _is_denied(clause, hit, found)
    before, after = found.span.end <= hit.start, found.span.start >= hit.end
    if before:
        return _is_object(clause, hit, found) or _is_of_people(clause, hit, found)
    if not after:
        return False
    between = clause[hit.end : found.span.start]
    return _is_subject(between, found.span.text) or _is_of_how_many(clause, between, found)


def _is_object(clause: str, hit: OutcomeKey, found: DirectionFinding) -> bool:
    """True for "reduced the risk of stroke", "fewer strokes" and "a reduction in fever, pain and stroke"."""
    between = _ASIDE.sub("", clause[found.span.end : hit.start])
    if _NOUN_OF_LIST.fullmatch(found.span.text) and _IN_LIST.fullmatch(between):
        return len(between) <= _LONGEST_LIST and not _OTHER_CLAUSE.search(between)
    listed = _LISTED.fullmatch(between)
    plain = between.replace(",", "") if listed else between
    return len(between) <= _LONGEST and not _BETWEEN.search(plain)


def _is_of_people(clause: str, hit: OutcomeKey, found: DirectionFinding) -> bool:
    """True for "fewer patients given X than given placebo had a stroke"."""
    people = _PEOPLE_CHANGED.match(clause, found.span.end)
    if people is None:
        return False
    between = _ASIDE.sub("", clause[people.end() : hit.start])
    if _OTHER_CLAUSE.search(between):
        return False
    verb = clause[hit.start : hit.end].partition(" ")[0].lower()
    return verb in _VERBS or _HAD.search(between) is not None


def _is_subject(between: str, change: str) -> bool:
    """True for "stroke was less frequent" and "pain decreased"."""
    plain = _ASIDE.sub("", between)
    if len(plain) > 2 * _LONGEST:
        return False
    if _BE.fullmatch(plain):
        return True
    return bool(_FINITE.fullmatch(change) and _SUBJECT.fullmatch(plain))


def _is_of_how_many(clause: str, between: str, found: DirectionFinding) -> bool:
    """True for "stroke occurred in fewer patients given X than given placebo" and "stroke occurred less often"."""
    often = _AS_OFTEN.match(clause, found.span.end)
    if often is None or _OCCURRED.fullmatch(_ASIDE.sub("", between)) is None:
        return False
    # Which arm the people are of is read behind "in" and "with" only: "more patients given placebo".
    first = _CONTROL_BEFORE_THAN.match(clause, often.end())
    return often["people"] is None or first is None or first["first"].lower() == "than"


def _is_denied(clause: str, hit: OutcomeKey, found: DirectionFinding) -> bool:
    """True for "no difference in fever, pain or stroke", "did not reduce strokes" and "stroke was similar"."""
    if found.span.end <= hit.start:
        between = _ASIDE.sub("", clause[found.span.end : hit.start])
        if _NO_SIGN.search(found.span.text) and _OF_ITSELF.fullmatch(between):
            return False  # "no evidence of strokes" compares nothing
        if _NEITHER.search(found.span.text):
            return len(between) <= _LONGEST_LIST and not _OTHER_CLAUSE.search(between)
        verb = _VERB_BEHIND.match(between)
        if verb:
            rest = between[verb.end() :]
            return len(rest) <= _LONGEST and not _BETWEEN.search(rest)
        if _VERB_DENIED.search(found.span.text) and len(between) <= _LONGEST and not _BETWEEN.search(between):
            return True
        if len(between) > _LONGEST_LIST or _OTHER_CLAUSE.search(between):
            return False
        return _SAID_OF.match(between) is not None or not between.strip()
    between = _ASIDE.sub("", clause[hit.end : found.span.start])
    if _ADDED.search(clause[found.span.start - 2 : found.span.end]):
        return not _OTHER_CLAUSE.search(between)
    if _OCCURRED.fullmatch(between) and _AS_OFTEN.match(clause, found.span.end):
        return True
    return len(between) <= 2 * _LONGEST and _DID.fullmatch(between) is not None
