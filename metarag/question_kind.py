"""What kind of clinical question it is, by the words of the question."""

from __future__ import annotations

import re
from typing import Final

from metarag.types import MAX_QUESTION_LENGTH, QuestionKind

SHORT: Final = 300
"""Characters up to which the whole text counts as the question; what is longer tells a story first."""

_LESS: Final = r"(?:reduc(?:e|es|ed|ing|tion)|lower(?:s|ed|ing)?|decreas(?:e|es|ed|ing)|cut(?:s|ting)?)"
_MORE: Final = r"(?:increas(?:e|es|ed|ing)|rais(?:e|es|ed|ing)|higher|elevat(?:e|es|ed|ing))"
_BETTER: Final = r"(?:improv(?:e|es|ed|ing|ement)|prolong(?:s|ed)?|extend(?:s|ed)?)"

# The first rule that applies decides, so the more telling come first: "does treatment improve survival"
# asks for therapy although it speaks of survival. Gaps are bounded, so that no text is slow.
_RULES: Final = tuple(
    (kind, re.compile(rf"\b(?:{'|'.join(phrases)})\b"))
    for kind, phrases in (
        (
            QuestionKind.PREVALENCE,
            (
                r"how (?:common|frequent|widespread|prevalent|often|many people)",
                r"(?:sero)?prevalence",
                r"what (?:proportion|percentage|share|fraction) of",
            ),
        ),
        (
            QuestionKind.DIAGNOSIS,
            (
                r"(?<!high-)sensitivity|(?:specificity|likelihood ratios?|predictive values?)",
                r"(?:diagnostic|test|screening) (?:accuracy|performance|value|yield|utility)",
                r"how (?:accurate|accurately|reliable|reliably)",
                r"how well (?:\w{1,20} ){1,6}(?:diagnos|detect|identif|distinguish)\w{0,5}",
                r"accuracy of|accurate (?:for|in|at)",
                r"(?:accurately|reliably) (?:diagnos|detect|identif)\w{0,4}",
                r"rul(?:e|es|ing) (?:in|out)|best (?:diagnostic )?test|gold standard",
                r"likely diagnosis",
            ),
        ),
        (
            QuestionKind.PREVENTION,
            (
                r"prevent(?:s|ed|ing|ion|ive|ative)?|prophyla(?:xis|ctic|ctically)",
                r"protect(?:s|ed|ive|ion)? (?:against|from)|vaccin\w{1,8}|immuni[sz]ation",
                rf"screening (?:\w{{1,20}} ){{0,6}}(?:{_LESS}|benefits?)",
            ),
        ),
        (
            QuestionKind.ETIOLOGY_HARM,
            (
                rf"{_MORE} (?:\w{{1,20}} ){{0,3}}(?:risks?|odds|rates? of|incidence|mortality|deaths?)",
                r"risk factors?|caus(?:e|es|ed|al|ing|ation)|a?etiolog(?:y|ical|ic)",
                r"(?:after|following|prenatal|occupational) exposure|exposed to|exposure to",
                r"(?<!at )risks? (?:of|for) (?:\w{1,20} ){1,6}(?:after|following|users?|smokers?|associated)",
                r"(?:adverse|side|harmful|toxic|teratogenic) (?:effects?|events?|reactions?|outcomes?)",
                r"harms?|harmful|safe|safety|safely|toxicity|complications? of|leads? to|linked to",
            ),
        ),
        (
            QuestionKind.THERAPY,
            (
                rf"{_BETTER} (?:\w{{1,20}} ){{0,4}}(?:survival|life|prognosis|outcomes?|recovery|function)",
                rf"{_LESS} (?:\w{{1,20}} ){{0,4}}(?:mortality|deaths?|symptoms?|pain|length|duration)",
            ),
        ),
        (
            QuestionKind.PREVENTION,
            (rf"{_LESS} (?:\w{{1,20}} ){{0,3}}(?:risks?|odds|incidence|chances?|occurrence)",),
        ),
        (
            QuestionKind.PROGNOSIS,
            (
                r"prognosis|prognostic|natural history|life expectancy|(?:clinical )?course of",
                r"predict(?:s|ed|or|ors|ive|ion|ing)?",
                r"(?:survival|mortality|recurrence|relapse) (?:rates? )?(?:of|in|among|after|at)",
                r"how long (?:do|does|will|can|after|until)|what happens to",
            ),
        ),
        (QuestionKind.DIAGNOSIS, (r"diagnos(?:is|e|es|ed|ing|tic)|detect(?:s|ed|ing|ion)?",)),
        (QuestionKind.PREVALENCE, (r"incidence|epidemiology of|burden of",)),
        (
            QuestionKind.THERAPY,
            (
                r"treat(?:s|ed|ing|ment|ments)?|therap(?:y|ies|eutic)|manag(?:e|ed|ement|ing)",
                r"surgery|next step",
                r"efficacy|effective(?:ness|ly)?|benefits?|beneficial|first-line|drug of choice",
                r"versus|vs|compared (?:with|to)|better than|superior|non-?inferior(?:ity)?",
                rf"{_LESS}|{_BETTER}|reliev(?:e|es|ed|ing)|cur(?:e|es|ed|ative)|heal(?:s|ing)?|help(?:s|ful)?",
                r"alleviat(?:e|es|ed|ing)|shorten(?:s|ed)?",
            ),
        ),
        (QuestionKind.ETIOLOGY_HARM, (r"(?<!at )risks? (?:of|for|from)|associat(?:ed with|ion between)",)),
    )
)


def infer_kind(text: str) -> tuple[QuestionKind, str]:
    """Return the kind of a clinical question, and the words that decided it.

    In a text of more than 300 characters only the last sentence with a question mark counts, because the
    story before it speaks of diagnosis, treatment and risk whatever is asked.

    Parameters
    ----------
    text : str
        The question, with or without a story before it; of more than 20,000 characters, the last 20,000.

    Returns
    -------
    kind : QuestionKind
        ``OTHER`` when no rule applies.
    words : str
        In lower case; empty for ``OTHER``.

    Examples
    --------
    >>> infer_kind("How common is asthma in adults?")
    (<QuestionKind.PREVALENCE: 'prevalence'>, 'how common')
    """
    plain = " ".join(text[-MAX_QUESTION_LENGTH:].lower().split())
    asked = _last_question(plain)
    for part in (asked, plain) if len(plain) <= SHORT else (asked,):
        for kind, pattern in _RULES:
            found = pattern.search(part)
            if found:
                return kind, found.group()
    return QuestionKind.OTHER, ""


def _last_question(text: str) -> str:
    """Return the last sentence that ends in a question mark; the whole text when there is none."""
    end = text.rfind("?")
    if end < 0:
        return text
    # A full stop inside a number or an abbreviation ("2.5 mg") is not followed by a space.
    start = max(text.rfind(mark, 0, end) for mark in (". ", "? ", "! "))
    return text[start + 1 : end + 1]
