"""Negations and contraries that turn what a clause seems to say: "without increasing", "non-response", "time to death".

A clause with one of them is not counted: the same words say the opposite a little further on, and only a reader can
tell. What is said plainly elsewhere in the article still counts.
"""

from __future__ import annotations

import re
from typing import Final

# Directly before the name of an outcome.
_CONTRARY_BEFORE: Final = re.compile(
    r"(?:\bnon[- ]?|\b(?:inadequate|insufficient|incomplete|poor|unsatisfactory|lack of|loss of|failure of|absence of"
    r"|failure to \w+|without|free (?:of|from)|need for|requests? for|fears? of|fear of|knowledge of|awareness of"
    r"|additional|extra|rescue|thresholds? for|except(?: for)?|other than) (?:any |a |an |the )?(?:[\w-]+ ){0,1}"
    r"|\btime (?:to|until|without) (?:the |a |first )*(?:[\w-]+ ){0,2}"
    r"|\b(?:worsening|deterioration|decline|loss|improvement) (?:of|in) (?:the )?(?:[\w-]+ ){0,2}"
    r"|\b(?:while|by|of) (?:avoiding|preventing)\b[^,;]*|(?<!or )\bwithout\b[^,;]*|\brather than\b[^,;]*)\Z",
    re.IGNORECASE,
)
# "Pain threshold", "stroke recovery": something near the outcome.
_NEAR: Final = re.compile(
    r"[ -](?:thresholds?|tolerance|recovery|knowledge|awareness|free survival|risk factors?)\b", re.IGNORECASE
)
# Anywhere in a sentence.
_TURNED: Final = re.compile(
    r"\b(?:no longer|hardly|scarcely|barely|at no time|anything but|unlikely that|refuted|unfounded|disproved"
    r"|disappeared|not (?:\w+ )?wors\w*|not (?:more|less|only)|insufficient evidence|instead of"
    r"|not fail|not at all|but not (?:by|with|in)|fears? that|claims? that|the claim"
    r"|reduced not|no (?:patient|child|woman|man|participant|one))\b"
    r"|\b(?:not|no) (?:[\w-]+,? ){1,4}but (?:a |an )?(?:rise|rose|increase\w*|fall|fell)\b"
    r"|, (?:but )?not (?!an?\b|significant)\w|, unlike\b"
    # Smaller changes of the treatment.
    r"|\b(?:improved|decreased|declined|increased|fell|rose|reduced) (?:\w+ly )?less\b|\bwas smaller\b"
    r"|\bmore so (?:with|in)\b|\bbut more (?:with|in)\b|\((?:better|worse)\)"
    r"|\bfewer [^.;]{0,40}(?:were|was) (?:prevented|avoided)\b"
    # What others had found, and what was taken for granted.
    r"|\bcontrary to\b|\bin contrast (?:to|with) (?:earlier|previous|prior|other)\b"
    r"|\b(?:earlier|previous|prior) (?:[\w-]+ ){0,2}(?:trials?|stud(?:y|ies)|reports?|meta-analys[ei]s|reviews?|results?)\b"
    r"|\bbelieved\b|\bassum(?:e|ed|ing)\b|\bet al\b"
    # Some of the people, or one of two times.
    r"|\bsub-?groups?\b|\bpost[- ]hoc\b|\b(?:women|men|boys|girls|smokers|diabetics) only\b|\bbackground\b"
    r"|\bfirst (?:year|month|week)\b.*\b(?:years? \d|later|thereafter|afterwards)\b"
    r"|\bnot (?:\w+ )?(?:achieved|caused|explained|accounted)\b"
    r"|\bthirty-day\b.*\bone-year\b|\bat 30 days\b.*\bat one year\b",
    re.IGNORECASE,
)
# The treatment was lacking, stopped, refused or late.
_LACKING: Final = re.compile(
    r"\b(?:deficien\w*|insufficien\w*|hypomagnes\w*|non-?us(?:e|ers?)|non-?adheren\w*|not (?:taking|receiving|using|given"
    r"|treated)|delay\w*|contraindicat\w*|intoleran\w*|avoid\w*|resistance|resistant)\b"
    r"|\b(?:poor|low|lower|inadequate|partial) (?:adheren|complian|persisten)\w*|\black of\b|\bhypovitaminosis\b"
    r"|\b(?:no|non)-[a-z]+ (?:groups?|arms?|users?)\b|\blow (?:serum |plasma |blood )?(?:[\w-]+ ){1,3}(?:levels?|status"
    r"|concentrations?|intake)\b|\b(?:below|under) \d|(?<!or )\bwithout (?!(?:any )?(?:\w+ly )?\w+ing\b)",
    re.IGNORECASE,
)


def turns_outcome(before: str, behind: str) -> bool:
    """True where the words around the name of an outcome make something else of it: "free of stroke"."""
    return _CONTRARY_BEFORE.search(before) is not None or _NEAR.match(behind) is not None


def turns_clause(clause: str) -> bool:
    """True where a clause has words that may turn it round, or tell of others' findings or of some people only."""
    return _TURNED.search(clause) is not None


def blames_lack(clause: str) -> bool:
    """True where lacking the treatment is what something is associated with: "non-use was associated with"."""
    lacking = _LACKING.search(clause)
    return lacking is not None and "associat" in clause[lacking.end() :]


def lacks_treatment(clause: str) -> bool:
    """True where a clause tells of people who lacked, stopped or avoided something: "vitamin D deficiency"."""
    return _LACKING.search(clause) is not None
