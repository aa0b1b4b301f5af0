"""Read an answer by where it stands: the whole reply, its beginning, its last line."""

from __future__ import annotations

import re

from metarag.choices.guards import is_declared
from metarag.choices.mentions import is_refusal
from metarag.choices.options import AnswerOptions
from metarag.choices.reading import read_at
from metarag.choices.result import ParsedAnswer, chosen, from_reading, unreadable
from metarag.choices.statements import Statement

_LEAD = re.compile(r"(?:[^\w+-]|- ){0,12}(?:(?:option|choice|letter)\s)?", re.IGNORECASE)
_MARK = re.compile(r">|[ \t]{0,2}(?:$|\n|[.):,;\]}\"'?!]|-(?=\s)|(?:because|since|due)\b)")
_LIST_ITEM = re.compile(
    r"(?:(?:^|\n|[.;]\s)[ \t>•-]{0,6}(?:[Oo]ption )?\(?(?P<line>[A-Za-z]|\d{1,2})[).:]"
    r"|[ \t]\(?(?P<inline>[A-Za-z]|\d{1,2})\))[ \t]"
)
_EXPLAINS = re.compile(
    r"\b(?:explanation|rationale|reason\w{0,5}|because|why|justification)\b", re.IGNORECASE
)
_EDGES = " \n.,;:!?\"'()[]{}<>#_-"


def whole_reply(text: str, options: AnswerOptions) -> ParsedAnswer | None:
    """Read a text that is nothing but a letter or an option's text."""
    bare = text.strip(_EDGES)
    same = options.by_text(text) or options.by_text(bare)
    if options.token.fullmatch(bare):
        label = options.label(bare)
        if label:
            return chosen(label, "bare", (label,))
        if not same:
            return unreadable("outside")
    if len(same) == 1:
        return chosen(same[0], "text", same)
    return unreadable("several", same) if same else None


def first_words(text: str, lower: str, options: AnswerOptions) -> tuple[Statement, bool] | None:
    """Read "B", "B) text" or "Option B" at the beginning; with whether that is all of the first line."""
    lead = _LEAD.match(text)
    begin = lead.end() if lead else 0
    token = options.token.match(text, begin)
    reading = read_at(text, begin, options)
    if reading is None or not is_declared(lower, begin, reading.end):
        return None
    is_marked = token is not None and (
        reading.end > token.end() or _MARK.match(text, token.end()) is not None
    )
    if token is None or not is_marked or _begins_a_list(text, token):
        ends = text[reading.end : reading.end + 1] in ("", "\n", ".", ",", ";", ":", "!", ")")
        if not (reading.by_text or reading.conflict) or not ends or is_refusal(lower):
            return None
    line_end = text.find("\n", reading.end)
    rest = text[reading.end : line_end if line_end >= 0 else len(text)]
    return Statement(begin, reading, "leading"), not rest.strip(" .,;:!)\"'-]}")


def last_line(text: str, options: AnswerOptions) -> ParsedAnswer | None:
    """Read a last line that is nothing but a letter, or a letter and its text."""
    line = text.rpartition("\n")[2]
    lead = _LEAD.match(line)
    bare = line[lead.end() if lead else 0 :].strip(_EDGES)
    token = options.token.match(bare)
    if token is None or "\n" not in text:
        return None
    if any(_follows(_label(item), token.group()) for item in _LIST_ITEM.finditer(text)):
        return None
    if options.label(token.group()) is None:
        return unreadable("outside") if token.end() == len(bare) else None
    reading = read_at(bare, 0, options, alone=True)
    if reading and reading.end == len(bare):
        return from_reading(reading, "last_line")
    return None


def _begins_a_list(text: str, token: re.Match[str]) -> bool:
    """Return whether a text begins with the options themselves, one after another."""
    item = _LIST_ITEM.search(text, token.end())
    if item is None or _EXPLAINS.search(text, token.end(), item.start()):
        return False
    return _follows(token.group(), _label(item))


def _label(item: re.Match[str]) -> str:
    return item["line"] or item["inline"]


def _follows(one: str, other: str) -> bool:
    """Return whether a label comes right after another in the alphabet."""
    return ord(other.casefold()[0]) == ord(one.casefold()[0]) + 1
