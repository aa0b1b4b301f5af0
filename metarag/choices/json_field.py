"""The value behind a key that means an answer, in JSON that may be fenced, broken or cut off elsewhere."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from pydantic import JsonValue

_KEY = re.compile(r"(?<!\\)[\"']([A-Za-z][A-Za-z _-]{1,24})[\"']\s{0,4}:\s{0,6}")
_KEYS = frozenset(
    """answer answerchoice answerletter answeridx answeroption bestanswer choice chosenanswer chosenoption
    correctanswer correctchoice correctoption finalanswer finalchoice letter option prediction predictedanswer
    selected selectedanswer selectedchoice selectedoption selection youranswer""".split()
)
_LONGEST_VALUE = 4_000
_QUOTED = re.compile(r"'([^'\n]{0,300})'")
_BARE = re.compile(r"([^\s,}\]\"'{\[][^,}\]\n\"'{\[]{0,80})[ \t]{0,4}[,}\n]")


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """What stands behind the last key that means an answer.

    Attributes
    ----------
    values : tuple of str
        One; several of a list; none where it is null, cut off or of no use.
    end : int
        Where the object is over, as far as one can see.
    """

    values: tuple[str, ...]
    start: int
    end: int


def json_answer(text: str) -> JsonAnswer | None:
    """Return the last answer in JSON; ``None`` when the text has no key that means one."""
    last = None
    for match in _KEY.finditer(text):
        if _is_known(match[1]):
            last = match
    if last is None:
        return None
    closing = text.rfind("}", last.end())
    return JsonAnswer(_value_at(text, last.end()), last.start(), closing + 1 if closing >= 0 else len(text))


def _value_at(text: str, position: int) -> tuple[str, ...]:
    part = text[position : position + _LONGEST_VALUE]
    try:
        value: JsonValue = json.JSONDecoder(strict=False).raw_decode(part)[0]
    except (ValueError, RecursionError):
        found = _QUOTED.match(part) or _BARE.match(part)
        return (found[1],) if found else ()
    return _texts(value, depth=2)


def _texts(value: JsonValue, *, depth: int) -> tuple[str, ...]:
    if value is None or depth < 0:
        return ()
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if isinstance(value, list):
        return tuple(text for part in value[:20] for text in _texts(part, depth=depth - 1))
    if isinstance(value, dict):
        known = [part for key, part in value.items() if _is_known(key)]
        return _texts(known[-1], depth=depth - 1) if known else ()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (str(value),)


def _is_known(key: str) -> bool:
    return re.sub(r"[ _-]", "", key).casefold() in _KEYS
