"""Words that narrow an outcome: 'toe infection' is not any infection, 'death from stroke' not any death.

What is pooled must be one outcome. A name of the vocabulary with a word before it that narrows it, or with a
cause behind it, therefore gets a key of its own, made of the words as printed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from metarag.outcome_keys import OutcomeKey, normal_form

_BEFORE = re.compile(r"(?P<word>[^\W\d_][\w'-]{0,30})[ -]$")
_CAUSE = re.compile(
    r"\s(?:from|due to|because of|attributed to|attributable to|caused by|resulting from|related to)\s"
    r"(?!(?:any|all)\b|\d)(?P<what>(?:the |an? )?[\w-]{2,30}(?: [\w-]{2,30}){0,3})",
    re.IGNORECASE,
)
_CAUSED = re.compile(
    r"\b(?:deaths?|mortality|died|dying|die) (?:from|due to|because of|attributed to|attributable to"
    r"|caused by|resulting from|related to) (?:the |an? )?(?:[\w-]{1,30} ){0,2}$",
    re.IGNORECASE,
)
_MOST_WORDS = 3
_NEUTRAL = frozenset(
    "a an the of in and or for with on to by from at no any all than as per both each either neither"
    " nor not only also that this these those which into within among between versus vs v but while"
    " then after before during until through without against about over under its their his her our"
    " more less fewer greater higher lower lowest highest most least similar equal significant"
    " nonsignificant significantly total overall new incident first subsequent further additional mean"
    " median average absolute relative cumulative crude estimated risk rate incidence hazard odds"
    " ratio difference change reduction increase decrease primary secondary tertiary main key outcome"
    " endpoint end-point composite was were is are be been had has have did does experience"
    " experiencing develop developing prevent preventing reduce reducing lowering raise raising cause"
    " causing improve improving increasing decreasing include including following regarding concerning"
    " provide providing achieve achieving attain attaining being"
    " having showing suffer suffering report reporting avoid avoiding better worse early late final"
    " year month day week hour year-old hospital in-hospital all-cause any-cause long-term short-term"
    " group arm control placebo patient participant study trial intervention therapy treatment active"
    " drug future possible likely subject person child children women men people adult infant mild-to-"
    " moderate time one two three four five six seven eight nine ten zero excess there when if where"
    " who whom whose common rare frequent occur good net cohort population case respective"
    " corresponding own same".split()
)
_TIMES = frozenset("day days week weeks month months year years hour hours h d term".split())
_NARROWING_ENDS = ("-related", "-associated", "-induced", "-acquired", "-confirmed", "-specific", "-mediated")
_NOT_IN_CAUSE = frozenset(
    "was were is are had has in at by with compared than between and or during within after among did"
    " occurred fell rose increased decreased for on to versus vs".split()
)


class Named(NamedTuple):
    """Where an outcome's name starts with the words that narrow it, where it ends, and its key."""

    start: int
    end: int
    key: str


def narrowed(text: str, hit: OutcomeKey) -> Named:
    """Return a name of the vocabulary together with the words that narrow it.

    Parameters
    ----------
    text : str
    hit : OutcomeKey
        As :func:`metarag.outcome_keys.outcomes_in` found it in ``text``; composites stay as they are.
    """
    plain = Named(hit.start, hit.end, hit.key)
    if "+" in hit.key:
        return plain
    caused = _cause(text, hit)
    if caused is not None:
        return caused
    start = _start_of_modifiers(text, hit.start)
    if start == hit.start:
        return plain
    return Named(start, hit.end, _term(text[start : hit.end]))


def is_cause(text: str, start: int, hit: OutcomeKey) -> bool:
    """Tell whether a name only says what people died of: 'death from stroke'."""
    return _CAUSED.search(text, max(start, hit.start - 80), hit.start) is not None


def _cause(text: str, hit: OutcomeKey) -> Named | None:
    found = _CAUSE.match(text, hit.end) if hit.key == "all_cause_death" else None
    if found is None:
        return None
    words = found["what"].split()
    kept = next((at for at, word in enumerate(words) if word.lower() in _NOT_IN_CAUSE), len(words))
    if kept == 0:
        return None
    what = " ".join(words[:kept])
    return Named(hit.start, found.start("what") + len(what), _term(f"death from {what}"))


def _start_of_modifiers(text: str, start: int) -> int:
    for _ in range(_MOST_WORDS):
        found = _BEFORE.search(text, max(0, start - 32), start)
        if found is None or _is_neutral(found["word"]):
            break
        start = found.start()
    return start


def _is_neutral(word: str) -> bool:
    """Tell whether a word before an outcome does not narrow it: a verb, a time, 'any', 'overall'."""
    lower = word.lower()
    if lower.endswith(_NARROWING_ENDS):
        return False
    if lower in _NEUTRAL or _TIMES & {*lower.split("-")}:
        return True
    plural = lower.endswith("s") and not lower.endswith(("us", "ss", "is"))
    return plural or lower.endswith(("ed", "ly"))


def _term(words: str) -> str:
    forms = [normal_form(part) for part in re.findall(r"[^\W_]+", words)]
    return "term:" + "_".join(form for form in forms if form not in ("the", "a", "an"))
