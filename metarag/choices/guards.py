"""Whether words that name an option declare it: not when denied, supposed, asked, quoted or told of others."""

from __future__ import annotations

import re

_SENTENCE = 300
"""Characters looked back at for the beginning of a sentence."""
_SENTENCE_ENDS = re.compile(r"[.!?;\n](?=\s|$)|\n")
_TURNS = re.compile(r"(?:,? (?:but|however|though|yet|instead|so|therefore|thus|hence)[ ,])|: ")
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|neither|nor|no longer|hardly|unable to|refuse to)|n't)"
    r"(?:\s(?:think|believe|say|agree|mean|conclude|that|the|my|to|be|really|just|simply|ever|want|recommend|going"
    r"|it|this|option|an?|likely|necessarily|possibly|pick|choose|select)){0,5}\s{0,2}$"
    r"|\b(?:avoid|rather than|instead of|other than|without|against|wrong to|mistake to|incorrect to)"
    r"(?:\s(?:the|to|option|choosing|choice|answer|an?|it)){0,3}\s{0,2}$"
)
_SUPPOSED = re.compile(
    r"^\W{0,4}(?:(?:and|but|or|so|then|however|even|only|also),?\s+){0,2}"
    r"(?:if|unless|suppose|supposing|assuming|imagine|in case|had|were|whether|when)\b"
)
_FORCED = re.compile(
    r"\bif (?:i|we|you) (?:had|have|must|was|were|am|are|absolutely|really)\b[^,]{0,30}\b"
    r"(?:choose|pick|guess|answer|select|decide|say)|\bif (?:forced|pressed|pushed)"
)
_SUPPOSED_AFTER = re.compile(
    r"[\s\"')\],]{0,4}(?:only )?(?:if|unless|assuming|provided|in case|had (?:he|she|it|the))\b"
)
_OF_OTHERS = re.compile(
    r"\b(?:one|some|many|people|students?|others|they|candidates?|examinees|you (?:might|may|could))\b[^.]{0,20}\b"
    r"(?:be tempted|think|argue|choose|pick|select|believe|assume|say|answer|consider)\w{0,3}\b[^.]{0,60}\.?$"
    r"|\b(?:tempt\w{0,6}|initially|at first|first thought|first glance|mistaken\w{0,2}|common (?:error|mistake)"
    r"|trap|distractor|previously|used to think|was going to|might seem|may seem|might appear)\b[^.]{0,80}\.?$"
)
_REPORTED = re.compile(
    r"\b(?:said|claims?|claimed|instructs?|instructed|tells?|told|states?|stated|writes?|wrote|reads?|asserts?|insists?"
    r"|(?:text|article|document|abstract|prompt|passage|user|author|study|he|she|they) says?)"
    r"(?:\s(?:us|me|you|models?|readers?|that|to|the|correct|right|final|best)){0,4}\s?[:,]?\s?[\"']?\s{0,2}$"
)
_TEMPLATE = re.compile(
    r"\b(?:format|formatted|respond with|reply with|in the form|for example|e\.g\.,?|such as|like this"
    r"|template|placeholder|written as|output should be)\b[^.\n]{0,30}$"
)
_ASKED = re.compile(r"[^.!?;\n]{0,80}\?")
_WRONG_ONE = re.compile(
    r"\b(?:in|un)?(?:wrong|incorrect|false|tempting|distracting|alternative|another|other|possible|previous"
    r"|second|second-best|common|least \w{1,20}|student's|users?'?s?|invalid|worst|"
    r"not (?:the|an?|my)(?: \w{1,20}){0,2}|n't (?:the|an?|my)(?: \w{1,20}){0,2})\s{1,3}$"
)
_WITHDRAWN = re.compile(
    r"\bwait[,.!:;-]|\bwait (?:no|actually|that)\b|\bscratch that\b|\bon second thought\b|\bi take (?:that|it) back\b"
    r"|\bcorrection[:,-]|\bno,? (?:that|this)(?:'s| is| was)\b"
    r"|\bthat(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct)|a mistake)\b|\bi was wrong\b"
    r"|\bi made (?:a mistake|an error)\b|\blet me (?:reconsider|correct)\b"
)


def is_declared(lower: str, start: int, end: int) -> bool:
    """Return whether the words from ``start`` to ``end`` stand in a sentence that declares them.

    Parameters
    ----------
    lower : str
        The text in lower case.
    start : int
        Where the cue begins.
    end : int
        Where the option that it names ends.
    """
    sentence = sentence_before(lower, start)
    turns = list(_TURNS.finditer(sentence))
    clause = sentence[turns[-1].end() :] if turns else sentence
    if _DENIED.search(clause) or _WRONG_ONE.search(sentence):
        return False
    if _SUPPOSED.match(sentence) and not _FORCED.search(sentence):
        return False
    if (
        _OF_OTHERS.search(clause + lower[start : start + 12])
        or _REPORTED.search(clause)
        or _TEMPLATE.search(sentence)
    ):
        return False
    if _is_quoted(lower, start):
        return False
    return not (_SUPPOSED_AFTER.match(lower, end) or _ASKED.match(lower, end))


def sentence_before(lower: str, position: int) -> str:
    """Return the sentence of ``position``, up to it."""
    window = lower[max(0, position - _SENTENCE) : position]
    ends = [match.end() for match in _SENTENCE_ENDS.finditer(window)]
    return window[ends[-1] :] if ends else window


def withdrawal(lower: str, start: int) -> int | None:
    """Return where the last words end that take back what was said before ``start``; ``None`` without any."""
    ends = [match.end() for match in _WITHDRAWN.finditer(lower, start)]
    return ends[-1] if ends else None


def _is_quoted(lower: str, position: int) -> bool:
    """Return whether a quotation that begins in the same line is still open at ``position``."""
    line = max(lower.rfind("\n", 0, position) + 1, position - 4 * _SENTENCE)
    return lower.count('"', line, position) % 2 == 1
