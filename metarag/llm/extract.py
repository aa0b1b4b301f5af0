"""Find the JSON object in what a model wrote.

Finds, never repairs: completing a cut-off object would turn a broken reply into a valid wrong one.
Every step is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from pydantic import JsonValue

from metarag.llm.base import Failure

_THINK_OPENS = re.compile(r"\s{0,64}<(?:think|thinking|reasoning)>", re.IGNORECASE)
_THINK_CLOSES = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
# An object starts with {" or {}: the braces of prose ("{see below}", \boxed{A}) do not.
_OPENS = re.compile(r'\{(?=\s{0,64}["}])')
_INSIDE = re.compile(r'[{}"]')
_IN_STRING = re.compile(r'["\\]')


class _UnsafeJsonError(ValueError):
    """JSON by the letter, with two meanings."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """An object and how it was found, or why there is none.

    Attributes
    ----------
    value : dict or None
    failure : Failure or None
        ``TRUNCATED`` when the last object is not closed, ``MALFORMED`` otherwise.
    notes : tuple of str
        ``reasoning removed``, ``found in other text``, ``last of several objects``,
        ``raw line breaks in a string``.
    """

    value: dict[str, JsonValue] | None
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


def extract_object(text: str) -> Extraction:
    """Return the last complete JSON object of ``text``.

    A text that is JSON as a whole is taken as it is. Otherwise reasoning in ``<think>`` is removed,
    code fences and prose are skipped, and of several objects the last counts. An unclosed last object
    is a truncated reply, also when a complete one stands before it (that may be a draft).
    """
    whole = text.strip().removeprefix("\ufeff")
    value, notes = _parse(whole)
    if isinstance(value, dict):
        return Extraction(value, None, notes)
    answer, reasoned = without_reasoning(whole)
    if answer is None:
        return Extraction(None, Failure.TRUNCATED, ("reasoning not closed",))
    spans, closed = _objects(answer)
    if not closed:
        return Extraction(None, Failure.TRUNCATED)
    if not spans:
        return Extraction(None, Failure.MALFORMED)
    start, end = spans[-1]
    value, notes = _parse(answer[start:end])
    if not isinstance(value, dict):
        return Extraction(None, Failure.MALFORMED)
    if reasoned:
        notes += ("reasoning removed",)
    if answer[:start].strip() or answer[end:].strip():
        notes += ("last of several objects",) if len(spans) > 1 else ("found in other text",)
    return Extraction(value, None, notes)


def without_reasoning(text: str) -> tuple[str | None, bool]:
    """Return the text after ``</think>`` and whether there was reasoning.

    Some chat templates leave out the opening tag, so the last closing tag decides. ``None`` when the
    reasoning was opened and never closed: there is no answer then.
    """
    end = 0
    for match in _THINK_CLOSES.finditer(text):
        end = match.end()
    if end:
        return text[end:].strip(), True
    return (None, True) if _THINK_OPENS.match(text) else (text.strip(), False)


def _objects(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return where the outermost objects are, and whether the last one is closed."""
    spans: list[tuple[int, int]] = []
    position = 0
    while opening := _OPENS.search(text, position):
        end = _closing(text, opening.start())
        if end is None:
            return spans, False
        spans.append((opening.start(), end))
        position = end
    return spans, True


def _closing(text: str, start: int) -> int | None:
    """Return the end of the object that starts at ``start``; ``None`` when it is not closed."""
    depth, position = 0, start
    while mark := _INSIDE.search(text, position):
        position = mark.end()
        if mark.group() == '"':
            end = _string_end(text, position)
            if end is None:
                return None
            position = end
            continue
        depth += 1 if mark.group() == "{" else -1
        if depth == 0:
            return position
    return None


def _string_end(text: str, position: int) -> int | None:
    """Return the position after the closing quote of a string that was opened before ``position``."""
    while mark := _IN_STRING.search(text, position):
        if mark.group() == '"':
            return mark.end()
        position = mark.end() + 1
    return None


def _parse(text: str) -> tuple[JsonValue, tuple[str, ...]]:
    """Return the parsed JSON, or ``None``; small models write raw line breaks into strings."""
    for strict in (True, False):
        try:
            value: JsonValue = json.loads(
                text, strict=strict, parse_constant=_no_constant, object_pairs_hook=_no_repeats
            )
        except (ValueError, RecursionError):
            continue
        return value, () if strict else ("raw line breaks in a string",)
    return None, ()


def _no_constant(name: str) -> JsonValue:
    raise _UnsafeJsonError(f"{name} is not JSON")


def _no_repeats(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """Refuse ``{"answer": "no", "answer": "yes"}``: which one counts would be the parser's choice."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _UnsafeJsonError("a key occurs twice")
    return value
