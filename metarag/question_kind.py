"""What kind of clinical question it is, by the words of the question."""

from __future__ import annotations

import re
from typing import Final

from metarag.types import QuestionKind

_K = QuestionKind

# The first pattern that is found decides, so the more telling come first: "does treatment improve
# survival" asks for therapy although it speaks of survival. Gaps are bounded, so that no text is slow.
_RULES: Final = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (_K.PREVALENCE, r"\bhow (?:common|frequent|widespread|prevalent|often)\b"),
        (_K.PREVALENCE, r"\b(?:sero)?prevalence\b|\bwhat (?:proportion|percentage|share|fraction) of\b"),
        (_K.DIAGNOSIS, r"\b(?:sensitivity|specificity|likelihood ratio|predictive value)s?\b"),
        (_K.DIAGNOSIS, r"\b(?:diagnostic|test|screening) (?:accuracy|performance|value|yield|utility)\b"),
        (
            _K.DIAGNOSIS,
            r"\b(?:accuracy|accurate|accurately|reliably) (?:of|is|are|at|in|for|as|does|do|detect\w*)\b",
        ),
        (
            _K.DIAGNOSIS,
            r"\bhow (?:accurate|accurately|well|reliable|reliably)\b[^.?!]{0,80}\b(?:diagnos|detect|identif|rule)\w*",
        ),
        (_K.DIAGNOSIS, r"\brul(?:e|es|ing) (?:in|out)\b|\bbest (?:diagnostic )?test\b|\bgold standard\b"),
        (_K.PREVENTION, r"\bprevent(?:s|ed|ing|ion|ive|ative)?\b|\bprophyla(?:xis|ctic|ctically)\b"),
        (
            _K.PREVENTION,
            r"\bprotect(?:s|ed|ive|ion)? (?:against|from)\b|\bvaccin\w{0,12}\b|\bimmuni[sz]ation\b",
        ),
        (
            _K.ETIOLOGY_HARM,
            r"\b(?:increase[sd]?|increasing|raise[sd]?|higher|elevate[sd]?) (?:the )?(?:\w{1,20} ){0,2}(?:risk|odds|rates? of|incidence|mortality|bleeding)\b",
        ),
        (
            _K.ETIOLOGY_HARM,
            r"\b(?:risk factors?|caus(?:e|es|ed|al|ing|ation)|etiolog\w{0,6}|aetiolog\w{0,6}|exposed to|exposure to)\b",
        ),
        (
            _K.ETIOLOGY_HARM,
            r"\brisks? (?:of|for)\b[^.?!]{0,80}\b(?:after|following|exposure|exposed|users?|smok\w{1,4}|associated)\b",
        ),
        (
            _K.ETIOLOGY_HARM,
            r"\b(?:adverse|side|harmful|toxic|teratogenic) (?:effects?|events?|reactions?|outcomes?)\b",
        ),
        (
            _K.ETIOLOGY_HARM,
            r"\b(?:harms?|harmful|safe|safety|safely|toxicity|complications? of|lead(?:s|ing)? to|linked to)\b",
        ),
        (
            _K.THERAPY,
            r"\b(?:reduc\w{1,4}|lower(?:s|ed|ing)?|decreas\w{1,3}|improv\w{1,7}|prolong\w{0,3}|extend\w{0,3}) (?:\w{1,20} ){0,4}(?:mortality|death|deaths|survival|prognosis|symptoms?|pain|quality|outcomes?|recovery|length|duration)\b",
        ),
        (
            _K.PREVENTION,
            r"\b(?:reduc\w{1,4}|lower(?:s|ed|ing)?|decreas\w{1,3}|cut(?:s|ting)?) (?:the )?(?:\w{1,20} ){0,2}(?:risks?|odds|incidence|chances?|occurrence)\b",
        ),
        (_K.PREVENTION, r"\bscreening\b[^.?!]{0,80}\b(?:reduc\w{1,4}|mortality|deaths?|benefits?)\b"),
        (_K.PROGNOSIS, r"\b(?:prognosis|prognostic|natural history|life expectancy|long-term outlook)\b"),
        (
            _K.PROGNOSIS,
            r"\bpredict(?:s|ed|or|ors|ive|ion|ing)?\b|\b(?:survival|mortality|recurrence|relapse) (?:rates? )?(?:of|in|among|after|at)\b",
        ),
        (_K.PROGNOSIS, r"\bhow long (?:do|does|will|can|after|until)\b|\bwhat happens to\b|\bcourse of\b"),
        (_K.DIAGNOSIS, r"\bdiagnos(?:is|e|es|ed|ing|tic)\b|\bdetect(?:s|ed|ing|ion)?\b"),
        (_K.PREVALENCE, r"\bincidence\b|\bepidemiology of\b|\bburden of\b"),
        (
            _K.THERAPY,
            r"\b(?:treat(?:s|ed|ing|ment|ments)?|therap(?:y|ies|eutic)|efficacy|effective(?:ness|ly)?|manage(?:ment|d)?)\b",
        ),
        (
            _K.THERAPY,
            r"\b(?:versus|vs|compared (?:with|to)|better than|superior(?: to)?|non-?inferior\w{0,3}|first-line|drug of choice|benefits?)\b",
        ),
        (
            _K.THERAPY,
            r"\b(?:reduc\w{1,4}|reliev\w{1,4}|improv\w{1,7}|cur(?:e|es|ed|ative)|heal(?:s|ing)?|help(?:s|ful)?|alleviat\w{1,4}|shorten\w{0,3}|surgery|next step)\b",
        ),
        (_K.ETIOLOGY_HARM, r"\b(?:risks? (?:of|for|from)|associated with|association between)\b"),
    )
)
_QUESTION: Final = re.compile(r"[^.?!\n]{1,2000}\?")


def infer_kind(text: str) -> tuple[QuestionKind, str]:
    """Return the kind of a clinical question, and the words that decided it.

    The last sentence with a question mark is looked at first, because a vignette before it speaks of
    diagnosis, treatment and risk whatever is asked; then the whole text.

    Parameters
    ----------
    text : str
        The question, with or without the story before it.

    Returns
    -------
    kind : QuestionKind
        ``OTHER`` when no rule applies.
    words : str
        As they stand in the text, white space made single; empty for ``OTHER``.

    Examples
    --------
    >>> infer_kind("How common is asthma in adults?")
    (<QuestionKind.PREVALENCE: 'prevalence'>, 'How common')
    """
    asked = _QUESTION.findall(text)
    for part in (*asked[-1:], text):
        for kind, pattern in _RULES:
            found = pattern.search(part)
            if found:
                return kind, " ".join(found.group().split())
    return QuestionKind.OTHER, ""
