"""Whose a result is: of the treatment, of another factor ("smoking was associated with"), or of lacking the treatment.

A study of a treatment tells of age and smoking too. What is told of neither the treatment nor an arm counts only where
nothing else can be meant: "mortality was lower", "the odds ratio for death was 0.8".
"""

from __future__ import annotations

import re
from typing import Final

from metarag.direction_words import DENIED
from metarag.other_treatments import names_asked, places_of
from metarag.result_frames import without_asides

_ARMS: Final = re.compile(
    r"\b(?:treatments?|therap(?:y|ies)|interventions?|drugs?|medications?|regimens?|supplement\w*|combination|programmes?|programs?"
    r"|strateg(?:y|ies)|groups?|arms?|placebo|controls?|sham|vehicle|non-?users?|users?|exposed|untreated|treated|doses?"
    r"|usual care|standard care|vaccin\w+|procedures?|surgery|operations?|exercise|training)\b"
    r"|\A\W*(?:It|This|They|These|Both)\b",
    re.IGNORECASE,
)
# Where the treatment is no drug, no name of it is known, and only what is a factor for sure is one.
_FACTOR: Final = re.compile(
    r"\b(?:(?:current|former|heavy|older|younger|increasing|advanced|high|higher|low|lower|poor|female|male) )?"
    r"(?:smok\w+|age|sex|gender|obesity|diabetes|hypertension|adherence|education|income|alcohol|comorbidit\w+|BMI"
    r"|body mass index"
    r"|baseline|blood pressure|stroke|atrial fibrillation)\b",
    re.IGNORECASE,
)
_RELATES: Final = re.compile(
    r"\b(?:associat\w+|predict\w*|risk factors?|related to|linked|correlat\w+|contribut\w+|determin\w+|led to|lead to|leads"
    r" to|resulted in|caus(?:ed|es|ing)|increas(?:ed|es)|decreas(?:ed|es)|reduc(?:ed|es)|rais(?:ed|es)|lower(?:ed|s)"
    r"|doubl(?:ed|es)|tripl(?:ed|es)|improv(?:ed|es)|prevent(?:ed|s)|worsen(?:ed|s)|protect\w*|had|have|has|affected|was an?"
    r"|were an?)\b",
    re.IGNORECASE,
)
# What may stand before a change that has no subject: "there was a significantly increased risk of".
_NOBODY: Final = re.compile(
    r"(?:\W|\d|\b(?:the|an?|there|was|were|is|are|no|not|(?:non-?)?significant(?:ly)?|statistically|we|found|observed|seen"
    r"|results?|show(?:s|ed)?|demonstrated?s?|that|analys[ei]s|pooled|pooling|meta|this|these|our|in|of|from|trials?"
    r"|stud(?:y|ies)|randomi[sz]ed|controlled|overall|also|data|evidence|moderate|high|low|certainty|quality|and|with|at"
    r"|on|patients|participants|people|years?|months?|weeks?|days?|conclusions?|summary|thus|however|therefore|but|by"
    r"|after|during|follow|up|multivaria\w+|multivariate|adjusted|model|models|unadjusted|cox|regression|logistic|risk|odds"
    r"|hazard|ratio|ratios|relative|rate|rates|incidence|number|for|had|has|have|been|or|rr|hr|more|fewer|less|lower"
    r"|higher|intention|to|treat|a|non|trends?|towards?|tended|tendency|suggest\w*|indicat\w*|finally|moreover|furthermore|additionally)\b)*",
    re.IGNORECASE,
)
_ADJUSTED_FOR: Final = re.compile(
    r"\b(?:adjust\w*|controll\w+|correct\w+|account\w*|allow\w*|independent\w*|regardless|irrespective) (?:for|of) [^,;(]+",
    re.IGNORECASE,
)
# "Low iron", "iron deficiency", "serum iron", "iron status": what people have in them, and not what they were given.
_OF_A_LEVEL: Final = re.compile(
    r"(?:\b(?:low(?:er|est)?|high(?:er|est)?|reduced|decreased|increased|inadequate|insufficient|poor|depleted|diminished"
    r"|suboptimal|elevated|raised|serum|plasma|circulating|blood|endogenous|urinary|hair"
    r"|(?:lack(?:ing)?|loss|absence|shortage|quartiles?|quintiles?|tertiles?|levels?|concentrations?|status|stores?"
    r"|depletion|deficiency|deficient|excess|overload|short|low|lacking|depleted) (?:of|in)"
    r"|(?:requirements?|needs?|demand) for|dependen\w+ on"
    r"|no|late|delayed|without"
    r"|failure to (?:give|take|use)|not (?:on|taking|using))"
    r" (?:(?:serum|plasma|blood|circulating|total|baseline|(?:levels?|concentrations?|stores?|status|intakes?) of) )*"
    r"|\b(?:non|hypo|anti)-?|\b\d+-(?:hydroxy-?)?)\Z",
    re.IGNORECASE,
)
_LEVEL_OF: Final = re.compile(
    r"[ -](?:\w+ )?(?:levels?|status|concentrations?|stores?|deficien\w*|deplet\w*|insufficien\w*|overload|quartiles?"
    r"|tertiles?|quintiles?|below|under|values?|withdrawal|discontinuation|cessation|overdose|failure"
    r"|non-?adherence|adherence|resistan\w+|intoleran\w+|allerg\w+)\b"
    r"|[ -](?:an?a?emia)\b|\s?[<>\u2264\u2265]",
    re.IGNORECASE,
)
_LACK: Final = re.compile(
    r"\b(?:deficien\w*|insufficien\w*|hypo(?:vitaminosis|magnes\w+|kal\w+|natr\w+|calc\w+|phosphat\w+)|non-?us(?:e|ers?)\b"
    r"|non-?adheren\w*|(?:poor|low|lower|inadequate|partial) (?:adheren|complian|persisten)\w*|lack of|absence of"
    r"|not (?:taking|receiving|using|given|treated)|delay\w*|discontinu\w*|cessation|stopp\w+|withdraw\w*|interrupt\w*"
    r"|low (?:serum|plasma|blood|\d+)|\d+-hydroxy\w*)",
    re.IGNORECASE,
)
_WITHIN: Final = re.compile(
    r"\W*(?:[A-Z]+:\s*)?(?:In|Within|Among) [^,]{3,60}, (?=[^,]*\b(?:was|were|had|\w+ed)\b)"
)
# "Stroke rose with age", "was more frequent in winter".
_GOES_WITH: Final = re.compile(
    r"\b(?:more (?:frequent|common|often)|less (?:frequent|common|often)|higher|lower|rose|fell|increased|decreased|greater)"
    r" (?:with|in|by|during|after|on|for) (?P<what>(?:[\w-]+ ?){1,6})",
    re.IGNORECASE,
)
_COMPARED: Final = re.compile(
    r"\b(?:than|versus|vs\.?|compared (?:with|to)|relative to)(?!\w)", re.IGNORECASE
)


def names_an_arm(sentence: str, treatments: frozenset[str]) -> bool:
    """True where a sentence names the treatment, an arm of the study, or a word for either."""
    return bool(treatments and names_asked(sentence, treatments)) or _ARMS.search(sentence) is not None


def is_of_a_level(clause: str, treatments: frozenset[str]) -> bool:
    """True where a clause tells of how much of the treatment people have in them: "low iron", "vitamin D status".

    False where it names the treatment elsewhere as what was given: "iron reduced deaths in people with low iron".
    """
    named = places_of(clause, treatments)
    levels = [
        place
        for place in named
        if _OF_A_LEVEL.search(clause[: place[0]]) or _LEVEL_OF.match(clause, place[1])
    ]
    return bool(levels) and len(levels) == len(named)


def is_of_lacking(clause: str, treatments: frozenset[str]) -> bool:
    """True where something befell those who lacked, left off or were late with the treatment.

    False where the treatment is named behind that: "in iron deficiency iron reduced mortality"; and where the lack is
    what it is compared with.
    """
    lack = _LACK.search(clause)
    if lack is None or _COMPARED.search(clause[: lack.start()]):
        return False
    behind = [place for place in places_of(clause, treatments) if place[0] >= lack.end() + 12]
    before = [place for place in places_of(clause, treatments) if place[1] <= lack.start() - 12]
    return not behind and not before


def names_a_factor(text: str) -> bool:
    """True where a text names age, smoking or another thing that studies adjust for."""
    return _FACTOR.search(text) is not None


def is_nobody(words: str) -> bool:
    """True where words name no thing that a result may be of: "the adjusted odds ratio was"."""
    return _NOBODY.fullmatch(words) is not None


def is_of_another_factor(clause: str, outcome: int, treatments: frozenset[str]) -> bool:
    """True where a clause tells what something else than the treatment or an arm did to the outcome.

    Parameters
    ----------
    clause : str
    outcome : int
        Where the outcome's name begins in the clause.
    """
    if not treatments:
        begun = _NOBODY.match(clause)
        return bool(
            begun and _FACTOR.match(clause, begun.end()) and _RELATES.search(clause[:outcome], begun.end())
        )
    within = _WITHIN.match(clause)
    clause, outcome = (clause[within.end() :], outcome - within.end()) if within else (clause, outcome)
    told = _ADJUSTED_FOR.sub(" ", clause)
    if names_an_arm(without_asides(told), treatments):
        return False
    goes_with = _GOES_WITH.search(clause)
    if goes_with and _NOBODY.fullmatch(goes_with["what"]) is None:
        return True
    relates = _RELATES.search(clause)
    if relates is None:
        return False
    if relates.start() < outcome or relates.group().lower().startswith(("associat", "relat", "link")):
        denied = DENIED.search(clause[: relates.start()])
        before = clause[: denied.start() if denied else relates.start()]
        return _NOBODY.fullmatch(without_asides(before)) is None
    return False
