"""The closed shape a reply must have, and the check that it has it.

Servers differ in what they do with a JSON Schema: enforce it, reject it, or ignore it with a
friendly 200. So every reply is checked here, always, against the strict subset that all of them
share: objects with all properties required and no others, arrays, enums, strings and numbers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from pydantic import Field, JsonValue, model_validator

from metarag.records import Frozen

_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
BOUNDS = frozenset({"minItems", "maxItems", "maxLength", "minimum", "maximum"})
"""Keywords that servers support or not; those of the structure all support."""
_KEYWORDS = BOUNDS | {
    "type", "properties", "required", "additionalProperties", "items", "enum", "description",
}  # fmt: skip


class SchemaMismatchError(ValueError):
    """A reply does not fit. The message says where and what was expected, never what the reply said."""


@dataclass(frozen=True, slots=True)
class Conformed:
    """A value that fits its schema, and what had to be changed for it.

    Attributes
    ----------
    value : JsonValue
        The reply with the coercions applied and unknown keys dropped.
    coercions : tuple of str
        One line a change, e.g. ``items.blinded: text read as a number``.
    """

    value: JsonValue
    coercions: tuple[str, ...] = ()


class ReplySchema(Frozen):
    """A strict JSON Schema under a name.

    Parameters
    ----------
    name : str
        Letters, digits, ``_`` and ``-``; at most 64.
    json_schema : dict
        The root is an object; each object requires all its properties and allows no others.
        Known keywords: ``type``, ``properties``, ``required``, ``additionalProperties``, ``items``,
        ``enum``, ``description``, ``minimum``, ``maximum``, ``minItems``, ``maxItems``, ``maxLength``.

    Raises
    ------
    ValueError
        The schema is not strict, or uses a keyword that would not be checked.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    json_schema: dict[str, JsonValue]

    @model_validator(mode="after")
    def _is_strict(self) -> Self:
        if self.json_schema.get("type") != "object":
            raise ValueError("the root of a reply schema must be an object")
        _check_strict(self.json_schema, self.name)
        return self

    @property
    def text(self) -> str:
        """The schema as canonical JSON, for the prompt and for cache keys."""
        return json.dumps(self.json_schema, ensure_ascii=False, separators=(",", ":"))

    def without_bounds(self) -> dict[str, JsonValue]:
        """Return the schema without limits of length and range.

        They keep a small model from rambling where a server enforces them, but some servers reject a
        schema that has any. They are checked here in any case.
        """
        stripped = _without_bounds(self.json_schema)
        return stripped if isinstance(stripped, dict) else {}

    def conform(self, value: JsonValue) -> Conformed:
        """Return ``value`` as the schema wants it.

        Coerced and recorded: an enum value in another case, with spaces, or as a whole number where its text
        is one; a plain number or boolean written as text, a whole float for an integer, unknown keys
        (dropped). Rejected: everything else, among it numbers out of range, NaN, ``"80 %"``, ``"0,8"`` and
        ``true`` for a number, because what they mean would be a guess.

        Raises
        ------
        SchemaMismatchError
            The value does not fit.
        """
        coercions: list[str] = []
        return Conformed(_conform(_Node(value, self.json_schema, "", coercions)), tuple(coercions))


def strict_object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def one_of(*answers: str) -> dict[str, JsonValue]:
    """Return the schema of a closed answer."""
    return {"type": "string", "enum": list(answers)}


def text_up_to(characters: int) -> dict[str, JsonValue]:
    """Return the schema of a string with a length limit."""
    return {"type": "string", "maxLength": characters}


@dataclass(frozen=True, slots=True)
class _Node:
    """A value, its schema, where it is, and the shared list of changes."""

    value: JsonValue
    schema: dict[str, JsonValue]
    path: str
    coercions: list[str] = field(repr=False)

    def child(self, value: JsonValue, schema: JsonValue, step: str) -> _Node:
        path = f"{self.path}.{step}" if self.path else step
        return _Node(value, schema if isinstance(schema, dict) else {}, path, self.coercions)

    def changed(self, how: str) -> None:
        self.coercions.append(f"{self.path or 'reply'}: {how}")

    def wrong(self, expected: str) -> SchemaMismatchError:
        return SchemaMismatchError(f"{self.path or 'the reply'} must be {expected}")

    def bound(self, keyword: str) -> float | None:
        limit = self.schema.get(keyword)
        return limit if isinstance(limit, int | float) else None


def _conform(node: _Node) -> JsonValue:
    kind = node.schema.get("type")
    return _CHECKS[str(kind)](node)


def _conform_object(node: _Node) -> JsonValue:
    properties = node.schema.get("properties")
    if not isinstance(node.value, dict) or not isinstance(properties, dict):
        raise node.wrong("an object")
    missing = [name for name in properties if name not in node.value]
    if missing:
        raise node.wrong(f"an object with {', '.join(missing)}")
    unknown = len(node.value.keys() - properties.keys())
    if unknown:
        node.changed(f"{unknown} unknown key{'s' if unknown > 1 else ''} dropped")
    return {name: _conform(node.child(node.value[name], schema, name)) for name, schema in properties.items()}


def _conform_array(node: _Node) -> JsonValue:
    if not isinstance(node.value, list):
        raise node.wrong("a list")
    low, high = node.bound("minItems"), node.bound("maxItems")
    if (low is not None and len(node.value) < low) or (high is not None and len(node.value) > high):
        raise node.wrong(f"a list of {low or 0:g} to {high if high is not None else 'any number of'} items")
    items = node.schema.get("items")
    return [_conform(node.child(item, items, str(i))) for i, item in enumerate(node.value)]


def _conform_string(node: _Node) -> JsonValue:
    choices = node.schema.get("enum")
    if isinstance(choices, list):
        return _conform_choice(node, [c for c in choices if isinstance(c, str)])
    if not isinstance(node.value, str):
        raise node.wrong("a string")
    longest = node.bound("maxLength")
    if longest is not None and len(node.value) > longest:
        raise node.wrong(f"at most {longest:g} characters long")
    return node.value


def _conform_choice(node: _Node, choices: list[str]) -> JsonValue:
    expected = f"one of {', '.join(choices)}"
    if type(node.value) is int and str(node.value) in choices:
        node.changed("number read as text")
        return str(node.value)
    if not isinstance(node.value, str):
        raise node.wrong(expected)
    if node.value in choices:
        return node.value
    alike = [c for c in choices if _plain(c) == _plain(node.value)]
    if len(alike) != 1:
        raise node.wrong(expected)
    node.changed(f"spelling read as {alike[0]}")
    return alike[0]


def _conform_number(node: _Node) -> JsonValue:
    value = node.value
    if isinstance(value, str) and _PLAIN_NUMBER.fullmatch(value.strip()):
        value = float(value)
        node.changed("text read as a number")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise node.wrong("a finite number")
    low, high = node.bound("minimum"), node.bound("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        raise node.wrong(f"a number in [{'-inf' if low is None else low}, {'inf' if high is None else high}]")
    return value


def _conform_integer(node: _Node) -> JsonValue:
    value = _conform_number(node)
    if isinstance(value, float):
        if not value.is_integer():
            raise node.wrong("a whole number")
        if isinstance(node.value, float):
            node.changed("whole float read as an integer")
        return int(value)
    return value


def _conform_boolean(node: _Node) -> JsonValue:
    if isinstance(node.value, bool):
        return node.value
    if isinstance(node.value, str) and node.value.strip().casefold() in {"true", "false"}:
        node.changed("text read as true or false")
        return node.value.strip().casefold() == "true"
    raise node.wrong("true or false")


_CHECKS: dict[str, Callable[[_Node], JsonValue]] = {
    "object": _conform_object,
    "array": _conform_array,
    "string": _conform_string,
    "number": _conform_number,
    "integer": _conform_integer,
    "boolean": _conform_boolean,
}


def _plain(text: str) -> str:
    """Return an enum value without case, and with ``_`` for spaces and hyphens."""
    return text.strip()[:64].casefold().replace(" ", "_").replace("-", "_")


def _check_strict(schema: JsonValue, where: str) -> None:
    """Raise ``ValueError`` unless every part of the schema will be checked."""
    if not isinstance(schema, dict) or str(schema.get("type")) not in _CHECKS:
        raise ValueError(f"schema {where}: each part needs a type out of {', '.join(_CHECKS)}")
    unchecked = schema.keys() - _KEYWORDS
    if unchecked:
        raise ValueError(f"schema {where}: {', '.join(sorted(unchecked))} would not be checked")
    if schema["type"] == "array":
        _check_strict(schema.get("items"), f"{where}[]")
    if schema["type"] != "object":
        return
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise ValueError(f"schema {where}: an object needs properties and required")
    if set(map(str, required)) != set(properties) or schema.get("additionalProperties") is not False:
        raise ValueError(f"schema {where}: all properties must be required and no others allowed")
    for name, part in properties.items():
        _check_strict(part, f"{where}.{name}")


def _without_bounds(schema: JsonValue) -> JsonValue:
    """Return a copy without bounds; property names are kept whatever they are called."""
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, JsonValue] = {k: v for k, v in schema.items() if k not in BOUNDS}
    properties = kept.get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {name: _without_bounds(part) for name, part in properties.items()}
    if "items" in kept:
        kept["items"] = _without_bounds(kept["items"])
    return kept
