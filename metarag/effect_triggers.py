"""Which sentences are worth their tokens. Most are not, and looking first makes reading ten times faster.

Plain pieces of words are looked for before patterns, because a pattern that may begin anywhere takes many
times as long as ``in``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from metarag.effect_arms import COUNT_WORDS, EVENTS, FILL, OPENERS, PEOPLE
from metarag.literals import holds_one


def _one_of(words: Collection[str]) -> str:
    """Return the words as alternatives of a pattern."""
    return "|".join(sorted(words))


# A sign beyond Latin-1 is encoded as a question mark, and may be a digit of another script.
_AS_ZERO = bytes.maketrans(b"123456789?", b"0" * 10)
# Patterns begin with one capital, rare in prose, so that their search jumps from one to the next; what may
# stand behind it comes next, which few words in a capital hold.
_BEGINS_LABEL = r"(?:(?<=\b.)|(?<=\b[a-z].)|(?<=\b[a-z]{2}.)|(?<=\b[a-z]{3}.)|(?<=\bA.))"
_SHORT_NAME = re.compile(
    # Names of intervals are whole words: 'CL' is one, 'CLOCK' is none; a digit may stand on either side.
    r"[A-EHIKLMOPRSTUVW](?=[CDEILMOPRSilr])(?:(?:(?<![^\W\d_].)|(?<=(?<![^\W\d_])aC))"
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
_LABELS_BESIDE_RATIO = ("RaR", "ETD", "GMR", "SMR", "SIR")
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
_SLASHED = re.compile(r"/(?:(?<=\d.)|(?<=\d .)) ?\d")
_NUMBER_BEHIND_LINK = re.compile(r" \d(?<=(?:of|ng|in|or|om|he|se|ll)..)")
"""A number behind the last letters of one of the links."""
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
# What an arm of raw data needs, in lower case: each count a total behind it, a total that opens the clause, or
# its share in brackets and a group size somewhere; each mean a spread, and a size for one of the two at least.
_GAP = r"[\s_+]"
_TOTAL = r"(?=[5-9]|\d\W?\d)\d"
"""Five or more."""
_FILLED = rf"(?:(?:{_one_of(FILL)}){_GAP}+)*+"
_LINKED_TOTAL = re.compile(
    rf"[fgn/](?=[\s_+\d])(?:(?<=/){_GAP}*|(?:(?<=of)|(?<=among)|(?<=in)){_GAP}+{_FILLED}){_TOTAL}"
)
"""What all counts but shares hold; its search jumps from one of four signs to the next."""
_BEHIND_COUNT = (
    rf"{_GAP}*(?:(?:{_one_of(EVENTS)}){_GAP}+){{0,3}}(?:out{_GAP}+)?(?:of|among|in){_GAP}+"
    rf"{_FILLED}{_TOTAL}"
)
_COUNT = re.compile(
    rf"(?:[\d%\u2030)\]}}]|\b(?:{_one_of(COUNT_WORDS)})\b){_BEHIND_COUNT}|[\d)\]}}]{_GAP}*/{_GAP}*{_TOTAL}"
)
_SHARE = re.compile(
    rf"\d{_GAP}*(?:(?:{_one_of(EVENTS)}){_GAP}+){{0,2}}[(\[{{][^()\[\]{{}}]{{1,24}}[%\u2030]\s*[)\]}}]"
    rf"(?!{_BEHIND_COUNT})"
)
_INTRODUCED_SIZE = re.compile(rf"\b(?:of|among|the){_GAP}+\d")
_OPENING_TOTAL = re.compile(rf"(?:^|[;,]|\b(?:{_one_of(OPENERS)})){_GAP}*of{_GAP}+(?:the{_GAP}+)?{_TOTAL}")
_SPREAD = re.compile(
    r"[\u00b1+st](?:(?<=\u00b1)|(?<=\+)/?-|(?<=s)(?:(?<![a-z].)\.?[de][sm]?(?![a-z])|tdev)|(?<=t)andard)"
)
_BRACKETED = re.compile(r"[(\[{,]\s*[-+]?[\d.,']*\d\s*[)\]},;]")
_GROUP_SIZE = re.compile(
    r"[n\d](?:(?<=n)(?<![^\W\d_].)(?![^\W\d_])[^.;]{0,12}\d"
    rf"|(?<=\d)\s?(?:{_one_of(PEOPLE)})\b)"
)


def marked_sentences(text: str, sentences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """Yield the sentences that may print an effect, each with whether the one before it may too."""
    # Bytes are searched for one of them in a tenth of the time that a pattern takes.
    signs = text.encode("latin-1", "replace").translate(_AS_ZERO)
    digit, goes_on = signs.find(b"0"), False
    if digit < 0:
        return
    for start, stop in sentences:
        if digit < start and (digit := signs.find(b"0", start)) < 0:
            # Nothing is printed behind the last number: the rest is not even cut into sentences.
            return
        held = digit < stop and may_hold(text[start:stop])
        if held:
            yield start, stop, goes_on
        goes_on = held


def may_hold(sentence: str) -> bool:
    """Tell whether a sentence that holds a digit may print an effect; never False where one could be read."""
    return (
        _SHORT_NAME.search(sentence) is not None
        or holds_one(sentence, _LONG_INTERVALS)
        or (sentence.isupper() and holds_one(sentence, _IN_CAPITALS))
        or _names_measure(sentence)
        or _BARE_INTERVAL.search(sentence) is not None
        or (_is_uncertain(sentence) and _is_worded(sentence))
        or (_may_be_raw(sentence) and (has_two_arms(sentence) or _states_change(sentence)))
    )


def _names_measure(sentence: str) -> bool:
    if "atio" in sentence and (_RATIO.search(sentence) or _names_label_beside_ratio(sentence)):
        return True
    if "ATIO" in sentence and (_RATIO_IN_CAPITALS.search(sentence) or _names_label_beside_ratio(sentence)):
        return True
    return ("elative " in sentence and _RELATIVE.search(sentence) is not None) or holds_one(sentence, _RISKS)


def _names_label_beside_ratio(sentence: str) -> bool:
    return holds_one(sentence, _LABELS_BESIDE_RATIO) and _LABEL_BESIDE_RATIO.search(sentence) is not None


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
    if "=" in sentence and _SIZE.search(sentence) and holds_one(sentence, _SPREADS):
        return True
    if ("Of " in sentence or "; of " in sentence) and _LEADING_TOTAL.search(sentence):
        return True
    for number in _NUMBER_BEHIND_LINK.finditer(sentence):
        start = number.end() - 1
        if sentence.endswith(_LINKS, 0, start) and (
            (
                _SIZE_BEHIND_WORD.search(sentence, max(0, start - _LONGEST_LINK), start)
                and holds_one(sentence, _SPREADS)
            )
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


def has_two_arms(sentence: str) -> bool:
    """Tell whether two arms can be told apart: one count or one mean compares nothing."""
    lower = sentence.lower()
    counts = len(_LINKED_TOTAL.findall(lower))
    if counts > 1:
        counts = len(_COUNT.findall(lower)) + len(_OPENING_TOTAL.findall(lower))
    if counts > 1:
        return True
    counts += len(_SHARE.findall(lower))
    if counts > 1 and (_INTRODUCED_SIZE.search(lower) or _GROUP_SIZE.search(lower)):
        return True
    spreads = len(_SPREAD.findall(lower)) + len(_BRACKETED.findall(lower))
    return spreads > 1 and _GROUP_SIZE.search(lower) is not None
