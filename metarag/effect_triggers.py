"""Which sentences are worth their tokens. Most are not, and looking first makes reading ten times faster.

Plain pieces of words are looked for before patterns, because a pattern that may begin anywhere takes many
times as long as ``in``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metarag.effect_arms import PEOPLE
from metarag.literals import holds_one

_DIGIT = re.compile(r"\d")
_ASCII_DIGIT = re.compile(r"[0-9]")
"""The same for a text in ASCII, in which it is found in a third of the time."""
# Patterns begin with one capital, rare in prose, so that their search jumps from one to the next.
_BEGINS_LABEL = r"(?:(?<=\b.)|(?<=\b[a-z].)|(?<=\b[a-z]{2}.)|(?<=\b[a-z]{3}.)|(?<=\bA.))"
_SHORT_NAME = re.compile(
    # Names of intervals are whole words: 'CL' is one, 'CLOCK' is none; a digit may stand on either side.
    r"[A-EHIKLMOPRSTUVW](?:(?:(?<![^\W\d_].)|(?<=(?<![^\W\d_])aC))"
    r"(?:(?<=C)(?:I(?:S|[a-z]{0,2})|[Ll]s?|rIs?|i)|(?<=I)Cs?|(?<=[KUP])Is?|(?<=H)(?:DI|PDI?)"
    r"|(?<=[VB])I|(?<=B)Cr?I)(?![^\W\d_])"
    rf"|{_BEGINS_LABEL}(?:(?<=[HOPWT])R|(?<=R)(?:R|D|OR|RR)|(?<=I)RR|(?<=[SW])MD"
    r"|(?<=L)SMD|(?<=M)D|(?<=A)RD|(?<=D)OR|(?<=V)E|(?<=E)S)(?:s|adj|MH)?\b)"
)
# Capitals alone show none of the small letters that are looked for: all but the shortest of them are read.
_IN_CAPITALS = ("CI", "IC", "KI", "CL", "UI", "PI", "VI", "BI")
_LONG_INTERVALS = ("nterval", "imit", "C.I", "c.i")
_LABEL_BESIDE_RATIO = re.compile(
    rf"[EGRS]{_BEGINS_LABEL}(?:(?<=R)aR|(?<=E)TD|(?<=G)MR|(?<=S)[MI]R)(?:s|adj|MH)?\b"
)
_RATIO = re.compile(
    r"atio(?:(?<=\b[Rr]atio)s?\b|(?<=\b[Hh]azardratio)|(?<=\b[Oo]ddsratio)|(?<=\b[Rr]iskratio))"
)
_RATIO_IN_CAPITALS = re.compile(r"RATIO(?<=\bRATIO)S?\b")
# 'Difference of -1.5 (SE 0.5)', 'risk reduction 26% (P=0.02)': a number behind the word, and its uncertainty.
_WORDS = ("ifference", "eduction", "fficacy", "ffect", "ohen", "edges", "change", "contrast")
_NUMBER_BEHIND = r"s?\b(?:[^.;]{0,110}?(?:\bof|\bwas|\bwere|\bis|\bare|[=:,(])\s?[-+]?\s?\d|\s?[-+]?\s?\d)"
_WORDED = re.compile(
    r"(?:ifference|eduction|fficacy|ffectiveness|ffect|ohen\W?s? d|edges\W{0,2}s? g"
    rf"|(?<!\w)change|(?<!\w)contrast){_NUMBER_BEHIND}"
)
_CHANGES = (*_WORDS, "crease")
_STATED = re.compile(
    rf"(?:ifference|eduction|fficacy|ffectiveness|ffect|change|contrast|crease){_NUMBER_BEHIND}"
)
_LETTER = re.compile(rf"[dg](?<!\w[dg]){_NUMBER_BEHIND}")
_BARE_INTERVAL = re.compile(r"[(\[][-+]?\s?\d[\d.]*%?\s?(?:to|bis|[-,;~\u2014])\s?[-+]?\d")
_RELATIVE = re.compile(r"elative (?:risk|odds|hazard|rate|incidence)")
_RISKS = ("isk differ", "iesgo", "isque", "ische", "isiko", "isico")
_SLASHED = re.compile(r"\d ?/ ?\d")
_NUMBER_BEHIND_WORD = re.compile(r" \d(?<=[a-z]..)")
_OUT_OF = re.compile(r"\b(?:of|among|in) (?:the |these |those |all |a total of )?$")
_LINKS = tuple(
    f"{word} {what}"
    for word in ("of", "among", "in", "for", "from")
    for what in ("", "the ", "these ", "those ", "all ", "a total of ")
)
_LONGEST_LINK = len("among a total of ") + 1
_LEADING_TOTAL = re.compile(r"\b[Oo]f (?:the )?\d[\d,]* [a-z]+\b[^.;,]{0,90}, \d")
_COUNT_BEFORE = re.compile(
    r"(?:\d|%|[)\]]|\b(?:no|none|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|[a-z]+teen|[a-z]+ty))"
    r"(?: [a-z]+){0,3} $",
    re.IGNORECASE,
)
_SIZE = re.compile(r"=(?:(?<=\b[nN].)|(?<=\b[nN] .)) ?\d")
_SIZE_BEHIND_WORD = re.compile(r"\b(?:for|in|among|of|from) $")
_SPREADS = ("\u00b1", "+/-", "SD", "SE", "tandard", "%)")
_REACH = 48
# What an arm of raw data needs: each count a total of five or more, or its share in brackets; each mean a
# spread, and a size for one of the two at least.
_TOTAL = re.compile(
    r"(?:(?<![^\W_])(?:of|among|in)(?![^\W_])[^\d.;]{0,80}?|/\s?)(?:[5-9]|\d\W?\d)", re.IGNORECASE
)
_SHARE = re.compile(r"[%\u2030]\s*[)\]}]")
_SPREAD = re.compile(r"\u00b1|\+/?-|(?<![a-z])s\.?[de][sm]?(?![a-z])|stdev|tandard", re.IGNORECASE)
_BRACKETED = re.compile(r"[(\[{,]\s*[-+]?[\d.,']*\d\s*[)\]},;]")
_GROUP_SIZE = re.compile(
    rf"(?<![^\W\d_])n(?![^\W\d_])[^.;]{{0,12}}\d|\d\s?(?:{'|'.join(sorted(PEOPLE))})\b", re.IGNORECASE
)


def marked_sentences(text: str, sentences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """Yield each sentence with whether it may print an effect."""
    digit, digits = -1, _ASCII_DIGIT if text.isascii() else _DIGIT
    for start, stop in sentences:
        if digit < start:
            found = digits.search(text, start)
            digit = found.start() if found else len(text)
        yield start, stop, digit < stop and may_hold(text[start:stop])


def may_hold(sentence: str) -> bool:
    """Tell whether a sentence that holds a digit may print an effect; never False where one could be read."""
    return (
        _SHORT_NAME.search(sentence) is not None
        or holds_one(sentence, _LONG_INTERVALS)
        or (sentence.isupper() and holds_one(sentence, _IN_CAPITALS))
        or _names_measure(sentence)
        or _BARE_INTERVAL.search(sentence) is not None
        or (_is_uncertain(sentence) and _is_worded(sentence))
        or (_may_be_raw(sentence) and (_has_two_arms(sentence) or _states_change(sentence)))
    )


def _names_measure(sentence: str) -> bool:
    if "atio" in sentence and (_RATIO.search(sentence) or _LABEL_BESIDE_RATIO.search(sentence)):
        return True
    if "ATIO" in sentence and (_RATIO_IN_CAPITALS.search(sentence) or _LABEL_BESIDE_RATIO.search(sentence)):
        return True
    return ("elative " in sentence and _RELATIVE.search(sentence) is not None) or holds_one(sentence, _RISKS)


def _is_uncertain(sentence: str) -> bool:
    return "=" in sentence or "<" in sentence or ">" in sentence or "SE" in sentence or "tandard" in sentence


def _is_worded(sentence: str) -> bool:
    return (holds_one(sentence, _WORDS) and _WORDED.search(sentence) is not None) or (
        _LETTER.search(sentence) is not None
    )


def _states_change(sentence: str) -> bool:
    """Tell whether a number stands behind a word for a change: 'a relative increase of 24%'."""
    return holds_one(sentence, _CHANGES) and _STATED.search(sentence) is not None


def _may_be_raw(sentence: str) -> bool:
    if "/" in sentence and _SLASHED.search(sentence):
        return True
    spread = holds_one(sentence, _SPREADS)
    if spread and "=" in sentence and _SIZE.search(sentence):
        return True
    if ("Of " in sentence or "; of " in sentence) and _LEADING_TOTAL.search(sentence):
        return True
    for number in _NUMBER_BEHIND_WORD.finditer(sentence):
        start = number.end() - 1
        if sentence.endswith(_LINKS, 0, start) and (
            (spread and _SIZE_BEHIND_WORD.search(sentence, max(0, start - _LONGEST_LINK), start))
            or _is_total(sentence, start)
        ):
            return True
    return False


def _is_total(sentence: str, number: int) -> bool:
    """Tell whether a count stands before a number, as in '12 patients of the 120'."""
    link = _OUT_OF.search(sentence, max(0, number - _LONGEST_LINK), number)
    if link is None:
        return False
    return _COUNT_BEFORE.search(sentence, max(0, link.start() - _REACH), link.start()) is not None


def _has_two_arms(sentence: str) -> bool:
    """Tell whether two arms can be told apart: one count or one mean compares nothing."""
    if len(_TOTAL.findall(sentence)) + len(_SHARE.findall(sentence)) > 1:
        return True
    spreads = len(_SPREAD.findall(sentence)) + len(_BRACKETED.findall(sentence))
    return spreads > 1 and _GROUP_SIZE.search(sentence) is not None
