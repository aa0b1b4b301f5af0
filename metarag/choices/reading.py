"""Read an option where a reply names one: the letter or the text, and whether it is really meant as one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metarag.choices.options import AnswerOptions

_SPACE = re.compile(r"\s{0,12}")
_OPENING = re.compile(r"[\s(\"'\[{<#>_-]{0,12}")
_VISIBLE = 400
"""Characters looked at behind a cue: more than the longest option of the usual data sets."""
_MOST_LETTERS = 12
_SHORT_WORD = 4

# What may follow a letter in a sentence that names an answer. After anything else the letter is an article
# ("A patient"), a pronoun ("I think"), or part of a name ("B cells").
_CONNECTING = frozenset(
    """about according albeit although among an and as at based because before both but by considering despite due
    either even except explanation for from given has hence here how however if in instead is it its namely nor
    not of on option or rather rationale reason reasoning since so than that the their then there therefore these
    they this those though thus to too under unless until using via we were when where whereas which while who
    whose why will with within without would yet
    und weil da denn car parce porque perché ist est""".split()
)
# Words that a single letter is the name of in medicine, so that "B cells" is no answer B.
_NAMED = frozenset(
    """-positive antigen band bands cell cells chain chains coli complex coronavirus deficiency diff difficile dimer
    disease fiber fibers fibre fibres gene group hepatitis level levels line lines lymphocyte lymphocytes lymphoma
    natriuretic peptide positive negative protein rays reactive receptor section sections strain symptoms syndrome
    test toxin type vaccine value virus vitamin vitamins wave waves""".split()
)
_ARTICLES = frozenset("AIOEYaioey")
_MARK = re.compile(r"[ \t]{0,2}[.):\],-]{0,3}")
_PRONOUN = "I"
_WORD = re.compile(r"[ \t]{0,3}([^\W\d_][\w'-]{0,40})")
_CLOSED = re.compile(r">|[ \t]{0,2}(?:$|\n|[.,;:!?\"')\]}|/&+=-])")
_ABBREVIATION = re.compile(r"\.[ \t]{0,2}([a-z]{3,40})\b|\.[a-z]\b")
_LOWER_CLOSED = re.compile(r">|[ \t]{0,2}(?:$|\n|[.,;:!?\"')\]}])")
_JOINED = re.compile(
    r"[\s\"')\]}]{0,4}[(\[]?(?:,|/|&|\+|;)?\s{0,3}(?:(?:and/or|and|or|und|oder|et|ou|y|o|e|ed|ve|veya|og|och|en"
    r"|of|possibly|maybe|perhaps|also|both|either)\b\s{0,3}|或|和|と|または|및|또는){0,3}"
    r"(?:(?:option|choice|answer)[ \t]{1,3})?[ \t(\"'\[{]{0,4}",
    re.IGNORECASE,
)
_LINE_ENDS = re.compile(r"[ \t.)]{0,3}(?:\n|$)")
_LETTER_BEHIND = re.compile(
    r"[ \t]{0,2}(?:[(\[]|,|-)[ \t]{0,2}(?:(?:the )?(?:option|choice|answer|letter)[ \t])?"
)
_DENIED = re.compile(
    r"[\s\"')\]}.:,;-]{0,6}(?:which |that |it )?(?:is|are|was|would be|can be|seems|looks)\s{1,3}"
    r"(?:(?:clearly|therefore|thus|also|definitely|probably|most likely|an?|the)\s{1,3}){0,2}"
    r"(?:not\b|incorrect|wrong|false|unlikely|contraindicated|inappropriate|excluded|ruled out|eliminated|tempting"
    r"|less likely|least likely|out\b|a distractor|distractor)"
    r"|[\s\"')\]}.:,;-]{0,6}(?:isn't|can't|cannot|doesn't|does not|should not|is n't)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What stands at a place where an option can be named.

    Attributes
    ----------
    labels : tuple of str
        Options that are named, in order; ``()`` with ``outside`` when it is a letter of none.
    end : int
        Where the naming ends in the text.
    by_text : bool
        True when the option's text was read and not its letter.
    outside : bool
        True when a letter is named that is no option's.
    conflict : bool
        True when a letter is followed by another option's text.
    """

    labels: tuple[str, ...]
    end: int
    by_text: bool = False
    outside: bool = False
    conflict: bool = False


def read_at(
    text: str, start: int, options: AnswerOptions, *, alone: bool = False, strict: bool = False
) -> Reading | None:
    """Return what is named at ``start``; ``None`` when nothing is.

    Parameters
    ----------
    text : str
        Plain text (:func:`metarag.choices.text.plain`).
    alone : bool
        True when the text is a value and not prose: "a" then is a letter and never an article.
    strict : bool
        True where the cue is a loose one: any unknown word behind a letter then makes it part of a name.
    """
    begin = _end_of(_SPACE, text, start)
    found, length = options.text_at(text[begin : begin + _VISIBLE])
    if not found:
        begin = _end_of(_OPENING, text, start)
        found, length = options.text_at(text[begin : begin + _VISIBLE])
    token = options.token.match(text, begin)
    if token is not None and not (found and length > token.end() - begin):
        if alone or _is_meant(text, token.start(), token.end(), options, strict=strict):
            return _by_letter(text, token, options, alone=alone)
        if token.group() in _ARTICLES and not found:
            # "A beta-blocker", and an option is called "Beta-blocker".
            begin = _end_of(_SPACE, text, token.end())
            found, length = options.text_at(text[begin : begin + _VISIBLE])
    return _by_text(text, begin + length, found, options) if found else None


def _by_text(text: str, end: int, found: tuple[str, ...], options: AnswerOptions) -> Reading | None:
    """Return the reading of an option's text; a letter in brackets behind it counts more."""
    if _DENIED.match(text, end) or _is_part_of_a_phrase(text, end, options.text_of(found[0])):
        return None
    behind = _LETTER_BEHIND.match(text, end)
    token = options.token.match(text, behind.end()) if behind else None
    label = options.label(token.group()) if token else None
    if token and label and text[token.end() : token.end() + 1] in (")", "]"):
        return Reading((label,), token.end(), conflict=label not in found)
    joint = _JOINED.match(text, end)
    if joint and "\n" not in joint.group() and joint.group().strip():
        others, length = options.text_at(text[joint.end() : joint.end() + _VISIBLE])
        if others and not _DENIED.match(text, joint.end() + length):
            found = tuple(dict.fromkeys([*found, *others]))
            end = joint.end() + length
    return Reading(found, end, by_text=True)


def _is_part_of_a_phrase(text: str, end: int, folded: str) -> bool:
    """Return whether a short word goes on, as "no" in "no longer"."""
    if len(folded) >= _SHORT_WORD or not folded.isalpha() or _CLOSED.match(text, end):
        return False
    following = _WORD.match(text, end)
    return following is not None and following[1].casefold() not in _CONNECTING


def _by_letter(text: str, token: re.Match[str], options: AnswerOptions, *, alone: bool) -> Reading | None:
    label = options.label(token.group())
    end, conflict = _past_own_text(text, token.end(), label, options)
    if _DENIED.match(text, end):
        return None
    if label is None:
        return Reading((), end, outside=True)
    labels, last = [label], end
    for _ in range(_MOST_LETTERS):
        joint = _JOINED.match(text, last)
        if joint is None or joint.end() == last:
            break
        following = options.token.match(text, joint.end())
        if following is None or not _is_second(text, joint, following, options, alone=alone):
            break
        other = options.label(following.group())
        if other is None:
            break
        after, _ = _past_own_text(text, following.end(), other, options)
        denied = _DENIED.match(text, after)
        if denied and "are" in denied.group():
            return None
        if denied:
            break
        labels.append(other)
        last = after
    return Reading(tuple(dict.fromkeys(labels)), last, conflict=conflict)


def _is_second(
    text: str, joint: re.Match[str], token: re.Match[str], options: AnswerOptions, *, alone: bool
) -> bool:
    """Return whether a letter behind another is a second answer: they have to be joined by more than a space."""
    joiner = joint.group()
    if "\n" in joiner or not joiner.strip(" \t\"')}]([{"):
        # Joined by no word: a second answer only where it has a line for itself.
        return "\n" in joiner and _LINE_ENDS.match(text, token.end()) is not None
    return alone or _is_meant(text, token.start(), token.end(), options, strict=True)


def _past_own_text(text: str, end: int, label: str | None, options: AnswerOptions) -> tuple[int, bool]:
    """Return where the option's text behind its letter ends, and whether it is another option's text."""
    begin = _end_of(_OPENING, text, _past_mark(text, end))
    found, length = options.text_at(text[begin : begin + _VISIBLE])
    if not found:
        return end, False
    if label in found:
        return begin + length, False
    # "A, B" with options whose texts are single letters: that is a second letter, no text.
    return (end, False) if length <= 1 else (begin + length, True)


def _past_mark(text: str, end: int) -> int:
    return _end_of(_MARK, text, end)


def _is_meant(text: str, start: int, end: int, options: AnswerOptions, *, strict: bool = False) -> bool:
    """Return whether a letter in prose names an option, by what follows it."""
    token = text[start:end]
    if token.islower() and token.isascii():
        return _is_meant_in_lower_case(text, start, end, options)
    if text[end : end + 1] == "." and _is_abbreviation(text, end, options):
        return False
    if _CLOSED.match(text, end):
        return token != _PRONOUN or text[end : end + 1] != ","
    following = _WORD.match(text, end)
    if following is None:
        return not text[end : end + 1].isalnum()
    word = following[1]
    if word.casefold() in _CONNECTING or options.label(word) is not None:
        return True
    if token in _ARTICLES:
        found, _ = options.text_at(text[following.start(1) : following.start(1) + _VISIBLE])
        return options.label(token) in found
    if options.begins_a_text(word):
        return True
    return not strict and word.casefold() not in _NAMED


def _is_meant_in_lower_case(text: str, start: int, end: int, options: AnswerOptions) -> bool:
    if _LOWER_CLOSED.match(text, end) is None:
        following = _WORD.match(text, end)
        is_word = text[start:end] in _ARTICLES
        return following is not None and not is_word and following[1].casefold() in _CONNECTING
    if text[start - 1 : start] in ("(", '"', "'", "[", "{"):
        return True
    return not (text[end : end + 1] == "." and _is_abbreviation(text, end, options))


def _is_abbreviation(text: str, end: int, options: AnswerOptions) -> bool:
    """Return whether ``B.`` abbreviates a name, as in "B. anthracis"."""
    species = _ABBREVIATION.match(text, end)
    if species is None or species[1] in _CONNECTING:
        return False
    if species[1] is None:
        return True
    return not options.begins_a_text(species[1])


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
