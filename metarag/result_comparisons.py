"""Whether a clause sets the treatment against its control: not against another drug, dose, time or kind of people.

"Lower than with clopidogrel", "300 mg against 75 mg", "after than before" compare something else, and a change that
both groups had compares nothing.
"""

from __future__ import annotations

import re
from typing import Final

from metarag.direction import Direction, DirectionFinding
from metarag.direction_words import PEOPLE, STRENGTH, WEAKNESS
from metarag.other_treatments import names_asked, names_others
from metarag.result_frames import without_asides
from metarag.result_subjects import names_an_arm

_INACTIVE: Final = (
    r"(?:placebo|controls\b|control(?= (?:groups?|arms?|patients|subjects|participants|treatment|conditions?|diet|women"
    r"|men|children))|(?<=than )control|(?<=with )control|(?<=versus )control|(?<=vs )control|(?<=and )control|sham"
    r"|usual care|standard care|no (?:treatment|intervention|therapy)|untreated|vehicle|dummy"
    r"|non-?us(?:e|ers?)|never|nothing|waiting list|observation)"
)
_CONTROL: Final = re.compile(rf"\b{_INACTIVE}(?!\w| (?:of|rates?)\b)", re.IGNORECASE)
_AGAINST: Final = re.compile(
    r"\b(?:(?<!older )(?<!younger )than|versus|vs\.?|v|compared (?:with|to)|as compared with|in comparison (?:with|to)"
    r"|relative to|as opposed to|(?<!protected )(?<!protects )(?<!protecting )against"
    r"|differ(?:ed|ent|s)? from|(?:superior|inferior) to)(?!\w)",
    re.IGNORECASE,
)
_AGAINST_FIRST: Final = re.compile(
    r"\A\W*(?:when )?(?:compared (?:with|to)|as compared (?:with|to)|in comparison (?:with|to)|relative to) "
    r"(?P<second>[^,]{3,80}), (?P<first>.+)\Z",
    re.IGNORECASE | re.DOTALL,
)
_LIKE_CONTROL: Final = re.compile(
    rf"\b(?:similar|comparable|equal|identical) (?:to|with)\b[^,;]*{_INACTIVE}(?!\w)", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"\bbetween (?P<pair>[^;:,]+? and [^;:,]+)", re.IGNORECASE)
_AS_USUAL: Final = re.compile(
    r"\b(?:conventional|usual|standard(?! dose)|no|other|comparison)\b", re.IGNORECASE
)
_COUNT: Final = re.compile(r"\s*(?:\d[\d.,]*\s?(?:%|of\b|/)|[-+\u2212]\d)")
_BETWEEN_DOSES: Final = re.compile(
    r"\bbetween (?:the )?(?:[\w-]+ ){0,2}(?:doses|dosages|schedules|formulations|routes|durations)\b",
    re.IGNORECASE,
)
_OTHER_REGIMEN: Final = re.compile(
    r"\bswitch\w*|\b(?:doubling|halving|higher|lower|larger|smaller|increasing|escalat\w+) (?:the )?doses?\b"
    r"|\b(?:longer|shorter|earlier|later|prolonged) (?:treatment|therapy|duration|course|use|administration)\b"
    r"|\b(?:after|since) (?:the )?(?:introduction|[\w-]+ (?:was|were) (?:introduced|started|begun|approved|licensed))\b",
    re.IGNORECASE,
)
# One dose, time or way of giving against another.
_DOSE_OR_TIME: Final = re.compile(
    r"\b\d[\d.]*[\s-]?(?:mg|mcg|\u00b5g|\u03bcg|g|iu|units?|ml|days?|weeks?|months?|years?|hours?|h)\b"
    r"|\b(?:low|high|lower|higher|standard|full|half|double|single)[- ]?(?:er)?[- ]doses?\b|\bdoses?\b|\bregimens?\b"
    r"|\b(?:once|twice|thrice)\b|\b(?:daily|weekly|monthly)\b|\b(?:early|late|later|earlier|delayed|immediate)\b"
    r"|\b(?:long|short)(?:er)?[- ](?:term|course)\b|\b(?:before|baseline|previous|earlier|first"
    r"|second|(?:year|month|week) (?:one|two|\d)) ?(?:year|month|week"
    r"|day|values?|levels?)?\b|\b(?:expected|predicted|plain|formulations?)\b",
    re.IGNORECASE,
)
# "Adding dipyridamole to aspirin", "clopidogrel plus aspirin".
_ADDED: Final = re.compile(
    r"\b(?:add(?:ing|ed|ition of)|on top of|plus|(?:combined|together|combination) (?:with|of)|dual therapy)\b",
    re.IGNORECASE,
)
_ADDED_TO: Final = re.compile(r"\b(?:added to|on top of)\b", re.IGNORECASE)
# A change that everybody had.
_BOTH: Final = re.compile(
    r"\b(?:both|each|either|all|every|two|three|four)(?: of)?(?: the)?(?: \w+){0,2} (?:groups?|arms?|treatments"
    r"|treatment|conditions?|interventions?)\b|\bover (?:the )?(?:time|stud(?:y|ies)|trial|follow-?up|course)\b"
    r"|\b(?:by|with|in|on|under|after) both\b(?! (?:[\w-]+ )?(?:doses|drugs|regimens|trials|studies|sexes|analyses|men"
    r"|women))"
    r"|\b(?:regardless|irrespective) of\b|\b(?:groups|arms) (?:\w+ly )?(?:alike|both)\b",
    re.IGNORECASE,
)
_AS_IN_CONTROL: Final = re.compile(
    r"\b(?:and|or|as|like|unlike|also|nor) (?:(?:it|so|well|much|did|in|with|by|on|for|the|a|those|that|given|it) ){0,5}"
    rf"{_INACTIVE}"
    rf"\b|\b{_INACTIVE}(?: groups?| arms?)?(?:,| and| or)? (?:and|or|both|did too|as well)\b|\bso (?:it )?did\b"
    r"|\bboth (?:\w+ ){1,4}and\b",
    re.IGNORECASE,
)
_LESS_THAN_CONTROL: Final = re.compile(
    r"\b(?:to a )?(?:lesser|smaller) (?:extent|degree)\b|\bas (?:much|well|strongly|greatly) as\b|\bnot as much\b"
    r"|\b(?:decreas|increas|reduc|improv|fell|rose|declin|worsen|relie[fv])\w*[^;.]{0,40}\bless than\b"
    r"|\bbut (?:not (?:\w+ )?more|less) than\b",
    re.IGNORECASE,
)
_MORE_WITH_CONTROL: Final = re.compile(
    r"\b(?:more|less|further|better|worse|greater|lesser|stronger)\b(?:(?!\bthan\b|\bcompared\b|\bvs\b|\bversus\b)[^;.]){0,30}?"
    rf"\b{_INACTIVE}\b(?![^;.]*\bthan\b)",
    re.IGNORECASE,
)
_ALIKE: Final = re.compile(
    r"\b(?:similar(?:ly)?|comparable|equal(?:ly)?|differ(?:ed|ences?|ent)?)\b", re.IGNORECASE
)
_FROM_TO: Final = re.compile(r"\bfrom \d[\d.]*%? to \d", re.IGNORECASE)
_WITHIN_ARM: Final = re.compile(
    r"\W*(?:In|Within|Among) (?:the )?(?:[\w-]+ ){1,3}(?:group|arm|users)\b", re.IGNORECASE
)
_COMPARATIVES: Final = (
    STRENGTH | WEAKNESS | frozenset("lower fewer shorter longer rarer better worse superior".split())
)
_NUMBERS: Final = re.compile(
    r"\b(?:(?:compared with|compared to|versus|vs\.?|than)(?: by| from)?|and (?:by|from)) (?:an? )?\d[\d.]*(?! of\b|\d)",
    re.IGNORECASE,
)
_OTHER_PEOPLE: Final = re.compile(rf"\b(?:{PEOPLE}|smokers|diabetics)\b", re.IGNORECASE)
_OWN_PEOPLE: Final = re.compile(
    r"\b(?:not|no|without|never|given|taking|receiving|treated|untreated|groups?|arms?|other|comparison|conventional)\b",
    re.IGNORECASE,
)


def compares_otherwise(clause: str, treatments: frozenset[str]) -> bool:
    """True where a clause compares two drugs, doses, times or kinds of people, and not the treatment with its control.

    A clause that compares with nothing does not.
    """
    plain = without_asides(clause)
    first, second = sides(plain)
    second = re.split(r"[,;:]", second, maxsplit=1)[0]
    if _is_in_combination(first, treatments) or _is_between_others(plain, treatments):
        return True
    if not second or _CONTROL.search(second) or _AS_USUAL.search(second) or _COUNT.match(second):
        return False
    return not _LIKE_CONTROL.search(first) and _is_other_side(first, second, treatments)


def _is_between_others(clause: str, treatments: frozenset[str]) -> bool:
    """True for "no difference between aspirin and warfarin", "between the two doses" and "after it was introduced"."""
    found = _BETWEEN.search(clause)
    pair = found["pair"] if found else ""
    if treatments and pair and not (_CONTROL.search(pair) or _AS_USUAL.search(pair)):
        is_named = names_others(pair, treatments) or names_asked(pair, treatments)
        if is_named or _DOSE_OR_TIME.search(pair):
            return True
    if _BETWEEN_DOSES.search(clause):
        return True
    if _CONTROL.search(clause):
        return False
    # As in: 28% and 33% of those who took the one drug and the other.
    alike = bool(treatments) and names_others(clause, treatments) and _ALIKE.search(clause)
    return bool(alike or _OTHER_REGIMEN.search(clause))


def _is_other_side(first: str, second: str, treatments: frozenset[str]) -> bool:
    """True where what a clause compares with, no control by its words, is another dose, time, people or treatment."""
    if _DOSE_OR_TIME.search(second) or "monotherapy" in second:
        return True
    if _OTHER_PEOPLE.search(second) and not (_OWN_PEOPLE.search(second) or names_asked(second, treatments)):
        return not second.strip().lower().startswith(("in patients", "patients")) or " with" in second
    if names_asked(second, treatments) and _CONTROL.search(first):
        return False
    if not treatments or _OWN_PEOPLE.search(second):
        return False
    # Something that both had, "local excision alone", is no other treatment.
    return not (second.split()[-1:] == ["alone"] and not names_asked(second, treatments))


def sides(clause: str, against: re.Pattern[str] = _AGAINST) -> tuple[str, str]:
    """Return what a clause compares, and with what: empty where it compares with nothing.

    Parameters
    ----------
    against : re.Pattern
        The words between the two; "compared with placebo, aspirin reduced" is turned round.
    """
    turned = _AGAINST_FIRST.match(clause)
    if turned:
        return turned["first"], turned["second"]
    found = against.search(clause)
    return (clause, "") if found is None else (clause[: found.start()], clause[found.end() :])


def _is_in_combination(first: str, treatments: frozenset[str]) -> bool:
    """True where another drug is given with the one asked about, unless this one is what was added."""
    added = _ADDED.search(first)
    if not treatments or added is None or not names_others(first, treatments):
        return False
    if added.group().lower() in ("plus", "combined with", "together with"):
        return not names_asked(first[: added.start()], treatments)
    to = _ADDED_TO.search(first)
    return not (to and names_asked(first[: to.start()], treatments))


def is_in_both(sentence: str, found: DirectionFinding, treatments: frozenset[str]) -> bool:
    """True where a change is one that the control had too: "decreased in both groups", "and more with placebo".

    Parameters
    ----------
    sentence : str
        The whole sentence: what the control had may stand in another clause.
    found : DirectionFinding
        The change that was read in it.
    treatments : frozenset of str
        The treatments asked about.
    """
    plain = without_asides(sentence)
    if found.direction is Direction.NO_DIFFERENCE:
        is_pair = found.basis == "insignificant" and treatments and names_others(plain, treatments)
        return bool(is_pair) and not _CONTROL.search(plain)
    control, against = _CONTROL.search(plain), _AGAINST.search(plain)
    is_comparative = found.span.text.lower() in _COMPARATIVES
    if _WITHIN_ARM.match(plain) and not (is_comparative or control or against):
        return True
    if _LESS_THAN_CONTROL.search(plain) or (_FROM_TO.search(plain) and not names_an_arm(plain, treatments)):
        return True
    if control and _AS_IN_CONTROL.search(plain) and not (against and against.start() < control.start()):
        return True
    if is_comparative:
        return False
    if _MORE_WITH_CONTROL.search(plain) or (against is None and (_BOTH.search(plain) or control)):
        return True
    return _NUMBERS.search(plain) is not None and control is not None
