"""Text made plain for reading numbers, with the way back to the original characters."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from metarag.effect_phrases import LowerPhrase, Phrase
from metarag.literals import holds_one

SectionKind = Literal["background", "methods", "results", "conclusions", "unknown"]

THIN_SPACE = "\u2009"
"""Stands for every space that does not end a number: '1\u2009502' is one number, '1 502' may be two."""

_MINUS = "\u2010\u2011\u2012\u2013\u2212\ufe58\ufe63"
_NARROW = "\u00a0\u2007\u2008\u2009\u200a\u202f\u205f"
_WIDE = "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u3000\u0085\u2028\u2029\t\r\n\x0b\x0c"
_TILDE = "\u223c\u301c\u02dc\u2053"
_ONE_TO_ONE: Mapping[int, int | str] = MappingProxyType(
    {
        **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
        **dict.fromkeys(map(ord, _MINUS), "-"),
        **dict.fromkeys(map(ord, _NARROW), THIN_SPACE),
        **dict.fromkeys(map(ord, _WIDE), " "),
        **dict.fromkeys(map(ord, _TILDE), "~"),
        **{0x0660 + digit: str(digit) for digit in range(10)},
        **{0x06F0 + digit: str(digit) for digit in range(10)},
        0x2070: "0",
        0x207B: "-",
        0x207A: "+",
        0x2236: ":",
        0x2A7D: "\u2264",
        0x2A7E: "\u2265",
        0x2266: "\u2264",
        0x2267: "\u2265",
        0xFF0E: ".",
        0x066B: ".",
        0x2019: "'",
        0x02BC: "'",
        0x2044: "/",
        0x2215: "/",
        # Superscript two and three stay as they are: they name a unit or I-squared, not an exponent.
        **{0x2074 + offset: str(4 + offset) for offset in range(6)},
    }
)
_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")
_USUAL = bytes(range(0x20, 0x7F)) + b"\n"
"""All other signs: taking them out of a text in ASCII tells in a tenth of the time whether any is left."""
# A line ends a sentence only where a headed part of an abstract begins; elsewhere it was broken for width.
_GOES_ON_BEHIND = r"(?! {0,4}[A-Z][A-Za-z ,/&-]{2,60}:)"
_LINE_END = re.compile(rf"[\n\r]{_GOES_ON_BEHIND}")
_LINE_FEED = re.compile(rf"\n{_GOES_ON_BEHIND}")
"""The same for a text of one sign: its search jumps from one to the next."""
_DOTS = tuple("\u00b7\u2219\u22c5\u2027\u30fb\uff65\u02d9")
_RAISED_POINT = re.compile(
    r"(?<![^\W_])[\u00b7\u2219\u22c5\u2027\u30fb\uff65\u02d9](?=\d)"
    r"|(?<=\d)[\u00b7\u2219\u22c5\u2027\u30fb\uff65\u02d9](?=\d)"
)
# Characters that take no room, character references and the inline tags of bibliographic records.
_NO_ROOM = r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
_REFERENCE = r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#[xX][0-9a-fA-F]{1,5});"
_TAG = r"</?(?:i|b|u|em|strong|sub|sup|br|p|italic|bold)\s?/?>"
_REMOVABLE = re.compile(f"{_NO_ROOM}|{_REFERENCE}|{_TAG}")
_REFERENCES = re.compile(_REFERENCE)
_TAGS = re.compile(_TAG)
_TAKES_NO_ROOM = re.compile(_NO_ROOM)
# Old records carry '0. 51', broken where a line was wrapped.
_BROKEN_NUMBER = re.compile(r"\.(?P<gap>\s{1,2})\d")
_BROKEN_ZERO = re.compile(r"(?:^|[^\w.])0\.$")
_BEHIND_BROKEN = re.compile(r"\d{1,4}(?:\s?[,;)\]%\u00b1+-]|\s(?:to|and)\s-?\d)")
_BRACKET_REACH = 160
_COMMA_INTERVAL = re.compile(
    r"\d,\d{1,3}%?\s?(?:-|to|a|bis|und|and|;|\u00e0|\u2014)\s?-?\d{1,3},\d{1,3}(?!\d)"
)
_COMMA_DECIMAL = re.compile(r"(?<![\d.,])-?0,\d{1,4}(?![\d,]*\.\d)(?!\d)")
_POINT_DECIMAL = re.compile(r"\.\d(?<=\d..)")

LONGEST_SENTENCE = 2000
"""Characters; ours. The longest in 1,397 abstracts of trials has about 1,500."""
# The first sign stands alone, so that the search jumps from one to the next.
_BREAK = re.compile(r"[\n.!?](?:(?<=\n)|(?<!\n)[)\]\"']*\s+(?=[A-Z0-9(\[\"'\u00c0-\u00de]))")
_ABBREVIATIONS = frozenset(
    "vs v i.e e.g s.e s.d s.e.m al approx ca cf no nos fig resp incl excl st dr c.i c p ie eg std adj max min"
    " mean".split()
)
_BEFORE_ABBREVIATION = re.compile(r"[\s(\[]")
_LONGEST_ABBREVIATION = 8
_HEADING = re.compile(
    r"(?P<words>[A-Z](?:(?<=^.)|(?<=[.!?;)\]] .)|(?<=\n.)|(?<=[.!?;)\]]  .))"
    r"[A-Za-z]+(?:[ /&,-]{1,3}[A-Za-z]+){0,5}) ?:{1,2}(?= |[A-Z0-9])"
)
_HEADING_KINDS: tuple[tuple[SectionKind, tuple[str, ...]], ...] = (
    ("conclusions", ("conclu", "interpret", "discuss", "implication", "meaning")),
    ("results", ("result", "finding", "outcomes and")),
    (
        "methods",
        (
            "method",
            "design",
            "patients",
            "participants",
            "setting",
            "intervention",
            "measure",
            "materials",
            "data sources",
            "study selection",
            "statistical",
            "main outcome",
            "subjects",
            "procedure",
        ),
    ),
    (
        "background",
        (
            "background",
            "introduc",
            "objective",
            "purpose",
            "aim",
            "context",
            "rationale",
            "importance",
            "hypothes",
            "question",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class PlainText:
    """Text with one way to write each sign, and the position every character came from.

    Attributes
    ----------
    source : str
        The text as given.
    text : str
        Raised decimal points, dashes, full-width forms, references and inline tags made plain.
    origins : tuple of int or None
        ``origins[i]`` is where ``text[i]`` starts in ``source``, with one more entry for the end;
        ``None`` when every character stayed where it was.
    """

    source: str
    text: str
    origins: tuple[int, ...] | None = None

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of ``source`` that ``text[start:end]`` was read from."""
        if self.origins is None or start >= end:
            return start, max(start, end)
        return self.origins[start], self.origins[end - 1] + self._width(end - 1)

    def _width(self, index: int) -> int:
        origins = self.origins or ()
        following = origins[index + 1]
        found = _REMOVABLE.match(self.source, origins[index])
        # A removed mark after the last character belongs to no span.
        return found.end() - origins[index] if found and found.end() <= following else 1


def plain(source: str) -> PlainText:
    """Return ``source`` made plain; linear in its length, for any string."""
    text, origins = source, None
    if _has_marks(source):
        text, origins = _without_marks(source)
    if _BROKEN_NUMBER.search(text):
        text, origins = _mended(text, origins)
    if not text.isascii() and holds_one(text, _DOTS):
        text = _RAISED_POINT.sub(".", text)
    if "\r" in text:
        text = _LINE_END.sub(" ", text).replace("\r", "\n")
    elif "\n" in text:
        text = _LINE_FEED.sub(" ", text)
    if not text.isascii() or text.encode().translate(None, _USUAL):
        text = _UNUSUAL.sub(_usual, text)
    return PlainText(source, text, origins)


def _usual(found: re.Match[str]) -> str:
    character = found.group()
    usual = _ONE_TO_ONE.get(ord(character), character)
    return usual if isinstance(usual, str) else chr(usual)


def _has_marks(source: str) -> bool:
    """Tell whether anything is to be taken out; each pattern begins with one sign, which is found quickly."""
    if ("&" in source and _REFERENCES.search(source)) or ("<" in source and _TAGS.search(source)):
        return True
    return not source.isascii() and _TAKES_NO_ROOM.search(source) is not None


def _without_marks(source: str) -> tuple[str, tuple[int, ...] | None]:
    pieces: list[str] = []
    origins: list[int] = []
    last = 0
    for mark in _REMOVABLE.finditer(source):
        pieces.append(source[last : mark.start()])
        origins.extend(range(last, mark.start()))
        replacement = _replacement(mark.group())
        pieces.append(replacement)
        origins.extend([mark.start()] * len(replacement))
        last = mark.end()
    pieces.append(source[last:])
    origins.extend(range(last, len(source) + 1))
    return "".join(pieces), tuple(origins)


def _mended(text: str, origins: tuple[int, ...] | None) -> tuple[str, tuple[int, ...] | None]:
    """Join numbers broken behind their decimal point."""
    breaks = [
        found.span("gap")
        for found in _BROKEN_NUMBER.finditer(text)
        if text[found.start() - 1].isdigit() and _is_broken(text, *found.span("gap"))
    ]
    if not breaks:
        return text, origins
    pieces: list[str] = []
    kept: list[int] = []
    last = 0
    for start, end in [*breaks, (len(text), len(text) + 1)]:
        pieces.append(text[last:start])
        kept.extend(origins[last:start] if origins is not None else range(last, start))
        last = end
    kept.append(origins[-1] if origins is not None else len(text))
    return "".join(pieces), tuple(kept)


def _is_broken(text: str, start: int, end: int) -> bool:
    """Tell whether a point and the digit behind it are one number: behind a lone zero, or inside brackets."""
    if _BROKEN_ZERO.search(text, max(0, start - 3), start):
        return True
    opened = max(text.rfind(mark, max(0, start - _BRACKET_REACH), start) for mark in "([")
    closed = max(text.rfind(mark, max(0, start - _BRACKET_REACH), start) for mark in ")]")
    return opened > closed and _BEHIND_BROKEN.match(text, end) is not None


def _replacement(mark: str) -> str:
    if mark[0] == "&":
        character = html.unescape(mark)
        return character if (len(character) == 1 and character.isprintable()) or character == "\xa0" else " "
    return "^" if mark == "<sup>" else ""


def last_match(
    pattern: re.Pattern[str] | Phrase | LowerPhrase, text: str, start: int = 0, stop: int = sys.maxsize
) -> re.Match[str] | None:
    """Return the last match of a pattern in ``text[start:stop]``."""
    last = None
    for last in pattern.finditer(text, start, stop):  # noqa: B007 - the last one is wanted
        pass
    return last


def uses_decimal_comma(text: str) -> bool:
    """Tell whether this text writes 0,76 for 0.76; decided once a text, because '1,234' alone cannot tell."""
    if "," not in text or _POINT_DECIMAL.search(text):
        return False
    return bool(("0," in text and _COMMA_DECIMAL.search(text)) or _COMMA_INTERVAL.search(text))


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence; abbreviations such as 'vs.' do not end one."""
    start = 0
    for found in _BREAK.finditer(text):
        stop, following = found.span()
        if text[stop] != "\n":
            before = text[max(start, stop - _LONGEST_ABBREVIATION) : stop]
            # Eight letters without a gap are none of the abbreviations.
            if not (before.isalpha() and len(before) == _LONGEST_ABBREVIATION) and _goes_on(
                before, text[following]
            ):
                continue
        if stop < start + LONGEST_SENTENCE:
            yield start, stop + 1
        else:
            yield from _pieces(text, start, stop + 1)
        start = following
    if start < len(text):
        yield from _pieces(text, start, len(text))


def _goes_on(before: str, following: str) -> bool:
    """Tell whether a full stop ends an abbreviation or a lone zero, not a sentence."""
    word = before.rpartition(" ")[2]
    if not word.isalpha():
        word = _BEFORE_ABBREVIATION.split(before)[-1]
    return word.lower() in _ABBREVIATIONS or (before.endswith("0") and following.isdigit())


def _pieces(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Cut what is too long to be a sentence at a space, so that all later work on one is bounded."""
    while stop - start > LONGEST_SENTENCE:
        space = text.rfind(" ", start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE)
        cut = space if space > 0 else start + LONGEST_SENTENCE
        yield start, cut
        start = cut
    yield start, stop


def sections(text: str) -> tuple[tuple[int, SectionKind], ...]:
    """Return where each headed part of an abstract starts and what it is, in order."""
    found: list[tuple[int, SectionKind]] = [(0, "unknown")]
    for heading in _HEADING.finditer(text):
        kind = _heading_kind(heading["words"].lower())
        if kind is not None:
            found.append((heading.start(), kind))
    return tuple(found)


@lru_cache(maxsize=1_024)
def _heading_kind(words: str) -> SectionKind | None:
    for kind, stems in _HEADING_KINDS:
        if words.startswith(stems) or (words.count(" ") <= 3 and any(f" {stem}" in words for stem in stems)):
            return kind
    return None
