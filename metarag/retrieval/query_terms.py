"""Words, phrases, tags and ranges of a query, checked the way PubMed would understand them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from metarag.errors import QueryError
from metarag.retrieval.query_fields import (
    NOT_EXPLODED_TAGS,
    PROXIMITY_TAGS,
    FieldKind,
    QueryField,
    closest_tag,
    find_field,
)
from metarag.retrieval.query_tokens import SHOWN, Kind, Token
from metarag.retrieval.query_tree import Range, Term

LEADING_CHARACTERS: Final = 4
"""Characters that a word needs before its first ``*`` (NLM Technical Bulletin 2024;458:e5)."""
MAX_DISTANCE: Final = 1000
"""Words between two others; no abstract has more. Ours: PubMed names no limit."""

HAS_ABSTRACT: Final = "hasabstract"

_DATE: Final = re.compile(r"(\d{4})(?:/(\d{1,2})(?:/(\d{1,2}))?)?", re.ASCII)
_RELATIVE: Final = re.compile(r"last [1-9]\d{0,3} (?:days?|months?|years?)", re.IGNORECASE | re.ASCII)
_NUMBER: Final = re.compile(r"\d{1,10}", re.ASCII)
_DISTANCE: Final = re.compile(r"~\s*(\d{1,9})", re.ASCII)
_HINTS: Final = MappingProxyType(
    {
        **dict.fromkeys(("pmc", "pmcid", "mid"), "write the number itself, e.g. PMC1234567, without a tag"),
        **dict.fromkeys(("ab", "abstract"), "PubMed does not search abstracts alone; use [tiab]"),
        **dict.fromkeys(("kw", "keyword", "keywords"), "authors' keywords are [ot]"),
        **dict.fromkeys(("exp", "explode"), "headings are exploded unless the tag says :noexp"),
        **dict.fromkeys(("year", "date", "py"), "the date of publication is [dp]"),
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tag:
    """A field tag as read.

    Attributes
    ----------
    field : QueryField
        The field.
    explode : bool
        False after ``:noexp``.
    distance : int or None
        After ``:~``.
    start : int
        Where its bracket stands.
    """

    field: QueryField
    explode: bool
    distance: int | None
    start: int


def read_tag(token: Token, text: str) -> Tag:
    """Return what a tag says.

    Raises
    ------
    QueryError
        The field, or what stands after its colon, is not known.
    """
    name, colon, modifier = token.text.partition(":")
    field = find_field(name)
    if field is None:
        raise QueryError(_unknown(name.strip()), text=text, position=token.start)
    modifier = modifier.strip().lower()
    near = _DISTANCE.fullmatch(modifier)
    if near:
        return Tag(field, True, _distance(near[1], field, token, text), token.start)
    if modifier == "noexp" and field.tag in NOT_EXPLODED_TAGS:
        return Tag(field, False, None, token.start)
    if colon:
        shown = modifier[:SHOWN]
        raise QueryError(
            f"[{field.tag}] cannot be followed by :{shown}; known are :~N (ti, tiab, ad) and :noexp (mh, majr, sh, pt)",
            text=text,
            position=token.start,
        )
    return Tag(field, True, None, token.start)


def make_term(words: list[Token], tag: Tag | None, text: str) -> Term:
    """Return the term of words that stand together, or of one phrase, with their tag.

    Raises
    ------
    QueryError
        A wildcard, a proximity search or a value is written in a way that PubMed would not obey.
    """
    quoted = words[0].kind is Kind.PHRASE
    said = " ".join(token.text for token in words)
    if not any(character.isalnum() for character in said):
        raise QueryError("there is no word between these quotation marks", text=text, position=words[0].start)
    _check_wildcards(words, tag, text)
    if tag is None or (said.lower() == HAS_ABSTRACT and tag.field.tag == "tw"):
        # PubMed's own filter is written hasabstract[text] too, which is not the field of that name.
        return Term(said, quoted, start=words[0].start)
    if tag.distance is not None:
        _check_proximity(words[0], tag, text)
    if tag.field.kind is FieldKind.DATE and not _is_date(said):
        raise QueryError(
            f"[{tag.field.tag}] takes a date: 2024, 2024/03, 2024/03/01, or a range 2020:2024[{tag.field.tag}]",
            text=text,
            position=words[0].start,
        )
    if tag.field.kind is FieldKind.NUMBER and not all(map(_NUMBER.fullmatch, said.replace(",", " ").split())):
        raise QueryError(f"[{tag.field.tag}] takes numbers", text=text, position=words[0].start)
    return Term(said, quoted, tag.field.tag, tag.explode, tag.distance, words[0].start)


def make_range(low: Token, high: Token, tag: Tag, text: str) -> Range:
    """Return the range from one value to another.

    Raises
    ------
    QueryError
        The field has no ranges, a value is none of it, or the range runs backwards.
    """
    field = tag.field
    if field.kind not in (FieldKind.DATE, FieldKind.NUMBER) or tag.distance is not None or not tag.explode:
        raise QueryError(
            f"a range such as 2020:2024 needs a date tag ([dp], [edat], ...) or [pmid], not [{field.tag}];"
            " a colon between words goes between quotation marks",
            text=text,
            position=low.start,
        )
    for token in (low, high):
        if not (_is_day(token.text) if field.kind is FieldKind.DATE else _NUMBER.fullmatch(token.text)):
            kind = "date: 2024, 2024/03 or 2024/03/01" if field.kind is FieldKind.DATE else "number"
            raise QueryError(f"{token.text[:SHOWN]} is no {kind}", text=text, position=token.start)
    if _as_numbers(low.text) > _as_numbers(high.text):
        raise QueryError(
            "this range runs backwards; put the smaller value first", text=text, position=low.start
        )
    return Range(low.text, high.text, field.tag, low.start)


def _unknown(name: str) -> str:
    if not name:
        return "this field tag is empty; a tag is written [tiab]"
    hint = _HINTS.get(name.lower())
    close = closest_tag(name)
    advice = hint or (
        f"did you mean [{close}]?" if close else "leave it out, or see docs/queries.md for the tags"
    )
    shown = name if len(name) <= SHOWN else f"{name[:SHOWN]}…"
    return f"PubMed has no field tag [{shown}] and would ignore it; {advice}"


def _distance(digits: str, field: QueryField, token: Token, text: str) -> int:
    if field.tag not in PROXIMITY_TAGS:
        raise QueryError(
            f"PubMed looks for words near each other only in [ti], [tiab] and [ad], not in [{field.tag}]",
            text=text,
            position=token.start,
        )
    if int(digits) > MAX_DISTANCE:
        raise QueryError(f"at most {MAX_DISTANCE} words may stand between", text=text, position=token.start)
    return int(digits)


def _check_proximity(phrase: Token, tag: Tag, text: str) -> None:
    if phrase.kind is not Kind.PHRASE:
        raise QueryError(
            'a proximity search needs its words between quotation marks: "hip pain"[tiab:~3]',
            text=text,
            position=phrase.start,
        )
    if len(phrase.text.split()) < 2:
        raise QueryError("a proximity search needs two words or more", text=text, position=phrase.start)
    if "*" in phrase.text:
        raise QueryError(
            "a proximity search takes no *; write the word out", text=text, position=phrase.start
        )


def _check_wildcards(words: list[Token], tag: Tag | None, text: str) -> None:
    for token in words:
        for word in token.text.split() if "*" in token.text else ():
            before, star, _ = word.partition("*")
            if star and len(before) < LEADING_CHARACTERS:
                raise QueryError(
                    f"{word[:SHOWN]} needs {LEADING_CHARACTERS} characters or more before its *",
                    text=text,
                    position=token.start,
                )
    if tag and tag.field.kind in (FieldKind.DATE, FieldKind.NUMBER) and any("*" in t.text for t in words):
        raise QueryError(f"[{tag.field.tag}] takes no *", text=text, position=words[0].start)


def _is_date(said: str) -> bool:
    return _is_day(said) or bool(_RELATIVE.fullmatch(said))


def _is_day(said: str) -> bool:
    match = _DATE.fullmatch(said)
    if match is None:
        return False
    year, month, day = (int(part) if part else 1 for part in match.groups())
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _as_numbers(said: str) -> tuple[int, ...]:
    return tuple(int(part) for part in said.split("/"))
