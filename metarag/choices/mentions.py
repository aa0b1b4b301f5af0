"""An answer given by the text of an option alone, without a letter."""

from __future__ import annotations

import re

from metarag.choices.guards import sentence_before
from metarag.choices.options import AnswerOptions
from metarag.choices.reading import read_at

_SHORTEST = 4
"""Letters. Shorter texts ("no", "3") stand in any prose; they count only where they are declared."""
_MOST_MENTIONS = 200
_ENDS = re.compile(r"[.!?;\n]")
_CLAUSES = re.compile(
    r",? (?:but|however|because|since|whereas|while|although|though|so|therefore|thus|hence|as|given that)\b|[,:]\s"
)
_NAMED_LETTER = re.compile(r"\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer) ")
_DENIED_BEFORE = re.compile(
    r"\b(?:not|never|avoid\w{0,3}|rather than|instead of|other than|except|unlike|without|neither|nor|no|stop\w{0,4}"
    r"|discontinu\w{1,3}|withhold\w{0,3}|against|than|over|cannot|excludes?|excluding|rul\w{1,3} out"
    r"|contraindicat\w{1,4})\b|n't\b"
)
_DENIED_AFTER = re.compile(
    r"^.{0,60}?(?:\bnot\b|n't\b|\bnever\b|\bcannot\b|\bcontraindicated|\bwrong\b|\bincorrect|\binappropriate"
    r"|\bunlikely|\bruled out|\bexcluded|\bavoided|\bless (?:likely|appropriate|effective|suitable)|\bunsafe"
    r"|\bharmful|\bfalse\b|\binsufficient|\binferior|\bdangerous|\bfails?\b)"
)
_CONCLUDES = re.compile(
    r"\b(?:answer|best|correct|right|most (?:appropriate|likely|suitable|probable|effective|accurate|consistent)"
    r"|next step|choice|diagnosis|therefore|thus|hence|so|conclusion|recommend\w{0,3}|choose|select|start|should"
    r"|indicated|prefer\w{0,4}|go with|consistent with|suggests?|treat\w{0,5})\b"
)
_REFUSES = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to|won't|will not|not possible to"
    r"|impossible to|refuse to|decline to)\s(?:\w{1,12}\s){0,3}?(?:answer|determine|provide|give|choose|select|pick"
    r"|decide|tell|say|offer|recommend|conclude|help|assist|advise|diagnose|comply|make|be (?:answered|determined))"
    r"|\b(?:not enough|insufficient|inadequate|lack of|no (?:relevant|sufficient|clear)|too little|more)\s"
    r"(?:\w{1,12}\s)?(?:information|data|evidence|context|details?)\b"
    r"|\b(?:i (?:do not|don't|really don't) know|not sure|unsure|no idea|not certain|as an ai|i'm sorry|i am sorry"
    r"|i apologi[sz]e|don't know)\b"
)


def is_short(folded: str) -> bool:
    """Return whether a text is so short that it stands in any prose, as "no" and "3" do."""
    return sum(c.isalnum() for c in folded) < _SHORTEST


def is_refusal(lower: str) -> bool:
    """Return whether a text says that it does not answer."""
    return bool(_REFUSES.search(lower))


def by_mention(text: str, lower: str, options: AnswerOptions) -> tuple[str, ...]:
    """Return the options whose text alone is the answer; several when that cannot be decided.

    One option that is mentioned and not denied; of several, the one in the last sentence that concludes.
    """
    named = [*_mentions(lower, options), *_named_letters(text, options)]
    mentions = [m for m in named if not _is_denied(lower, *m[:2])]
    labels = {label for mention in mentions for label in mention[2]}
    if len(labels) <= 1:
        return tuple(labels)
    by_sentence: dict[int, set[str]] = {}
    for start, _, found in mentions:
        begin = start - len(sentence_before(lower, start))
        by_sentence.setdefault(begin, set()).update(found)
    for begin in sorted(by_sentence, reverse=True):
        end = _ENDS.search(lower, begin)
        if _CONCLUDES.search(lower, begin, end.start() if end else len(lower)):
            return tuple(sorted(by_sentence[begin]))
    return tuple(sorted(labels))


def _named_letters(text: str, options: AnswerOptions) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return where letters stand that are called an option's."""
    found: list[tuple[int, int, tuple[str, ...]]] = []
    for match in list(_NAMED_LETTER.finditer(text))[-_MOST_MENTIONS:]:
        reading = read_at(text, match.end(), options, strict=True)
        if reading and reading.labels and not reading.by_text:
            found.append((match.start(), reading.end, reading.labels))
    return found


def _mentions(lower: str, options: AnswerOptions) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return where option texts stand, the longest first: what it covers is no mention of a shorter one."""
    flat = lower
    taken: list[tuple[int, int, tuple[str, ...]]] = []
    for folded, labels in options.texts.items():
        if is_short(folded):
            continue
        start, left = flat.rfind(folded), _MOST_MENTIONS
        while start >= 0 and left:
            end = start + len(folded)
            left -= 1
            whole = not (flat[start - 1 : start].isalnum() and start) and not flat[end : end + 1].isalnum()
            if whole and not any(s < end and start < e for s, e, _ in taken):
                taken.append((start, end, labels))
            start = flat.rfind(folded, 0, start)
    return taken


def _is_denied(lower: str, start: int, end: int) -> bool:
    before = sentence_before(lower, start)
    turns = list(_CLAUSES.finditer(before))
    clause = before[turns[-1].end() :] if turns else before
    after = lower[end : end + 120]
    stop = _ENDS.search(after)
    after = after[: stop.start()] if stop else after
    turn = _CLAUSES.search(after)
    after = after[: turn.start()] if turn else after
    question = bool(re.match(r"[^.!;\n]{0,80}\?", lower[end : end + 90]))
    return question or bool(_DENIED_BEFORE.search(clause) or _DENIED_AFTER.match(after))
