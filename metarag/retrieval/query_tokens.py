"""A query as tokens, each with its place. What PubMed would ignore without a word is refused here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple, NoReturn

from metarag.errors import QueryError


class Kind(Enum):
    """What a token is."""

    WORD = "word"
    PHRASE = "phrase"
    TAG = "tag"
    OPEN = "("
    CLOSE = ")"
    COLON = ":"
    OPERATOR = "operator"


class Token(NamedTuple):
    """A token: its kind, what it says (a phrase without its quotes, a tag without brackets), and where it begins."""

    kind: Kind
    text: str
    start: int


OPERATORS: Final = ("AND", "OR", "NOT")
SHOWN: Final = 40
"""Characters of a word or tag that a message repeats."""
_SINGLE: Final = MappingProxyType({"(": Kind.OPEN, ")": Kind.CLOSE, ":": Kind.COLON})
_TOKEN: Final = re.compile(
    r'(?P<space>\s+)|(?P<single>[():])|(?P<quote>")|(?P<bracket>\[)|(?P<word>[^\s():"\[\]]+)'
)
_HISTORY: Final = re.compile(r"#\d+$")
_NAMES: Final = MappingProxyType(
    {
        **dict.fromkeys("“”„‟«»＂″", 'a typographic quotation mark; write "'),
        **dict.fromkeys("‘‚‛`´", 'a typographic quotation mark; write " around a phrase'),
        **dict.fromkeys("∗＊⁎✱✳⋆", "a typographic asterisk; write *"),
        **dict.fromkeys("（）［］【】", "a full-width bracket; write ( ) or [ ]"),
        "：": "a full-width colon; write :",
    }
)
_FOREIGN: Final = MappingProxyType(
    {
        "~": 'belongs into a tag, after a phrase: "hip pain"[tiab:~3]; there is no search for similar spellings',
        "^": "is no operator of PubMed: a word cannot be given more weight",
        "?": "does not stand for a letter, and is not searched; leave it out, or write * for any ending",
        "|": "is no operator of PubMed; write OR",
        "{": "is no bracket of PubMed; write (",
        "}": "is no bracket of PubMed; write )",
        "\\": "escapes nothing; leave it out, or put the words between quotation marks",
    }
)
_APOSTROPHES: Final = "’ʼ"
_NEARNESS: Final = re.compile(
    r"ADJ\d{0,3}|NEAR(?:/\d{1,3})?|(?:ONEAR|UONEAR|NEXT|PRE|[NPW])/\d{1,3}", re.ASCII
)
_OVID_FIELD: Final = re.compile(r".+\.[a-z]{2}(?:,[a-z]{2})*\.", re.ASCII | re.IGNORECASE)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a query, from left to right, in linear time.

    Raises
    ------
    QueryError
        A quotation mark or bracket is not closed or not opened, or a character is none of a query.
    """
    _check_characters(text)
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            _refuse(text, at, "this ] closes no field tag; a tag is written [tiab]")
        at = match.end()
        kind, start = match.lastgroup, match.start()
        if kind == "single":
            yield Token(_SINGLE[match.group()], match.group(), start)
        elif kind == "quote":
            at = _end_of(text, start, '"', "this quotation mark is not closed")
            yield Token(Kind.PHRASE, _words(text[start + 1 : at - 1]), start)
        elif kind == "bracket":
            at = _end_of(text, start, "]", "this [ is not closed; a tag is written [tiab]")
            yield Token(Kind.TAG, text[start + 1 : at - 1].strip(), start)
        elif kind == "word":
            yield _word(text, match.group(), start)


def _word(text: str, word: str, start: int) -> Token:
    if word in OPERATORS:
        return Token(Kind.OPERATOR, word, start)
    for offset, character in enumerate(word):
        if character in _FOREIGN:
            _refuse(text, start + offset, f"{character} {_FOREIGN[character]}")
    if _HISTORY.match(word):
        _refuse(text, start, f"{word} points to an earlier search, and there is none; write that search out")
    if word == "*":
        _refuse(
            text,
            start,
            "this * ends no word; put it directly after one, inside the quotation marks of a phrase",
        )
    if not any(character.isalnum() for character in word):
        _refuse(text, start, f"{word} is no word; write AND, OR or NOT, or leave it out")
    if word[0] in "+-":
        _refuse(text, start, f"{word[0]} before a word means nothing here; write AND or NOT")
    if foreign := _foreign_syntax(word):
        _refuse(text, start, foreign)
    return Token(Kind.WORD, _straight(word), start)


def is_plain(word: str) -> bool:
    """True for a word that stands for itself without quotation marks, too."""
    return word not in OPERATORS and not _foreign_syntax(word)


def _foreign_syntax(word: str) -> str:
    """Return what is wrong with a word that is an operator or a field of other search engines; else nothing.

    PubMed searches it as a word, and so for something else than was meant.
    """
    if _NEARNESS.fullmatch(word):
        return f'{word} is no operator of PubMed; words near each other are written "hip pain"[tiab:~3]'
    if word.endswith("/"):
        return f"{word[:SHOWN]} is written as in Ovid; a heading is written {word[:-1][:SHOWN]}[mh]"
    if _OVID_FIELD.fullmatch(word):
        field = word.removesuffix(".").rpartition(".")
        return f"a field is not named as in Ovid; write {field[0][:SHOWN]}[tiab], or quotation marks around the word"
    return ""


def _check_characters(text: str) -> None:
    for at, character in enumerate(text):
        if character in _NAMES:
            _refuse(text, at, f"{character} is {_NAMES[character]}")
        if " " <= character <= "~" or character.isspace():
            continue
        if unicodedata.category(character)[0] == "C":
            _refuse(text, at, f"an invisible character (U+{ord(character):04X}) stands here; delete it")


def _end_of(text: str, start: int, mark: str, problem: str) -> int:
    """Return the place after the mark that closes what begins at ``start``."""
    end = text.find(mark, start + 1)
    if end < 0:
        _refuse(text, start, problem)
    return end + 1


def _words(text: str) -> str:
    return _straight(" ".join(text.split()))


def _straight(text: str) -> str:
    """Return the text with plain apostrophes: Crohn’s becomes Crohn's."""
    return text if text.isascii() else text.translate(dict.fromkeys(map(ord, _APOSTROPHES), "'"))


def _refuse(text: str, at: int, problem: str) -> NoReturn:
    raise QueryError(problem, text=text, position=at)
