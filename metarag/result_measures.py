"""Whether the name of an outcome is part of the name of something else: "stroke severity", "fear of falling".

There is no end of things that are named after an outcome. So what may stand beside its name is listed, and a noun that
is not is taken for something else.
"""

from __future__ import annotations

import re
from typing import Final

from metarag.outcome_keys import OutcomeKey

_ASIDE: Final = re.compile(r"\s?\([^()]*\)|\s?\[[^\[\]]*\]")
_NEXT: Final = re.compile(r"(?P<link>[ -])(?P<word>[^\W\d_]+)")
# More of these is more of the outcome.
_AS_MUCH: Final = frozenset(
    """rate rates risk risks incidence incidences event events episode episodes case cases frequency occurrence
    occurrences number numbers recurrence recurrences prevalence probability outcomes odds hazard hazards relative""".split()
)
_MEASURED: Final = frozenset(
    """score scores rating ratings level levels intensity intensities severity symptom symptoms value values
    concentration concentrations reading readings attack attacks day days change changes measure measures domain
    domains reduction reductions loss gain inventory experience""".split()
)
_MEASURED_TOO: Final = frozenset(("depression",))
_FUNCTION: Final = frozenset(
    """was were is are be been being has have had did do does can could may might will would should in on at of for
    with without within after before during by from to than as and or nor but versus vs v compared among between over
    under per until through throughout following while whereas when where which that who both either neither not no
    also only alone more less fewer lower higher greater similar better worse about around due because if so yet then
    fell rose grew became began seen went came showed shows show differs differ remains remain remained occurs occur
    did although though despite regardless irrespective upon across compare unchanged common frequent rare likely
    every each all this these the their its it there once twice early late down up further least most much less
    increases decreases decrease increase improves worsens falls declines declined reduction relative including such
    caused attributable together respectively plus nor across using via it rather instead reaching requiring leading
    occurring resulting needing lasting""".split()
)
_WORTH: Final = re.compile(r"(?:ly|ed)\Z")
# "Deaths from stroke" are some deaths, and no strokes.
_OF_SOME_CAUSE: Final = re.compile(
    r"\s(?:from|due to|because of|attributed to|attributable to|caused by|related to) (?!any\b|all\b)",
    re.IGNORECASE,
)
_HEAD: Final = re.compile(
    r"\b(?P<head>[^\W\d_]+)(?:\s?\([^()]*\))? (?P<link>of|about|for|from|towards?|after|before|over|in)"
    r" (?:the |an? |any |all |their |new"
    r" |future"
    r" |recurrent |further |first |subsequent |clinical )*(?:(?:acute|chronic|severe|major|mild|moderate"
    r"|postoperative|total|overall|serious) )?\Z",
    re.IGNORECASE,
)
_HEADS: Final = frozenset(
    """rate rates risk risks incidence incidences number numbers frequency frequencies occurrence occurrences odds
    hazard hazards ratio ratios proportion proportions percentage percentages prevalence case cases episode episodes
    event events likelihood probability chance chances reduction reductions decrease decreases increase increases excess
    rise fall drop decline development onset recurrence recurrences change changes terms evidence improvement
    improvements report reports complaint complaints difference differences effect effects effective estimate estimates
    hr rr or irr proportions one none neither both either any all most some levels level percent benefit benefits
    protection less more fewer means outcome outcomes result results efficacy respect worsening
    measure measures endpoint endpoints favour favor superior better worse significant useful beneficial
    deterioration loss suppression alleviation lowering end points""".split()
)
_MEASURED_HEADS: Final = frozenset(
    """score scores severity intensity level levels degree amount duration days attacks rating ratings burden
    symptoms values domains aspects component components scale scales index relief""".split()
)
_NOT_IN: Final = frozenset(
    "belief beliefs confidence interest trust disability mortality death deaths role".split()
)
_NOT_HAD: Final = re.compile(
    r"\b(?:predicted|expected|anticipated|perceived|feared|projected|simulated|modell?ed|standardi[sz]ed|recalled"
    r"|remembered|avoid|avoiding) (?:[\w-]+ )?(?:(?:risk|probability|rate|number) of (?:[\w-]+ )?)?\Z",
    re.IGNORECASE,
)


def is_of_another_measure(text: str, hit: OutcomeKey) -> bool:
    """True where the words around the name of an outcome make another thing of it."""
    return _goes_on(text, hit) or _is_of_something(text[: hit.start], hit)


def _goes_on(text: str, hit: OutcomeKey) -> bool:
    """True for "stroke severity" and "mortality risk score"; False for "stroke risk was" and "pain scores fell"."""
    behind = _ASIDE.sub("", text[hit.end : hit.end + 200])
    if hit.key == "all_cause_death" and _OF_SOME_CAUSE.match(behind):
        return True
    at, last = 0, ""
    while (found := _NEXT.match(behind, at)) is not None:
        word = found["word"].lower()
        if found["link"] == "-":
            return True
        is_ratio = last in ("odds", "hazard", "risk", "rate") and word in ("ratio", "ratios")
        if not (
            word in _AS_MUCH or is_ratio or (_is_measured(hit) and word in _MEASURED) or _is_time(word, hit)
        ):
            return (
                word not in _FUNCTION
                and not _WORTH.search(word)
                and not word.startswith(("reduc", "increas"))
            )
        at, last = found.end(), word
    return False


def _is_measured(hit: OutcomeKey) -> bool:
    return hit.quantity or hit.key in _MEASURED_TOO


def _is_time(word: str, hit: OutcomeKey) -> bool:
    return word in ("time", "times") and hit.key.endswith("survival")


def _is_of_something(before: str, hit: OutcomeKey) -> bool:
    """True for "severity of stroke", "worry about falls" and "expected pain"; False for "the risk of stroke"."""
    if _NOT_HAD.search(before):
        return True
    found = _HEAD.search(before[-120:])
    if found is None:
        return False
    head, link = found["head"].lower(), found["link"].lower()
    if link in ("about", "toward", "towards", "after", "before", "over"):
        return True
    if link == "in":
        return head in _NOT_IN
    if link == "from":
        return head in ("death", "deaths", "mortality", "died", "recovery", "recovered", "relief")
    return not (head in _HEADS or (_is_measured(hit) and head in _MEASURED_HEADS))
